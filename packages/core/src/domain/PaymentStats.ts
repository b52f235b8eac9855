/**
 * Statistics of a whole list of payments: how many there are, how many customers, and the revenue.
 *
 * @module
 */
import * as Amount from "./Amount.ts"
import * as Asset from "./Asset.ts"
import type * as Caip from "./Caip.ts"
import * as Payment from "./Payment.ts"
import * as PaymentFilter from "./PaymentFilter.ts"

/** A sum in one currency: `quantity` counts units of 10^-decimals. */
export interface Revenue {
  /** A fiat currency or, where payments were asked in a token, the token's symbol. */
  readonly currency: string
  readonly quantity: bigint
  readonly decimals: number
}

/** What is told of all payments of a list. */
export interface Stats {
  /** By currency, each once. */
  readonly revenue: ReadonlyArray<Revenue>
  readonly transactions: number
  readonly customers: number
}

/** Stats on the way: parts of a list add up to the whole, in any order. */
export interface Tally {
  readonly revenue: ReadonlyMap<string, Revenue>
  readonly transactions: number
  readonly payers: ReadonlySet<Caip.Address>
}

export const empty: Tally = { revenue: new Map(), transactions: 0, payers: new Set() }

/** A symbol counts in different units on different chains: the finest one is kept, so that nothing is rounded. */
const addRevenue = (left: Revenue | undefined, right: Revenue): Revenue => {
  if (left === undefined) return right
  const decimals = Math.max(left.decimals, right.decimals)
  const scaled = (part: Revenue) => part.quantity * 10n ** BigInt(decimals - part.decimals)
  return { currency: right.currency, quantity: scaled(left) + scaled(right), decimals }
}

/** A sum in one unit, under the name that its currency has in stats. */
export const revenueIn = (unit: Amount.Unit, quantity: bigint): Revenue => ({
  currency:
    unit._tag === "Fiat"
      ? unit.currency
      : (Asset.find(unit.token)?.symbol ?? Amount.formatUnit(unit)),
  quantity,
  decimals: Amount.decimals(unit),
})

/** What a payment brought in: what was asked, once it succeeded. */
const revenueOf = ({ amount, state }: Payment.Payment): Revenue | null =>
  state._tag === "Succeeded" ? revenueIn(amount.unit, amount.quantity) : null

/** Adds payments that a filter let through. */
export const add = (tally: Tally, payments: Iterable<Payment.Payment>): Tally => {
  const revenue = new Map(tally.revenue)
  const payers = new Set(tally.payers)
  let { transactions } = tally
  for (const payment of payments) {
    transactions += 1
    const attempt = Payment.attemptOf(payment)
    if (attempt !== null) payers.add(attempt.option.account.address)
    const part = revenueOf(payment)
    if (part !== null) revenue.set(part.currency, addRevenue(revenue.get(part.currency), part))
  }
  return { revenue, transactions, payers }
}

export const merge = (left: Tally, right: Tally): Tally => {
  const revenue = new Map(left.revenue)
  for (const part of right.revenue.values()) {
    revenue.set(part.currency, addRevenue(revenue.get(part.currency), part))
  }
  return {
    revenue,
    transactions: left.transactions + right.transactions,
    payers: new Set([...left.payers, ...right.payers]),
  }
}

/** The stats of a finished tally. */
export const total = (tally: Tally): Stats => ({
  revenue: [...tally.revenue.values()].toSorted((left, right) =>
    left.currency < right.currency ? -1 : 1,
  ),
  transactions: tally.transactions,
  customers: tally.payers.size,
})

/** The stats of a whole list, whatever page of it is shown. */
export const of = (
  payments: Iterable<Payment.Payment>,
  filter: PaymentFilter.Filter,
  now: number,
): Stats =>
  total(
    add(
      empty,
      Array.from(payments).filter((payment) => PaymentFilter.matches(payment, filter, now)),
    ),
  )

/**
 * A sum in standard units, as JSON numbers are: the double nearest to it. Up to 70 trillion units it is exact to the
 * cent, as the shortest text of that double is the decimal itself.
 *
 * @example
 * PaymentStats.revenueNumber({ quantity: 1234n, decimals: 2 }) // 12.34
 */
export const revenueNumber = (revenue: Pick<Revenue, "quantity" | "decimals">): number =>
  Number(`${revenue.quantity}e-${revenue.decimals}`)
