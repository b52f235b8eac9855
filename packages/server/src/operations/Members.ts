/**
 * The members of a record that are given.
 *
 * @module
 */

export type Given<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

const isGiven = <A extends object>(kept: object): kept is Given<A> =>
  Object.values(kept).every((value) => value !== undefined)

/** Leaves out what is undefined. */
export const given = <A extends object>(members: A): Given<A> => {
  const kept = Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  )
  if (!isGiven<A>(kept)) throw new Error("a member is undefined")
  return kept
}
