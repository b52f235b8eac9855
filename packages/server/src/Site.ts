/**
 * The documents of the hosted pages, and how they are filled in. Where they come from is another's business.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Html from "./Html.ts"

/** Where a document takes what the server tells it. */
export const place = `<meta name="florin-page" content="" />`

/** Whether both documents have their place. */
export const isComplete = ({ checkout, collect }: HostedPage.Site): boolean =>
  [checkout, collect].every((document) => document.split(place).length === 2)

/** A document with data in its place. Whatever the data holds, it stays inside its attribute. */
export const fill = (document: string, data: object): string =>
  document.replace(
    place,
    () => `<meta name="florin-page" content="${Html.escape(JSON.stringify(data))}" />`,
  )

/** What a browser lets a document of ours do: everything it needs is on its own origin, and nothing is inline. */
export const policy = (rest: Readonly<Record<string, string>>): string =>
  Object.entries({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    ...rest,
  })
    .map(([name, value]) => `${name} ${value}`)
    .join("; ")
