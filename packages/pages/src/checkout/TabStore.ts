/**
 * Storage for this tab: in the browser, so that it survives a reload, and also in the page, for a browser that forbids
 * storage.
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

/** `browser` is called each time, as even reading the property may be forbidden. */
export const make = (browser: () => Store): Store => {
  /** By key, with null for removed values. */
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

/** What is stored for each payment under a name. Only this page writes it, so `isA` checks no more than it needs. */
export const ofPayment = <A>(
  name: string,
  isA: (value: unknown, paymentId: string) => value is A,
) => {
  const keyOf = (paymentId: string) => `florin-${name}-${paymentId}`
  return {
    load: (store: Store, paymentId: string): A | undefined => {
      const value = read(store, keyOf(paymentId))
      return isA(value, paymentId) ? value : undefined
    },
    save: (store: Store, paymentId: string, value: A): void =>
      store.setItem(keyOf(paymentId), JSON.stringify(value)),
    remove: (store: Store, paymentId: string): void => store.removeItem(keyOf(paymentId)),
  }
}

/** The stored value of a key; undefined if there is none, or if it is not JSON. */
export const read = (store: Store, key: string): unknown =>
  attempt<unknown>(() => JSON.parse(store.getItem(key) ?? "null"))
