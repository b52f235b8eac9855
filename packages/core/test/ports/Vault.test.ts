import { assert, describe, it } from "@effect/vitest"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Vault } from "@florin/core/ports/Vault"
import { Effect, Layer } from "effect"

const plain = new TextEncoder().encode("Ada Lovelace")
const layer = Vault.layerMemory.pipe(Layer.provide(Identifiers.layerSeeded("vault")))

describe("Vault.layerMemory", () => {
  it.effect("opens what it sealed, in its place", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const sealed = yield* vault.seal("pay_1/name", plain)
      assert.deepStrictEqual(yield* vault.open("pay_1/name", sealed), plain)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("tells the storage nothing", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const first = yield* vault.seal("pay_1/name", plain)
      const second = yield* vault.seal("pay_1/name", plain)
      assert.notDeepEqual(first, second)
      assert.notInclude(new TextDecoder().decode(first), "Ada")
    }).pipe(Effect.provide(layer)),
  )

  it.effect("refuses what was moved, changed or never sealed", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const sealed = yield* vault.seal("pay_1/name", plain)
      const attempts = [
        vault.open("pay_2/name", sealed),
        vault.open("pay_1/dob", sealed),
        vault.open("pay_1/name", sealed.with(0, (sealed[0] ?? 0) ^ 1)),
        vault.open("pay_1/name", sealed.slice(1)),
        vault.open("pay_1/name", new Uint8Array(0)),
      ]
      for (const attempt of attempts) {
        assert.strictEqual((yield* Effect.flip(attempt))._tag, "VaultRefused")
      }
    }).pipe(Effect.provide(layer)),
  )
})
