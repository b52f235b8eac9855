/**
 * Reads the data that the server put into the document: see `@florin/api/wire/HostedPage`.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"

/** The document and the script come from the same server, so this checks only which page the data is for. */
const isFor = <Name extends HostedPage.HostedPage["page"]>(
  name: Name,
  value: unknown,
): value is Extract<HostedPage.HostedPage, { readonly page: Name }> =>
  typeof value === "object" && value !== null && "page" in value && value.page === name

const parse = (content: string): unknown => {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

/** Reads the content of the document's `florin-page`. Data of another page reads as absent. */
export const fromContent = <Name extends HostedPage.HostedPage["page"]>(
  name: Name,
  content: string,
): Extract<HostedPage.HostedPage, { readonly page: Name }> | HostedPage.Absent => {
  const value = parse(content)
  return isFor(name, value) ? value : { page: "absent" }
}

/** The content of a `<meta>` of this document; empty if it is missing. */
export const metaContent = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? ""

/** The data that the server put into this document. */
export const read = <Name extends HostedPage.HostedPage["page"]>(name: Name) =>
  fromContent(name, metaContent("florin-page"))
