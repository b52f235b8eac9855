/**
 * `florin status`: what needs an operator now, with the command that helps.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Status"
import type * as Wire from "@florin/api/wire/Status"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Findings from "@florin/core/engine/Findings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Place from "../access/Place.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const respondsWithin = "5 seconds"

const redOf = ({ findings }: Wire.Status) => findings.filter(({ severity }) => severity !== "note")

const print = (status: Wire.Status): void => {
  const { at, findings, fine, skipped } = status
  const { length: count } = redOf(status)
  const time = at.slice(0, 19).replace("T", " ")
  Terminal.heading(
    `${count === 0 ? "Nothing needs attention" : count === 1 ? "1 problem" : `${count} problems`}, ${time} UTC`,
  )
  for (const { message, remedies, severity } of findings) {
    Terminal.writeMarked(severity === "note" ? "yellow" : "red", message)
    for (const { command: helps } of remedies) Terminal.command(helps)
  }
  if (fine.length > 0) Terminal.writeMarked("green", `Fine: ${Findings.namesOf(fine)}`)
  if (skipped.length > 0) {
    const why = skipped.includes("storage")
      ? ""
      : ". No chain is configured here: set the environment variables of florin serve, such as FLORIN_RPC"
    Terminal.writeMarked("dim", `Not checked: ${Findings.namesOf(skipped)}${why}`)
  }
}

/** Why the database is not opened: that would change one of an earlier release. */
const unopened = Effect.fnUntraced(function* (named: Place.Named) {
  const seen = yield* Effect.result(Effect.timeout(Place.schemaOf(named), respondsWithin))
  const found = Result.match(seen, {
    onFailure: ({ message }): Findings.Found => ({ _tag: "StorageAway", message }),
    onSuccess: (schema): Findings.Found | null =>
      schema === null || schema.found === schema.known ? null : { _tag: "Schema", ...schema },
  })
  if (found === null) return null
  const at = yield* Clock.currentTimeMillis
  const record: Wire.Status = {
    at: Time.iso(at),
    needsAttention: true,
    findings: [Findings.describe({ ...found, isRed: true }, Catalog.empty, at)],
    fine: [],
    skipped: [...Findings.storageParts, ...Findings.chainParts],
  }
  return record
})

export const command = OperatorCommand.of(Contract.group)("status", "get", {
  description:
    "Show what needs your attention, with the command that helps: stopped chains and tokens, money that is held or waits, unclaimed money, missing float, debts, gas, budgets, nodes, webhook endpoints, clock, schema, and work that no worker does. ✗ needs your attention, ! is for information. The exit code is 1 if something needs your attention.",
  seesChains: "if reachable",
  everyInMs: 5000,
  unopened,
  print,
  fails: (status) => {
    const names = new Set(redOf(status).map(({ finding }) => finding))
    return names.size === 0 ? undefined : `needs your attention: ${[...names].join(", ")}`
  },
  examples: ["florin status --watch", "florin status --json"],
})
