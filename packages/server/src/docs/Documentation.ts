/**
 * The interface's documentation, served by the service itself: the OpenAPI document of each version, the same as
 * pages, and the icons that responses name.
 *
 * @module
 */
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/ground/Version"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Drawings from "../Drawings.ts"
import type { EdgeSettings } from "../EdgeSettings.ts"
import type * as Exchange from "../Exchange.ts"
import * as LocalHost from "../LocalHost.ts"
import * as Page from "../Page.ts"
import * as Query from "../Query.ts"
import * as DocsPage from "./DocsPage.ts"
import * as Search from "./Search.ts"
import * as Stylesheet from "./Stylesheet.ts"

type Edge = Pick<EdgeSettings["Service"], "exampleKeys" | "publicUrl">

/** The page may load only our own stylesheet, submit a search only to us, and not be framed. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

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

/** Makes each document once, at the first request for it. */
const once = <A>(make: (version: Version.Version) => A) => {
  const made = new Map<Version.Version, A>()
  return (version: Version.Version): A => {
    const found = made.get(version) ?? make(version)
    made.set(version, found)
    return found
  }
}

const document = once((version) => OpenApiDocument.make(version))

const index = once((version) => Search.indexOf(document(version)))

const json = once((version) => file("application/json", JSON.stringify(document(version))))

/** The requested version, or the newest published one. */
const versionOf = (query: Query.Query) =>
  Result.flatMap(Query.one(query, "version"), (text) =>
    text === undefined ? Result.succeed(Version.newestStable) : Version.parse(text),
  )

const openApi = Page.make("/openapi.json", ({ query }) =>
  Effect.map(Effect.fromResult(versionOf(Query.parse(query))), json),
)

const searchMaxLength = 200

const docs = ({ exampleKeys, publicUrl }: Edge): ReadonlyArray<Page.Page> => {
  const html = "text/html; charset=utf-8"
  const usual = new Map<string, Exchange.Outgoing>()
  const respond: Page.Page["respond"] = ({ header, query: text }, { page = "" }) => {
    const query = Query.parse(text)
    const read = Result.all({ version: versionOf(query), search: Query.one(query, "search") })
    return Effect.map(Effect.fromResult(read), ({ search = "", version }) => {
      const host = header("host")
      const keys = LocalHost.isDirect(header) ? exampleKeys() : null
      // Examples for this machine use the same host as the reader.
      const reader = { url: keys === null ? publicUrl : `http://${host}`, keys }
      const asked = page === "" ? search.trim().slice(0, searchMaxLength) : ""
      const isUsual = keys === null && asked === ""
      const name = `${version} ${page}`
      const made = isUsual ? usual.get(name) : undefined
      if (made !== undefined) return made
      const written =
        asked === ""
          ? DocsPage.page(document(version), reader, page)
          : DocsPage.results(document(version), reader, {
              asked,
              entries: Search.find(index(version), asked),
            })
      if (written === null) return null
      const response = file(html, written)
      if (isUsual) usual.set(name, response)
      return isUsual
        ? response
        : { ...response, headers: { ...response.headers, "cache-control": "no-store" } }
    })
  }
  return [Page.make("/docs", respond), Page.make("/docs/:page", respond)]
}

/** The calls and where each is described, for coding agents. */
const llms = ({ publicUrl }: Edge): string => {
  const calls = index(Version.newestStable).rows.flatMap(({ entry }) =>
    entry.kind.includes(" /v1/") ? [entry] : [],
  )
  return [
    "# Florin API",
    "",
    `> A payer's wallet pays a merchant in stablecoins. The whole API: ${publicUrl}/openapi.json`,
    "",
    "## Calls",
    "",
    ...calls.map(
      ({ anchor, kind, page, title }) =>
        `- [${title}](${publicUrl}/docs/${page}#${anchor}): \`${kind}\``,
    ),
    "",
  ].join("\n")
}

const style = file("text/css; charset=utf-8", Stylesheet.text)

const drawing = Page.make("/icons/:file", (_, params) =>
  Effect.map(Assets, (catalog) => {
    const name = /^(.+)\.svg$/u.exec(params["file"] ?? "")?.[1]
    const svg = name === undefined ? undefined : Drawings.of(catalog).get(name)
    return svg === undefined ? null : file("image/svg+xml", svg)
  }),
)

export const make = (edge: Edge): ReadonlyArray<Page.Page> => [
  openApi,
  ...docs(edge),
  Page.make("/llms.txt", () => Effect.sync(() => file("text/plain; charset=utf-8", llms(edge)))),
  Page.make("/docs/style.css", () => Effect.succeed(style)),
  drawing,
]
