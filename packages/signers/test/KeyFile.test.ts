import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KeyFile from "../src/KeyFile.ts"
import * as SignerSuite from "../src/SignerSuite.ts"
import { address, key } from "../test-support/asked.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "florin-key-file-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
)

const written = (path: string, text: string) => {
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

SignerSuite.suite(
  "a key file",
  ["another account"],
  Effect.map(directory, (place) => {
    const of = (path: string) => KeyFile.account({ address, path })
    const honest = of(written(join(place, "key"), `${key}\n`))
    return {
      honest,
      // A file cannot lie, but be exchanged between two looks at it: that is what the other side is here.
      lying: (lie) => ({
        ...honest,
        signTransaction: async (asked) => {
          const raw = await SignerSuite.lies[lie](asked, key)
          return `0x${raw.slice(2)}`
        },
      }),
      slow: { ...honest, signTransaction: () => new Promise(() => {}) },
      down: of(join(place, "nothing")),
      secrets: [key, key.slice(2)],
    }
  }),
)

describe("KeyFile.open", () => {
  it.effect("S16: opens the key of the named account, and reports any other contents", () =>
    Effect.scoped(
      Effect.map(directory, (place) => {
        const path = join(place, "key")
        const says = (of: string) => {
          try {
            return KeyFile.open({ address: of, path }).address
          } catch (error) {
            return error instanceof Error ? error.message : ""
          }
        }
        assert.include(says(address), "cannot be read")
        written(path, key)
        assert.strictEqual(says(address), address.toLowerCase())
        assert.include(says(`0x${"1".repeat(40)}`), "holds the key of another account")
        chmodSync(path, 0o640)
        assert.include(says(address), `chmod 600 ${path}`)
        chmodSync(path, 0o600)
        for (const text of ["", "0x", `0x${"0".repeat(64)}`, `${key} ${key}`]) {
          written(path, text)
          assert.include(says(address), "holds no private key")
          if (text.length > 2) assert.notInclude(says(address), text)
        }
      }),
    ),
  )
})
