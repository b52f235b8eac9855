/**
 * How often a test repeats its check: a few times by default, the full number for `pnpm accept`. A count is a parameter
 * of a test, never another test.
 *
 * @module
 */
import { env } from "node:process"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

export const full = env["FLORIN_COUNTS"] === "full"

/**
 * @example
 * const runs = Counts.of({ usual: 200, full: 100_000 })
 */
export const of = (counts: { readonly usual: number; readonly full: number }): number =>
  full ? counts.full : counts.usual

/**
 * Some of these cases, in their order. A usual run takes `usual` of them, chosen by its seed, so that each gets its turn
 * over many runs; the full run takes all. For cases that take seconds each and cannot be made cheaper.
 *
 * @example
 * it.each(Counts.some(points, 6))("loses nothing when it is killed at %s", …)
 */
export const some = <A>(
  cases: ReadonlyArray<A>,
  usual: number,
  seed = env["FLORIN_SEED"] ?? "1",
): ReadonlyArray<A> => {
  if (full) return cases
  const rankOf = (index: number): string =>
    bytesToHex(sha256(utf8ToBytes(`${seed}/${cases.length}/${index}`)))
  const ranks = cases.map((_, index) => rankOf(index))
  const last = ranks.toSorted()[usual - 1] ?? ranks.toSorted().at(-1) ?? ""
  return cases.filter((_, index) => (ranks[index] ?? "") <= last)
}
