/**
 * The data that the server puts into the console's document.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/HostedPage"
import * as HostedPage from "@florin/pages/Page"

export type Page = Wire.ConsolePage

const isPage = (value: unknown): value is Page =>
  typeof value === "object" && value !== null && "page" in value && value.page === "console"

/** Reads the data; undefined if this document has none. */
export const read = (): Page | undefined => {
  try {
    const value: unknown = JSON.parse(HostedPage.metaContent("florin-page"))
    return isPage(value) ? value : undefined
  } catch {
    return undefined
  }
}
