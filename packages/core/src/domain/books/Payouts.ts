/**
 * Gathers shares for one destination into one payout, and follows it: from then on the outflow holds their progress,
 * and each share is updated when it is paid, held or free again.
 *
 * @module
 */
import * as Result from "effect/Result"
import type * as Transfer from "../chain/Transfer.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as PartnerLimits from "../partner/PartnerLimits.ts"
import type * as Change from "../payment/Change.ts"
import * as Entry from "../payment/Entry.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Balance from "./Balance.ts"
import * as Refunding from "./Refunding.ts"
import * as Terms from "./Terms.ts"

// --- gathering

/** The limits of a payout, other than its shares. */
export interface Bounds {
  readonly limits: PartnerLimits.PartnerLimits
  /** The most that it carries if it has more than one share; null if there is no limit. */
  readonly most: bigint | null
}

/** A share that goes, and the entry that it is a part of. */
interface Taken {
  readonly payment: Payment.Payment
  readonly entry: Entry.Entry
  readonly share: Outflow.Share
}

/** The shares of payments in their order, up to the last one that a single transfer can pay with those before it. */
const fitting = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Balance.Debts,
  { limits, most }: Bounds,
  now: number,
): { readonly quantity: Money.Quantity; readonly taken: ReadonlyArray<Taken> } => {
  const shares = Balance.sharesOf(payments, debts, (each) => Terms.payable(each, limits, now))
  const taken: Array<Taken> = []
  let quantity = Money.zero
  for (const [index, payment] of payments.entries()) {
    const [entry, share] = [Balance.entryOf(payment), shares[index]]
    if (entry === undefined || share === undefined) break
    const total = Money.fromBigInt(quantity + share.quantity)
    if (Result.isFailure(total)) break
    if (most !== null && quantity > 0n && total.success > most) break
    quantity = total.success
    taken.push({ payment, entry, share })
  }
  return { quantity, taken }
}

/** Pays off debt with all of the share that may be paid now: nothing is sent. */
const net = (
  { entry, payment, share: { merchantId, netted } }: Taken,
  held: Ledger.Held,
  refundOf: Entry.RefundOf | undefined,
  now: number,
): Change.Change => {
  const part = { _tag: "Netted", netted, ...(refundOf !== undefined && { refundOf }) } as const
  const used = netted === 0n ? entry : Entry.take(entry, part)
  const next = Entry.settle(Entry.freed(used), now)
  return Balance.changed(payment, next, now, {
    ...Balance.following(next, now),
    ledger: netted === 0n ? [] : [Ledger.netting({ ...held, merchantId, quantity: netted })],
  })
}

/**
 * Gathers the shares of a group into one outflow, in the order of the payments. A share that the merchant's debt uses
 * up is settled without a transfer. Left out are payments whose share no longer waits, or may not go now, and those
 * whose merchant's destination is now another one or changes. Null if no payment is left.
 */
export const gather = (
  payments: ReadonlyArray<Payment.Payment>,
  group: Balance.Group,
  {
    debts,
    lasts,
    refunds,
  }: {
    readonly debts: Balance.Debts
    readonly lasts: Balance.Lasts
    /** The refund of each indebted merchant that was requested last of those that were sent. */
    readonly refunds?: ReadonlyMap<MerchantId.MerchantId, Entry.RefundOf>
  },
  outflowId: OutflowId.OutflowId,
  now: number,
  bounds: Bounds = { limits: PartnerLimits.none, most: null },
): Change.Write | null => {
  const key = Balance.groupKey(group)
  const { destination, from: collecting, mode, partnerId, token } = group
  const waiting = payments.filter((payment) => {
    const own = Balance.groupOf(payment)
    const last = lasts.find(({ merchantId }) => merchantId === payment.merchantId)
    const isPayable =
      Balance.pendingQuantity(payment) === 0n || Terms.payable(payment, bounds.limits, now) > 0n
    const leads = Balance.leadsTo(destination, last, now)
    return own !== null && Balance.groupKey(own) === key && leads && isPayable
  })
  if (waiting.length === 0) return null
  const { quantity, taken } = fitting(waiting, debts, bounds, now)
  const shares = taken.flatMap(({ share }) => (share.quantity === 0n ? [] : [share]))
  const changes = taken.map((each) => {
    const { entry, payment, share } = each
    if (share.quantity === 0n) {
      return net(each, { collecting, token }, refunds?.get(payment.merchantId), now)
    }
    const { netted, quantity: sent } = share
    const part = { _tag: "Carried", outflowId, quantity: sent, netted } as const
    const next = { ...Entry.freed(Entry.take(entry, part)), destination }
    return Balance.changed(payment, next, now, { due: { settle: null } })
  })
  const outflow = Outflow.make(
    {
      id: outflowId,
      partnerId,
      mode,
      movement: { token, from: collecting, to: destination.address, quantity },
      purpose: { _tag: "Settle", shares },
    },
    now,
  )
  return {
    payments: changes,
    outflows: shares.length === 0 ? [] : [{ outflow, ledger: [], claims: [], due: { send: now } }],
  }
}

// --- on its way

/**
 * The ledger's bookings of an outflow's shares, each as part of its payment's history, and of its advance: if that was
 * paid back, it is no longer owed to the operator.
 */
export const bookings = (
  outflow: Outflow.Outflow,
  isRepaid = false,
): ReadonlyArray<Change.Booking> => {
  const { movement, purpose } = outflow
  const advance = "advance" in purpose ? purpose.advance : undefined
  const { from: collecting, to: address, token } = movement
  const held = { collecting, token, destination: { chainId: token.chainId, address } }
  return [
    ...Outflow.sharesOf(outflow).map(({ merchantId, netted, paymentId, quantity }) => ({
      paymentId,
      transaction: Ledger.payout({ ...held, merchantId }, [
        [Ledger.owedFrom(merchantId, held), quantity + netted],
        [Ledger.debt(merchantId), -netted],
      ]),
    })),
    ...[advance ?? []].flat().map(({ merchantId, quantity }) => ({
      paymentId: null,
      transaction: Ledger.payout({ ...held, merchantId }, [
        [isRepaid ? Ledger.operator : Ledger.debt(merchantId), quantity],
      ]),
    })),
  ]
}

/** Whether a payout may still go to its destination: each of its merchants has that destination now. */
export const maySend = (outflow: Outflow.Outflow, lasts: Balance.Lasts, now: number): boolean => {
  const { movement } = outflow
  const account = { chainId: movement.token.chainId, address: movement.to }
  const merchants = Outflow.merchantsOf(outflow)
  return lasts
    .filter(({ merchantId }) => merchants.includes(merchantId))
    .every((last) => Balance.leadsTo(account, last, now))
}

/**
 * The payment with the part of its share that an outflow carries, as far as that is now: paid, held until an operator
 * retries it, or free again if the outflow is cancelled, to be gathered from `dueAt` on. Null if it carries none, or
 * nothing changes.
 */
export const follow = (
  payment: Payment.Payment,
  { id, state }: Outflow.Outflow,
  now: number,
  dueAt = now,
): Change.Change | null => {
  const entry = Balance.entryOf(payment)
  const part = entry && Entry.inPayouts(entry).find(({ outflowId }) => outflowId === id)
  if (entry === undefined || part === undefined) return null
  const { netted, outflowId, quantity } = part
  const amounts = { outflowId, quantity, netted }
  switch (state._tag) {
    case "Paid": {
      const { txHash } = state.transfer
      if (part._tag === "Paid" && part.txHash === txHash) return null
      const paid = Entry.exchange(entry, id, { _tag: "Paid", ...amounts, txHash })
      if (part._tag !== "Paid") {
        const next = Entry.settle(paid, now)
        return Balance.changed(payment, next, now, Balance.following(next, now))
      }
      // The same transfer, under another hash.
      const { settled } = entry
      const next = settled === undefined ? paid : Entry.settle(paid, settled.at)
      return Balance.changed(payment, next, now, {})
    }
    case "Held": {
      if (part._tag === "Held") return null
      const { moved: _, ...held } = state
      const next = Entry.exchange(entry, id, { ...amounts, ...held })
      return Balance.changed(payment, next, now, {
        event: "settlement.held",
        due: { settle: null },
      })
    }
    case "Cancelled":
      return part._tag === "Paid"
        ? null
        : Balance.changed(payment, Entry.exchange(entry, id, null), now, { due: { settle: dueAt } })
    default:
      return null
  }
}

/** The share was paid without a record in this ledger. A refund that is still to be sent then uses the float. */
export const recordPaidElsewhere = (
  payment: Payment.Payment,
  { netted, quantity }: Outflow.Share,
  {
    outflowId,
    transfer: { movement, txHash },
  }: { readonly outflowId: OutflowId.OutflowId; readonly transfer: Transfer.Evidence },
  now: number,
): ReadonlyArray<Change.Change> => {
  const entry = Balance.entryOf(payment)
  if (entry === undefined) return []
  const part = { _tag: "Paid", outflowId, quantity, netted, txHash } as const
  const destination = { chainId: movement.token.chainId, address: movement.to }
  // What a refund took was sent only if what is left does not explain the transfer.
  const isExplained = quantity + netted <= Entry.left(entry)
  const before = isExplained ? payment : Refunding.withoutOwn(payment)
  const owed = Entry.freed(Balance.entryOf(before) ?? entry)
  const next = Entry.settle({ ...Entry.take(owed, part), destination }, now)
  return [Balance.changed(before, next, now, Balance.following(next, now))]
}
