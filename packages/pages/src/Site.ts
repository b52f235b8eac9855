/**
 * Reads the built pages into memory once, for a server to serve.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Plain from "./checkout/plain/Plain.ts"
import * as QrPath from "./checkout/QrPath.ts"
import * as CheckoutMessages from "./messages/CheckoutMessages.ts"
import * as Languages from "./messages/Languages.ts"
import * as PlainMessages from "./messages/PlainMessages.ts"
import * as Translation from "./messages/Translation.ts"

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

/** Reads the files of some pages from the build folder of a package, by their whole path below `/pages` or another path. */
export const filesOf = (
  folder: URL,
  packageName: string,
  pages: ReadonlyArray<string>,
  below = "/pages",
): HostedPage.Site["files"] => {
  const assets = new URL("assets/", folder)
  if (!existsSync(assets)) {
    throw new Error(`the pages are not built: run pnpm --filter ${packageName} build:site`)
  }
  const files = readdirSync(assets).flatMap((name) => {
    const isWanted = pages.some((page) => name.startsWith(`${page}-`))
    const file = isWanted ? read(name, assets) : undefined
    return file === undefined ? [] : [[`${below}/assets/${name}`, file] as const]
  })
  return new Map(files)
}

/** The files of our own pages, and the script for shops. */
const ownFiles = (folder: URL, ...pages: ReadonlyArray<string>): HostedPage.Site["files"] => {
  const files = filesOf(folder, "@florin/pages", pages)
  const embed = read("florin.js", folder)
  return embed === undefined ? files : new Map([...files, [HostedPage.embedPath, embed]])
}

/** Reads a document from a build folder. */
export const documentOf = (folder: URL, page: string): string =>
  readFileSync(new URL(`${page}.html`, folder), "utf8")

const wishesOf = ({ languages, search }: HostedPage.Reader) =>
  Translation.preferredTags(search, languages)

/** Reads the pages from the build folder. What is made for a reader has the look of the checkout. */
export const load = (folder: URL = built): HostedPage.Site => {
  const files = ownFiles(folder, "checkout", "collect")
  const checkout = documentOf(folder, "checkout")
  const [, stylesheet = ""] = /<link rel="stylesheet" href="([^"]+)"/u.exec(checkout) ?? []
  return {
    files,
    checkout,
    collect: documentOf(folder, "collect"),
    notFound: async (reader) =>
      Plain.notFound(
        await Languages.load("plain", PlainMessages.english, wishesOf(reader)),
        stylesheet,
      ),
    plain: async (page, reader) => {
      const wishes = wishesOf(reader)
      const [words, { texts }] = await Promise.all([
        Languages.load("checkout", CheckoutMessages.english, wishes),
        Languages.load("plain", PlainMessages.english, wishes),
      ])
      const locale = Translation.localeOf(words.language, wishes)
      return Plain.payment({ page, checkout: words, plain: texts, locale }, stylesheet)
    },
    qrCode: QrPath.svg,
  }
}

/** The parts that only a service on a developer's machine serves. */
export interface LocalSite {
  /** The checkout with test wallets. */
  readonly checkout: string
  readonly files: HostedPage.Site["files"]
}

/** Reads the local site, together with the pages that it extends. */
export const loadLocal = (folder: URL = built): LocalSite => ({
  files: ownFiles(folder, "checkout", "collect", "wallets"),
  checkout: documentOf(folder, "checkout").replace(
    "</head>",
    () => `${documentOf(folder, "wallets")}\n</head>`,
  ),
})
