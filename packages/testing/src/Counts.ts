/**
 * How often a test repeats its check: a few times by default, the full number for `pnpm accept`. A count is a parameter
 * of a test, never another test.
 *
 * @module
 */
import { env } from "node:process"

export const full = env["FLORIN_COUNTS"] === "full"

/**
 * @example
 * const runs = Counts.of({ usual: 200, full: 100_000 })
 */
export const of = (counts: { readonly usual: number; readonly full: number }): number =>
  full ? counts.full : counts.usual
