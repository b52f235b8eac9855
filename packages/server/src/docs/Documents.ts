/**
 * What the documentation shows: the OpenAPI document of each version, and the same as pages. It is loaded with the
 * first request for it.
 *
 * @module
 */
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Remembered from "@florin/core/domain/ground/Remembered"
import * as Version from "@florin/core/domain/ground/Version"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Exchange from "../http/Exchange.ts"
import * as LocalHost from "../http/LocalHost.ts"
import * as Mount from "../http/Mount.ts"
import * as Query from "../http/Query.ts"
import type * as Page from "../pages/Page.ts"
import * as DocsPage from "./DocsPage.ts"
import * as Documentation from "./Documentation.ts"
import * as Search from "./Search.ts"
import * as Stylesheet from "./Stylesheet.ts"

const { file } = Documentation

/** Makes each document once, at the first request for it. */
const once = <A extends object>(make: (version: Version.Version) => A) =>
  Remembered.texts(make, Version.all.length)

const document = once((version) => OpenApiDocument.make(version))

const index = once((version) => Search.indexOf(document(version)))

const json = once((version) => file("application/json", JSON.stringify(document(version))))

/** The requested version, or the newest published one. */
const versionOf = (query: Query.Query) =>
  Result.flatMap(Query.one(query, "version"), (text) =>
    text === undefined ? Result.succeed(Version.newestStable) : Version.parse(text),
  )

const openApi: Page.Page["respond"] = ({ query }) =>
  Effect.map(Effect.fromResult(versionOf(Query.parse(query))), json)

const searchMaxLength = 200

const docs = ({ exampleKeys, publicUrl }: Documentation.Edge): Page.Page["respond"] => {
  const html = "text/html; charset=utf-8"
  const usual = new Map<string, Exchange.Outgoing>()
  return ({ header, query: text }, { page = "" }) => {
    const query = Query.parse(text)
    const read = Result.all({ version: versionOf(query), search: Query.one(query, "search") })
    return Effect.map(Effect.fromResult(read), ({ search = "", version }) => {
      const host = header("host")
      const keys = LocalHost.isDirect(header) ? exampleKeys() : null
      // Examples for this machine use the same host as the reader.
      const reader = {
        url: keys === null ? publicUrl : `http://${host}${Mount.pathOf(publicUrl)}`,
        keys,
      }
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
}

/** The calls and where each is described, for coding agents. */
const llms = ({ publicUrl }: Documentation.Edge): string => {
  const calls = index(Version.newestStable).flatMap(({ entry }) =>
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

export const make = (edge: Documentation.Edge): Documentation.Documents => {
  const pages = docs(edge)
  return {
    "/openapi.json": openApi,
    "/docs": pages,
    "/docs/:page": pages,
    "/llms.txt": () => Effect.sync(() => file("text/plain; charset=utf-8", llms(edge))),
    "/docs/style.css": () => Effect.succeed(style),
  }
}
