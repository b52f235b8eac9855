/**
 * Amounts of the API, as a person reads and writes them.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Result from "effect/Result"
import * as Failure from "./Failure.ts"
import * as Printable from "./Printable.ts"

/** The fields that every amount of a response has. */
export interface Shown {
  readonly unit: string
  readonly value: string
  readonly display: {
    readonly assetSymbol: string
    readonly decimals: number
    readonly networkName?: string
  }
}

/** Sums of the ledger may be below zero. */
const numberOf = ({ display: { decimals }, unit, value }: Shown, ofToken: number): string => {
  const [sign, digits] = value.startsWith("-") ? ["-", value.slice(1)] : ["", value]
  return Result.match(Money.parse(digits), {
    onFailure: () => "?",
    onSuccess: (quantity) =>
      sign + Money.toDecimal(quantity, decimals, unit.startsWith("iso4217/") ? decimals : ofToken),
  })
}

/** Only the number, for programs: `12.5`, or `12.50` for a fiat currency. */
export const toDecimal = (amount: Shown): string => numberOf(amount, 0)

/** Only the number, for people: `12.50`. */
export const toNumber = (amount: Shown): string =>
  numberOf(amount, Math.min(amount.display.decimals, 2))

/** With the unit: `12.50 USDC`. */
export const toPlainText = (amount: Shown): string =>
  Printable.from(`${toNumber(amount)} ${amount.display.assetSymbol}`)

/** With the unit, and with the network if there is one: `12.50 USDC on Base`. */
export const toText = (amount: Shown): string => {
  const { networkName } = amount.display
  return (
    toPlainText(amount) + (networkName === undefined ? "" : Printable.from(` on ${networkName}`))
  )
}

const refuse = (message: string) => Result.fail(Failure.makeUsage(message))

const like = "an amount is written like 12.50, or '12.50 USD' with its currency"

/**
 * Reads a decimal number as a quantity of the smallest units; it is never rounded.
 *
 * @example
 * WireAmount.parseQuantity("12.5", "USDC", 6) // 12_500_000n
 */
export const parseQuantity = (
  text: string,
  symbol: string,
  decimals: number,
): Result.Result<Money.Quantity, Failure.CommandFailed> => {
  const [found, whole = "", fraction = ""] = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/u.exec(text) ?? []
  if (found === undefined) return refuse(like)
  if (fraction.length > decimals) {
    return refuse(`${symbol} has ${decimals} decimals, not ${fraction.length}`)
  }
  const digits = `${whole}${fraction.padEnd(decimals, "0")}`.replace(/^0+(?=[0-9])/u, "")
  return Result.mapError(Money.parse(digits), ({ message }) => Failure.makeUsage(message))
}

/**
 * Reads an amount that a person enters; no currency is guessed.
 *
 * @example
 * WireAmount.parse("12.50", "USD") // { unit: "iso4217/USD", value: "1250" }
 */
export const parse = (
  text: string,
  named: Amount.Currency | undefined,
): Result.Result<ReturnType<typeof Amount.format>, Failure.CommandFailed> => {
  const [, number, written] = /^(\S+)(?: +([A-Z]{3}))?$/u.exec(text) ?? []
  if (number === undefined) return refuse(like)
  if (written !== undefined && named !== undefined && written !== named) {
    return refuse("the amount and --currency name different currencies: omit one of them")
  }
  const currency = written ?? named
  if (currency === undefined) return refuse("the amount has no currency: write '12.50 USD'")
  const parsed = Amount.parseUnit(`iso4217/${currency}`, Catalog.empty)
  if (Result.isFailure(parsed)) return refuse(parsed.failure.message)
  const unit = parsed.success
  return Result.map(
    parseQuantity(number, currency, Amount.decimals(unit, Catalog.empty)),
    (quantity) => Amount.format({ unit, quantity }, Catalog.empty),
  )
}
