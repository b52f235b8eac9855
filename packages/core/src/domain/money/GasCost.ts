/**
 * Compares the cost of our transactions on a chain with a payment's earnings, and converts the cost of a payer's own
 * transactions into money.
 *
 * @module
 */
import * as Money from "../ground/Money.ts"
import * as Amount from "./Amount.ts"
import type * as Rates from "./Rates.ts"

/** The costs that an adapter last read, in the coin's smallest unit. */
export interface GasCost {
  /** The symbol of the coin that pays for transactions. */
  readonly coin: string
  /** How many of its smallest units are one coin. */
  readonly unitsPerCoin: bigint
  /** The usual cost of collecting a payment and paying it out. */
  readonly ordinary: bigint
  /** The most that collecting from an account with code may cost. */
  readonly byCode: bigint
  /** The most that the operator allows for that, no matter what the payment earns. */
  readonly allowance: bigint
}

/** A cost in the coin that pays for transactions. */
export interface Coins extends Pick<GasCost, "coin" | "unitsPerCoin"> {
  /** In the coin's smallest unit. */
  readonly quantity: bigint
}

/**
 * What a cost is worth, in minor units of the rate's currency. It is rounded up, so that only a cost of nothing reads
 * as zero.
 */
export const worth = (
  { quantity, unitsPerCoin }: Coins,
  { currency, denominator, numerator }: Rates.Rate,
): Money.Quantity => {
  const divisor = numerator * unitsPerCoin
  const units = quantity * denominator * 10n ** BigInt(Amount.currencies[currency].decimals)
  return Money.clamp(Money.divide(units, divisor, "up"), Money.largest)
}

/** A token with its price in the coin, computed from what the currency of its peg buys of both. */
export interface Priced {
  readonly decimals: number
  /** How many coins one unit of the currency buys; absent without a source of prices. */
  readonly coinRate: Rates.Rate | undefined
}

/** A quantity of a token in the coin's smallest units, rounded down; 0 without a price. */
const inCoin = ({ unitsPerCoin }: GasCost, { coinRate, decimals }: Priced, quantity: bigint) =>
  coinRate === undefined
    ? 0n
    : (quantity * coinRate.numerator * unitsPerCoin) /
      (coinRate.denominator * 10n ** BigInt(decimals))

/** The most that collecting a payment from an account with code may cost: its fee, or the allowance. */
export const most = (cost: GasCost, token: Priced, fee: Money.Quantity): bigint => {
  const earned = inCoin(cost, token, fee)
  return earned > cost.allowance ? earned : cost.allowance
}

/** The least that is worth collecting: the cost of collecting and paying out, in the token; zero without a price. */
export const minimum = (cost: GasCost, { coinRate, decimals }: Priced): Money.Quantity => {
  if (coinRate === undefined) return Money.zero
  const divisor = coinRate.numerator * cost.unitsPerCoin
  const units = cost.ordinary * coinRate.denominator * 10n ** BigInt(decimals)
  return Money.clamp((units + divisor - 1n) / divisor, Money.largest)
}
