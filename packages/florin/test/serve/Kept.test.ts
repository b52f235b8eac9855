import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Vault } from "@florin/core/ports/Vault"
import { Effect, type Layer, Redacted } from "effect"
import type * as Place from "../../src/access/Place.ts"
import * as Kept from "../../src/serve/Kept.ts"
import * as VaultKey from "../../src/serve/VaultKey.ts"
import * as Program from "../program.ts"

const placeIn = (directory: string) =>
  ({ _tag: "Embedded", home: join(directory, "embedded") }) as const

const load = (directory: string) =>
  Effect.runPromise(Effect.provide(Kept.load(placeIn(directory)), Identifiers.layer))

const forCommand = (place: Place.Place) =>
  Kept.forCommand(place, null, []).pipe(
    Effect.map(({ vault }) => vault),
    Effect.provide(Identifiers.layer),
    Effect.runPromise,
  )

/** The vault of a service there, with keys that its operator gave or none. */
const vaultOf = (directory: string, ...given: ReadonlyArray<Uint8Array>) =>
  Kept.complete(placeIn(directory), null, given.map(VaultKey.make)).pipe(
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
      const file = Kept.file(placeIn(directory))
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
      const file = Kept.file(placeIn(directory))
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
      const file = Kept.file(placeIn(directory))
      writeFileSync(file, damaged)
      const refused = await load(directory).then(
        () => assert.fail("they were read"),
        (error: unknown) => String(error),
      )
      assert.include(refused, `${file} does not contain the keys of this service: restore it`)
      assert.strictEqual(readFileSync(file, "utf8"), damaged)
    }),
  )

  it("S30: open sealed texts for the commands, and for a service that later gets another vault key", () =>
    Program.inDirectory(async (directory) => {
      const text = Uint8Array.of(1, 2, 3)
      const sealed = await using(await vaultOf(directory), ({ seal }) => seal("place", text))
      const vaults = [
        await forCommand(placeIn(directory)),
        await vaultOf(directory, new Uint8Array(32)),
      ]
      for (const each of vaults) {
        // oxlint-disable-next-line no-await-in-loop -- One after the other.
        assert.deepStrictEqual(await using(each, ({ open }) => open("place", sealed)), text)
      }
    }))

  it("S30: are not made by a command for a database, whose service may be elsewhere", () =>
    Program.inDirectory(async (directory) => {
      const home = join(directory, "server")
      const place = {
        _tag: "Server",
        home,
        url: Redacted.make("postgres://db.example"),
        schema: "florin",
      } as const
      const vault = await forCommand(place)
      const refused = await using(vault, ({ seal }) => seal("place", Uint8Array.of(1))).then(
        () => assert.fail("it was sealed"),
        (error: unknown) => String(error),
      )
      assert.include(refused, "FLORIN_VAULT_KEY is required")
      assert.isFalse(existsSync(Kept.file(place)))
    }))
})
