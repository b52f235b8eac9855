/**
 * Chance that can be had again: everything drawn follows from a seed.
 *
 * @module
 */

/** A number from 0 to below a limit. */
export type Draw = (below: number) => number

/** Numbers that follow from a seed (mulberry32). */
export const make = (seed: number): Draw => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export const oneOf = <A>(draw: Draw, [first, ...rest]: readonly [A, ...ReadonlyArray<A>]): A =>
  [first, ...rest][draw(rest.length + 1)] ?? first
