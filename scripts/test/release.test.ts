/**
 * All packages have one version, and people can read what it brought.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Release from "../../packages/florin/src/Release.ts"

const manifests: ReadonlyArray<{ readonly name: string; readonly version: string }> = globSync(
  "packages/*/package.json",
).map((file) => JSON.parse(readFileSync(file, "utf8")))

describe("a release", () => {
  it("has one version, which the program prints", () => {
    assert.isAbove(manifests.length, 10)
    for (const { name, version } of manifests) {
      assert.strictEqual(version, Release.version(), name)
    }
  })

  it("begins CHANGELOG.md", () => {
    const [newest] = /(?<=^## )\S+/mu.exec(readFileSync("CHANGELOG.md", "utf8")) ?? []
    assert.strictEqual(newest, Release.version())
  })
})
