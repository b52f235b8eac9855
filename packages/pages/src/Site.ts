/**
 * The pages as they were built, read into memory once for a server to answer with.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"

/** A file that never changes under its name. */
export interface SiteFile {
  readonly contentType: string
  readonly body: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

export interface Site {
  /** A document with `<meta name="florin-page" content="" />`, which the server fills in. */
  readonly checkout: string
  /** The same for the data form. */
  readonly collect: string
  /** By whole path, such as `/pages/assets/checkout-3F9AB2C1.js`. */
  readonly files: ReadonlyMap<string, SiteFile>
}

const contentTypes = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
])

const built = new URL("../dist/site/", import.meta.url)

/** Reads the pages from where they were built. */
export const load = (folder: URL = built): Site => {
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
