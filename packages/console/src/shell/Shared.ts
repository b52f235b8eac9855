/**
 * A value that several parts of the page follow, such as the address.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"

export interface Shared<A> {
  readonly now: () => A
  readonly set: (next: A) => void
  /** The value, as it changes. */
  readonly use: () => A
}

export const make = <A>(first: A): Shared<A> => {
  let value = first
  const changed = new EventTarget()
  const now = () => value
  return {
    now,
    set: (next) => {
      value = next
      changed.dispatchEvent(new Event("changed"))
    },
    use: () => {
      const [shown, setShown] = useState(now)
      useEffect(() => {
        const look = () => setShown(now)
        look()
        changed.addEventListener("changed", look)
        return () => changed.removeEventListener("changed", look)
      }, [])
      return shown
    },
  }
}
