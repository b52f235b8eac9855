/**
 * What payers tell about themselves: whether an account must, and how it is kept for its payment, sealed.
 *
 * @module
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Caip from "../domain/Caip.ts"
import type * as Change from "../domain/Change.ts"
import * as CollectData from "../domain/CollectData.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as PaymentOption from "../domain/PaymentOption.ts"
import * as PaymentTransition from "../domain/PaymentTransition.ts"
import { CollectDataPolicy } from "../ports/CollectDataPolicy.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Settings } from "../ports/Settings.ts"
import { Vault } from "../ports/Vault.ts"

/** A confirm came before the payer's data that this option needs. */
export class DataRequired extends Schema.TaggedError<DataRequired>()("DataRequired", {
  message: Schema.String,
}) {}

const dataRequired = new DataRequired({
  message: "IC data required: collect the payer's data for this account first",
})

/** Whether this account must tell who it is before it pays, and has not. */
export const requirementOf = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  account: Caip.Account,
  collected: ReadonlyArray<Change.Collected>,
) {
  const asked = yield* (yield* CollectDataPolicy).isNeeded({
    merchantId: payment.merchantId,
    amount: payment.amount,
    account,
  })
  return CollectData.requirement({
    asked,
    collected: collected.some((each) => Caip.sameAccount(each.account, account)),
  })
})

export const requireCollected = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  option: PaymentOption.PaymentOption,
) {
  const collected = yield* (yield* PaymentStore).collected(payment.id)
  const requirement = yield* requirementOf(payment, option.account, collected)
  return requirement === "needed" ? yield* dataRequired : undefined
})

/** Data of a wallet's own form, as it was sent. */
export interface Sent {
  readonly fields: ReadonlyArray<{ readonly id: string; readonly value: string }>
}

/** The data that goes with a confirm, sealed; undefined where none was sent and none is needed. */
export const readSent = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  option: PaymentOption.PaymentOption,
  sent: Sent | undefined,
  now: number,
) {
  if (sent === undefined) return yield* requireCollected(payment, option)
  const data = yield* Effect.fromResult(CollectData.fromFields(sent.fields))
  return yield* seal(payment.id, option.account, data, now)
})

const seal = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  account: Caip.Account,
  data: CollectData.CollectedData,
  now: number,
) {
  const vault = yield* Vault
  const { collectedKeptInMs } = yield* Settings
  const sealed = yield* vault.seal(
    `${id}/${Caip.accountKey(account)}/collected`,
    utf8ToBytes(JSON.stringify(data)),
  )
  const collected: Change.Collected = { account, sealed, deleteAt: now + collectedKeptInMs }
  return collected
})

/**
 * Keeps what a payer told in the hosted form, for this payment and account. What was told first stays: a second page
 * changes nothing.
 */
export const collect = Effect.fn("PayerData.collect")(function* (
  id: PaymentId.PaymentId,
  account: Caip.Account,
  fields: Sent["fields"],
) {
  const payments = yield* PaymentStore
  const payment = yield* payments.payment(id)
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const data = yield* Effect.fromResult(CollectData.fromFields(fields))
  yield* payments.putCollected(id, yield* seal(id, account, data, now))
})
