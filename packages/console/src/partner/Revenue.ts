/**
 * What the overview computes from payments: sums by period, by state, and by token and network.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"

export type Period = "day" | "week" | "month"

export interface Bucket {
  /** The first day of the period, as `2026-11-29`, in the reader's time zone. */
  readonly key: string
  readonly startsAt: number
  readonly value: number
}

const startOf = (at: Date, period: Period): Date => {
  const day = new Date(at.getFullYear(), at.getMonth(), at.getDate())
  if (period === "month") day.setDate(1)
  // Weeks begin on Monday, as ISO 8601 has it.
  if (period === "week") day.setDate(day.getDate() - ((day.getDay() + 6) % 7))
  return day
}

const next = (at: Date, period: Period): Date =>
  period === "month"
    ? new Date(at.getFullYear(), at.getMonth() + 1, 1)
    : new Date(at.getFullYear(), at.getMonth(), at.getDate() + (period === "week" ? 7 : 1))

const keyOf = (at: Date): string => {
  const two = (value: number) => `${value}`.padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** The amount that was asked for, in the main unit of its currency, for a plot. Undefined if that is a token. */
const fiat = ({
  fiatAmount,
}: Payment.Item): { readonly currency: string; readonly value: number } | undefined =>
  fiatAmount === undefined
    ? undefined
    : {
        currency: fiatAmount.display.assetSymbol,
        value: Number(fiatAmount.value) / 10 ** fiatAmount.display.decimals,
      }

/** The currencies of payments that succeeded, the most frequent first. */
export const currencies = (items: ReadonlyArray<Payment.Item>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const item of items) {
    const currency = item.status === "succeeded" ? fiat(item)?.currency : undefined
    if (currency !== undefined) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  }
  return [...counts].toSorted(([, left], [, right]) => right - left).map(([currency]) => currency)
}

/** Revenue per period, from a time until now. Periods without payments are zero. */
export const buckets = (
  items: ReadonlyArray<Payment.Item>,
  currency: string,
  period: Period,
  from: number,
  now: number,
): ReadonlyArray<Bucket> => {
  const sums = new Map<string, number>()
  for (const item of items) {
    const amount = item.status === "succeeded" ? fiat(item) : undefined
    if (amount === undefined || amount.currency !== currency) continue
    const key = keyOf(startOf(new Date(item.createdAt), period))
    sums.set(key, (sums.get(key) ?? 0) + amount.value)
  }
  const all: Array<Bucket> = []
  for (let at = startOf(new Date(from), period); at.getTime() <= now; at = next(at, period)) {
    const key = keyOf(at)
    all.push({ key, startsAt: at.getTime(), value: sums.get(key) ?? 0 })
  }
  return all
}

/** The end of the day of a time: what comes after it is complete. */
export const nextDay = (at: string): number => next(startOf(new Date(at), "day"), "day").getTime()

export const countBy = <Key extends string>(
  items: ReadonlyArray<Payment.Item>,
  keyOfItem: (item: Payment.Item) => Key,
): ReadonlyArray<readonly [key: Key, count: number]> => {
  const counts = new Map<Key, number>()
  for (const item of items) {
    const key = keyOfItem(item)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].toSorted(([, left], [, right]) => right - left)
}
