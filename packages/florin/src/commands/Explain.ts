/**
 * `florin explain`: shows the full history of one payment, in the order of time.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Payments"
import type * as Wire from "@florin/api/wire/Explanation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Requests from "../explain/Requests.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"
import * as PaymentFacts from "./PaymentFacts.ts"

interface OfLog {
  readonly at: string
  readonly kind: "request"
  readonly sentence: string
  readonly record: Requests.Request
}
type Item = Wire.Item | OfLog

interface Explained extends Omit<Wire.Explanation, "timeline"> {
  readonly timeline: ReadonlyArray<Item>
}

const ofRequest = (record: Requests.Request): OfLog => {
  const { at, code, durationInMs, method, route, status } = record
  const outcome = `${status}${code === null ? "" : ` ${code}`}`
  const sentence = `${method} ${route ?? "?"} ${outcome} in ${durationInMs} ms`
  return { at: Time.iso(at), kind: "request", sentence, record }
}

/** Items whose time is not known keep their place after the one before them. */
const merge = (timeline: ReadonlyArray<Wire.Item>, requests: ReadonlyArray<OfLog>) => {
  let last = ""
  const placed = timeline.map((item: Item) => ({ item, at: (last = item.at ?? last) }))
  return [...requests.map((item: Item) => ({ item, at: item.at ?? "" })), ...placed]
    .toSorted((left, right) => left.at.localeCompare(right.at))
    .map(({ item }) => item)
}

/** What is printed of each record, below its sentence. */
const shown: { readonly [K in Item["kind"]]: ReadonlyArray<string> } = {
  event: ["id", "type"],
  confirmation: ["flow", "payTo", "wallet", "expiresAt", "txIds"],
  transaction: ["outflowId", "account", "txId", "earlierTxIds"],
  transfer: ["from", "to", "txId", "block", "logIndex"],
  ledger: [],
  outflow: ["id", "destination"],
  inflow: ["id", "from", "txId"],
  report: ["txId"],
  delivery: ["webhookId", "eventId"],
  audit: ["subject", "reason", "requestId"],
  request: ["requestId", "keyId"],
}

const printFact = (name: string, value: unknown): void => {
  const text = [value ?? []].flat().join(" ")
  if (text !== "") Terminal.plain(`                ${name}: ${Printable.from(text)}`)
}

const printRecord = ({ kind, record }: Item): void => {
  const members: { readonly [name: string]: unknown } = { ...record }
  for (const name of shown[kind]) {
    const words = name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    printFact(words, members[name])
  }
  if (kind !== "ledger") return
  for (const [index, posting] of record.postings.entries()) {
    const sign = posting.value.startsWith("-") ? "" : "+"
    printFact(`${index + 1} ${posting.account}`, `${sign}${WireAmount.toText(posting)}`)
  }
}

/** `12:03:11.042`, printed under its day. */
const clockText = (iso: string | null): string => iso?.slice(11, 23) ?? "            "

export const command = OperatorCommand.calls("explain", {
  of: Contract.group.endpoints.explain,
  takes: {
    paymentId: Flags.paymentId("Id of the payment"),
    log: Flags.optionalString(
      "log",
      "FILE",
      "Include the calls of this request log (JSON lines, as florin serve prints them)",
    ),
  },
  call: Effect.fnUntraced(function* (carry, { log, paymentId }) {
    const text = Option.isNone(log)
      ? ""
      : yield* PrivateFile.readNamed(
          log.value,
          "--log names a file of JSON lines, as florin serve prints them",
        )
    const explanation = yield* OperatorCommand.send(carry, Contract.group, "explain", { paymentId })
    const requests = Requests.about(explanation.payment, Requests.parse(text))
    return { ...explanation, timeline: merge(explanation.timeline, requests.map(ofRequest)) }
  }),
  print: (explanation: Explained) => {
    PaymentFacts.print(explanation.payment)
    let day = ""
    for (const item of explanation.timeline) {
      const { at, sentence } = item
      if (at !== null && at.slice(0, 10) !== day) {
        day = at.slice(0, 10)
        Terminal.heading(`${day} (UTC)`)
      }
      Terminal.plain(`${clockText(at)}  ${Printable.from(sentence)}`)
      printRecord(item)
    }
    Terminal.heading(explanation.verdict.text)
  },
  examples: [
    "florin explain pay_…",
    {
      command: "florin explain pay_… --log access.jsonl --json",
      description: "Include API calls, print JSON",
    },
  ],
})
