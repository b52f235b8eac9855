/**
 * What screens show of payments in the same way.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { type FieldOf, type Get, select } from "../shell/Form.tsx"
import { at } from "../shell/Path.ts"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "./Texts.ts"

const { payment, words } = Texts.texts

/** The requested amount, in a currency or in a token. */
export const requested = ({ fiatAmount, tokenAmount }: Payment.Item): string => {
  const amount = fiatAmount ?? tokenAmount
  return amount === undefined ? "" : Reader.amount(amount)
}

/** Where a payment is shown. The API reads it for its merchant only. */
export const toPayment = (paymentId: string, merchantId: string): string =>
  at`/payments/${paymentId}?merchantId=${merchantId}`

const firstCurrency = "USD"

/** The amount that a person typed, as the API takes it; undefined if it is none of its currency. */
export const priced = (get: Get): { readonly unit: string; readonly value: string } | undefined => {
  const currency = get("currency") || firstCurrency
  const value = TypedAmount.parse(get("amount.value"), TypedAmount.digitsOf(currency))
  return value === undefined ? undefined : { unit: `iso4217/${currency}`, value }
}

/** What is wrong with a typed amount of so many digits after the point. */
export const wrongAmount = (text: string, digits: number): string | undefined =>
  TypedAmount.parse(text, digits) === undefined
    ? payment.invalidAmount(digits === 0 ? "12" : "12.50")
    : undefined

/** The fields of an amount in a currency. */
export const priceFields = (
  typed: Get,
  currencies: ReadonlyArray<string>,
  initial = "",
): ReadonlyArray<FieldOf> => [
  {
    name: "amount.value",
    label: words.amount,
    inputMode: "decimal",
    placeholder: "12.50",
    initial,
    wrong: (text) => wrongAmount(text, TypedAmount.digitsOf(typed("currency") || firstCurrency)),
  },
  select(
    "currency",
    words.currency,
    currencies.map((each) => [each, each]),
    { initial: firstCurrency },
  ),
]
