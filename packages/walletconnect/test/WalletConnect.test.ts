/**
 * The built page, and what a server reads of it.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath, stdout } from "node:process"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as WalletConnect from "../src/WalletConnect.ts"

const script = join(import.meta.dirname, "../scripts/build.ts")
const folder = mkdtempSync(join(tmpdir(), "florin-walletconnect-"))
const settings = { projectId: "0123456789abcdef0123456789abcdef", name: "Example Pay" }

let built: ReturnType<typeof WalletConnect.load>
beforeAll(() => {
  execFileSync(execPath, [script, folder])
  built = WalletConnect.load(settings, pathToFileURL(`${folder}/`))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("the frame of WalletConnect", () => {
  it("has one place for the server's data, and one script from its own host", () => {
    const { document, files } = built
    assert.strictEqual(document.split(`<meta name="florin-page" content="" />`).length, 2)
    const named = Array.from(document.matchAll(/(?:href|src)="([^"]*)"/gu), ([, path]) => path)
    assert.deepStrictEqual(named, [...files.keys()])
    assert.match(named.join(), /^\/pages\/assets\/walletconnect-[0-9A-Z]{8}\.js$/u)
  })

  it("has no inline code, which its policy would refuse", () => {
    assert.notMatch(built.document, /<script(?! defer src="[^"]+"><)|<style|\sstyle=|\son\w+=/u)
  })

  it("evaluates no text as code, which its policy would refuse", () => {
    for (const { body } of built.files.values()) {
      assert.notMatch(Buffer.from(body).toString(), /\beval\(|new Function\b|\bimport\(/u)
    }
  })

  it("is at most 150,000 bytes, gzipped", () => {
    const sizes = Array.from(built.files.values(), ({ gzip }) => gzip.length)
    const size = sizes.reduce((sum, length) => sum + length, 0)
    stdout.write(`walletconnect: ${size} bytes gzipped\n`)
    assert.isAtMost(size, 150_000)
    assert.isAbove(size, 15_000)
  })

  it("contains the licences of its dependencies", () => {
    const licences = readFileSync(join(folder, "LICENSES.txt"), "utf8")
    assert.match(licences, /^@walletconnect\/sign-client 2\.21\.8: Apache-2\.0$/mu)
    assert.include(licences, "Apache License")
    assert.lengthOf(readdirSync(join(folder, "assets")), 3)
  })
})

describe("WalletConnect.load", () => {
  it("uses WalletConnect's relay by default", () => {
    assert.deepInclude(built, { ...settings, relayUrl: "wss://relay.walletconnect.org" })
    const relayUrl = "wss://relay.example"
    const own = WalletConnect.load({ ...settings, relayUrl }, pathToFileURL(`${folder}/`))
    assert.strictEqual(own.relayUrl, relayUrl)
  })

  it("says what to do if nothing was built", () => {
    assert.throws(
      () => WalletConnect.load(settings, pathToFileURL(join(folder, "nothing/"))),
      "the pages are not built: run pnpm --filter @florin/walletconnect build:site",
    )
  })
})
