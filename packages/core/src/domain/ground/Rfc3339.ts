/**
 * Date-times as RFC 3339 writes them.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"

/** The error for a text that is not a date-time. */
export const rule = "must be an RFC 3339 date-time with an offset, such as 2026-02-18T09:30:00Z"

/** Epoch milliseconds as such a date-time, in UTC: `2026-02-18T09:30:00.000Z` */
export const format = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** Days from 1970-01-01 to the first of a month; month 13 is the next January. */
const firstOfMonth = (year: number, month: number): number =>
  DateTime.toEpochMillis(DateTime.makeUnsafe({ year, month, day: 1 })) / 86_400_000

const secondsPerDay = 86_400

const pattern =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/u

/**
 * Reads an RFC 3339 date-time as epoch milliseconds. A finer fraction is rounded up: creation times are whole
 * milliseconds, so `>=` and `<` then give the same result as with the exact time.
 */
export const read = (text: string): number | undefined => {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number)
  const [fraction = "", sign, offsetHourText = 0, offsetMinuteText = 0] = found.slice(7)
  const offsetHour = Number(offsetHourText)
  const offsetMinute = Number(offsetMinuteText)
  const first = firstOfMonth(year, month)
  const next = firstOfMonth(year, month + 1)
  if (month < 1 || month > 12 || day < 1 || day > next - first) return undefined
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) {
    return undefined
  }
  const offsetInMinutes = (offsetHour * 60 + offsetMinute) * (sign === "-" ? -1 : 1)
  const inMinutes = (first + day - 1) * 1440 + hour * 60 + minute - offsetInMinutes
  const inSeconds = inMinutes * 60 + second
  // A leap second is only valid at the end of the last day of a month in UTC.
  const endsMonth = inSeconds === first * secondsPerDay || inSeconds === next * secondsPerDay
  if (second === 60 && !endsMonth) return undefined
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"))
  return inSeconds * 1000 + milliseconds + (/[1-9]/u.test(fraction.slice(3)) ? 1 : 0)
}
