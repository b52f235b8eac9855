/**
 * The interface's documentation, served by the service itself: the OpenAPI document of each version, the same as a page,
 * and the drawings that answers name.
 *
 * @module
 */
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/Version"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as DocsPage from "./DocsPage.ts"
import * as Drawings from "./Drawings.ts"
import type * as Exchange from "./Exchange.ts"
import * as Page from "./Page.ts"
import * as Query from "./Query.ts"

/** Nothing may be loaded but our own stylesheet, and nobody may frame the page. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const safely = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
}

const keptInS = 300

const file = (contentType: string, body: string): Exchange.Outgoing => ({
  status: 200,
  headers: {
    ...safely,
    "content-type": contentType,
    "cache-control": `public, max-age=${keptInS}`,
  },
  body,
})

/** Each document is made once, when it is first asked for. */
const once = (make: (version: Version.Version) => Exchange.Outgoing) => {
  const made = new Map<Version.Version, Exchange.Outgoing>()
  return (version: Version.Version): Exchange.Outgoing => {
    const found = made.get(version) ?? make(version)
    made.set(version, found)
    return found
  }
}

const json = once((version) =>
  file("application/json", JSON.stringify(OpenApiDocument.make(version))),
)

const html = once((version) =>
  file("text/html; charset=utf-8", DocsPage.page(OpenApiDocument.make(version))),
)

/** Serves what is there for each version: the newest published one where none is named. */
const perVersion = (path: string, of: (version: Version.Version) => Exchange.Outgoing) =>
  Page.make(path, ({ query }) => {
    const read = Result.flatMap(Query.one(Query.parse(query), "version"), (text) =>
      text === undefined ? Result.succeed(Version.newestStable) : Version.parse(text),
    )
    return Effect.map(Effect.fromResult(read), of)
  })

const style = file("text/css; charset=utf-8", DocsPage.stylesheet)

const drawing = Page.make("/icons/:file", (_, params) =>
  Effect.map(Assets, (catalog) => {
    const name = /^(.+)\.svg$/u.exec(params["file"] ?? "")?.[1]
    const svg = name === undefined ? undefined : Drawings.of(catalog).get(name)
    return svg === undefined ? null : file("image/svg+xml", svg)
  }),
)

export const pages = [
  perVersion("/openapi.json", json),
  perVersion("/docs", html),
  Page.make("/docs/style.css", () => Effect.succeed(style)),
  drawing,
]
