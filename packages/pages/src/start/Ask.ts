/**
 * A developer's request on the start page: a payment of an amount in a currency, and the same as a command.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import * as TypedAmount from "../shared/TypedAmount.ts"
import type { Start } from "./Start.ts"

/**
 * An amount as the API takes it; undefined if the text is no amount of the currency above zero.
 *
 * @example
 * amount("12.5", "EUR") // { unit: "iso4217/EUR", value: "1250" }
 */
export const amount = (
  text: string,
  currency: string,
): Payment.CreateRequest["amount"] | undefined => {
  const value = TypedAmount.parse(text, TypedAmount.digitsOf(currency))
  return value === undefined ? undefined : { unit: `iso4217/${currency}`, value }
}

const order = /^order-([0-9]{1,15})$/u

/** The number of the next order, after all orders among these payments. */
export const nextOrder = (payments: ReadonlyArray<Pick<Payment.Item, "referenceId">>): number =>
  payments.reduce(
    (next, { referenceId }) => Math.max(next, Number(order.exec(referenceId)?.[1] ?? 0) + 1),
    1,
  )

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The command that creates the same payment. */
export const curl = (
  origin: string,
  { merchantId, partnerKey }: Start,
  body: Payment.CreateRequest,
): string =>
  [
    `curl ${origin}/v1/payments \\`,
    `  -H 'Api-Key: ${partnerKey}' \\`,
    `  -H 'Merchant-Id: ${merchantId}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n")
