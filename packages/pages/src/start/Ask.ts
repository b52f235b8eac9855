/**
 * A developer's request on the start page: a payment of an amount in a currency, and the same as a command.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type { Start } from "./Start.ts"

/** How many digits a currency has after the point. */
const digitsOf = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
    .maximumFractionDigits ?? 0

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
  const [, whole, fraction = ""] = /^([0-9]{1,9})(?:\.([0-9]+))?$/u.exec(text.trim()) ?? []
  const digits = digitsOf(currency)
  if (whole === undefined || fraction.length > digits) return undefined
  const value = BigInt(whole + fraction.padEnd(digits, "0"))
  return value === 0n ? undefined : { unit: `iso4217/${currency}`, value: `${value}` }
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
