/**
 * The files for Prometheus and Grafana name existing metrics and commands. florin/test/prometheus runs them with
 * Prometheus.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Metrics from "../../packages/core/src/engine/record/Metrics.ts"

const read = (file: string) => readFileSync(file, "utf8")
const [alerts, dashboard, page] = [
  "deploy/prometheus/alerts.yml",
  "deploy/grafana/florin.json",
  "docs/observability.md",
].map(read)

const found = (text: string | undefined, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text?.matchAll(pattern) ?? [], ([, name = ""]) => name)

const named = (text: string | undefined): ReadonlyArray<string> =>
  found(text, /\b(florin_[a-z_]+)\b/gu).map((name) => name.replace(/_(?:bucket|sum|count)$/u, ""))

const known = new Map<string, Metrics.Definition>(Object.entries(Metrics.table))

describe("the table of metrics", () => {
  it("follows Prometheus's naming: counters end with _total, times with _seconds", () => {
    for (const [name, { help, labels, type }] of known) {
      assert.match(name, /^florin_[a-z_]+$/u)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      assert.notMatch(name, /_(?:ms|millis|milliseconds|bucket|sum|count)(?:_|$)/u)
      assert.match(help, /^[A-Z1].+\.$/u, name)
      for (const label of labels) {
        assert.match(label, /^[a-z]+$/u)
        assert.notInclude(["unit", "le", "quantile", "instance", "job"], label)
      }
    }
  })

  it("contains every metric of the alerts, the dashboard and the documentation", () => {
    for (const text of [alerts, dashboard, page]) {
      const all = named(text)
      assert.isNotEmpty(all)
      assert.deepStrictEqual(
        all.filter((name) => !known.has(name)),
        [],
      )
    }
  })

  it("contains only metrics that the dashboard shows", () => {
    const shown = new Set(named(dashboard))
    assert.deepStrictEqual(
      [...known.keys()].filter((name) => !shown.has(name)),
      [],
    )
  })

  it("contains every label that alerts and panels use", () => {
    const own = [...known.values()].flatMap((each) => each.labels)
    const labels = new Set([...own, "le", "instance", "job"])
    const used = [
      ...found(alerts, /\$labels\.(\w+)/gu),
      ...found(dashboard, /\{\{(\w+)\}\}/gu),
      ...found(`${alerts}${dashboard}`, /[{,](\w+)=~?\\?"/gu),
      ...found(`${alerts}${dashboard}`, /\bby \(([^)]+)\)/gu).flatMap((list) => list.split(", ")),
    ]
    assert.isNotEmpty(used)
    assert.deepStrictEqual(
      used.filter((label) => !labels.has(label)),
      [],
    )
  })
})

describe("alerts", () => {
  it("name a command that exists and helps", () => {
    const names = found(alerts, /- alert: (\w+)/gu)
    const runbooks = found(alerts, /runbook: "(.+)"/gu)
    assert.strictEqual(runbooks.length, names.length)
    assert.strictEqual(new Set(names).size, names.length)
    for (const runbook of runbooks) {
      const commands = found(runbook, /\bflorin ((?:[a-z]+(?= |[.,;:]|$) ?)+)/gu)
      assert.isNotEmpty(commands, runbook)
      for (const command of commands) {
        const words = command.trim().split(" ")
        assert.isTrue(
          existsSync(`packages/florin/test/help/florin-${words.join("-")}.txt`),
          `florin ${command} is no command`,
        )
      }
    }
  })

  it("are all in the documentation", () => {
    for (const name of found(alerts, /- alert: (\w+)/gu)) assert.include(page, `\`${name}\``)
  })
})
