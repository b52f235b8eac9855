/**
 * Caches values that are derived from objects which never change, for as long as the object is in use.
 *
 * @module
 */

/**
 * The same function with its result cached for each object. Two equal objects are two entries.
 *
 * @example
 * const hashOf = Remembered.by((terms: Terms) => keccak_256(encode(terms)))
 */
export const by = <Thing extends object, Answer>(
  compute: (thing: Thing) => Answer,
): ((thing: Thing) => Answer) => {
  const answers = new WeakMap<Thing, { readonly answer: Answer }>()
  return (thing) => {
    const known = answers.get(thing)
    if (known !== undefined) return known.answer
    const answer = compute(thing)
    answers.set(thing, { answer })
    return answer
  }
}
