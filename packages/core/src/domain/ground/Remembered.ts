/**
 * Caches values that are derived from objects which never change, for as long as the object is in use.
 *
 * @module
 */

/**
 * The same function with its result cached for each object. Two equal objects are two entries.
 *
 * @example
 * const hashOf = Remembered.memoize((terms: Terms) => keccak_256(encode(terms)))
 */
export const memoize = <Thing extends object, Value>(
  compute: (thing: Thing) => Value,
): ((thing: Thing) => Value) => {
  const values = new WeakMap<Thing, { readonly value: Value }>()
  return (thing) => {
    const known = values.get(thing)
    if (known !== undefined) return known.value
    const value = compute(thing)
    values.set(thing, { value })
    return value
  }
}
