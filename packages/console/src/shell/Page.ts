/**
 * The data that the server puts into the console's document.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/HostedPage"
import * as HostedPage from "@florin/pages/Page"

export type Page = Wire.ConsolePage

/** Through a tunnel nobody gets what is only for a developer's machine, so nothing of it is offered there. */
const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/u

/** Reads the data; undefined if this document has none. */
export const read = (): Page | undefined => {
  const page = HostedPage.read("console")
  if (page.page === "absent") return undefined
  const { isLocal: _, ...elsewhere } = page
  return isHere.test(location.hostname) ? page : elsewhere
}
