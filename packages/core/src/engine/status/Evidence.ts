/**
 * All that the storage contains about one payment.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as Catalog from "../../domain/chain/Catalog.ts"
import type * as Transfer from "../../domain/chain/Transfer.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import type * as Ledger from "../../domain/money/Ledger.ts"
import type * as Inflow from "../../domain/outflow/Inflow.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import type * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import type * as PayoutPolicy from "../../domain/partner/PayoutPolicy.ts"
import type * as Event from "../../domain/payment/Event.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import { AccountStore, findMerchant, findPartner } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { AuditStore } from "../../ports/AuditStore.ts"
import { DueWork } from "../../ports/DueWork.ts"
import { InflowStore } from "../../ports/InflowStore.ts"
import { LaneStore } from "../../ports/LaneStore.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { OutflowStore } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Settings } from "../../ports/Settings.ts"
import * as Float from "../books/Float.ts"
import * as Lanes from "../chain/Lanes.ts"
import * as Relayer from "../chain/Relayer.ts"
import * as PaymentDeliveries from "../notify/PaymentDeliveries.ts"

export interface Evidence {
  readonly catalog: Catalog.Catalog
  readonly payment: Payment.Payment
  readonly merchant: Merchant.Merchant
  readonly partner: Merchant.Partner
  /** When the merchant is paid out. */
  readonly payouts: PayoutPolicy.PayoutPolicy
  /** The outflows that carry money of the payment, or failed to do so, and those that return money reported for it. */
  readonly outflows: ReadonlyArray<Outflow.Outflow>
  /** The money that was reported for the payment, and that it does not take. */
  readonly inflows: ReadonlyArray<Inflow.Inflow>
  /** In order. */
  readonly events: ReadonlyArray<Event.Event>
  /** In order. */
  readonly ledger: ReadonlyArray<Ledger.Transaction>
  /** Our transactions: first those in progress, then those of final transfers. */
  readonly transactions: ReadonlyArray<Lane.Transaction>
  readonly deliveries: ReadonlyArray<PaymentDeliveries.Sent>
  /** What people did about it, newest first. */
  readonly audited: ReadonlyArray<AuditLog.Entry>
  /** How much the account lacks for the refund that waits for it. */
  readonly missing: bigint
  /** The chains of the payment's mode on which nothing new is sent. */
  readonly halted: ReadonlyArray<Caip.ChainId>
  /** The current time of the storage. */
  readonly now: number
}

interface Final {
  readonly transfer: Transfer.Evidence
  /** The sender, if it was one of our accounts. */
  readonly sender: Caip.Address
}

/** The final transfers that may be ours. */
const finals = (
  { state }: Payment.Payment,
  outflows: ReadonlyArray<Outflow.Outflow>,
): ReadonlyArray<Final> => [
  // The account that receives a collected transfer also sends its transaction.
  ...(state._tag === "Succeeded"
    ? [{ transfer: state.transfer, sender: state.attempt.option.payTo }]
    : []),
  ...outflows.flatMap((outflow) =>
    outflow.state._tag === "Paid"
      ? [{ transfer: outflow.state.transfer, sender: outflow.movement.from }]
      : [],
  ),
]

/** The slots of the transactions in progress. */
const slots = (
  { state }: Payment.Payment,
  outflows: ReadonlyArray<Outflow.Outflow>,
): ReadonlyArray<Lane.Slot> => [
  ...(state._tag === "Processing" && state.slot !== null ? [state.slot] : []),
  ...outflows.flatMap((outflow) => (outflow.state._tag === "Sent" ? [outflow.state.slot] : [])),
]

/** The outflow with this id; null if it was written after the outflows were read. */
export const outflowOf = (
  { outflows }: Pick<Evidence, "outflows">,
  id: OutflowId.OutflowId,
): Outflow.Outflow | null => outflows.find((each) => each.id === id) ?? null

/** The share of a payment that an outflow carries; null if it carries none. */
export const shareIn = (outflow: Outflow.Outflow, { id }: Payment.Payment): Outflow.Share | null =>
  Outflow.sharesOf(outflow).find(({ paymentId }) => paymentId === id) ?? null

/** The newest hash of the transaction in a slot. */
export const hashAt = ({ transactions }: Evidence, { lane, nonce }: Lane.Slot): string =>
  transactions.find(
    (each) =>
      each.nonce === nonce &&
      each.lane.sender === lane.sender &&
      each.lane.chainId === lane.chainId,
  )?.hash ?? "?"

/** The newest of these are read. A person writes few about one payment. */
const auditedMax = 100

/** Reads all evidence. */
export const gather = Effect.fn("Evidence.gather")(function* (id: PaymentId.PaymentId) {
  const accounts = yield* AccountStore
  const lanes = yield* LaneStore
  const payment = yield* (yield* PaymentStore).payment(id)
  const { merchantId, mode, partnerId } = payment
  const tenant = { mode, partnerId }
  const events = yield* (yield* Outbox).eventsOf(id)
  const inflows = yield* (yield* InflowStore).inflows({ _tag: "Payment", paymentId: id })
  const outflows = yield* (yield* OutflowStore).outflowsById([
    ...Payment.outflowIds(payment),
    ...inflows.flatMap(({ state }) => (state._tag === "Returning" ? [state.outflowId] : [])),
  ])
  const merchant = yield* findMerchant(accounts, tenant, merchantId)
  const partner = yield* findPartner(accounts, partnerId)
  const waiting = yield* Effect.forEach(slots(payment, outflows), Relayer.transactionAt)
  const mined = yield* Effect.forEach(finals(payment, outflows), ({ sender, transfer }) => {
    const lane = { chainId: transfer.movement.token.chainId, sender }
    const { txHash, txNonce } = transfer
    return Effect.map(lanes.laneTransactions(lane, txNonce, txNonce), (found) =>
      // A wallet's own nonce may also be used in our lane, so compare the hash.
      found.filter((each) => Lane.hashes(each).includes(txHash)),
    )
  })
  const lacks = yield* Effect.forEach(outflows, Float.missingFor)
  const subjects = [
    id,
    ...Payment.refunds(payment).map((each) => each.id),
    ...outflows.map((each) => each.id),
    ...inflows.map((each) => each.id),
  ]
  const audited = yield* (yield* AuditStore).entries(
    { subjects, since: payment.createdAt },
    { after: null, limit: auditedMax },
  )
  const evidence: Evidence = {
    catalog: yield* Assets,
    payment,
    merchant,
    partner,
    payouts: Merchant.payoutsOf(merchant, partner, (yield* Settings).payouts),
    outflows,
    inflows,
    events,
    ledger: yield* (yield* LedgerStore).ledgerOf(id),
    transactions: [...waiting, ...mined.flat()],
    deliveries: yield* PaymentDeliveries.list(id),
    audited: audited.items.map(({ entry }) => entry),
    missing: lacks.reduce((most, each) => (each > most ? each : most), 0n),
    halted: (yield* Lanes.listHalted(mode)).map(({ chainId }) => chainId),
    now: yield* (yield* DueWork).time,
  }
  return evidence
})
