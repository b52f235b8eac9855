/**
 * The storage of the sign client. The frame's origin has none, so the checkout keeps each value, as JSON, for the tab.
 *
 * @module
 */
import type { Stored } from "@florin/pages/WalletConnectPort"

/** `stored` is what was kept before. `changed` gets everything that is stored after a change. */
export const make = (stored: Stored, changed: (all: Stored) => void) => {
  const values = new Map(Object.entries(stored))
  const keep = () => changed(Object.fromEntries(values))
  const read = (text: string) => JSON.parse(text)
  return {
    getKeys: () => Promise.resolve([...values.keys()]),
    getEntries: <A>() =>
      Promise.resolve(Array.from(values, ([key, text]): [string, A] => [key, read(text)])),
    getItem: <A>(key: string): Promise<A | undefined> => {
      const text = values.get(key)
      return Promise.resolve(text === undefined ? undefined : read(text))
    },
    setItem: (key: string, value: unknown) => {
      values.set(key, JSON.stringify(value))
      keep()
      return Promise.resolve()
    },
    removeItem: (key: string) => {
      values.delete(key)
      keep()
      return Promise.resolve()
    },
  }
}
