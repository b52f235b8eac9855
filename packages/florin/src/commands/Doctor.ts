/**
 * `florin doctor`: checks item by item whether a service is ready for real money.
 *
 * @module
 */
import { env } from "node:process"
import { Assets } from "@florin/core/ports/Assets"
import * as Arr from "effect/Array"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import * as Place from "../access/Place.ts"
import * as Checklist from "../doctor/Checklist.ts"
import * as OfService from "../doctor/OfService.ts"
import * as OfSettings from "../doctor/OfSettings.ts"
import * as Configured from "../serve/Configured.ts"
import * as Nodes from "../serve/Nodes.ts"
import * as Settings from "../serve/Settings.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

const ofService = ["nodes", "halted", "gas", "books", "credit", "stuck"] as const

/** Checks chains and books if this release can open the database without changing it. */
const inService = Effect.fnUntraced(function* (
  configured: Configured.Configured,
  isOpenable: boolean,
) {
  const waiting = (missing: string) =>
    ofService.map((item) => Checklist.reportWaiting(item, missing))
  if (!isOpenable) return waiting("the database cannot be opened yet")
  if (!Configured.namesChains(configured)) return waiting("no chain is configured")
  const { assets, place, values } = configured
  return yield* OfService.ofBooksAndChains(values).pipe(
    Effect.provide(
      Layer.provideMerge(
        Layer.merge(Configured.chainsLayer(configured), Assets.layerStored(assets.catalog)),
        Place.layer(place, "florin doctor"),
      ),
    ),
    // A chain that cannot be served, such as one whose nodes share one host.
    Effect.catch(({ message }) =>
      Effect.succeed(ofService.map((item) => Checklist.reportUnchecked(item, message))),
    ),
  )
})

const look = Effect.fnUntraced(function* (configured: Configured.Configured) {
  yield* Nodes.check(configured.values)
  const ofDatabase = yield* OfService.ofDatabase(configured.place)
  const isOpenable =
    configured.place._tag === "Server" &&
    ofDatabase.some(({ holds, item }) => item === "schema" && holds === true)
  const seen = new Map(
    [
      ...OfSettings.findings(configured),
      ...ofDatabase,
      ...(yield* inService(configured, isOpenable)),
    ].map((finding) => [finding.item, finding]),
  )
  return Struct.keys(Checklist.rows).map(
    (item) => seen.get(item) ?? Checklist.reportUnchecked(item),
  )
})

const marks = { ok: "✓", mend: "✗", decide: "?", look: "·" } as const

const plain = (text: string): string => text.replaceAll("`", "")

/** Items that wait for the same thing share a line: what to do about them is not known yet. */
const printWaiting = (waiting: ReadonlyArray<Checklist.Finding>): void => {
  if (waiting.length === 0) return
  Terminal.result(`${marks.look} ${waiting.length} items cannot be checked yet.`)
  const byMissing = Arr.groupBy(waiting, ({ seen }) => seen.join("; "))
  for (const [missing, each] of Object.entries(byMissing)) {
    Terminal.paragraph(`- ${missing}: ${each?.map(({ item }) => item).join(", ")}`)
  }
}

const print = (finding: Checklist.Finding): void => {
  const verdict = Checklist.verdictOf(finding)
  const { holds, mend } = Checklist.rows[finding.item]
  Terminal.result(`${marks[verdict]} ${plain(holds)}`)
  for (const each of finding.seen) Terminal.paragraph(`- ${each}`)
  if (verdict !== "ok") Terminal.paragraph(plain(mend))
}

export const command = Command.make(
  "doctor",
  { ...Settings.flags, json: Flags.json },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const configured = yield* Configured.settle(flags, env)
    const findings = yield* look(configured)
    const wrong = findings.filter((each) => Checklist.verdictOf(each) === "mend")
    if (json) {
      Terminal.json(
        findings.map((each) => ({
          item: each.item,
          verdict: Checklist.verdictOf(each),
          holds: plain(Checklist.rows[each.item].holds),
          seen: each.seen,
          mend: plain(Checklist.rows[each.item].mend),
        })),
      )
    } else {
      Terminal.heading("Before real money")
      for (const each of findings.filter(({ isWaiting }) => isWaiting !== true)) print(each)
      printWaiting(findings.filter(({ isWaiting }) => isWaiting === true))
    }
    if (wrong.length > 0) {
      return yield* Failure.make(
        `${wrong.length} of ${findings.length} checks must be fixed before real money moves: ${wrong.map(({ item }) => item).join(", ")}`,
      )
    }
    if (!json) {
      Terminal.writeSuccess(
        "Nothing must be fixed. Decide about each ?, and check each · yourself.",
      )
    }
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Check the settings of florin serve against the list of docs/before-real-money.md. ✓ holds, ✗ must be fixed, ? may be intended, · only you can check. The command takes the settings of florin serve in the same ways. It queries the database, the nodes and the ledger, and changes nothing. The exit code is 1 if something must be fixed.",
  ),
  Command.withShortDescription("Check that the service is ready for real money"),
  Command.withExamples([
    { command: "florin doctor --config florin.json" },
    { command: "florin doctor --json" },
  ]),
)
