/**
 * The built pages, and what a server reads of them.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath, stdout } from "node:process"
import { pathToFileURL } from "node:url"
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Languages from "../src/messages/Languages.ts"
import { english } from "../src/messages/PlainMessages.ts"
import * as Site from "../src/Site.ts"

const script = join(import.meta.dirname, "../scripts/build.ts")
const folder = mkdtempSync(join(tmpdir(), "florin-pages-"))
const build = (name: string) => {
  const site = join(folder, name)
  execFileSync(execPath, [script, site])
  const url = pathToFileURL(`${site}/`)
  return { folder: site, ...Site.load(url), local: Site.loadLocal(url) }
}

let site: ReturnType<typeof build>
beforeAll(() => {
  site = build("first")
})
afterAll(() => rmSync(folder, { recursive: true }))

const documents = ["checkout", "collect"] as const
const tags = [...Languages.languages.keys()]
/** What a page loads later, if at all: another language, or an optional adapter. */
const isLater = (path: string): boolean =>
  [...tags, "Templates", "WalletConnect"].some((name) =>
    new RegExp(`-${name}-[0-9A-Z]{8}\\.js$`, "u").test(path),
  )
/** The assets that a page begins with. */
const filesOf = (page: (typeof documents)[number]) =>
  [...site.files].filter(([path]) => path.startsWith(`/pages/assets/${page}-`) && !isLater(path))

describe.each(documents)("the document of %s", (page) => {
  it("has one place for the server's data", () => {
    assert.strictEqual(site[page].split(`<meta name="florin-page" content="" />`).length, 2)
  })

  it("contains only its own existing files", () => {
    const named = Array.from(site[page].matchAll(/(?:href|src|content)="([^"]*\/[^"]*)"/gu))
    const paths = named.map(([, path]) => path)
    assert.isAtLeast(paths.length, 2)
    assert.deepStrictEqual(new Set(paths), new Set(filesOf(page).map(([path]) => path)))
  })

  it("has no inline code, which its policy would refuse", () => {
    assert.notMatch(site[page], /<script(?! type="module" src="[^"]+"><)|<style|\sstyle=|\son\w+=/u)
    assert.match(site[page], /<html lang="en" dir="ltr">/u)
    const words = page === "checkout" ? "" : "<p>.+<\\/p>"
    assert.match(site[page], new RegExp(`<main id="page"><noscript>${words}</noscript>`, "u"))
  })

  it("sends no referrer, which may contain a payment id", () => {
    const beforeFiles = site[page].split("/pages/assets/")[0] ?? ""
    assert.include(beforeFiles, `<meta name="referrer" content="no-referrer" />`)
  })
})

describe("a page without scripts", () => {
  const stylesheet = () =>
    filesOf("checkout").find(([path]) => path.endsWith(".css"))?.[0] ?? assert.fail()

  it.each(["en", ...tags])("in %s is shown for an unknown address", async (tag) => {
    const html = await site.notFound({ search: "", languages: ["xx", tag] })
    const { language, texts } = await Languages.load("plain", english, [tag])
    assert.include(html, `<html lang="${language}"`)
    assert.include(html, `<title>${texts.notFound.title}</title>`)
    assert.include(html, `<link rel="stylesheet" href="${stylesheet()}" />`)
    assert.notMatch(html, /<script|<style|\sstyle=|\son\w+=|https?:/u)
  })

  it("uses the language of the address before those of the browser", async () => {
    const html = await site.notFound({ search: "?pid=pay_1&lang=he", languages: ["de"] })
    assert.include(html, `<html lang="he" dir="rtl">`)
  })

  it("for a QR code is an image, and nothing else", () => {
    const svg = site.qrCode(`https://pay.example/?pid=pay_1&"><script>`)
    assert.match(
      svg,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="[\d ]+">(?:<path [^<>]+\/>){2}<\/svg>$/u,
    )
  })
})

describe("the files", () => {
  it("are equal when decompressed", () => {
    for (const { body, brotli, gzip } of site.files.values()) {
      assert.isTrue(Buffer.from(body).equals(brotliDecompressSync(brotli)))
      assert.isTrue(Buffer.from(body).equals(gunzipSync(gzip)))
      assert.isBelow(brotli.length, body.length)
    }
  })

  it("have names that depend only on their contents", () => {
    const again = build("second")
    assert.deepStrictEqual([...again.files.keys()], [...site.files.keys()])
    for (const path of site.files.keys()) {
      if (path === HostedPage.embedPath) continue
      const name = isLater(path) ? "[-A-Za-z]+" : "(?:checkout|collect)"
      assert.match(path, new RegExp(`^/pages/assets/${name}-[0-9A-Z]{8}\\.(?:css|js)$`, "u"))
    }
    assert.lengthOf(
      [...site.files.keys()].filter(isLater),
      (tags.length + 1) * documents.length + 1,
    )
  })

  it("have a content type each", () => {
    const types = new Set(Array.from(site.files.values(), ({ contentType }) => contentType))
    assert.deepStrictEqual(
      types,
      new Set(["text/css; charset=utf-8", "text/javascript; charset=utf-8"]),
    )
  })

  it("are the only output of a build", () => {
    const left = readdirSync(join(site.folder, "assets"))
    assert.strictEqual(left.length, (site.local.files.size - 1) * 3)
  })

  it.each([
    ["checkout", 45_000],
    ["collect", 25_000],
  ] as const)("of %s are at most %d bytes in all, gzipped with the document", (page, max) => {
    const files = filesOf(page).map(([, { gzip }]) => gzip.length)
    const size = files.reduce((sum, length) => sum + length, gzipSync(site[page]).length)
    stdout.write(`${page}: ${size} bytes gzipped, of ${max}\n`)
    assert.isAtMost(size, max)
    assert.isAbove(size, max / 10)
  })
})

describe("the script for shops' pages", () => {
  const embed = () =>
    site.files.get(HostedPage.embedPath) ?? assert.fail(`there is no ${HostedPage.embedPath}`)

  it("is one module without imports, which exports the function and defines the element", () => {
    const code = Buffer.from(embed().body).toString()
    assert.notMatch(code, /\bimport\b/u)
    assert.match(code, /"florin-checkout"/u)
    assert.match(code, /export\{\w+ as open\}/u)
  })

  it("is at most 3500 bytes, gzipped", () => {
    const { length } = embed().gzip
    stdout.write(`florin.js: ${length} bytes gzipped, of 3500\n`)
    assert.isAtMost(length, 3500)
  })
})

describe("files that only a service on a developer's machine serves", () => {
  it("are not among the files that every service serves", () => {
    const others = [...site.local.files.keys()].filter((path) => !site.files.has(path))
    assert.isAtLeast(others.length, 1)
    for (const path of others) assert.match(path, /^\/pages\/assets\/wallets-/u)
    for (const path of site.files.keys()) assert.isTrue(site.local.files.has(path))
    assert.notInclude(site.checkout + site.collect, "wallets-")
  })

  it("are the same checkout, with one more script", () => {
    const [tag = ""] =
      /<script type="module" src="\/pages\/assets\/wallets-[0-9A-Z]{8}\.js"><\/script>\n/u.exec(
        site.local.checkout,
      ) ?? []
    assert.notStrictEqual(tag, "")
    assert.strictEqual(site.local.checkout.replace(tag, ""), site.checkout)
  })
})

describe("Site.load", () => {
  it("says what to do if nothing was built", () => {
    assert.throws(
      () => Site.load(pathToFileURL(join(folder, "nothing/"))),
      "the pages are not built: run pnpm --filter @florin/pages build:site",
    )
  })
})

describe("the script of the data form", () => {
  it("is the only script of its document while personal data is in the address", () => {
    assert.strictEqual(site.collect.match(/<script/gu)?.length, 1)
    assert.notMatch(site.collect, /rel="(?!icon")/u)
    const scripts = filesOf("collect").filter(([path]) => path.endsWith(".js"))
    assert.lengthOf(scripts, 1)
    const code = Buffer.from(scripts[0]?.[1].body ?? []).toString()
    assert.isAbove(code.indexOf('createElement("link")'), code.indexOf("history.replaceState"))
    assert.isAtLeast(code.indexOf("history.replaceState"), 0)
  })
})
