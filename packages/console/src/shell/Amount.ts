/**
 * Amounts that a person types, as the API takes them: whole numbers of the smallest unit, placed digit by digit.
 *
 * @module
 */

/** The currencies of the API. A test compares them with its own. */
export const currencies =
  "USD EUR GBP CHF JPY AUD BRL CAD CNY CZK DKK HKD HUF IDR ILS INR ISK KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY ZAR".split(
    " ",
  )

/** Not from `Intl`, which has none for the forint: the API counts its fillér. */
const withoutFraction = new Set(["JPY", "ISK", "KRW"])

/** How many digits a currency has after the point. */
export const digitsOf = (currency: string): number => (withoutFraction.has(currency) ? 0 : 2)

/**
 * The value of a text in the smallest unit; undefined if it is no amount above zero.
 *
 * @example
 * parse("12.5", 2) // "1250"
 * parse("12,50", 2) // "1250"
 */
export const parse = (text: string, decimals: number): string | undefined => {
  const [, whole, fraction = ""] = /^([0-9]{1,15})(?:[.,]([0-9]+))?$/u.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  const value = BigInt(whole + fraction.padEnd(decimals, "0"))
  return value === 0n ? undefined : `${value}`
}

/** A value as a text for a field, with a point. */
export const text = (value: bigint, decimals: number): string => {
  const digits = `${value}`.padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals)
  return decimals === 0 ? digits : `${digits.slice(0, digits.length - decimals)}.${fraction}`
}
