/**
 * What the payer's screen is like, and whether that changes while the page is open.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"

/** A mouse: elsewhere, wallets are apps, and nobody can scan the screen that they hold. */
export const mouse = "(hover: hover) and (pointer: fine)"

/** Wide enough for the summary next to the screens, as in the stylesheet. */
export const wide = "(width >= 52rem)"

export const useMedia = (condition: string): boolean => {
  const [isTrue, setTrue] = useState(() => matchMedia(condition).matches)
  useEffect(() => {
    const query = matchMedia(condition)
    const update = () => setTrue(query.matches)
    update()
    query.addEventListener("change", update)
    return () => query.removeEventListener("change", update)
  }, [condition])
  return isTrue
}
