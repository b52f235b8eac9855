/**
 * `florin explain`: shows the full history of one payment, in the order of time.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { env } from "node:process"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Place from "../access/Place.ts"
import * as Evidence from "../explain/Evidence.ts"
import * as Explanation from "../explain/Explanation.ts"
import * as Requests from "../explain/Requests.ts"
import * as PayoutDefaults from "../serve/PayoutDefaults.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** The text of a log; empty if no log is named. */
const logText = (file: Option.Option<string>) =>
  Option.match(file, {
    onNone: () => Effect.succeed(""),
    onSome: (path) =>
      Effect.try({
        try: () => readFileSync(path, "utf8"),
        catch: () =>
          Failure.make(
            `the log ${path} cannot be read: --log names a file of JSON lines, as florin serve prints them`,
          ),
      }),
  })

/** `12:03:11.042`, printed under its day. */
const clockText = (iso: string | null): string => iso?.slice(11, 23) ?? "            "

const print = ({ lines, verdict }: Explanation.Json): void => {
  let day = ""
  for (const { at, details, text } of lines) {
    if (at !== null && at.slice(0, 10) !== day) {
      day = at.slice(0, 10)
      Terminal.heading(`${day} (UTC)`)
    }
    Terminal.plain(`${clockText(at)}  ${Printable.from(text)}`)
    for (const [name, value] of Object.entries(details)) {
      Terminal.plain(`                ${name}: ${Printable.from(`${value}`)}`)
    }
  }
  Terminal.heading(verdict.text)
}

export const command = Command.make(
  "explain",
  {
    paymentId: Flags.paymentId("Id of the payment"),
    log: Flags.optionalString(
      "log",
      "FILE",
      "Include the calls of this request log (JSON lines, as florin serve prints them)",
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const text = yield* logText(options.log)
    const place = yield* Effect.fromResult(Place.parse(options))
    const defaults = yield* Effect.fromResult(PayoutDefaults.read(env, place))
    const evidence = yield* Evidence.gather(options.paymentId, defaults).pipe(
      Access.inStorage(options, "florin explain"),
    )
    const requests = Requests.about(evidence.payment, Requests.parse(text))
    const explanation = Explanation.toJson(Explanation.explain({ ...evidence, requests }))
    if (options.json) return Terminal.json(explanation)
    print(explanation)
  }),
).pipe(
  Command.withDescription(
    "Show the full history of one payment in order of time: requests, decisions, transactions, transfers on chain, ledger entries and webhooks. The last line says what is left to do.",
  ),
  Command.withExamples([
    { command: "florin explain pay_…" },
    {
      command: "florin explain pay_… --log access.jsonl --json",
      description: "Include API calls, print JSON",
    },
  ]),
)
