/**
 * `florin trigger`: causes an event of a test payment, over HTTP as a shop and a wallet would, and shows the events
 * that were sent until then.
 *
 * @module
 */
import { type Partner, payById, type PayOptions } from "@florin/client"
import * as Event from "@florin/core/domain/payment/Event"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as DemoWallet from "./DemoWallet.ts"

type EventType = Event.PaymentEventType

/** How a payment reaches an event. */
interface Way {
  readonly outcome?: TestOutcome.Name
  /** The action after the payment is created. A refund is requested once it is paid. */
  readonly act: "wait" | "cancel" | "pay" | "refund"
  /** A short description for the list. */
  readonly does: string
}

const ways: { readonly [E in EventType]: Way } = {
  "payment.created": { act: "wait", does: "create a payment" },
  "payment.processing": { outcome: "slow", act: "pay", does: "pay, and take 30 s" },
  "payment.succeeded": { act: "pay", does: "pay" },
  "payment.failed": { outcome: "failed", act: "pay", does: "pay, and fail" },
  "payment.expired": { outcome: "expired", act: "wait", does: "wait for 10 s" },
  "payment.cancelled": { act: "cancel", does: "cancel" },
  "payment.settled": { act: "pay", does: "pay, and wait for the payout" },
  "settlement.held": { outcome: "payout_held", act: "pay", does: "pay, and hold the payout" },
  "refund.pending": { act: "refund", does: "pay and refund" },
  "refund.processing": { act: "refund", does: "pay and refund" },
  "refund.succeeded": { act: "refund", does: "pay and refund" },
  "refund.held": { outcome: "refund_held", act: "refund", does: "pay, and hold the refund" },
}

type Ends = ReadonlySet<string>
const ends: Ends = new Set([
  "payment.succeeded",
  "payment.failed",
  "payment.expired",
  "payment.cancelled",
])
const payoutEnds: Ends = new Set(["payment.settled", "settlement.held"])
const refundEnds: Ends = new Set(["refund.succeeded", "refund.held"])

/** The final event of a payment before the wanted one; undefined for an event that comes before all final events. */
const endBefore = (wanted: EventType): string | undefined => {
  if (wanted === "payment.created" || wanted === "payment.processing") return undefined
  return ends.has(wanted) ? wanted : "payment.succeeded"
}

/** Whether an event can never follow another. */
const isRuledOut = (wanted: EventType, by: string): boolean =>
  (ends.has(by) && by !== endBefore(wanted)) ||
  [payoutEnds, refundEnds].some((each) => each.has(wanted) && each.has(by))

type Entry = Awaited<ReturnType<Partner["events"]["list"]>>["data"][number]
type PaymentEvent = Extract<Entry, { readonly type: EventType }>

const isOfPayment = (event: Entry): event is PaymentEvent => "paymentId" in event.data

/** The payment that is brought to an event, and what is needed for that. */
interface Triggered {
  readonly opened: ServiceAccess.Opened
  readonly wallet: Effect.Success<ReturnType<typeof DemoWallet.open>>
  readonly wanted: EventType
  readonly paymentId: string
}

const noDestination =
  "the merchant has no destination for a token that the wallet can pay in, so nothing would be paid out: add one with `florin merchants settlements add <merchantId> <asset> <destination>`"

/** A payment that must lead to a payout is paid in a token that its merchant is paid in; any other in the first way offered. */
const chooseFor =
  ({ opened: { client }, paymentId, wanted }: Triggered): NonNullable<PayOptions["chooseOption"]> =>
  async (options) => {
    if (!payoutEnds.has(wanted)) return options[0]
    const { merchant } = await client.payments.get(paymentId)
    const { crypto } = await client.settlements.list(merchant.id)
    const units = new Set(crypto.map(({ asset }) => `caip19/${asset}`.toLowerCase()))
    return options.find(({ amount }) => units.has(amount.unit.toLowerCase()))
  }

/** Shows each event of a payment until the wanted one arrives. */
const follow = async (
  client: Partner,
  paymentId: string,
  wanted: EventType,
  { cursor, show }: { readonly cursor: string; readonly show: (event: PaymentEvent) => void },
  signal: AbortSignal,
): Promise<void> => {
  for await (const { event } of client.events.stream({ cursor }, { signal })) {
    if (!isOfPayment(event) || event.data.paymentId !== paymentId) continue
    show(event)
    if (event.type === wanted) return
    if (isRuledOut(wanted, event.type)) {
      throw Failure.make(`${event.type} was sent instead of ${wanted}`)
    }
  }
}

const flags = {
  event: Argument.Literals("event", Event.paymentEventTypes).pipe(
    Argument.withDescription("The event, as --list prints it"),
    Argument.optional,
  ),
  list: Flags.toggle("list", "List the events, and how the command causes each"),
  rpc: DemoWallet.rpc,
  ...ServiceAccess.connectFlags,
  merchant: ServiceAccess.merchant,
  json: Flags.json,
}

type Given = Command.Command.Config.Infer<typeof flags>

/** Pays as a wallet does. */
const payAs = Effect.fnUntraced(function* (triggered: Triggered) {
  const { opened, paymentId, wallet } = triggered
  const { apiKey, baseUrl } = opened
  const result = yield* Asked.calling((signal) =>
    payById(paymentId, {
      baseUrl,
      apiKey,
      ...wallet,
      chooseOption: chooseFor(triggered),
      signal,
    }),
  )
  switch (result._tag) {
    // The result of a confirmed payment is an event.
    case "Succeeded":
    case "Failed":
    case "AlreadyFinal":
      return
    case "Declined":
      return yield* Failure.make(noDestination)
    default:
      return yield* Failure.make(DemoWallet.whyNot(result))
  }
})

/** Performs the action that leads to the event; other events happen without one. */
const act = Effect.fnUntraced(function* (triggered: Triggered) {
  const { opened, paymentId, wanted } = triggered
  const { client } = opened
  const step = ways[wanted].act
  if (step === "cancel") {
    yield* Asked.ask("cancelling the payment", () => client.payments.cancel(paymentId))
  }
  if (step === "pay" || step === "refund") yield* payAs(triggered)
  if (step === "refund") {
    yield* Asked.ask("asking for a refund", () => client.refunds.create({ paymentId }))
  }
})

const withinInMinutes = 10

const trigger = Effect.fnUntraced(function* (given: Given, wanted: EventType) {
  const opened = yield* ServiceAccess.ofOne(given)
  const { client } = opened
  const { assets } = yield* Asked.ask("listing assets", () => client.assets.list())
  const offered = assets.flatMap(({ isOffered, network: { id } }) =>
    isOffered && id.startsWith("eip155:") ? [Number(id.slice("eip155:".length))] : [],
  )
  const wallet = yield* DemoWallet.open(opened, given.rpc, [...new Set(offered)])
  const { outcome } = ways[wanted]
  const cursor = yield* Asked.endOfEvents(client)
  const { paymentId } = yield* Asked.ask("creating a payment", () =>
    client.payments.create({
      referenceId: `trigger ${wanted}`,
      description: `A test of ${wanted}`,
      amount: { unit: "iso4217/USD", value: "1250" },
      ...(outcome !== undefined && { metadata: { [TestOutcome.key]: outcome } }),
    }),
  )
  if (!given.json) {
    Terminal.fact("payment", paymentId)
    Terminal.fact("details", Hint.pasteable(`florin payments show ${paymentId}`))
  }
  const events: Array<PaymentEvent> = []
  const show = (event: PaymentEvent): void => {
    events.push(event)
    if (given.json) return
    Terminal.fact(
      event.timestamp.slice("2026-01-01T".length, -".000Z".length),
      `${event.type.padEnd(18)} ${event.id}`,
    )
  }
  const following = Asked.calling((signal) =>
    follow(client, paymentId, wanted, { cursor, show }, signal),
  )
  const acting = Effect.andThen(act({ opened, wallet, wanted, paymentId }), Effect.never)
  const ended = yield* Effect.raceFirst(following, acting).pipe(
    Effect.timeoutOrElse({
      duration: `${withinInMinutes} minutes`,
      orElse: () => Failure.make(`${wanted} was not sent within ${withinInMinutes} minutes`),
    }),
    Effect.result,
  )
  if (given.json) Terminal.json({ paymentId, reached: Result.isSuccess(ended), events })
  yield* Effect.fromResult(ended)
  if (!given.json) Terminal.writeSuccess(`${wanted} was sent.`)
})

const columns: ReadonlyArray<Table.Column<EventType>> = [
  { name: "event", of: (event) => event },
  { name: "what is done", of: (event) => ways[event].does },
]

const run = Effect.fnUntraced(function* (given: Given) {
  yield* Flags.refuseTogether({ list: given.list, json: given.json })
  if (given.list) return Table.print(columns, Event.paymentEventTypes)
  if (Option.isNone(given.event)) {
    return yield* Failure.makeUsage("no event is given: `florin trigger --list` lists the events")
  }
  return yield* trigger(given, given.event.value)
})

export const command = Command.make("trigger", flags, run).pipe(
  Described.as({
    description:
      "Trigger an event of a test payment: create a payment over HTTP, pay, cancel or refund it, and print the events that are sent. Set FLORIN_URL to the service's address and FLORIN_API_KEY to a partner's test key; if neither is set, the command uses the service that runs in --directory. Set FLORIN_WALLET_KEY to the wallet's private key; without it, the first test wallet of `florin dev` pays. docs/testing.md lists all outcomes that a test payment can ask for.",
    examples: [
      "florin trigger payment.succeeded",
      "florin trigger payment.failed --json",
      "florin trigger --list",
    ],
  }),
)
