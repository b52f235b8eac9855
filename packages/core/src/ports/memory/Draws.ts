/**
 * What payments in `Processing` will take from their accounts, and the transactions that they wait for, in memory.
 *
 * @module
 */
import * as Caip from "../../domain/chain/Caip.ts"
import type * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import type * as Change from "../../domain/payment/Change.ts"
import type * as Payment from "../../domain/payment/Payment.ts"

export const make = (payments: ReadonlyMap<string, Payment.Payment>) => {
  const processedFrom = (account: Caip.Account) =>
    [...payments.values()].flatMap(({ state }) =>
      state._tag === "Processing" && Caip.sameAccount(state.attempt.option.account, account)
        ? [state]
        : [],
    )
  const drawn = (account: Caip.Account, flows: ReadonlyArray<PaymentOption.Flow>) =>
    processedFrom(account).flatMap(({ attempt: { option } }) =>
      flows.includes(option.flow) ? [option] : [],
    )

  return {
    /** Whether an account has enough for a change together with the others, or nothing else is taken from it. */
    covers: ({ draws = [], payment: { state } }: Change.Change): boolean => {
      if (state._tag !== "Processing") return true
      const { option } = state.attempt
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
