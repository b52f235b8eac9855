/**
 * What an account has for a payment that we collect, besides its other payments in progress. Nobody pays for gas by
 * signing, so an account could sign any number of payments for one balance.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Family from "../../domain/chain/Family.ts"
import type * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import type * as Change from "../../domain/payment/Change.ts"
import * as OptionRouting from "../../domain/payment/OptionRouting.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import { AttemptRefused, Chains, type Funds as Reported } from "../../ports/Chain.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"

export interface Funds extends Reported {
  /** The account's other payments for which we will still take money. */
  readonly open: ReadonlyArray<PaymentOption.PaymentOption>
}

/** Reads what else the account has in progress, and asks the chain about it. */
export const read = Effect.fnUntraced(function* (
  { mode }: Payment.Payment,
  attempt: Payment.Attempt,
  family: Family.Family,
) {
  const { account, paymentId, token } = attempt.option
  const payments = yield* PaymentStore
  const all = yield* payments.committed([account], Family.flowsSentBy(family, "us"))
  const others = all.filter(
    (each) => each.paymentId !== paymentId && Caip.sameToken(each.token, token),
  )
  const reported = yield* (yield* Chains).of(mode).funds(attempt, others)
  const open = others.filter((each) => !reported.taken.includes(each.paymentId))
  const funds: Funds = { ...reported, open }
  return funds
})

/** What an attempt takes from its account; with unread funds, nothing else may be in progress. */
export const draws = (
  { flow }: PaymentOption.PaymentOption,
  family: Family.Family,
  funds: Funds | null,
): ReadonlyArray<Change.Draw> => {
  const { allowance = null, balance = null, taken = [] } = funds ?? {}
  const all: ReadonlyArray<Change.Draw> = [
    { available: balance, flows: Family.flowsSentBy(family, "us"), taken },
    { available: allowance, flows: Family.drawingFlows(family), taken },
  ]
  return all.filter(({ flows }) => flows.includes(flow))
}

/** Says which of the funds is short. */
export const short = (
  { account, quantity, token }: PaymentOption.PaymentOption,
  { balance, open }: Funds,
): AttemptRefused => {
  const isHeld = OptionRouting.committedOf(open, account, token) + quantity <= balance
  return new AttemptRefused({
    message: isHeld
      ? "other payments will use up the account's approval: request the options of this payment again, and approve the amount that they ask for"
      : "the account does not hold enough for this payment in addition to its others that are on their way: add to it, or choose another option",
  })
}
