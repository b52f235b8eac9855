/**
 * Reads the built console into memory once, for a server to serve.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Site from "@florin/pages/Site"

const built = new URL("../dist/site/", import.meta.url)

export interface Console {
  /** HTML that holds `<meta name="florin-page" content="" />` once. The server puts the `Page` of `Page.ts` into it as JSON. */
  readonly document: string
  /** The files by their whole path, such as `/console/assets/console-3F9AB2C1.js`. */
  readonly files: HostedPage.Site["files"]
}

/** Reads the console from the build folder. */
export const load = (folder: URL = built): Console => ({
  document: Site.documentOf(folder, "console"),
  files: Site.filesOf(folder, "@florin/console", ["console"], "/console"),
})
