/**
 * The documents of the hosted pages, and how they are filled in. Where they come from is another's business.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"

/** Where a document takes what the server tells it. */
export const place = `<meta name="florin-page" content="" />`

/** Whether both documents have their place. */
export const isComplete = ({ checkout, collect }: HostedPage.Site): boolean =>
  [checkout, collect].every((document) => document.split(place).length === 2)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/gu, (character) => entities[character] ?? "")

/** A document with data in its place. Whatever the data holds, it stays inside its attribute. */
export const fill = (document: string, data: object): string =>
  document.replace(
    place,
    () => `<meta name="florin-page" content="${escape(JSON.stringify(data))}" />`,
  )
