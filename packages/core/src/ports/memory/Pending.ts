/**
 * Shares that wait to be gathered, by what one transfer can pay, in memory.
 *
 * @module
 */
import type * as Payment from "../../domain/Payment.ts"
import type * as PaymentId from "../../domain/PaymentId.ts"
import * as SettlementMatching from "../../domain/SettlementMatching.ts"

interface Waiting {
  readonly payments: Map<PaymentId.PaymentId, Payment.Payment>
  /** The sum of their shares, kept so that nobody adds up all of them for each one that comes. */
  quantity: bigint
}

export const make = () => {
  const groups = new Map<string, Waiting>()

  const waitingIn = (group: SettlementMatching.Group): Waiting => {
    const key = SettlementMatching.groupKey(group)
    const known = groups.get(key) ?? { payments: new Map(), quantity: 0n }
    groups.set(key, known)
    return known
  }

  const leave = (payment: Payment.Payment): void => {
    const group = SettlementMatching.groupOf(payment)
    if (group === null) return
    const waiting = waitingIn(group)
    if (waiting.payments.delete(payment.id)) {
      waiting.quantity -= SettlementMatching.pendingQuantity(payment)
    }
    if (waiting.payments.size === 0) groups.delete(SettlementMatching.groupKey(group))
  }

  const join = (payment: Payment.Payment): void => {
    const group = SettlementMatching.groupOf(payment)
    if (group === null) return
    const waiting = waitingIn(group)
    waiting.payments.set(payment.id, payment)
    waiting.quantity += SettlementMatching.pendingQuantity(payment)
  }

  return {
    /** Notes what a write makes of a payment. */
    replace: (before: Payment.Payment | undefined, after: Payment.Payment): void => {
      if (before !== undefined) leave(before)
      join(after)
    },
    /** The payments of a group whose shares wait, in any order. */
    payments: (group: SettlementMatching.Group): ReadonlyArray<Payment.Payment> => [
      ...(groups.get(SettlementMatching.groupKey(group))?.payments.values() ?? []),
    ],
    /** The payments of all groups whose key begins like this, in any order. */
    paymentsWith: (prefix: string): ReadonlyArray<Payment.Payment> =>
      [...groups]
        .filter(([key]) => key.startsWith(prefix))
        .flatMap(([, { payments }]) => Array.from(payments.values())),
    /** The sum of all shares of a group that wait. */
    quantity: (group: SettlementMatching.Group): bigint =>
      groups.get(SettlementMatching.groupKey(group))?.quantity ?? 0n,
  }
}
