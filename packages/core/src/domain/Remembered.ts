/**
 * What follows from a thing that never changes is computed once, for as long as the thing itself is held.
 *
 * @module
 */

/**
 * The same function, which remembers its answer for each object that it was given. Two objects that are equal are two.
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
