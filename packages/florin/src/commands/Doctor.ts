/**
 * `florin doctor`: checks item by item whether a service is ready for real money.
 *
 * @module
 */
import { env } from "node:process"
import type { Carry } from "@florin/api/operator/Call"
import * as Contract from "@florin/api/operator/Doctor"
import type * as Wire from "@florin/api/wire/Doctor"
import * as Checklist from "@florin/core/engine/status/Checklist"
import * as Checkup from "@florin/server/operator/Checkup"
import * as Arr from "effect/Array"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import * as OfDatabase from "../doctor/OfDatabase.ts"
import * as OfSettings from "../doctor/OfSettings.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Reach from "../operator/Reach.ts"
import * as Configured from "../serve/Configured.ts"
import * as Nodes from "../serve/Nodes.ts"
import * as Settings from "../serve/Settings.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** What a running service reports. */
const askService = Effect.fnUntraced(function* (carry: Carry) {
  const { checks } = yield* OperatorCommand.send(carry, Contract.group, "check", {})
  return checks
})

/** What the service in the place of the settings reports. */
const inService = Effect.fnUntraced(function* (place: Place.Place) {
  const running = yield* Effect.result(Reach.onSocket(place, { reason: Option.none() }))
  const missing =
    place._tag === "Memory" || !Place.hasStorage(place)
      ? "no service runs here: start `florin serve`"
      : "no service runs here: start `florin serve --operator-only`"
  const wait = (why: string) => Checkup.items.map((item) => Checklist.reportWaiting(item, why))
  if (Result.isFailure(running)) {
    const isClosed = place._tag !== "Memory" && (yield* Holder.look(place)) === "forbidden"
    return wait(isClosed ? running.failure.message : missing)
  }
  // Its database may be away: what was found without it says so.
  return yield* Effect.match(askService(running.success), {
    onFailure: ({ message }) => wait(`the service that runs here failed: ${message}`),
    onSuccess: Checklist.fromChecks,
  })
})

/** Checks the settings, the database, and the service. */
const look = Effect.fnUntraced(function* (configured: Configured.Configured) {
  yield* Nodes.check(configured.values)
  return Checklist.join([
    ...OfSettings.findings(configured),
    ...(yield* OfDatabase.look(configured)),
    ...(yield* inService(configured.place)),
  ])
})

const marks = { ok: "✓", mend: "✗", decide: "?", look: "·" } as const

/** Items that wait for the same thing share a line: what to do about them is not known yet. */
const printWaiting = (waiting: ReadonlyArray<Checklist.Finding>): void => {
  if (waiting.length === 0) return
  Terminal.result(`${marks.look} ${waiting.length} items cannot be checked yet.`)
  const byMissing = Arr.groupBy(waiting, ({ seen }) => seen.join("; "))
  for (const [missing, each] of Object.entries(byMissing)) {
    Terminal.paragraph(`- ${missing}: ${each?.map(({ item }) => item).join(", ")}`)
  }
}

const print = ({ holds, mend, seen, verdict }: Wire.Checks["checks"][number]): void => {
  Terminal.result(`${marks[verdict]} ${holds}`)
  for (const each of seen) Terminal.paragraph(`- ${Printable.from(each)}`)
  if (verdict !== "ok") Terminal.paragraph(mend)
}

export const command = Command.make(
  "doctor",
  { ...Settings.flags, ...Reach.serviceFlags, json: Flags.json },
  Effect.fnUntraced(function* ({ json, keyFile, url, ...flags }) {
    const service = yield* Reach.elsewhere({ keyFile, reason: Option.none(), url })
    const findings = service === undefined ? yield* look(yield* Configured.settle(flags, env)) : []
    const checks =
      service === undefined ? findings.map(Checklist.toCheck) : yield* askService(service)
    const waiting = findings.filter(({ isWaiting }) => isWaiting === true)
    const wrong = checks.filter(({ verdict }) => verdict === "mend")
    if (json) Terminal.json({ checks })
    else {
      Terminal.heading("Before real money")
      for (const each of checks) {
        if (waiting.every(({ item }) => item !== each.item)) print(each)
      }
      printWaiting(waiting)
    }
    if (wrong.length > 0) {
      return yield* Failure.make(
        `${wrong.length} of ${checks.length} checks must be fixed before real money moves: ${wrong.map(({ item }) => item).join(", ")}`,
      )
    }
    if (!json) {
      Terminal.writeSuccess(
        "Nothing must be fixed. Decide about each ?, and check each · yourself.",
      )
    }
  }),
).pipe(
  Described.as({
    description:
      "Check the settings of florin serve against the list of docs/before-real-money.md. ✓ holds, ✗ must be fixed, ? may be intended, · only you can check. The command takes the settings of florin serve in the same ways. It queries the database, and the service that runs on this machine. It changes nothing. With --url only the service is checked. The exit code is 1 if something must be fixed.",
    examples: ["florin doctor --config florin.json", "florin doctor --json"],
  }),
)
