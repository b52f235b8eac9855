import fs, { readFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join, relative } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/PaymentId"
import { Effect, Exit } from "effect"
import * as PrivateFile from "../src/access/PrivateFile.ts"
import * as Unfinished from "../src/pay/Unfinished.ts"
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
  it("is done once power may fail: every directory that it made, the text, then the name", () =>
    Directory.within((top) => {
      const path = join(top, "a", "b", "file")
      const write = (text: string) =>
        watched(top, () => Effect.runSync(PrivateFile.write(path, text)))
      const again = ["sync a/b/file.draft", "rename a/b/file.draft", "sync a/b"]
      assert.deepStrictEqual(write("one"), ["sync a", "sync ", ...again])
      assert.deepStrictEqual(write("two"), again)
      assert.strictEqual(readFileSync(path, "utf8"), "two")
    }))

  it("fails where a directory is not synced, unless its file system knows no such thing", () =>
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

describe("Unfinished.alone", () => {
  it("makes no directory that could be gone, with what is kept there, once power fails", () =>
    Directory.within((top) => {
      const lock = Unfinished.alone(join(top, "a", "paying"), PaymentId.PaymentId.make("pay_1"))
      const seen = watched(top, () => Effect.runSync(Effect.scoped(lock)))
      assert.includeMembers([...seen], ["sync ", "sync a"])
    }))
})
