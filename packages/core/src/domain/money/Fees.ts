/**
 * The fees that the service keeps of a payment: a fixed part, agreed in one or more currencies, and a percentage, on
 * terms fixed when the payment was created. Both parts are counted in the paid token's smallest unit, each rounded half
 * up once.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Asset from "../chain/Asset.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Malformed from "../ground/Malformed.ts"
import * as Money from "../ground/Money.ts"
import * as Amount from "./Amount.ts"
import * as Rates from "./Rates.ts"

const percentDecimals = 6
const onePercent = 10 ** percentDecimals

/** A share in millionths of a percent: 400,000 is 0.4 %. */
export type Percentage = Brand.Branded<number, "Percentage">
const percentage = Brand.nominal<Percentage>()
export const Percentage = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 100 * onePercent }),
).pipe(Schema.fromBrand("Percentage", percentage))

/** The fees that a merchant was promised for a payment. */
export interface FeeTerms extends Schema.Schema.Type<typeof FeeTerms> {}
export const FeeTerms = Schema.Struct({
  /** The fixed fee, each currency once. The first is converted for payments in currencies without one of their own. */
  fixed: Schema.NonEmptyArray(Amount.OfCurrency),
  percentage: Percentage,
  /** Whether refunds give the fee back in proportion. Without it, they never do. */
  returned: Schema.optionalKey(Schema.Literal("withRefund")),
})

/** Whether refunds give the fee back. */
export type Returned = "never" | "withRefund"

/** The fees of one payment. `total + net` is exactly what was paid. */
export interface Charge extends Schema.Schema.Type<typeof Charge> {}
export const Charge = Schema.Struct({
  total: Money.Quantity,
  /** The fixed part of `total`: less than agreed if the payment was too small. */
  fixed: Money.Quantity,
  net: Money.Quantity,
})

/** No fees at all. */
export const none: FeeTerms = {
  fixed: [{ currency: "USD", quantity: Money.zero }],
  percentage: percentage(0),
}

const percentPattern = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,6}))?$/u

/**
 * Reads a percentage from 0 to 100 with at most 6 decimals: no sign, no leading zero, no exponent, no space.
 *
 * @example
 * Fees.parsePercentage("0.4") // Result.succeed(400_000): 0.4 %
 * Fees.parsePercentage(".4")  // InvalidInput
 */
export const parsePercentage = (text: string): Result.Result<Percentage, Invalid.InvalidInput> => {
  const [, whole, fraction = ""] = percentPattern.exec(text) ?? []
  const millionths = Number(whole) * onePercent + Number(fraction.padEnd(percentDecimals, "0"))
  // Text that does not match leaves NaN, which compares false.
  return millionths <= 100 * onePercent
    ? Result.succeed(percentage(millionths))
    : Invalid.fail(
        "fees.percentage",
        "a percentage is a decimal number from 0 to 100 with at most 6 decimals",
      )
}

/** Prints a percentage without trailing zeros: `0.4`. */
export const formatPercentage = (value: Percentage): string =>
  Money.toDecimal(Money.clamp(BigInt(value), Money.largest), percentDecimals)

/** A fixed fee in any number of currencies; the one that is converted comes first. */
export const makeFixed = (
  parts: ReadonlyArray<Amount.OfCurrency>,
): Result.Result<FeeTerms["fixed"], Invalid.InvalidInput> => {
  const [first = none.fixed[0], ...others] = parts
  return new Set(parts.map(({ currency }) => currency)).size === parts.length
    ? Result.succeed([first, ...others])
    : Invalid.fail("fees.fixed", "the fixed fee names each currency once")
}

/** The terms with some of them changed. A fixed fee is replaced in all currencies. */
export const change = (
  terms: FeeTerms,
  part: {
    readonly fixed?: FeeTerms["fixed"] | undefined
    readonly percentage?: Percentage | undefined
    readonly returned?: Returned | undefined
  },
): FeeTerms => {
  const returned = part.returned ?? terms.returned ?? "never"
  return {
    fixed: part.fixed ?? terms.fixed,
    percentage: part.percentage ?? terms.percentage,
    ...(returned === "withRefund" && { returned }),
  }
}

const fixedExpected =
  'the fixed fee is an amount in each currency, such as "0.10 USD" or "0.10 USD, 0.09 EUR"'

/** Reads a fixed fee as an operator writes it. */
export const parseFixed = (text: string): Result.Result<FeeTerms["fixed"], Invalid.InvalidInput> =>
  Result.flatMap(Amount.parseWritten("fees.fixed", text, fixedExpected), makeFixed)

/** Whether a payment costs only the percentage, in every currency and token. */
export const hasNoFixed = ({ fixed }: FeeTerms): boolean =>
  fixed.every(({ quantity }) => quantity === 0n)

/** The part of the fixed fee that a payment in a token costs, and how it is converted. */
export interface Way {
  readonly fixed: Amount.OfCurrency
  /** A token and a currency through which the fee is converted if the paid token has no rate in the fee's currency. */
  readonly over?: { readonly asset: Asset.Asset; readonly currency: Amount.Currency }
}

/**
 * How the fixed fee of a payment is counted in a token. The first of these that exists is used:
 *
 * - the fee agreed in the currency of the payment,
 * - the fee agreed in the currency of the token's peg,
 * - the first part for which the token has a rate,
 * - the fee exchanged into the currency of the payment, or of the peg, at the rates of a token that has both. So a
 *   payment that can be paid in one token with its fee can be paid in all tokens in which it is priced.
 *
 * Undefined if no configured rates connect the two.
 */
export const wayIn = (
  { fixed: parts }: FeeTerms,
  unit: Amount.Unit,
  asset: Asset.Asset,
  { assets, couldPrice }: Rates.Means,
): Way | undefined => {
  const currency = unit._tag === "Fiat" ? unit.currency : (asset.peg ?? "")
  const has = (each: Amount.Currency, of: Asset.Asset) => of.peg === each || couldPrice(each, of)
  const fixed =
    parts.find((each) => each.currency === currency) ??
    parts.find((each) => each.currency === asset.peg) ??
    parts.find((each) => each.quantity === 0n || has(each.currency, asset))
  if (fixed !== undefined) return { fixed }
  if (!Amount.isCurrency(currency)) return undefined
  for (const part of parts) {
    const over = assets.find((each) => has(part.currency, each) && has(currency, each))
    if (over !== undefined) return { fixed: part, over: { asset: over, currency } }
  }
  return undefined
}

/** The part of the fixed fee that the rate applies to, in the asset's smallest unit. */
export const fixedIn = (
  { fixed }: FeeTerms,
  rate: Rates.Rate,
  asset: Asset.Asset,
): Result.Result<Money.Quantity, Malformed.Malformed> => {
  const part = fixed.find(({ currency }) => currency === rate.currency)
  return part === undefined
    ? Malformed.fail(
        `the fixed fee is ${Amount.formatWritten(fixed)}, but the rate is of ${rate.currency}: pass the rate of a currency of the fee`,
      )
    : Rates.convert(part.quantity, rate, asset, "halfUp")
}

/**
 * Splits what was paid into fees and net. The fixed part is taken first, and fees never exceed what was paid.
 *
 * @example
 * // 10 USDC at 0.10 USD + 1 %
 * Fees.charge({ paid, fixed, percentage }) // { total: 200_000n, fixed: 100_000n, net: 9_800_000n }
 */
export const charge = (input: {
  readonly paid: Money.Quantity
  /** The fixed part in the paid token's smallest unit, as {@link fixedIn} counts it. */
  readonly fixed: Money.Quantity
  readonly percentage: Percentage
}): Charge => {
  const share = Money.divide(
    input.paid * BigInt(input.percentage),
    BigInt(100 * onePercent),
    "halfUp",
  )
  const total = Money.clamp(input.fixed + share, input.paid)
  return {
    total,
    fixed: Money.min(input.fixed, input.paid),
    net: Money.clamp(input.paid - total, input.paid),
  }
}
