/**
 * Reads the built pages into memory once, for a server to serve.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import * as HostedPage from "@florin/api/wire/HostedPage"

const contentTypes = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
])

const built = new URL("../dist/site/", import.meta.url)

/** A file with its compressed forms; undefined if browsers do not load such files. */
const read = (name: string, folder: URL): HostedPage.SiteFile | undefined => {
  const contentType = contentTypes.get(extname(name))
  const bytes = (suffix: string) => readFileSync(new URL(`${name}${suffix}`, folder))
  return contentType === undefined
    ? undefined
    : { contentType, body: bytes(""), brotli: bytes(".br"), gzip: bytes(".gz") }
}

/** Reads the files of some pages from the build folder of a package. */
export const filesOf = (
  folder: URL,
  packageName: string,
  ...pages: ReadonlyArray<string>
): HostedPage.Site["files"] => {
  const assets = new URL("assets/", folder)
  if (!existsSync(assets)) {
    throw new Error(`the pages are not built: run pnpm --filter ${packageName} build:site`)
  }
  const files = readdirSync(assets).flatMap((name) => {
    const isWanted = pages.some((page) => name.startsWith(`${page}-`))
    const file = isWanted ? read(name, assets) : undefined
    return file === undefined ? [] : [[`/pages/assets/${name}`, file] as const]
  })
  return new Map(files)
}

/** The files of our own pages, and the script for shops. */
const ownFiles = (folder: URL, ...pages: ReadonlyArray<string>): HostedPage.Site["files"] => {
  const files = filesOf(folder, "@florin/pages", ...pages)
  const embed = read("florin.js", folder)
  return embed === undefined ? files : new Map([...files, [HostedPage.embedPath, embed]])
}

/** Reads a document from a build folder. */
export const documentOf = (folder: URL, page: string): string =>
  readFileSync(new URL(`${page}.html`, folder), "utf8")

/** Reads the pages from the build folder. */
export const load = (folder: URL = built): HostedPage.Site => ({
  files: ownFiles(folder, "checkout", "collect"),
  checkout: documentOf(folder, "checkout"),
  collect: documentOf(folder, "collect"),
})

/** The parts that only a service on a developer's machine serves. */
export interface LocalSite {
  /** The start page, with the same place for the server's data as the other pages. */
  readonly start: string
  /** The checkout with test wallets. */
  readonly checkout: string
  readonly files: HostedPage.Site["files"]
}

/** Reads the local site, together with the pages that it extends. */
export const loadLocal = (folder: URL = built): LocalSite => ({
  files: ownFiles(folder, "checkout", "collect", "start", "wallets"),
  start: documentOf(folder, "start"),
  checkout: documentOf(folder, "checkout").replace(
    "</head>",
    () => `${documentOf(folder, "wallets")}\n</head>`,
  ),
})
