/**
 * Everything that the storage knows about one payment.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import type * as Event from "@florin/core/domain/Event"
import * as Lane from "@florin/core/domain/Lane"
import type * as Ledger from "@florin/core/domain/Ledger"
import type * as Merchant from "@florin/core/domain/Merchant"
import type * as Payment from "@florin/core/domain/Payment"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import type * as Transfer from "@florin/core/domain/Transfer"
import * as Webhook from "@florin/core/domain/Webhook"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Relayer from "@florin/core/engine/Relayer"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { DueWork } from "@florin/core/ports/DueWork"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"

export interface Evidence {
  readonly payment: Payment.Payment
  readonly merchant: Merchant.Merchant
  readonly partner: Merchant.Partner
  /** In order. */
  readonly events: ReadonlyArray<Event.Event>
  /** In order. */
  readonly ledger: ReadonlyArray<Ledger.Transaction>
  /** Our transactions: those that are on their way, then those behind transfers that are final. */
  readonly transactions: ReadonlyArray<Lane.Transaction>
  readonly deliveries: ReadonlyArray<Webhook.Delivery>
  readonly endpoints: ReadonlyArray<Webhook.Endpoint>
  /** The chains of the payment's mode on which nothing new is sent. */
  readonly halted: ReadonlyArray<Caip.ChainId>
  /** What time it is where everything is kept. */
  readonly now: number
}

interface Final {
  readonly transfer: Transfer.Evidence
  /** Who sent it, if it was one of us. */
  readonly sender: Caip.Address
}

const sentBy = (transfer: Transfer.Evidence): Final => ({
  transfer,
  sender: transfer.movement.from,
})

/** The transfers that the payment knows to be final, and that may be ours. */
const finals = ({ late, state }: Payment.Payment): ReadonlyArray<Final> => {
  const returned = late.flatMap((each) =>
    each._tag === "Returned" ? [sentBy(each.returnedBy)] : [],
  )
  if (state._tag !== "Succeeded") return returned
  const { attempt, refund, settlement, transfer } = state
  return [
    // What is collected is sent for by the account that receives it.
    { transfer, sender: attempt.option.payTo },
    ...(settlement._tag === "Successful" ? [sentBy(settlement.transfer)] : []),
    ...(refund?.state._tag === "Succeeded" ? [sentBy(refund.state.transfer)] : []),
    ...returned,
  ]
}

/** The slots that the payment waits for. */
const slots = ({ late, state }: Payment.Payment): ReadonlyArray<Lane.Slot> => {
  const returning = late.flatMap((each) => (each._tag === "Returning" ? [each.slot] : []))
  if (state._tag === "Processing" && state.slot !== null) return [state.slot, ...returning]
  if (state._tag !== "Succeeded") return returning
  const { refund, settlement } = state
  return [
    ...(settlement._tag === "Processing" ? [settlement.slot] : []),
    ...(refund?.state._tag === "Processing" ? [refund.state.slot] : []),
    ...returning,
  ]
}

/** The newest hash of the transaction in a slot. */
export const hashAt = ({ transactions }: Evidence, { lane, nonce }: Lane.Slot): string =>
  transactions.find(
    (each) =>
      each.nonce === nonce &&
      each.lane.sender === lane.sender &&
      each.lane.chainId === lane.chainId,
  )?.hash ?? "?"

/** The webhooks of a payment, in any order: those that were made, and those that a worker is about to make. */
export const deliveriesOf = Effect.fnUntraced(function* (
  { id, partnerId }: Payment.Payment,
  endpoints: ReadonlyArray<Webhook.Endpoint>,
  events: ReadonlyArray<Event.Event>,
) {
  const accounts = yield* AccountStore
  const outbox = yield* Outbox
  // Read first: an event that is fanned out meanwhile is among the made ones then, and shown once.
  const waiting = yield* outbox.waitingEvents(id)
  const made = yield* outbox.deliveriesById(
    endpoints.flatMap((endpoint) =>
      events.map((event) => Webhook.deliveryId(endpoint.id, event.id)),
    ),
  )
  const madeIds = new Set(made.map((each) => each.id))
  const partner = yield* accounts.partner(partnerId)
  const coming = waiting
    .flatMap((event) => endpoints.flatMap((each) => Webhook.deliveryOf(event, each, partner) ?? []))
    .filter((each) => !madeIds.has(each.id))
  return { made, coming }
})

/** Whose address it is: the rest of it may hold what only the receiver should read. */
export const hostOf = ({ url }: Webhook.Endpoint): string => URL.parse(url)?.host ?? "?"

/** Whether a delivery was given up that can be sent again: a disabled endpoint is called no more. */
export const isReplayable = (delivery: Webhook.Delivery, endpoint: Webhook.Endpoint): boolean =>
  delivery.state === "givenUp" && endpoint.disabledAt === null

export const gather = Effect.fn("Evidence.gather")(function* (id: PaymentId.PaymentId) {
  const accounts = yield* AccountStore
  const payments = yield* PaymentStore
  const lanes = yield* LaneStore
  const work = yield* DueWork
  const ledger = yield* LedgerStore
  const outbox = yield* Outbox
  const payment = yield* payments.payment(id)
  const { merchantId, mode, partnerId } = payment
  const tenant = { mode, partnerId }
  const events = yield* outbox.eventsOf(id)
  const endpoints = yield* outbox.endpoints(tenant)
  const waiting = yield* Effect.forEach(slots(payment), Relayer.transactionAt)
  const mined = yield* Effect.forEach(finals(payment), ({ sender, transfer }) => {
    const lane = { chainId: transfer.movement.token.chainId, sender }
    return Effect.map(lanes.laneTransaction(lane, transfer.txNonce), (found) =>
      // A wallet's own nonce may be one of our lane's, too: the hash tells.
      found !== null && Lane.hashes(found).includes(transfer.txHash) ? [found] : [],
    )
  })
  const { coming, made } = yield* deliveriesOf(payment, endpoints, events)
  const evidence: Evidence = {
    payment,
    merchant: yield* accounts.merchant(tenant, merchantId),
    partner: yield* accounts.partner(partnerId),
    events,
    ledger: yield* ledger.ledgerOf(id),
    transactions: [...waiting, ...mined.flat()],
    deliveries: [...made, ...coming],
    endpoints,
    halted: (yield* Lanes.halted(mode)).map(({ chainId }) => chainId),
    now: yield* work.time,
  }
  return evidence
})
