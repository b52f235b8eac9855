/**
 * What is kept for this tab: in the browser, so that a reload forgets nothing, and in the page as well, for a browser that
 * forbids it.
 *
 * @module
 */

export type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">

const attempt = <A>(use: () => A): A | undefined => {
  try {
    return use()
  } catch {
    return undefined
  }
}

/** `browser` is asked for each time, as asking alone may be forbidden. */
export const make = (browser: () => Store): Store => {
  /** By key, with null for what was removed. */
  const held = new Map<string, string | null>()
  return {
    getItem: (key) => {
      const own = held.get(key)
      return own === undefined ? (attempt(() => browser().getItem(key)) ?? null) : own
    },
    setItem: (key, value) => {
      held.set(key, value)
      attempt(() => browser().setItem(key, value))
    },
    removeItem: (key) => {
      held.set(key, null)
      attempt(() => browser().removeItem(key))
    },
  }
}

/** What is kept under a key; undefined for nothing, and for what is no JSON. */
export const read = (store: Store, key: string): unknown =>
  attempt<unknown>(() => JSON.parse(store.getItem(key) ?? "null"))
