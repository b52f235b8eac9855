/**
 * The built console: its document, its files and their size.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath, stdout } from "node:process"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Site from "../src/Site.ts"

const script = join(import.meta.dirname, "../scripts/build.ts")
const folder = mkdtempSync(join(tmpdir(), "florin-console-"))

let site: Site.Console
beforeAll(() => {
  execFileSync(execPath, [script, folder])
  site = Site.load(pathToFileURL(`${folder}/`))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** All files must be smaller than this together, and those of the first screen. */
const maxInAll = 120_000
const maxAtFirst = 60_000

const text = (path: string): string =>
  new TextDecoder().decode(site.files.get(path)?.body ?? assert.fail(path))

/** The files that a file imports at once, and all that those import. */
const imported = (path: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(path)) return found
  found.add(path)
  const statements = text(path).matchAll(
    /(?:^|[;}])(?:import|export)[^;()]*?from"\.\/([^"]+)"|import"\.\/([^"]+)"/gu,
  )
  for (const [, from, alone] of statements) imported(`/console/assets/${from ?? alone}`, found)
  return found
}

const sizeOf = (paths: Iterable<string>): number =>
  [...paths].reduce(
    (sum, path) => sum + (site.files.get(path)?.gzip.byteLength ?? assert.fail(path)),
    0,
  )

describe("the document of the console", () => {
  it("has one place for the server's data, and no inline code, which its policy would refuse", () => {
    assert.strictEqual(site.document.split(`<meta name="florin-page" content="" />`).length, 2)
    assert.notMatch(
      site.document,
      /<script(?! type="module" src="[^"]+"><)|<style|\sstyle=|\son\w+=/u,
    )
  })

  it("contains only its own existing files", () => {
    const named = Array.from(
      site.document.matchAll(/(?:href|src)="([^"]*\/[^"]*)"/gu),
      ([, path = ""]) => path,
    )
    assert.isAtLeast(named.length, 2)
    for (const path of named) assert.isTrue(site.files.has(path), path)
  })
})

describe("the files of the console", () => {
  it("have names below the console that change with their contents", () => {
    for (const path of site.files.keys()) {
      assert.match(path, /^\/console\/assets\/console-(?:[\w.]+-)?[0-9A-Z]{8}\.(?:css|js)$/u)
    }
  })

  it("are small: all of them, and those of the first screen", () => {
    const document = Array.from(
      site.document.matchAll(/(?:href|src)="(\/console[^"]+)"/gu),
      ([, path = ""]) => path,
    )
    const overview = [...site.files.keys()].filter((path) => path.includes("-Overview-"))
    assert.lengthOf(overview, 1)
    const first = new Set(document)
    for (const path of [...document, ...overview].filter((each) => each.endsWith(".js"))) {
      for (const each of imported(path)) first.add(each)
    }
    assert.isAtLeast(first.size, 4)
    const sizes = { all: sizeOf(site.files.keys()), first: sizeOf(first) }
    stdout.write(`console: ${sizes.all} bytes gzipped in all, ${sizes.first} at first\n`)
    assert.isBelow(sizes.all, maxInAll)
    assert.isBelow(sizes.first, maxAtFirst)
  })
})
