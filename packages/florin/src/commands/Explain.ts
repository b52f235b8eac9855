/**
 * `florin explain`: shows the full history of one payment, in the order of time.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import * as Contract from "@florin/api/operator/Payments"
import type * as Wire from "@florin/api/wire/Explanation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Requests from "../explain/Requests.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const { group } = Contract

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

type Facts = { readonly [name: string]: string | number | null | undefined }

/** What is printed below the sentence of a record. */
const factsOf = (item: Item): Facts => {
  switch (item.kind) {
    case "event": {
      const { data, id, type } = item.record
      return {
        event: `${id} (${type})`,
        version: "payment_state_version" in data ? data.payment_state_version : null,
      }
    }
    case "confirmation": {
      const { expiresAt, flow, payTo, txIds, wallet } = item.record
      return { flow, "pay to": payTo, wallet, expires: expiresAt, transactions: txIds.join(" ") }
    }
    case "transaction": {
      const { account, earlierTxIds, outflowId, txId } = item.record
      return { for: outflowId, account, transaction: txId, earlier: earlierTxIds.join(" ") }
    }
    case "transfer": {
      const { block, from, logIndex, to, txId } = item.record
      return { from, to, transaction: txId, block, log: logIndex }
    }
    case "ledger":
      return Object.fromEntries(
        item.record.postings.map((posting, index) => [
          `${index + 1} ${posting.account}`,
          `${posting.value.startsWith("-") ? "" : "+"}${WireAmount.toText(posting)}`,
        ]),
      )
    case "outflow": {
      const { advance, destination, id, problem } = item.record
      return { outflow: id, to: destination, advance: advance?.merchantId, problem: problem?.message }
    }
    case "inflow": {
      const { amount, from, id, txId } = item.record
      return { inflow: id, amount: WireAmount.toText(amount), from, transaction: txId }
    }
    case "report":
      return { transaction: item.record.txId }
    case "delivery":
      return { webhook: item.record.webhookId, event: item.record.eventId }
    case "audit": {
      const { reason, requestId, subject } = item.record
      return { subject, why: reason, request: requestId }
    }
    case "request":
      return { request: item.record.requestId, key: item.record.keyId }
  }
}

const printFacts = (facts: Facts): void => {
  for (const [name, value] of Object.entries(facts)) {
    if (value === null || value === undefined || value === "") continue
    Terminal.plain(`                ${name}: ${Printable.from(`${value}`)}`)
  }
}

/** `12:03:11.042`, printed under its day. */
const clockText = (iso: string | null): string => iso?.slice(11, 23) ?? "            "

const printPayment = ({ payment }: Explained): void => {
  const { amount, description, expiresAt, lineItems = [], merchant, paymentId, referenceId } = payment
  Terminal.heading(`${paymentId}: ${WireAmount.toText(amount)}`)
  Terminal.fact("merchant", Printable.from(`${merchant.id} (${merchant.name})`))
  Terminal.fact("reference", Printable.from(referenceId))
  if (description !== undefined) Terminal.fact("description", Printable.from(description))
  for (const { amount: total, name, quantity } of lineItems) {
    const sum = total === undefined ? "" : `, ${WireAmount.toText(total)}`
    Terminal.fact("item", `${quantity}x ${Printable.from(name)}${sum}`)
  }
  Terminal.fact("expires", Time.iso(expiresAt * 1000))
}

export const command = OperatorCommand.calls("explain", {
  does: "Show the full history of one payment",
  description:
    "Show the full history of one payment in order of time: requests, decisions, transactions, transfers on chain, ledger entries, webhooks and audit entries. The last line says what is left to do.",
  takes: {
    paymentId: Flags.paymentId("Id of the payment"),
    log: Flags.optionalString(
      "log",
      "FILE",
      "Include the calls of this request log (JSON lines, as florin serve prints them)",
    ),
  },
  call: Effect.fnUntraced(function* (carry, { log, paymentId }) {
    const text = yield* logText(log)
    const explanation = yield* OperatorCommand.ask(() =>
      carry({
        group: group.identifier,
        endpoint: group.endpoints.explain,
        members: { paymentId },
        options: {},
      }),
    )
    const requests = Requests.about(explanation.payment, Requests.parse(text))
    return { ...explanation, timeline: merge(explanation.timeline, requests.map(ofRequest)) }
  }),
  print: (explanation: Explained) => {
    printPayment(explanation)
    let day = ""
    for (const item of explanation.timeline) {
      const { at, sentence } = item
      if (at !== null && at.slice(0, 10) !== day) {
        day = at.slice(0, 10)
        Terminal.heading(`${day} (UTC)`)
      }
      Terminal.plain(`${clockText(at)}  ${Printable.from(sentence)}`)
      printFacts(factsOf(item))
    }
    Terminal.heading(explanation.verdict.text)
  },
  examples: [
    { command: "florin explain pay_…" },
    {
      command: "florin explain pay_… --log access.jsonl --json",
      description: "Include API calls, print JSON",
    },
  ],
})
