/**
 * The overview of a partner's console with a million payments of two years, on the real program and PostgreSQL: how many
 * requests it sends for its data, and how long the service takes for each.
 *
 * @example
 * pnpm bench overview --payments 1000000
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { tmpdir } from "node:os"
import process, { stdout } from "node:process"
import { fileURLToPath } from "node:url"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Postgres from "@florin/postgres/Postgres"
import * as Confusables from "@florin/server/Confusables"
import { Clock, Effect, Layer, Redacted } from "effect"
import type { Browser as Chromium } from "playwright-core"
import * as Programs from "../../../scripts/vitest-programs.ts"
import * as Seed from "../../postgres/bench/seed.ts"
import * as Connection from "../../postgres/src/Connection.ts"
import * as Server from "../../postgres/test-support/server.ts"
import * as Browser from "../test/browser/Browser.ts"
import * as Member from "../test/chaos/Member.ts"
import * as Program from "../test/program.ts"
import * as Serving from "../test/serving.ts"

const payments = Number(process.env["PAYMENTS"] ?? 50_000)
/** Whole days of a zone are kept if the zone is UTC; all others are put together from parts of days. */
const zones = ["UTC", "Europe/Berlin", "Asia/Kolkata"]
const spans = [30, 365]
const looks = 5

interface Answered {
  readonly path: string
  /** From the last byte of the request to the first of the response. */
  readonly inMs: number
}

/** What the page asked for, as the browser counts it. */
const answered = `JSON.stringify(performance.getEntriesByType("resource")
  .filter(({ name }) => /\\/v1\\/(?!session|approvals)/.test(name))
  .map(({ name, requestStart, responseStart }) =>
    ({ path: new URL(name).pathname, inMs: responseStart - requestStart })))`

const look = async (chromium: Chromium, url: string, timezoneId: string, key: () => string) => {
  const context = await chromium.newContext({ timezoneId, locale: "en" })
  const page = await context.newPage()
  await page.goto(`${url}/console#sign-in=${key()}`)
  await page.locator(".tile").first().waitFor()
  for (const span of spans) {
    const seen: Array<ReadonlyArray<Answered>> = []
    // oxlint-disable no-await-in-loop -- One look after another: what is measured shares nothing with the next.
    for (let index = 0; index < looks; index++) {
      await page.goto(`${url}/console?days=${span}`)
      await page.locator(".share").first().waitFor()
      seen.push(JSON.parse(String(await page.evaluate(answered))))
    }
    // oxlint-enable no-await-in-loop
    const most = Math.max(...seen.map((each) => each.length))
    const paths = [...new Set(seen.flat().map(({ path }) => path))]
    const times = paths.map((path) => {
      const all = seen.flat().flatMap((each) => (each.path === path ? [each.inMs] : []))
      return `${path} ${all.map((inMs) => inMs.toFixed(0)).join(" ")} ms`
    })
    stdout.write(`${timezoneId}, ${span} days: ${most} requests; ${times.join("; ")}\n`)
  }
  const tiles = await page.locator(".tile").allInnerTexts()
  stdout.write(`  ${tiles.map((tile) => tile.replaceAll("\n", " ")).join(" | ")}\n`)
  await context.close()
}

const overview = Effect.fnUntraced(function* (directory: string) {
  const server = yield* Server.makeIn(tmpdir(), { shared_buffers: "1GB" })
  const client = Layer.fresh(Connection.layer({ url: Redacted.make(server.url) }, 3_600_000))
  const services = Layer.mergeAll(
    Postgres.layer({ url: Redacted.make(server.url) }),
    Identifiers.layer,
    Confusables.layer,
  )
  const { id } = yield* Keys.createPartner({ name: "Many", feeTerms: Fees.none }).pipe(
    Effect.provide(services),
  )
  const of = { partnerId: id, mode: "test" as const }
  yield* Seed.seed(payments, { of, before: yield* Clock.currentTimeMillis }).pipe(
    Effect.provide(client),
  )
  stdout.write(`${payments} payments, one in eleven of others\n`)
  const variables = { ...Serving.variables(server.url, []), FLORIN_RATE_LIMIT: "0" }
  const program = (yield* Effect.promise(Programs.make))[
    fileURLToPath(new URL("../src/main.ts", import.meta.url))
  ]
  if (program === undefined) throw new Error("there is no program")
  const report = (what: string) => void stdout.write(`${what}\n`)
  const service = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Member.make({ name: "all", role: "all", program, variables, directory, report }),
    ),
    (each) => Effect.promise(each.kill),
  )
  yield* Effect.promise(service.start)
  const key = () => {
    const words = [program, "login", "--partner", id, "--mode", "test", "--json"]
    const env = { PATH: process.env["PATH"], ...variables }
    return String(
      JSON.parse(execFileSync(process.execPath, words, { env, encoding: "utf8" })).secret,
    )
  }
  const chromium = yield* Effect.acquireRelease(Effect.promise(Browser.launch), (each) =>
    Effect.promise(() => each.close()),
  )
  for (const zone of zones) {
    yield* Effect.promise(() => look(chromium, service.url, zone, key))
  }
})

await Program.inDirectory((directory) => Effect.runPromise(Effect.scoped(overview(directory))))
process.exit()
