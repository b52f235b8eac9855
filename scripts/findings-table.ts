/**
 * Renders the tables of findings and alerts into the pages that have them, between two comments.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import * as Findings from "../packages/core/src/engine/status/Findings.ts"
import * as alerts from "./alerts.ts"

const code = (text: string): string => `\`${text}\``

/** As oxfmt formats a table. */
const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = []] = rows
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>, fill = " ") =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(" | ")} |`
  return [
    line(head),
    line(
      head.map(() => ""),
      "-",
    ),
    ...rows.slice(1).map((row) => line(row)),
  ].join("\n")
}

const between = (
  page: string,
  name: string,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string => {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), "utf8")
  const [begin, end] = [
    `<!-- Generated from the table of ${name}: edit that instead. -->`,
    `<!-- End of the table of ${name}. -->`,
  ]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table of ${name}`)
  return `${text.slice(0, from + begin.length)}\n\n${tableOf(rows)}\n\n${text.slice(to)}`
}

export const renderObservability = (): string =>
  between("docs/observability.md", "alerts", [
    ["alert", "severity", "what happened"],
    ...alerts.all.map(({ alert, means, severity }) => [code(alert), severity, means]),
  ])

const limitOf = (tag: Findings.Tag): string => {
  const { threshold } = Findings.table[tag]
  return threshold === undefined ? "" : `${threshold.is} ${threshold.value} ${threshold.unit}`
}

export const renderOperations = (): string =>
  between("docs/operations.md", "findings", [
    ["finding", "severity", "what happened", "from", "alert"],
    ...Findings.tags.map((tag) => {
      const { means, severity } = Findings.table[tag]
      const names = alerts.namesOf(tag).map(code).join(", ")
      return [code(Findings.nameOf(tag)), severity, means, limitOf(tag), names]
    }),
  ])
