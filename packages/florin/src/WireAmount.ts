/**
 * Amounts of the interface, as a person reads and writes them.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import * as Money from "@florin/core/domain/Money"
import * as Result from "effect/Result"
import * as Failure from "./Failure.ts"
import * as Printable from "./Printable.ts"

/** What every amount of an answer has, whatever else it is shown with. */
export interface Shown {
  readonly unit: string
  readonly value: string
  readonly display: {
    readonly assetSymbol: string
    readonly decimals: number
    readonly networkName?: string
  }
}

/** The number alone, exactly: `12.5`, or `12.50` of a fiat currency. */
export const toDecimal = ({ display, unit, value }: Shown): string =>
  Result.match(Money.parse(value), {
    onFailure: () => "?",
    onSuccess: (quantity) =>
      Money.toDecimal(
        quantity,
        display.decimals,
        unit.startsWith("iso4217/") ? display.decimals : 0,
      ),
  })

/** With the unit, and the network where it is on one: `12.5 USDC on Base`. */
export const toText = (amount: Shown): string => {
  const { assetSymbol, networkName } = amount.display
  const on = networkName === undefined ? "" : ` on ${networkName}`
  return Printable.from(`${toDecimal(amount)} ${assetSymbol}${on}`)
}

const pattern = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?(?: +([A-Z]{3}))?$/u

const refuse = (message: string) => Result.fail(new Failure.NotUnderstood({ message }))

/**
 * Reads what a person asks for; it is never rounded, and no currency is guessed.
 *
 * @example
 * WireAmount.parse("12.50", "USD") // { unit: "iso4217/USD", value: "1250" }
 */
export const parse = (
  text: string,
  named: Amount.Currency | undefined,
): Result.Result<ReturnType<typeof Amount.format>, Failure.NotUnderstood> => {
  const [found, whole = "", fraction = "", written] = pattern.exec(text) ?? []
  if (found === undefined) return refuse("an amount is written like 12.50, or '12.50 USD'")
  if (written !== undefined && named !== undefined && written !== named) {
    return refuse("the amount and --currency name two currencies: leave one out")
  }
  const currency = written ?? named
  if (currency === undefined) return refuse("the amount has no currency: add --currency USD")
  const parsed = Amount.parseUnit(`iso4217/${currency}`)
  if (Result.isFailure(parsed)) return refuse(parsed.failure.message)
  const decimals = Amount.decimals(parsed.success)
  if (fraction.length > decimals) {
    return refuse(`${currency} has ${decimals} digits behind the point, not ${fraction.length}`)
  }
  const digits = `${whole}${fraction.padEnd(decimals, "0")}`.replace(/^0+(?=[0-9])/u, "")
  return Result.mapBoth(Money.parse(digits), {
    onFailure: ({ message }) => new Failure.NotUnderstood({ message }),
    onSuccess: (quantity) => Amount.format({ unit: parsed.success, quantity }),
  })
}
