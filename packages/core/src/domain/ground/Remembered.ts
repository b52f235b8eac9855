/**
 * Caches what is derived from something that never changes: from objects for as long as they are in use, and from texts
 * up to a number.
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

/**
 * The same for texts, of which anybody may send any number: when there are too many, all are forgotten. Values that do
 * not pass `isKept` are computed each time.
 */
export const texts = <Text extends string, Value extends NonNullable<unknown> | null>(
  compute: (text: Text) => Value,
  most: number,
  isKept: (value: Value) => boolean = () => true,
): ((text: Text) => Value) => {
  const values = new Map<Text, Value>()
  return (text) => {
    const known = values.get(text)
    if (known !== undefined) return known
    const value = compute(text)
    if (!isKept(value)) return value
    if (values.size >= most) values.clear()
    values.set(text, value)
    return value
  }
}
