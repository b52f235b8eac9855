/**
 * A page of a list, and the cursor of the next one.
 *
 * @module
 */

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** The first page of what was found, which is one item more than fits if there are more. */
export const cut = <A>(found: ReadonlyArray<A>, limit: number): Page<A> => ({
  items: found.slice(0, limit),
  hasMore: found.length > limit,
})

/** The cursor after the last item of a page; null if nothing follows. */
export const nextCursor = <A>(
  { hasMore, items }: Page<A>,
  after: (last: A) => string,
): string | null => {
  const last = items.at(-1)
  return hasMore && last !== undefined ? after(last) : null
}
