/**
 * The committed bytecode equals its sources.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { compile } from "../contracts/compile.ts"

describe("compiled.json", () => {
  // The compiler takes some seconds, and most of a minute on a machine that is busy.
  it("equals what the sources compile to, byte for byte", { timeout: 300_000 }, () => {
    const committed = readFileSync(new URL("../contracts/compiled.json", import.meta.url), "utf8")
    assert.isTrue(compile() === committed, "run `pnpm --filter @florin/localnet compile`")
  })
})
