/**
 * Records a payout that the chain has and the ledger does not, for example after a restore from an older backup. It
 * pays the shares that are owed to its destination, the oldest first, and the rest is an advance that later payouts
 * deduct.
 *
 * @module
 */
import type * as Transfer from "../chain/Transfer.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import * as Outflow from "../outflow/Outflow.ts"
import type * as Change from "../payment/Change.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Balance from "./Balance.ts"
import * as Outgoing from "./Outgoing.ts"
import * as Payouts from "./Payouts.ts"

/** The transfer, and the records that it may match. */
export interface Found {
  readonly transfer: Transfer.Evidence
  /** Payouts to its destination that were not sent. */
  readonly outflows: ReadonlyArray<Outflow.Outflow>
  /** Every payment that those carry, and those whose share waits to be gathered for its destination. */
  readonly payments: ReadonlyArray<Payment.Payment>
  readonly debts: Balance.Debts
  /** The state in which the transfer is held, if it moved something else than was to move. */
  readonly state?: Outflow.State
}

export interface Terms {
  /** The partner whose payout it was. */
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
  readonly outflowId: OutflowId.OutflowId
  /** The payment that an operator named: the transfer pays its share, or nothing is booked. */
  readonly named: PaymentId.PaymentId | null
  /** The merchant that owes what the transfer paid beyond all shares; null if it is not known. */
  readonly advanceTo: MerchantId.MerchantId | null
  readonly now: number
}

const oldestFirst = (left: Payment.Payment, right: Payment.Payment): number =>
  left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1)

/**
 * The records after the payouts that were not sent are cancelled, one after the other: a part of a share may be in one
 * of them, and its rest in another.
 */
const freed = (found: Found, now: number) => {
  const changes = new Map<PaymentId.PaymentId, Change.Change>()
  const outflows: Array<Change.OutflowChange> = []
  const payments = new Map(found.payments.map((payment) => [payment.id, payment]))
  for (const outflow of found.outflows) {
    const carried = Outflow.paymentIds(outflow).flatMap((id) => payments.get(id) ?? [])
    const write = Outgoing.regather({ outflow, payments: carried }, now, now)
    if (write === null) return null
    outflows.push(...write.outflows)
    for (const change of write.payments) {
      const { payment } = change
      changes.set(payment.id, change)
      // However many decisions change a payment here, it is written once.
      payments.set(payment.id, { ...payment, revision: payment.revision - 1 })
    }
  }
  return { changes, outflows, payments: [...payments.values()] }
}

/** The shares that the transfer pays, and the rest of it. */
const paidBy = (
  { debts, payments, transfer }: Omit<Found, "outflows">,
  named: PaymentId.PaymentId | null,
): { readonly shares: ReadonlyArray<Outflow.Share>; readonly rest: Money.Quantity } => {
  const { quantity, to } = transfer.movement
  const owed = payments.filter((payment) => Balance.isUnpaid(payment, to)).toSorted(oldestFirst)
  if (named !== null) {
    // What is left of the share now, or what was left before refunds took of it of which nothing was sent.
    const its = owed.filter(({ id }) => id === named)
    const own = [Balance.left, Balance.leftBefore]
      .flatMap((quantityOf) => Balance.sharesOf(its, debts, quantityOf))
      .find((share) => share.quantity === quantity)
    return own === undefined ? { shares: [], rest: quantity } : { shares: [own], rest: Money.zero }
  }
  // A cancelled share is no longer owed: only an operator who names it can say that it was paid.
  const due = owed.filter((payment) => !Balance.isCancelled(payment))
  const shares: Array<Outflow.Share> = []
  let rest = quantity
  for (const share of Balance.sharesOf(due, debts)) {
    if (share.quantity > rest) break
    if (share.quantity === 0n) continue
    shares.push(share)
    rest = Money.clamp(rest - share.quantity, rest)
  }
  return { shares, rest }
}

/**
 * Counts the part that arrived of a misdirected payout as a payment of its shares, the oldest first, on an operator's
 * decision. The rest is an advance to the merchant of the first share that it does not cover. Shares that it does not
 * pay are gathered again, and deduct the advance. So nobody gets more than was owed, and what left our account and did
 * not arrive stays lost. Null if nothing arrived, or if it carries no shares.
 */
export const release = (
  { outflow, payments }: Outgoing.Current,
  debts: Balance.Debts,
  outflowId: OutflowId.OutflowId,
  now: number,
): Change.Write | null => {
  const moved = Outflow.astrayOf(outflow)
  const { mode, partnerId, state } = outflow
  if (moved === null || moved.transfer.movement.quantity === 0n || partnerId === undefined) {
    return null
  }
  const { transfer } = moved
  const of = { transfer, outflows: [Outflow.lookedAt(outflow)], payments, debts, state }
  return record(of, { partnerId, mode, outflowId, named: null, advanceTo: null, now })
}

/**
 * Books the transfer. Null if it pays no share and no merchant is known to owe it. Unpaid shares of a payout that was
 * not sent are gathered again.
 */
export const record = (found: Found, terms: Terms): Change.Write | null => {
  const { state, transfer } = found
  const { mode, named, now, outflowId, partnerId } = terms
  const free = freed(found, now)
  if (free === null) return null
  const { rest, shares } = paidBy({ ...found, payments: free.payments }, named)
  const byId = new Map(shares.map((share) => [share.paymentId, share]))
  const unpaid = free.payments.toSorted(oldestFirst).find(({ id }) => !byId.has(id))
  const owing = (unpaid ?? free.payments[0])?.merchantId ?? null
  const advanceTo = state === undefined ? terms.advanceTo : owing
  if (rest > 0n && advanceTo === null) return null
  const made = Outflow.make(
    {
      id: outflowId,
      partnerId,
      mode,
      movement: transfer.movement,
      purpose: {
        _tag: "Settle",
        shares,
        ...(rest > 0n &&
          advanceTo !== null && { advance: { merchantId: advanceTo, quantity: rest } }),
      },
    },
    now,
  )
  // It is created in its final state, which is its first revision.
  const waiting = { ...made, revision: -1 }
  const paid =
    state === undefined
      ? Outgoing.pay({ outflow: waiting, payments: [] }, transfer, now)
      : Outgoing.accept({ outflow: { ...waiting, state }, payments: [] }, now)
  if (paid === null) return null
  const recorded = free.payments.flatMap((payment) => {
    const share = byId.get(payment.id)
    return share === undefined
      ? []
      : Payouts.recordPaidElsewhere(payment, share, { outflowId, transfer }, now)
  })
  return {
    payments: [
      ...recorded,
      ...[...free.changes.values()].filter(({ payment }) => !byId.has(payment.id)),
    ],
    outflows: [...paid.outflows, ...free.outflows],
  }
}
