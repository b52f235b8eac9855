/**
 * Fixed rates between currencies and tokens that are not pegged to them, as an operator writes them: `GBP.USDC=1.27`,
 * with the time of the rate if it is known: `GBP.USDC=1.27@2026-11-20T12:00:00Z`.
 *
 * @module
 */
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"
import * as Amount from "@florin/core/domain/money/Amount"
import type { FixedRate } from "@florin/core/ports/RateSource"
import * as Option from "effect/Option"
import * as Setting from "./Setting.ts"

const expected = `a currency, a token that is not pegged to it and what one buys of the other, above 0 and with at most 9 decimals, each pair once, such as GBP.USDC=1.27, or GBP.USDC=1.27@2026-11-20T12:00:00Z with the time it was set; currencies are ${Amount.Currency.literals.join(", ")}`

/** A token that is pegged to the currency already has a rate, which no setting may change. */
const isFree = (currency: Amount.Currency, symbol: string | undefined): symbol is string => {
  const named = BuiltIn.catalog.assets.filter((each) => each.symbol === symbol)
  return symbol !== undefined && named.every(({ peg }) => peg !== currency)
}

/** Exact: each number is one fraction. */
const row = (text: string): Option.Option<FixedRate> => {
  const [, currency = "", symbol, whole = "", fraction = "", time] =
    /^([A-Z]{3})\.([A-Za-z0-9][A-Za-z0-9.+-]{0,15})=([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:@(\S+))?$/u.exec(
      text,
    ) ?? []
  const numerator = BigInt(whole + fraction)
  const observedAt = time === undefined ? undefined : Rfc3339.read(time)
  if (time !== undefined && observedAt === undefined) return Option.none()
  return Amount.isCurrency(currency) && isFree(currency, symbol) && numerator > 0n
    ? Option.some({
        currency,
        symbol,
        numerator,
        denominator: 10n ** BigInt(fraction.length),
        ...(observedAt !== undefined && { observedAt }),
      })
    : Option.none()
}

const parse = Setting.bySubject(row, (rates) => rates)

/** The values of the setting. */
export const kind = { metavar: "PAIR=RATE[@TIME]", expected, parse }
