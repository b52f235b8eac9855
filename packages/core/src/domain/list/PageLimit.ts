/**
 * How many items a page of a list holds: the same rule for every list.
 *
 * @module
 */
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"

/** The value as it was sent: a query's text or an embedder's number. */
export type Raw = string | number | undefined

const pattern = /^[1-9][0-9]{0,2}$/u

/** The error for an invalid limit. */
export const rule = `must be a whole number from 1 to ${Limits.listPageMax}`

export const read = (sent: string | number): number | undefined => {
  const limit = typeof sent === "number" || pattern.test(sent) ? Number(sent) : 0
  return Number.isInteger(limit) && limit >= 1 && limit <= Limits.listPageMax ? limit : undefined
}

/** The size of a page; the default if nothing was sent. */
export const parse = (raw: Raw = Limits.listPageDefault) =>
  Invalid.required("limit", read(raw), rule)
