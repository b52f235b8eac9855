/**
 * What payments in `Processing` will take from their accounts, and the transactions that they wait for, in memory. They
 * are kept by account, because each request for options and each confirm asks for those of a few.
 *
 * @module
 */
import * as Caip from "../../domain/chain/Caip.ts"
import type * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import type * as Change from "../../domain/payment/Change.ts"
import type * as Payment from "../../domain/payment/Payment.ts"

type Processing = Extract<Payment.State, { readonly _tag: "Processing" }>

const processed = ({ state }: Payment.Payment): Processing | null =>
  state._tag === "Processing" ? state : null

export const make = () => {
  const byAccount = new Map<string, Map<PaymentId.PaymentId, Processing>>()

  const processedFrom = (account: Caip.Account) => [
    ...(byAccount.get(Caip.accountKey(account))?.values() ?? []),
  ]
  const drawn = (account: Caip.Account, flows: ReadonlyArray<PaymentOption.Flow>) =>
    processedFrom(account).flatMap(({ attempt: { option } }) =>
      flows.includes(option.flow) ? [option] : [],
    )

  return {
    /** Records how a write changes a payment. */
    replace: (before: Payment.Payment | undefined, after: Payment.Payment): void => {
      const left = before === undefined ? null : (processed(before)?.attempt.option ?? null)
      if (left !== null) {
        const key = Caip.accountKey(left.account)
        const own = byAccount.get(key)
        own?.delete(after.id)
        if (own?.size === 0) byAccount.delete(key)
      }
      const state = processed(after)
      if (state === null) return
      const key = Caip.accountKey(state.attempt.option.account)
      const own = byAccount.get(key) ?? new Map<PaymentId.PaymentId, Processing>()
      byAccount.set(key, own.set(after.id, state))
    },
    /** Whether an account has enough for a change together with the others, or nothing else is taken from it. */
    covers: ({ draws = [], payment }: Change.Change): boolean => {
      const option = processed(payment)?.attempt.option
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
    isAwaited: (
      account: Caip.Account,
      txHash: string,
      transactionIn: (slot: Lane.Slot) => Lane.Transaction | null,
    ): boolean =>
      processedFrom(account).some(({ attempt: { outputs }, slot }) => {
        const own = slot === null ? null : transactionIn(slot)
        return (
          (outputs._tag === "Sent" && outputs.txHash === txHash) ||
          (own !== null && Lane.hashes(own).includes(txHash))
        )
      }),
    committed: (
      accounts: ReadonlyArray<Caip.Account>,
      flows: ReadonlyArray<PaymentOption.Flow>,
    ): ReadonlyArray<PaymentOption.PaymentOption> => {
      const distinct = new Map(accounts.map((account) => [Caip.accountKey(account), account]))
      return [...distinct.values()].flatMap((account) => drawn(account, flows))
    },
  }
}
