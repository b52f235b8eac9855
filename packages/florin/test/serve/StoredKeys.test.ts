import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Vault } from "@florin/core/ports/Vault"
import { Effect, type Layer } from "effect"
import * as StoredKeys from "../../src/serve/StoredKeys.ts"
import * as VaultKey from "../../src/serve/VaultKey.ts"
import * as Program from "../program.ts"

const placeIn = (directory: string) =>
  ({ _tag: "Embedded", home: join(directory, "embedded") }) as const

const load = (directory: string) =>
  Effect.runPromise(Effect.provide(StoredKeys.load(placeIn(directory)), Identifiers.layer))

/** The vault of a service there, with keys that its operator gave or none. */
const vaultOf = (directory: string, ...given: ReadonlyArray<Uint8Array>) =>
  StoredKeys.complete(placeIn(directory), null, given.map(VaultKey.make)).pipe(
    Effect.map(({ vault }) => vault),
    Effect.provide(Identifiers.layer),
    Effect.runPromise,
  )

const using = <A, E>(
  vault: Layer.Layer<Vault, unknown>,
  act: (vault: Vault["Service"]) => Effect.Effect<A, E>,
) => Effect.runPromise(Effect.provide(Effect.flatMap(Vault, act), vault))

describe("the saved keys of an embedded storage", () => {
  it("are the same at the next start", () =>
    Program.inDirectory(async (directory) => {
      const [first, second] = [await load(directory), await load(directory)]
      assert.deepStrictEqual(first.sealKey, second.sealKey)
      assert.strictEqual(first.vaultKey.id, second.vaultKey.id)
    }))

  it("S16: are readable only by their owner, and refused otherwise", () =>
    Program.inDirectory(async (directory) => {
      await load(directory)
      const file = StoredKeys.file(placeIn(directory))
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      chmodSync(file, 0o644)
      const refused = await load(directory).then(
        () => assert.fail("they were read"),
        (error: unknown) => String(error),
      )
      assert.include(refused, `chmod 600 ${file}`)
    }))

  it("S30: are never replaced when the file cannot be opened", () =>
    Program.inDirectory(async (directory) => {
      const file = StoredKeys.file(placeIn(directory))
      mkdirSync(file, { recursive: true, mode: 0o700 })
      const refused = await load(directory).then(
        () => assert.fail("they were made"),
        (error: unknown) => String(error),
      )
      assert.include(refused, "does not contain the keys of this service")
    }))

  it.each(["", '{"sealKey":"AAAA"'])("S30: are never replaced if %j cannot be read", (damaged) =>
    Program.inDirectory(async (directory) => {
      await load(directory)
      const file = StoredKeys.file(placeIn(directory))
      writeFileSync(file, damaged)
      const refused = await load(directory).then(
        () => assert.fail("they were read"),
        (error: unknown) => String(error),
      )
      assert.include(refused, `${file} does not contain the keys of this service: restore it`)
      assert.strictEqual(readFileSync(file, "utf8"), damaged)
    }),
  )

  it("S30: open sealed texts when the service later gets another vault key", () =>
    Program.inDirectory(async (directory) => {
      const text = Uint8Array.of(1, 2, 3)
      const sealed = await using(await vaultOf(directory), ({ seal }) => seal("place", text))
      const later = await vaultOf(directory, new Uint8Array(32))
      assert.deepStrictEqual(await using(later, ({ open }) => open("place", sealed)), text)
    }))
})
