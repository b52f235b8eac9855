/**
 * The committed bytecode equals its sources.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"

const contracts = new URL("../contracts/", import.meta.url)
const compared = new URL("../../../node_modules/.cache/contracts/", import.meta.url)

/** Names everything that the comparison depends on: sources, settings, result and compiler. */
const digest = (): string => {
  const hash = createHash("sha256")
  const files = readdirSync(contracts)
    .toSorted()
    .map((file) => new URL(file, contracts))
  for (const file of [...files, createRequire(import.meta.url).resolve("solc/package.json")]) {
    hash.update(String(file)).update(readFileSync(file))
  }
  return hash.digest("hex")
}

describe("compiled.json", () => {
  it("equals what the sources compile to, byte for byte", { timeout: 300_000 }, async () => {
    // The compiler takes seconds: a machine does not compile again what was equal before, and has not changed.
    const equal = new URL(digest(), compared)
    if (existsSync(equal)) return
    const { compile } = await import("../contracts/compile.ts")
    const committed = readFileSync(new URL("compiled.json", contracts), "utf8")
    assert.isTrue(compile() === committed, "run `pnpm --filter @florin/localnet compile`")
    mkdirSync(compared, { recursive: true })
    writeFileSync(equal, "")
  })
})
