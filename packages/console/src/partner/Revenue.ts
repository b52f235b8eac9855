/**
 * What the overview shows of statistics: sums of each unit, and how soon payments succeed.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"

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

const two = (value: number): string => `${value}`.padStart(2, "0")

/** The day of a time for the reader, as `2026-11-29`. */
const dayOf = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`

/** Net revenue of each bucket in one unit, in its main unit: bars need no exact numbers. */
export const bars = ({ buckets }: Payment.Statistics, { display, unit }: Unit) =>
  buckets.map(({ revenue, startTs }) => ({
    key: dayOf(new Date(startTs)),
    startTs,
    value:
      Number(revenue.find(({ net }) => net.unit === unit)?.net.value ?? 0) / 10 ** display.decimals,
  }))

/**
 * The time in which a part of the payments succeeded, as far as the classes tell; null for the class without an end, and
 * undefined if none succeeded.
 *
 * @example
 * Revenue.within(timeToSuccess, 0.5) // 30_000
 */
export const within = (
  times: Payment.Statistics["timeToSuccess"],
  part: number,
): number | null | undefined => {
  const all = times.reduce((total, { payments }) => total + payments, 0)
  let counted = 0
  return all === 0
    ? undefined
    : times.find(({ payments }) => {
        counted += payments
        return counted >= all * part
      })?.upToMs
}
