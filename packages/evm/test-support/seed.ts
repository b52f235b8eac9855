/**
 * Randomness that can be repeated: it follows from a seed, which is printed.
 *
 * @module
 */
import { env } from "node:process"

/** The seed of the run, as the test configuration prints it. */
export const ofRun = Number(env["FLORIN_SEED"] ?? 1)

const bits = 2 ** 32

/** A number from 0 up to 1 that follows from a seed and a text: the same for the same, whatever else was asked before. */
export const at = (seed: number, text: string): number => {
  let hash = 2_166_136_261 ^ seed
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507)
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909)
  return ((hash ^ (hash >>> 16)) >>> 0) / bits
}

/** The same things in an order of chance. */
export const shuffled = <A>(things: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  things
    .map((thing, index) => ({ thing, place: at(seed, String(index)) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ thing }) => thing)
