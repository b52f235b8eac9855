/**
 * The hosted pages as they were built: two documents and the files that they load. Where they come from is another's
 * business.
 *
 * @module
 */

/** A file under a name that changes with its content, in the encodings that browsers take. */
export interface SiteFile {
  readonly contentType: string
  readonly body: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

export interface Site {
  /** HTML that holds {@link place} once. */
  readonly checkout: string
  /** The same for the form that collects the payer's data. */
  readonly collect: string
  /** By their whole path, such as `/pages/assets/checkout-3f9ab2c1.js`. */
  readonly files: ReadonlyMap<string, SiteFile>
}

/** Where a document takes what the server tells it. */
export const place = `<meta name="florin-page" content="" />`

/** Whether both documents have their place. */
export const isComplete = ({ checkout, collect }: Site): boolean =>
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
