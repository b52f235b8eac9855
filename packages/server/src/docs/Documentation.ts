/**
 * The interface's documentation, served by the service itself, and the icons that responses name.
 *
 * @module
 */
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import type { EdgeSettings } from "../edge/EdgeSettings.ts"
import type * as Exchange from "../http/Exchange.ts"
import * as Drawings from "../pages/Drawings.ts"
import * as Page from "../pages/Page.ts"

export type Edge = Pick<EdgeSettings["Service"], "exampleKeys" | "publicUrl">

/** The page may load only our own stylesheet, submit a search only to us, and not be framed. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const safely = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
}

const keptInS = 300

export const file = (contentType: string, body: string): Exchange.Outgoing => ({
  status: 200,
  headers: {
    ...safely,
    "content-type": contentType,
    "cache-control": `public, max-age=${keptInS}`,
  },
  body,
})

const drawing = Page.make("/icons/:file", (_, params) =>
  Effect.map(Assets, (catalog) => {
    const name = /^(.+)\.svg$/u.exec(params["file"] ?? "")?.[1]
    const svg = name === undefined ? undefined : Drawings.of(catalog).get(name)
    return svg === undefined ? null : file("image/svg+xml", svg)
  }),
)

const paths = ["/openapi.json", "/docs", "/docs/:page", "/llms.txt", "/docs/style.css"] as const

/** What each path shows. */
export type Documents = { readonly [P in (typeof paths)[number]]: Page.Page["respond"] }

export const make = (edge: Edge): ReadonlyArray<Page.Page> => {
  let loading: Promise<Documents> | undefined
  const documents = Effect.promise(
    () => (loading ??= import("./Documents.ts").then((loaded) => loaded.make(edge))),
  )
  return [
    ...paths.map((path) =>
      Page.make(path, (incoming, params) =>
        Effect.flatMap(documents, (shown) => shown[path](incoming, params)),
      ),
    ),
    drawing,
  ]
}
