/**
 * The contract of the vault port as tests: every adapter runs the same ones.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import { Vault } from "@florin/core/ports/Vault"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Counts from "./Counts.ts"

const place = "pay_1/name"
const text = "Ada Lovelace"
/** A new array each time, because a vault may keep a reference to it. */
const plain = () => new TextEncoder().encode(text)

const runs = Counts.of({ usual: 100, full: 10_000 })
const bytes = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))),
  ),
  (list) => Uint8Array.from(list),
)
const places = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]*$/u)))

/** Fails unless the vault refuses to open this data for this place. */
const isRefused = Effect.fnUntraced(function* (where: string, sealed: Uint8Array) {
  const vault = yield* Vault
  const failure = yield* Effect.flip(vault.open(where, sealed))
  assert.strictEqual(failure._tag, "VaultRefused")
})

/**
 * Registers the suite for an adapter. The layer is built once.
 *
 * @example
 * VaultSuite.suite("AES-256-GCM", VaultAes.layer(keys))
 */
export const suite = (name: string, vaults: Layer.Layer<Vault, unknown>): void =>
  // A vault may run on another machine, which needs the real clock.
  layer(vaults, { excludeTestServices: true })(`Vault: ${name}`, (it) => {
    it.effect.prop(
      "opens a value that it sealed, in the same place",
      [places, bytes],
      Effect.fnUntraced(function* ([where, each]) {
        const vault = yield* Vault
        assert.deepStrictEqual(yield* vault.open(where, yield* vault.seal(where, each)), each)
      }),
      { arbitrary: { runs } },
    )

    it.effect("opens a value any number of times", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const sealed = yield* vault.seal(place, plain())
        const opened = yield* vault.open(place, sealed)
        // Wiping opened data does not affect the next caller.
        opened.fill(0)
        assert.deepStrictEqual(yield* vault.open(place, sealed), plain())
      }),
    )

    it.effect("keeps the sealed value if the caller wipes its copy", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const given = plain()
        const sealed = yield* vault.seal(place, given)
        given.fill(0)
        assert.deepStrictEqual(yield* vault.open(place, sealed), plain())
      }),
    )

    it.effect("A5: reveals nothing to the storage", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const sealed = yield* vault.seal(place, plain())
        assert.notInclude(new TextDecoder("latin1").decode(sealed), text.slice(0, 4))
      }),
    )

    it.effect("seals the same value to two different texts", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const sealed = yield* Effect.forEach(Array.from({ length: runs }), () =>
          Effect.map(vault.seal(place, plain()), (each) => each.join()),
        )
        assert.strictEqual(new Set(sealed).size, runs)
      }),
    )

    it.effect.prop(
      "A5: does not open a value in another place",
      [places, places, bytes],
      Effect.fnUntraced(function* ([where, elsewhere, each]) {
        const vault = yield* Vault
        const sealed = yield* vault.seal(where, each)
        if (where !== elsewhere) yield* isRefused(elsewhere, sealed)
        yield* isRefused(`${where} `, sealed)
      }),
      { arbitrary: { runs } },
    )

    it.effect("refuses a change of any bit", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const sealed = yield* vault.seal(place, plain())
        for (const [index, byte] of sealed.entries()) {
          for (let bit = 0; bit < 8; bit++) {
            yield* isRefused(place, sealed.with(index, byte ^ (1 << bit)))
          }
        }
      }),
    )

    it.effect("refuses a text that was cut or lengthened", () =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const sealed = yield* vault.seal(place, plain())
        for (const index of sealed.keys()) {
          yield* isRefused(place, sealed.slice(0, index))
          yield* isRefused(place, sealed.slice(index + 1))
        }
        yield* isRefused(place, Uint8Array.of(...sealed, 0))
        yield* isRefused(place, Uint8Array.of(0, ...sealed))
      }),
    )

    it.effect.prop(
      "refuses a text that was never sealed",
      [bytes],
      ([each]) => isRefused(place, each),
      {
        arbitrary: { runs },
      },
    )
  })
