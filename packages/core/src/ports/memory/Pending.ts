/**
 * Shares that wait to be gathered, grouped by what one transfer can pay, in memory.
 *
 * @module
 */
import * as Balance from "../../domain/books/Balance.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import type * as Payment from "../../domain/payment/Payment.ts"

interface Waiting {
  readonly payments: Map<PaymentId.PaymentId, Payment.Payment>
  /** The sum of their shares, kept so that it is not computed again for each new share. */
  quantity: bigint
  /** The payments among them that are held back for a time. */
  readonly heldBack: Map<PaymentId.PaymentId, Payment.Payment>
}

const isHeldBack = (payment: Payment.Payment, now: number): boolean =>
  (Balance.heldUntil(payment) ?? 0) > now

export const make = () => {
  const groups = new Map<string, Waiting>()

  const waitingIn = (group: Balance.Group): Waiting => {
    const key = Balance.groupKey(group)
    const known = groups.get(key) ?? { payments: new Map(), quantity: 0n, heldBack: new Map() }
    groups.set(key, known)
    return known
  }

  const leave = (payment: Payment.Payment): void => {
    const group = Balance.groupOf(payment)
    if (group === null) return
    const waiting = waitingIn(group)
    waiting.heldBack.delete(payment.id)
    if (waiting.payments.delete(payment.id)) {
      waiting.quantity -= Balance.pendingQuantity(payment)
    }
    if (waiting.payments.size === 0) groups.delete(Balance.groupKey(group))
  }

  const join = (payment: Payment.Payment): void => {
    const group = Balance.groupOf(payment)
    if (group === null) return
    const waiting = waitingIn(group)
    waiting.payments.set(payment.id, payment)
    if (Balance.heldUntil(payment) !== null) waiting.heldBack.set(payment.id, payment)
    waiting.quantity += Balance.pendingQuantity(payment)
  }

  return {
    /** Records how a write changes a payment. */
    replace: (before: Payment.Payment | undefined, after: Payment.Payment): void => {
      if (before !== undefined) leave(before)
      join(after)
    },
    /** The payments of a group whose shares wait and are not held back, in any order. */
    payments: (group: Balance.Group, now: number): ReadonlyArray<Payment.Payment> =>
      [...(groups.get(Balance.groupKey(group))?.payments.values() ?? [])].filter(
        (payment) => !isHeldBack(payment, now),
      ),
    /** The payments of all groups whose key begins with this prefix, in any order. */
    paymentsWith: (prefix: string): ReadonlyArray<Payment.Payment> =>
      [...groups]
        .filter(([key]) => key.startsWith(prefix))
        .flatMap(([, { payments }]) => Array.from(payments.values())),
    /** The sum of these shares. */
    quantity: (group: Balance.Group, now: number): bigint => {
      const waiting = groups.get(Balance.groupKey(group))
      return [...(waiting?.heldBack.values() ?? [])]
        .filter((payment) => isHeldBack(payment, now))
        .reduce((sum, payment) => sum - Balance.pendingQuantity(payment), waiting?.quantity ?? 0n)
    },
  }
}
