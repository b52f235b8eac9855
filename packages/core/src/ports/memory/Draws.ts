/**
 * What payments in `Processing` will take from their accounts, and the transactions that they wait for, in memory.
 *
 * @module
 */
import * as Caip from "../../domain/Caip.ts"
import type * as Change from "../../domain/Change.ts"
import type * as Payment from "../../domain/Payment.ts"
import type * as PaymentId from "../../domain/PaymentId.ts"
import type * as PaymentOption from "../../domain/PaymentOption.ts"

const processed = ({ state }: Payment.Payment): Payment.Attempt | null =>
  state._tag === "Processing" ? state.attempt : null

export const make = () => {
  const byAccount = new Map<string, Map<PaymentId.PaymentId, Payment.Attempt>>()

  const attemptsOf = (account: Caip.Account) => [
    ...(byAccount.get(Caip.accountKey(account))?.values() ?? []),
  ]
  const drawn = (account: Caip.Account, flows: ReadonlyArray<PaymentOption.Flow>) =>
    attemptsOf(account).flatMap(({ option }) => (flows.includes(option.flow) ? [option] : []))

  return {
    /** Records how a write changes a payment. */
    replace: (before: Payment.Payment | undefined, after: Payment.Payment): void => {
      const left = before === undefined ? null : (processed(before)?.option ?? null)
      if (left !== null) {
        const key = Caip.accountKey(left.account)
        const own = byAccount.get(key)
        own?.delete(after.id)
        if (own?.size === 0) byAccount.delete(key)
      }
      const attempt = processed(after)
      if (attempt === null) return
      const key = Caip.accountKey(attempt.option.account)
      const own = byAccount.get(key) ?? new Map<PaymentId.PaymentId, Payment.Attempt>()
      byAccount.set(key, own.set(after.id, attempt))
    },
    /** Whether an account has enough for a change together with the others, or nothing else is taken from it. */
    covers: ({ draws = [], payment }: Change.Change): boolean => {
      const option = processed(payment)?.option
      if (option === undefined) return true
      return draws.every(({ available, flows, taken }) => {
        const others = drawn(option.account, flows).filter(
          ({ paymentId, token }) =>
            paymentId !== option.paymentId &&
            !taken.includes(paymentId) &&
            Caip.sameToken(token, option.token),
        )
        const sum = others.reduce((total, { quantity }) => total + quantity, option.quantity + 0n)
        return others.length === 0 || (available !== null && sum <= available)
      })
    },
    isAwaited: (account: Caip.Account, txHash: string): boolean =>
      attemptsOf(account).some(
        ({ outputs }) => outputs._tag === "Sent" && outputs.txHash === txHash,
      ),
    committed: (
      accounts: ReadonlyArray<Caip.Account>,
      flows: ReadonlyArray<PaymentOption.Flow>,
    ): ReadonlyArray<PaymentOption.PaymentOption> => {
      const distinct = new Map(accounts.map((account) => [Caip.accountKey(account), account]))
      return [...distinct.values()].flatMap((account) => drawn(account, flows))
    },
  }
}
