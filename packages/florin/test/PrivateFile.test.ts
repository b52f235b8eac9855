import fs, { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join, relative } from "node:path"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import * as PrivateFile from "../src/access/PrivateFile.ts"
import * as Directory from "./directory.ts"

/** Tells in which order files and directories reach the disk, and names change, while the work lasts. */
const watched = (
  top: string,
  work: () => void,
  syncDirectory = fs.fsyncSync,
): ReadonlyArray<string> => {
  const { fsyncSync, openSync, renameSync } = fs
  const seen: Array<string> = []
  const nameOf = (path: string) => relative(top, path).replace(/\.\d+$/u, ".draft")
  const opened = new Map<number, string>()
  fs.openSync = (path, flags, mode) => {
    const descriptor = openSync(path, flags, mode)
    opened.set(descriptor, String(path))
    return descriptor
  }
  fs.fsyncSync = (descriptor) => {
    seen.push(`sync ${nameOf(opened.get(descriptor) ?? "?")}`)
    const sync = fs.fstatSync(descriptor).isDirectory() ? syncDirectory : fsyncSync
    sync(descriptor)
  }
  fs.renameSync = (from, to) => {
    seen.push(`rename ${nameOf(String(from))}`)
    renameSync(from, to)
  }
  syncBuiltinESMExports()
  try {
    work()
    return seen
  } finally {
    Object.assign(fs, { fsyncSync, openSync, renameSync })
    syncBuiltinESMExports()
  }
}

describe("PrivateFile.write", () => {
  it("is complete after a power failure: it syncs new directories, the text, then the name", () =>
    Directory.within((top) => {
      const path = join(top, "a", "b", "file")
      const write = (text: string) =>
        watched(top, () => Effect.runSync(PrivateFile.write(path, text)))
      const again = ["sync a/b/file.draft", "rename a/b/file.draft", "sync a/b"]
      assert.deepStrictEqual(write("one"), ["sync a", "sync ", ...again])
      assert.deepStrictEqual(write("two"), again)
      assert.strictEqual(readFileSync(path, "utf8"), "two")
    }))

  it("fails if a directory cannot be synced, unless its file system does not support it", () =>
    Directory.within((top) => {
      const path = join(top, "file")
      const write = (code: string): boolean => {
        let isWritten = false
        const refuse = () => {
          throw Object.assign(new Error("not synced"), { code })
        }
        watched(
          top,
          () => {
            isWritten = Exit.isSuccess(Effect.runSyncExit(PrivateFile.write(path, "text")))
          },
          refuse,
        )
        return isWritten
      }
      assert.isTrue(write("EINVAL"))
      assert.isFalse(write("EIO"))
    }))
})

describe("PrivateFile.readKeys", () => {
  it.each(["640", "604", "620", "610", "644", "666"])(
    "S16: refuses a file of mode %s, which others may read",
    (mode) =>
      Directory.within((top) => {
        const path = join(top, "keys")
        writeFileSync(path, "secret")
        chmodSync(path, Number.parseInt(mode, 8))
        const read = PrivateFile.readKeys(path)
        assert.include(Result.isFailure(read) && read.failure.message, `chmod 600 ${path}`)
      }),
  )

  it("S16: reads a file that only its owner may read, as florin writes them", () =>
    Directory.within((top) => {
      const path = join(top, "keys")
      Effect.runSync(PrivateFile.write(path, "secret"))
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      for (const mode of [0o600, 0o400]) {
        chmodSync(path, mode)
        assert.strictEqual(Result.getOrThrow(PrivateFile.readKeys(path)), "secret")
      }
      assert.isUndefined(Result.getOrThrow(PrivateFile.readKeys(join(top, "none"))))
    }))

  it("S16: reads what systemd offers in the directory of credentials, and no subdirectory", () =>
    Directory.within((top) => {
      const given = process.env["CREDENTIALS_DIRECTORY"]
      const [path, below] = [join(top, "keys"), join(top, "below", "keys")]
      mkdirSync(join(top, "below"))
      for (const each of [path, below]) writeFileSync(each, "secret", { mode: 0o440 })
      try {
        process.env["CREDENTIALS_DIRECTORY"] = top
        assert.strictEqual(Result.getOrThrow(PrivateFile.readKeys(path)), "secret")
        assert.isTrue(Result.isFailure(PrivateFile.readKeys(below)))
      } finally {
        if (given === undefined) delete process.env["CREDENTIALS_DIRECTORY"]
        else process.env["CREDENTIALS_DIRECTORY"] = given
      }
    }))
})

describe("PrivateFile.makeDirectory", () => {
  it("makes no directory that could be lost in a power failure", () =>
    Directory.within((top) => {
      const make = PrivateFile.makeDirectory(join(top, "a", "b"))
      const seen = watched(top, () => Effect.runSync(make))
      assert.includeMembers([...seen], ["sync ", "sync a"])
    }))
})
