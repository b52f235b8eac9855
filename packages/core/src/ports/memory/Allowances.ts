/**
 * What payments in `Processing` will take from their accounts, and the transactions that they wait for, in memory.
 *
 * @module
 */
import * as Caip from "../../domain/Caip.ts"
import type * as Change from "../../domain/Change.ts"
import * as Money from "../../domain/Money.ts"
import type * as OptionRouting from "../../domain/OptionRouting.ts"
import type * as Payment from "../../domain/Payment.ts"
import type * as PaymentId from "../../domain/PaymentId.ts"
import type * as PaymentOption from "../../domain/PaymentOption.ts"

type Flows = ReadonlyArray<PaymentOption.Flow>

const processed = ({ state }: Payment.Payment): Payment.Attempt | null =>
  state._tag === "Processing" ? state.attempt : null

const sumOf = (options: ReadonlyArray<PaymentOption.PaymentOption>): bigint =>
  options.reduce((sum, { quantity }) => sum + quantity, 0n)

export const make = () => {
  const byAccount = new Map<string, Map<PaymentId.PaymentId, Payment.Attempt>>()

  const attemptsOf = (account: Caip.Account) => [
    ...(byAccount.get(Caip.accountKey(account))?.values() ?? []),
  ]
  const drawn = (account: Caip.Account, flows: Flows) =>
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
    /** Whether an allowance covers a change together with the others, or nothing else draws on it. */
    covers: ({ draw, payment }: Change.Change): boolean => {
      const option = processed(payment)?.option
      if (draw === undefined || option === undefined) return true
      const others = drawn(option.account, draw.flows).filter(
        ({ paymentId, token }) =>
          paymentId !== option.paymentId && Caip.sameToken(token, option.token),
      )
      return others.length === 0 || sumOf(others) + option.quantity <= draw.allowance
    },
    isAwaited: (account: Caip.Account, txHash: string): boolean =>
      attemptsOf(account).some(
        ({ outputs }) => outputs._tag === "Sent" && outputs.txHash === txHash,
      ),
    committed: (
      accounts: ReadonlyArray<Caip.Account>,
      flows: Flows,
    ): ReadonlyArray<OptionRouting.Committed> => {
      const distinct = new Map(accounts.map((account) => [Caip.accountKey(account), account]))
      return [...distinct.values()].flatMap((account) => {
        const options = drawn(account, flows)
        const tokens = new Map(options.map(({ token }) => [Caip.tokenKey(token), token]))
        return [...tokens.values()].map((token) => ({
          account,
          token,
          quantity: Money.clamp(
            sumOf(options.filter((option) => Caip.sameToken(option.token, token))),
            Money.largest,
          ),
        }))
      })
    },
  }
}
