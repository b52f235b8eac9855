/**
 * The documents of the hosted pages, and how they are filled in. Another module loads them.
 *
 * @module
 */
import type * as Exchange from "../http/Exchange.ts"
import * as Html from "../http/Html.ts"

/** The place in a document for the server's data. */
export const place = `<meta name="florin-page" content="" />`

/** Whether every document has this place. */
export const areComplete = (documents: ReadonlyArray<string>): boolean =>
  documents.every((document) => document.split(place).length === 2)

/** Puts data into its place in a document. Whatever the data contains, it stays inside its attribute. */
export const fill = (document: string, data: object): string =>
  document.replace(
    place,
    () => `<meta name="florin-page" content="${Html.escape(JSON.stringify(data))}" />`,
  )

/** Shows another document in the place of one, in a browser that runs no script. */
export const withoutScript = (document: string, path: string): string =>
  document.replace(
    "<noscript></noscript>",
    () => `<noscript><iframe title="Payment" src="${Html.escape(path)}"></iframe></noscript>`,
  )

/**
 * The content security policy of our documents: a browser loads everything from their own origin, and nothing inline.
 */
const policy = (rest: Readonly<Record<string, string>>): string =>
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

/** What the policy of a document without a script has besides. */
export const scriptless = { "script-src": "'none'", "connect-src": "'none'" }

/** The response with a document, which only pages of these origins may frame. A browser checks all ancestors of a frame. */
export const response = (
  body: string,
  origins: ReadonlyArray<string>,
  rest: Readonly<Record<string, string>> = {},
  headers: Exchange.Outgoing["headers"] = {},
): Exchange.Outgoing => ({
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy({
      ...rest,
      "frame-ancestors": origins.length === 0 ? "'none'" : origins.join(" "),
    }),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(origins.length === 0 && { "x-frame-options": "DENY" }),
    ...headers,
  },
  body,
})
