/**
 * The filters of a list of payments, as they are in the address and in the API: under the same names.
 *
 * @module
 */
import type { Partner } from "@florin/client"

export type Query = NonNullable<Parameters<Partner["payments"]["list"]>[0]>

/** The states that the API can filter by, in the order of a payment's life. */
export const states = ["requires_action", "processing", "succeeded", "failed", "expired"] as const

const orders = ["date", "amount"] as const
const directions = ["asc", "desc"] as const

/** The names of all filters that can be cleared. */
export const names = [
  "status",
  "referenceId",
  "startTs",
  "endTs",
  "token_symbol",
  "network",
  "merchantId",
  "currency",
] as const

/** Reads the address. What it does not know is left out. */
export const read = (query: URLSearchParams): Query => {
  const text = (name: string) => query.get(name) ?? undefined
  const some = (name: string) => {
    const all = query.getAll(name)
    return all.length === 0 ? undefined : all
  }
  const status = states.filter((state) => query.getAll("status").includes(state))
  const sortBy = orders.find((order) => order === text("sortBy"))
  const sortDir = directions.find((direction) => direction === text("sortDir"))
  const wanted = {
    status: status.length === 0 ? undefined : status,
    referenceId: text("referenceId"),
    startTs: text("startTs"),
    endTs: text("endTs"),
    token_symbol: some("token_symbol"),
    network: text("network"),
    merchantId: some("merchantId"),
    currency: some("currency"),
    sortBy,
    sortDir,
  }
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}

/** The start of a day in the reader's time zone, as the API takes it. `plus` counts days on. */
export const startOfDay = (day: string, plus = 0): string | undefined => {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(day) ?? []
  return year === undefined
    ? undefined
    : new Date(Number(year), Number(month) - 1, Number(date) + plus).toISOString()
}

/** A time as a day of the reader, for a field. `plus` counts days on. */
export const dayOf = (time: string | number | undefined, plus = 0): string => {
  if (time === undefined) return ""
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return ""
  at.setDate(at.getDate() + plus)
  const two = (value: number) => `${value}`.padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
