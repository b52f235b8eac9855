/**
 * Statistics of a whole list of payments: how many there are, how many customers, and the revenue.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Amount from "../money/Amount.ts"
import * as Payment from "../payment/Payment.ts"
import * as Refund from "../payment/Refund.ts"
import * as PaymentFilter from "./PaymentFilter.ts"
import * as PaymentSort from "./PaymentSort.ts"

/** Sums in the smallest part of one unit. */
export interface Revenue {
  readonly unit: Amount.Unit
  /** Gross: the requested amounts of succeeded payments. */
  readonly quantity: bigint
  /** The part of it of which a refund was requested, sent or not. */
  readonly refunded: bigint
}

/** The statistics of all payments of a list. */
export interface Stats {
  /** By unit, each once, in the order of {@link PaymentSort.groupOf}. */
  readonly revenue: ReadonlyArray<Revenue>
  readonly transactions: number
  readonly customers: number
}

export const none: Stats = { revenue: [], transactions: 0, customers: 0 }

/** A sum of revenue that grows. */
export const makeRevenue = () => {
  const sums = new Map<string, Revenue>()
  return {
    add: ({ quantity, refunded, unit }: Revenue): void => {
      const group = PaymentSort.groupOf(unit)
      const earlier = sums.get(group) ?? { quantity: 0n, refunded: 0n }
      sums.set(group, {
        unit,
        quantity: earlier.quantity + quantity,
        refunded: earlier.refunded + refunded,
      })
    },
    /** By unit, each once, in the order of {@link PaymentSort.groupOf}. */
    all: (): ReadonlyArray<Revenue> =>
      [...sums]
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([, revenue]) => revenue),
  }
}

/** Counts payments one by one, for lists that do not fit into memory. It keeps every payer's address. */
export const tally = (filter: PaymentFilter.Filter, now: number) => {
  const revenue = makeRevenue()
  const payers = new Set<Caip.Address>()
  let transactions = 0
  const add = (payment: Payment.Payment): void => {
    if (!PaymentFilter.matches(payment, filter, now)) return
    transactions += 1
    const attempt = Payment.attemptOf(payment)
    if (attempt !== null) payers.add(attempt.option.account.address)
    if (payment.state._tag === "Succeeded") {
      // A payment's revenue: the requested amount, once it succeeded.
      const refunded = Refund.totals(payment.state.refunds).value
      revenue.add({ ...payment.amount, refunded })
    }
  }
  const stats = (): Stats => ({
    revenue: revenue.all(),
    transactions,
    customers: payers.size,
  })
  return { add, stats }
}

/** The statistics of a whole list, independent of the shown page. */
export const of = (
  payments: Iterable<Payment.Payment>,
  filter: PaymentFilter.Filter,
  now: number,
): Stats => {
  const { add, stats } = tally(filter, now)
  for (const payment of payments) add(payment)
  return stats()
}

/** Sums under the name of their currency: they count units of 10^-decimals. */
export interface NamedRevenue extends Omit<Revenue, "unit"> {
  /** A fiat currency or, if payments were requested in a token, the token's symbol. */
  readonly currency: string
  readonly decimals: number
}

const named = ({ unit, ...sums }: Revenue, catalog: Catalog.Catalog): NamedRevenue => ({
  ...sums,
  currency:
    unit._tag === "Fiat"
      ? unit.currency
      : (catalog.find(unit.token)?.symbol ?? Amount.formatUnit(unit, catalog)),
  decimals: Amount.decimals(unit, catalog),
})

/** A symbol has different units on different chains: the finest one is kept, so that nothing is rounded. */
const sum = (left: NamedRevenue, right: NamedRevenue): NamedRevenue => {
  const decimals = Math.max(left.decimals, right.decimals)
  const sumOf = (name: "quantity" | "refunded") =>
    [left, right].reduce(
      (all, part) => all + part[name] * 10n ** BigInt(decimals - part.decimals),
      0n,
    )
  return {
    currency: right.currency,
    quantity: sumOf("quantity"),
    refunded: sumOf("refunded"),
    decimals,
  }
}

/** Revenue by currency, each once, sorted by name. */
export const byCurrency = (
  { revenue }: Pick<Stats, "revenue">,
  catalog: Catalog.Catalog,
): ReadonlyArray<NamedRevenue> => {
  const sums = new Map<string, NamedRevenue>()
  for (const each of revenue.map((one) => named(one, catalog))) {
    const earlier = sums.get(each.currency)
    sums.set(each.currency, earlier === undefined ? each : sum(earlier, each))
  }
  return [...sums.values()].toSorted((left, right) => (left.currency < right.currency ? -1 : 1))
}

/**
 * A sum in standard units, as JSON numbers are: the double nearest to it. Up to 70 trillion units it is exact to the
 * cent, as the shortest text of that double is the decimal itself.
 *
 * @example
 * PaymentStats.revenueNumber({ quantity: 1234n, decimals: 2 }) // 12.34
 */
export const revenueNumber = (revenue: Pick<NamedRevenue, "quantity" | "decimals">): number =>
  Number(`${revenue.quantity}e-${revenue.decimals}`)
