/**
 * Where a search leads.
 *
 * @module
 */

/** By the beginning of an id. */
const places: ReadonlyArray<readonly [begins: RegExp, to: (text: string) => string]> = [
  [/^pay_/u, (id) => `/payments/${id}`],
  [/^out_/u, (id) => `/outflows/${id}`],
  [/^mrch_/u, (id) => `/merchants/${id}`],
  [/^prtn_/u, (id) => `/partners/${id}`],
  [/^0x[0-9a-f]{64}$/iu, (hash) => `/unclaimed?tx=${hash}`],
]

/** The screen of an id or of a transaction; else the partners with that name. */
export const to = (text: string): string => {
  const [, found] = places.find(([begins]) => begins.test(text)) ?? []
  return found === undefined
    ? `/partners?name=${encodeURIComponent(text)}`
    : found(encodeURIComponent(text))
}
