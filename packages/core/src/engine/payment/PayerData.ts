/**
 * Personal data of payers: whether an account must give it, and how it is stored for its payment, sealed.
 *
 * @module
 */
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Schema from "effect/Schema"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as PayerSession from "../../domain/ground/PayerSession.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import type * as Change from "../../domain/payment/Change.ts"
import * as CollectData from "../../domain/payment/CollectData.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentTransition from "../../domain/payment/PaymentTransition.ts"
import { CollectDataPolicy } from "../../ports/CollectDataPolicy.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Settings } from "../../ports/Settings.ts"
import { Vault, VaultRefused } from "../../ports/Vault.ts"

/** A confirm came before the payer's data that this option needs. */
export class DataRequired extends Schema.TaggedError<DataRequired>()("DataRequired", {
  message: Schema.String,
}) {}

const dataRequired = new DataRequired({
  message: "IC data required: collect the payer's data for this account first",
})

/** Callers with the payment's link have already used all places for form data. */
export class TooManyForms extends Schema.TaggedError<TooManyForms>()("TooManyForms", {
  message: Schema.String,
}) {}

const tooManyForms = new TooManyForms({
  message:
    "too many forms were filled in for this payment: send the data with the confirm, or try again later",
})

/** Whether the payer with this account must identify themselves. */
export const isAsked = Effect.fnUntraced(function* (
  { amount, merchantId }: Payment.Payment,
  account: Caip.Account,
) {
  return yield* (yield* CollectDataPolicy).isNeeded({ merchantId, amount, account })
})

/** What was collected for an account in a session. Data from another session is not the payer's own statement. */
export const find = (
  collected: ReadonlyArray<Change.Collected>,
  account: Caip.Account,
  session: PayerSession.PayerSession | undefined,
): Change.Collected | undefined =>
  session === undefined
    ? undefined
    : collected.find((each) => each.session === session && Caip.sameAccount(each.account, account))

/** Refuses an option whose payer must give data and has not; returns the data. */
export const requireCollected = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  { account, session }: PaymentOption.PaymentOption,
) {
  if (!(yield* isAsked(payment, account))) return undefined
  const collected = yield* (yield* PaymentStore).collected(payment.id)
  return find(collected, account, session) ?? (yield* dataRequired)
})

/** Data of a wallet's own form, as it was received. */
export interface Sent {
  readonly fields: ReadonlyArray<{ readonly id: string; readonly value: string }>
}

/**
 * The sealed data of a confirm: what was sent with it, or what was entered in the form. Undefined if none is needed, even
 * if some was sent.
 */
export const readSent = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  option: PaymentOption.PaymentOption,
  sent: Sent | undefined,
  now: number,
) {
  const { collectedKeptInMs } = yield* Settings
  if (sent === undefined) {
    const collected = yield* requireCollected(payment, option)
    return collected && { ...collected, deleteAt: now + collectedKeptInMs }
  }
  const data = yield* Effect.fromResult(CollectData.fromFields(sent.fields))
  const { account, session = null } = option
  if (!(yield* isAsked(payment, account))) return undefined
  return yield* seal(payment.id, { account, session, deleteAt: now + collectedKeptInMs }, data)
})

const placeOf = (id: PaymentId.PaymentId, { account }: Pick<Change.Collected, "account">) =>
  `${id}/${Caip.accountKey(account)}/collected`

const masked = (bytes: Uint8Array, key: Uint8Array): Uint8Array =>
  bytes.map((byte, index) => byte ^ (key[index] ?? 0))

/**
 * Seals the data and a random key of the same length that masks it, each separately. Without the key, nobody can ever
 * read the data, not even with the vault. So destroying the key erases the data everywhere.
 */
const seal = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  of: Omit<Change.Collected, "sealed" | "key">,
  data: CollectData.CollectedData,
) {
  const vault = yield* Vault
  const plain = utf8ToBytes(JSON.stringify(data))
  const key = yield* (yield* Identifiers).randomBytes(plain.length)
  const place = placeOf(id, of)
  const collected: Change.Collected = {
    ...of,
    sealed: yield* vault.seal(place, masked(plain, key)),
    key: yield* vault.seal(`${place}/key`, key),
  }
  return collected
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(CollectData.CollectedData))

/** Opens the stored data of a payer. Data without its matching key stays random bytes. */
export const open = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  collected: Change.Collected,
) {
  const vault = yield* Vault
  const place = placeOf(id, collected)
  const bytes = yield* vault.open(place, collected.sealed)
  const plain = masked(bytes, yield* vault.open(`${place}/key`, collected.key))
  return yield* Effect.fromResult(Hex.decodeString(bytesToHex(plain))).pipe(
    Effect.flatMap(decode),
    Effect.mapError(() => new VaultRefused({ message: "the record's own key is gone" })),
  )
})

/**
 * Stores what a payer entered in the hosted form, for this payment, account and session, if the account is asked for it.
 * The first entry wins: a second page changes nothing.
 */
export const collect = Effect.fn("PayerData.collect")(function* (
  id: PaymentId.PaymentId,
  account: Caip.Account,
  session: PayerSession.PayerSession,
  fields: Sent["fields"],
) {
  const payments = yield* PaymentStore
  const payment = yield* payments.payment(id)
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const data = yield* Effect.fromResult(CollectData.fromFields(fields))
  if (!(yield* isAsked(payment, account))) return
  const { collectedKeptInMs } = yield* Settings
  const deleteAt = now + Math.min(collectedKeptInMs, Limits.collectedUnusedKeptInMs)
  const isKept = yield* payments.putCollected(
    id,
    yield* seal(id, { account, session, deleteAt }, data),
  )
  if (!isKept) return yield* tooManyForms
})
