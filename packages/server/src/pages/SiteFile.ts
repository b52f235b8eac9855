/**
 * Serves the built files of pages.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Effect from "effect/Effect"
import * as Accept from "../http/Accept.ts"
import * as Page from "./Page.ts"

const yearInS = 365 * 24 * 60 * 60

/** A file's name changes with its content. */
const filesKept = `public, max-age=${yearInS}, immutable`

/** Pages of any origin load this script by a name that stays, and must soon get a new version. */
const embedHeaders = {
  "cache-control": "public, max-age=300",
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
}

/** The bytes of a file in the best encoding that the caller accepts. */
const encoded = (
  { body, brotli, gzip }: HostedPage.SiteFile,
  accepted: string,
): { readonly body: Uint8Array; readonly coding: string | null } => {
  if (Accept.includes(accepted, "br")) return { body: brotli, coding: "br" }
  return Accept.includes(accepted, "gzip") ? { body: gzip, coding: "gzip" } : { body, coding: null }
}

/** The page of one file, under its whole path. */
export const page = (path: string, file: HostedPage.SiteFile): Page.Page =>
  Page.make(path, ({ header }) => {
    const { body, coding } = encoded(file, header("accept-encoding") ?? "")
    return Effect.succeed({
      status: 200,
      headers: {
        "content-type": file.contentType,
        ...(path === HostedPage.embedPath ? embedHeaders : { "cache-control": filesKept }),
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
        ...(coding !== null && { "content-encoding": coding }),
      },
      body,
    })
  })
