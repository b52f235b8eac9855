/**
 * Florin in a Next app with the app router.
 *
 * @example
 * // app/pay/[[...path]]/route.ts, with a publicUrl that ends with /pay
 * export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = florinRoutes(florin)
 *
 * @example
 * // next.config.ts
 * export default { rewrites: async () => florinRewrites("/pay") }
 *
 * @module
 */
import type { Florin } from "../Florin.ts"
import * as Mount from "../http/Mount.ts"

/** The functions of a route file: the file is at the path of `publicUrl`. */
export const florinRoutes = (florin: Pick<Florin, "publicUrl" | "route">) => {
  const handle = async (request: Request): Promise<Response> => {
    if (Mount.locate(florin.publicUrl, request.url) !== null) {
      return (await florin.route(request)) ?? new Response("Not found", { status: 404 })
    }
    const { pathname } = new URL(request.url)
    return new Response(
      `Florin does not serve ${pathname}: publicUrl has the path "${Mount.pathOf(florin.publicUrl)}". Move the route file there, or change publicUrl.`,
      { status: 500 },
    )
  }
  return { GET: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle }
}

/** A rewrite of Next's configuration. */
export interface Rewrite {
  readonly source: string
  readonly destination: string
  readonly has?: Array<{ type: "query"; key: string }>
}

/** The rewrites of Next's configuration, by when Next applies them. */
export interface Rewrites {
  beforeFiles: Array<Rewrite>
  afterFiles: Array<Rewrite>
  fallback: Array<Rewrite>
}

const pid: Rewrite["has"] = [{ type: "query", key: "pid" }]

/**
 * Leads payment links, which have no path, to the route file. The app's own front page remains: the link has a `pid` in
 * its query.
 */
export const florinRewrites = (path: string): Rewrites => ({
  beforeFiles: [
    { source: "/", has: pid, destination: path },
    { source: "/collect", has: pid, destination: `${path}/collect` },
    { source: "/:id(pay_[^/]+)", destination: `${path}/:id` },
  ],
  afterFiles: [{ source: "/pages/:file*", destination: `${path}/pages/:file*` }],
  fallback: [],
})
