/**
 * What the server put into the document: see `@florin/api/wire/HostedPage`.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"

/** The server that wrote the document is the one that the script came from, so only which page it is is checked. */
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

/** Reads the content of the document's `florin-page`; whatever is not for this page reads as absent. */
export const fromContent = <Name extends HostedPage.HostedPage["page"]>(
  name: Name,
  content: string,
): Extract<HostedPage.HostedPage, { readonly page: Name }> | HostedPage.Absent => {
  const value = parse(content)
  return isFor(name, value) ? value : { page: "absent" }
}

/** The content of a `<meta>` of this document; empty where there is none. */
export const metaContent = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? ""

/** What the server put into this document. */
export const read = <Name extends HostedPage.HostedPage["page"]>(name: Name) =>
  fromContent(name, metaContent("florin-page"))
