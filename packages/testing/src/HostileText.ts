/**
 * Texts that break careless parsers: valid ones with errors inserted.
 *
 * @module
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const pieces = [
  "",
  "\0",
  "\n",
  "\r\n",
  "\t",
  " ",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\udfff",
  "\u0660",
  "\uff11",
  "\uff0e",
  "\u00ad",
  "é",
  "ß",
  "İ",
  "😀",
  "__proto__",
  "constructor",
  "toString",
  "%",
  "%00",
  "%2e",
  "\\",
  "/",
  "//",
  "@",
  ":",
  "::",
  "?",
  "#",
  "[",
  "]",
  ".",
  "..",
  "-",
  "+",
  "=",
  "_",
  "0",
  "00",
  "0x",
  "-1",
  "1e9",
  "NaN",
  "'",
  '"',
  "`",
  "$&",
  "${x}",
  "<script>",
  "A",
  "a".repeat(300),
  "9".repeat(5000),
] as const

const edits = ["insert", "replace", "delete", "double", "swapCase", "alone"] as const
const editsMax = 4

/**
 * Pseudo-random numbers from a seed (mulberry32). One drawn number generates a whole text, which keeps 10,000 texts
 * cheap.
 */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const apply = (text: string, next: (below: number) => number): string => {
  const place = next(text.length + 1)
  const piece = pieces[next(pieces.length)] ?? ""
  const before = text.slice(0, place)
  switch (edits[next(edits.length)]) {
    case "insert":
      return before + piece + text.slice(place)
    case "replace":
      return before + piece + text.slice(place + 1)
    case "delete":
      return before + text.slice(place + 1)
    case "double":
      return text.length < 10_000 ? text + text.slice(place) : text
    case "swapCase":
      return before.toUpperCase() + text.slice(place).toLowerCase()
    default:
      return piece
  }
}

/** One of these texts with up to four errors. It follows from the seed. */
export const mutate = (valid: ReadonlyArray<string>, seed: number): string => {
  const next = numbers(seed)
  let text = valid[next(valid.length)] ?? ""
  for (let count = next(editsMax + 1); count > 0; count--) text = apply(text, next)
  return text
}

const seeds = Arbitrary.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })),
)

/** Valid texts, mutations of them, or hostile texts that were never valid. */
export const near = (valid: readonly [string, ...Array<string>]): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(seeds, (seed) => mutate(valid, seed))

const partsMax = 6

const joined = (fragments: ReadonlyArray<string>, seed: number): string => {
  const next = numbers(seed)
  let text = ""
  for (let count = next(partsMax + 1); count > 0; count--) {
    const from = next(3) === 0 ? pieces : fragments
    text += from[next(from.length)] ?? ""
  }
  return text
}

/** Texts composed of grammar fragments in any order, with hostile pieces among them. */
export const of = (fragments: ReadonlyArray<string>): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(seeds, (seed) => joined(fragments, seed))
