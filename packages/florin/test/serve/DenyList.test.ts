import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Screening } from "@florin/core/ports/Screening"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as DenyList from "../../src/serve/DenyList.ts"

const [one, two] = [1, 2].map((seed) => Wallet.make(seed).account(8453))
if (one === undefined || two === undefined) throw new Error("no accounts")

const file = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "florin-deny-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true })),
).pipe(Effect.map((directory) => join(directory, "deny.txt")))

const refused = Effect.flatMap(Screening, (screening) => screening.refused([one, two]))

describe("the deny list", () => {
  it.effect("S14: is read again while the service runs, and kept while it cannot be read", () =>
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, `# listed\n${one.address}\n`)
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* refused, [one])
        for (const [text, expected] of [
          [`${one.address}\n${two.address} # since today\n`, [one, two]],
          [`${two.address}\nno address\n`, [one, two]],
        ] as const) {
          writeFileSync(path, text)
          yield* TestClock.adjust("5 seconds")
          assert.deepStrictEqual(yield* refused, [...expected], text)
        }
        rmSync(path)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* refused, [one, two])
      }).pipe(Effect.provide(yield* DenyList.open(path)))
    }),
  )

  it.effect("S14: an address that is gone is let through after a second read without it", () =>
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, `${one.address}\n${two.address}\n`)
      yield* Effect.gen(function* () {
        // As a program leaves it that truncates the file and then writes it.
        for (const [text, expected] of [
          ["", [one, two]],
          [`${one.address}\n${two.address}\n`, [one, two]],
          [two.address, [one, two]],
          [two.address, [two]],
          ["", [two]],
          [one.address, [one, two]],
          [one.address, [one]],
          ["", [one]],
          ["", []],
        ] as const) {
          writeFileSync(path, text)
          yield* TestClock.adjust("5 seconds")
          assert.deepStrictEqual(yield* refused, [...expected], text)
        }
      }).pipe(Effect.provide(yield* DenyList.open(path)))
    }),
  )

  it.effect("is refused at the start if a line of it is no address", () =>
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, `\n${one.address}0\n`)
      const { message } = yield* Effect.flip(DenyList.open(path))
      assert.strictEqual(message, `denyList ${path}, line 2: an address is 0x and 40 hex digits`)
    }),
  )
})
