/**
 * The data that the server puts into the console's document.
 *
 * @module
 */
import * as HostedPage from "@florin/pages/Page"

export interface Page {
  readonly page: "console"
  /** Whose console it is: partners and their shops, or the operator. */
  readonly face: "partner" | "operator"
  /** The path of the console: `/console`, or longer if the service is mounted below a path. */
  readonly basePath: string
  /** The release of the service. */
  readonly version: string
}

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
