/**
 * What Next does with a request: it applies the rewrites, and calls the function of the route file. The app has a few
 * routes of its own.
 *
 * @module
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { Readable } from "node:stream"
import * as route from "./app/pay/[[...path]]/route.ts"
import config from "./next.config.ts"

const { afterFiles, beforeFiles } = await config.rewrites()

const rewritten = (url: URL): URL => {
  for (const { destination, has = [], source } of [...beforeFiles, ...afterFiles]) {
    const pattern = source.replace(/:\w+(?:\*|\((.+)\))/u, (_match, group = ".*") => `(${group})`)
    const found = new RegExp(`^${pattern}$`, "u").exec(url.pathname)
    const isAsked = has.every(({ key }) => url.searchParams.has(key))
    if (found !== null && isAsked) {
      const path = destination.replace(/:\w+\*?/u, found[1] ?? "")
      return new URL(`${path}${url.search}`, url)
    }
  }
  return url
}

const functions: ReadonlyMap<string, (request: Request) => Promise<Response>> = new Map(
  Object.entries(route).flatMap(([name, value]) =>
    typeof value === "function" ? [[name, value] as const] : [],
  ),
)

/** Responds as the app does. */
export const respond = async (request: Request): Promise<Response> => {
  const url = rewritten(new URL(request.url))
  if (/^\/pay(?:\/|$)/u.test(url.pathname)) {
    const handle = functions.get(request.method === "HEAD" ? "GET" : request.method)
    return handle?.(new Request(url, request)) ?? new Response(null, { status: 405 })
  }
  if (url.pathname === "/") return new Response("Blue Door Coffee")
  if (url.pathname === "/menu") return Response.json({ coffee: "3.50", tea: "2.80" })
  if (url.pathname === "/orders") return Response.json({ ordered: await request.json() })
  return new Response("The shop has no such page.", { status: 404 })
}

/** Listens until the function that it resolves with is called. */
export const listen = async (port: number): Promise<() => void> => {
  const server = createServer(async (incoming, outgoing) => {
    const { headers, method = "GET", url = "/" } = incoming
    const isBodiless = method === "GET" || method === "HEAD"
    const response = await respond(
      new Request(`http://localhost:${port}${url}`, {
        method,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((each): [string, string] => [name, each]),
        ),
        body: isBodiless ? null : Readable.toWeb(incoming),
        duplex: "half",
      }),
    )
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(new Uint8Array(await response.arrayBuffer()))
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return () => void server.close()
}
