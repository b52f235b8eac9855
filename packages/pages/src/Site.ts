/**
 * The pages as they were built, read into memory once for a server to answer with.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import type * as HostedPage from "@florin/api/wire/HostedPage"

const contentTypes = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
])

const built = new URL("../dist/site/", import.meta.url)

/** Reads the pages from where they were built. */
export const load = (folder: URL = built): HostedPage.Site => {
  const assets = new URL("assets/", folder)
  if (!existsSync(assets)) {
    throw new Error("the pages are not built: run pnpm --filter @florin/pages build:site")
  }
  const files = readdirSync(assets).flatMap((name) => {
    const contentType = contentTypes.get(extname(name))
    if (contentType === undefined) return []
    const read = (suffix: string) => readFileSync(new URL(`${name}${suffix}`, assets))
    const file = { contentType, body: read(""), brotli: read(".br"), gzip: read(".gz") }
    return [[`/pages/assets/${name}`, file] as const]
  })
  return {
    checkout: readFileSync(new URL("checkout.html", folder), "utf8"),
    collect: readFileSync(new URL("collect.html", folder), "utf8"),
    files: new Map(files),
  }
}
