/**
 * What our transactions cost on a chain, against what a payment earns.
 *
 * @module
 */
import * as Money from "./Money.ts"
import type * as Rates from "./Rates.ts"

/** What an adapter last saw, in the coin's smallest unit. */
export interface GasCost {
  /** The symbol of the coin that pays for transactions. */
  readonly coin: string
  /** How many of its smallest units are one coin. */
  readonly unitsPerCoin: bigint
  /** What collecting a payment and paying it out cost, as a rule. */
  readonly ordinary: bigint
  /** The most that collecting from an account with code may cost. */
  readonly byCode: bigint
  /** What the operator lets that cost, whatever the payment earns. */
  readonly allowance: bigint
}

/** A token whose price in the coin is known by what the currency of its peg buys of both. */
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

/** The least that is worth collecting: what collecting and paying out cost, in the token; nothing without a price. */
export const minimum = (cost: GasCost, { coinRate, decimals }: Priced): Money.Quantity => {
  if (coinRate === undefined) return Money.zero
  const divisor = coinRate.numerator * cost.unitsPerCoin
  const units = cost.ordinary * coinRate.denominator * 10n ** BigInt(decimals)
  return Money.clamp((units + divisor - 1n) / divisor, Money.largest)
}
