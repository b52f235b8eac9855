import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Program from "./program.ts"

const version = (environment: { readonly [name: string]: string }) =>
  Program.start(["--version"], environment).ended

describe("the compile cache", () => {
  it("is in the user's cache directory", () =>
    Program.inDirectory(async (directory) => {
      await version({ XDG_CACHE_HOME: directory })
      assert.isNotEmpty(readdirSync(join(directory, "florin")))
    }))

  it("is in the home directory by default", () =>
    Program.inDirectory(async (directory) => {
      await version({ HOME: directory })
      assert.isNotEmpty(readdirSync(join(directory, ".cache", "florin")))
    }))

  it("is off if Node is configured without it", () =>
    Program.inDirectory(async (directory) => {
      await version({ XDG_CACHE_HOME: directory, NODE_DISABLE_COMPILE_CACHE: "1" })
      assert.deepStrictEqual(readdirSync(directory), [])
    }))

  it("is off, without an error, if its directory is not writable", () =>
    Program.inDirectory(async (directory) => {
      const file = join(directory, "file")
      writeFileSync(file, "")
      for (const ended of await Promise.all([
        version({ XDG_CACHE_HOME: file }),
        version({ HOME: file }),
        version({ HOME: "" }),
      ])) {
        assert.strictEqual(ended.code, 0)
        assert.strictEqual(ended.err, "")
      }
    }))
})
