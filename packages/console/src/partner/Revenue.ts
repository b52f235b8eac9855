/**
 * What the overview shows of statistics: sums of each unit, and how soon payments succeed.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import { dayOf } from "../shell/Filter.ts"

type Unit = Payment.Statistics["units"][number]
type Sum = "gross" | "net" | "refunded"

/** A sum of all buckets in one unit, exact. */
export const sum = ({ buckets }: Payment.Statistics, { unit }: Unit, of: Sum): string =>
  buckets
    .flatMap(({ revenue }) => revenue.map((each) => each[of]))
    .reduce((total, each) => (each.unit === unit ? total + BigInt(each.value) : total), 0n)
    .toString()

/** The units that anything was paid in. */
export const earned = ({ buckets, units }: Payment.Statistics): ReadonlyArray<Unit> =>
  units.filter(({ unit }) =>
    buckets.some(({ revenue }) => revenue.some(({ gross }) => gross.unit === unit)),
  )

/** Net revenue of each bucket in one unit, in its main unit: bars need no exact numbers. */
export const bars = (
  { buckets }: Payment.Statistics,
  { display, unit }: Unit,
  nameOf: (startTs: string) => string,
) =>
  buckets.map(({ revenue, startTs }) => ({
    key: dayOf(startTs),
    name: nameOf(startTs),
    value:
      Number(revenue.find(({ net }) => net.unit === unit)?.net.value ?? 0) / 10 ** display.decimals,
  }))

type Times = Payment.Statistics["timeToSuccess"]

/** How many payments succeeded within each time, up to the one within which the last did. */
export const cumulated = (times: Times): ReadonlyArray<{ upToMs: number; payments: number }> => {
  const sums = times.flatMap(({ upToMs }, index) =>
    upToMs === null ? [] : [{ upToMs, payments: countOf(times.slice(0, index + 1)) }],
  )
  const most = sums.at(-1)?.payments ?? 0
  return sums.slice(0, sums.findIndex(({ payments }) => payments === most) + 1)
}

const countOf = (times: Times): number => times.reduce((all, { payments }) => all + payments, 0)

/**
 * The time within which a part of the payments that succeeded did, as far as the classes tell; undefined if it is longer
 * than all of them, or none succeeded.
 *
 * @example
 * Revenue.within(timeToSuccess, 0.5) // 30_000
 */
export const within = (times: Times, part: number): number | undefined => {
  const all = countOf(times)
  return cumulated(times).find(({ payments }) => all > 0 && payments >= all * part)?.upToMs
}
