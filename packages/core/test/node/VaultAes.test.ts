import { createDecipheriv } from "node:crypto"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as VaultSuite from "@florin/testing/VaultSuite"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as VaultAes from "../../src/node/VaultAes.ts"
import { Vault } from "../../src/ports/Vault.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const place = "pay_1/name"
const plain = bytesOf("Ada Lovelace")

const keyOf = (id: string, text = id.padEnd(32, "!")): VaultAes.Key => ({
  id,
  key: Redacted.make(bytesOf(text)),
})
const [first, second, third] = [keyOf("first"), keyOf("second"), keyOf("third")]

/** The vault of another process, or of a later release. */
const vaultOf = (...[current, ...previous]: readonly [VaultAes.Key, ...Array<VaultAes.Key>]) =>
  Effect.map(Layer.build(VaultAes.layer({ current, previous })), (built) =>
    Context.get(built, Vault),
  )

VaultSuite.suite("AES-256-GCM", VaultAes.layer({ current: first, previous: [second] }))

describe("VaultAes", () => {
  it.effect("writes its version, the key's id, a nonce, the ciphertext and its tag", () =>
    Effect.gen(function* () {
      const sealed = yield* (yield* vaultOf(first)).seal(place, plain)
      const header = Uint8Array.of(1, 5, ...bytesOf("first"))
      assert.deepStrictEqual(sealed.subarray(0, 7), header)
      assert.strictEqual(sealed.length, 7 + 12 + plain.length + 16)
      const decipher = createDecipheriv(
        "aes-256-gcm",
        Redacted.value(first.key),
        sealed.subarray(7, 19),
      )
      decipher.setAAD(Uint8Array.of(...header, ...bytesOf(place)))
      decipher.setAuthTag(sealed.subarray(-16))
      const opened = decipher.update(sealed.subarray(19, -16), undefined, "utf8")
      assert.strictEqual(opened + decipher.final("utf8"), "Ada Lovelace")
    }),
  )

  it.effect("never uses a nonce twice", () =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(first)
      const count = Counts.of({ usual: 1000, full: 100_000 })
      const nonces = yield* Effect.forEach(Array.from({ length: count }), () =>
        Effect.map(vault.seal(place, plain), (sealed) => sealed.subarray(7, 19).join()),
      )
      assert.strictEqual(new Set(nonces).size, count)
    }),
  )

  it.effect("is read by other processes with the same keys", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* vaultOf(first), yield* vaultOf(first)]
      assert.deepStrictEqual(yield* other.open(place, yield* one.seal(place, plain)), plain)
    }),
  )

  it.effect("opens during a rotation what each key sealed, and seals with the newest", () =>
    Effect.gen(function* () {
      const before = yield* (yield* vaultOf(first)).seal(place, plain)
      const rotated = yield* vaultOf(second, first)
      const after = yield* rotated.seal(place, plain)
      assert.deepStrictEqual(yield* rotated.open(place, before), plain)
      assert.deepStrictEqual(yield* (yield* vaultOf(second)).open(place, after), plain)
      const twice = yield* vaultOf(third, second, first)
      assert.deepStrictEqual(yield* twice.open(place, before), plain)
      assert.deepStrictEqual(yield* twice.open(place, after), plain)
    }),
  )

  it.effect("refuses what a missing key sealed, and says so", () =>
    Effect.gen(function* () {
      const sealed = yield* (yield* vaultOf(first)).seal(place, plain)
      const refused = yield* Effect.flip((yield* vaultOf(second)).open(place, sealed))
      assert.strictEqual(
        refused.message,
        "encrypted with a key that this vault does not have: add it as a previous key",
      )
    }),
  )

  it.effect("refuses another key with the same id", () =>
    Effect.gen(function* () {
      const sealed = yield* (yield* vaultOf(first)).seal(place, plain)
      const impostor = yield* vaultOf(keyOf("first", "?".repeat(32)))
      assert.strictEqual((yield* Effect.flip(impostor.open(place, sealed)))._tag, "VaultRefused")
    }),
  )

  it.effect("does not confuse the header with the place", () =>
    Effect.gen(function* () {
      const [short, long] = ["a", "ab"].map((id) => keyOf(id, "!".repeat(32)))
      if (short === undefined || long === undefined) return assert.fail("no keys")
      const vault = yield* vaultOf(short, long)
      const sealed = yield* vault.seal("bc", plain)
      const renamed = Uint8Array.of(1, 2, ...bytesOf("ab"), ...sealed.subarray(3))
      assert.strictEqual((yield* Effect.flip(vault.open("c", renamed)))._tag, "VaultRefused")
    }),
  )
})

describe("vault keys", () => {
  const refused = (keys: VaultAes.Keys) =>
    Effect.map(Effect.flip(Effect.scoped(Layer.build(VaultAes.layer(keys)))), (failure) => {
      assert.strictEqual(failure._tag, "Malformed")
      return failure.message
    })

  for (const length of [0, 1, 16, 24, 31, 33, 64]) {
    it.effect(`have 32 bytes, not ${length}`, () =>
      Effect.gen(function* () {
        const wrong = keyOf("wrong", "!".repeat(length))
        const rule = `has ${length} bytes, and needs 32: make one with "openssl rand 32"`
        assert.strictEqual(yield* refused({ current: wrong }), `the current vault key ${rule}`)
        assert.strictEqual(
          yield* refused({ current: first, previous: [second, wrong] }),
          `previous vault key 2 ${rule}`,
        )
      }),
    )
  }

  it.effect("have different ids", () =>
    Effect.gen(function* () {
      const rule = "is also another key's: give each key its own"
      assert.strictEqual(
        yield* refused({ current: first, previous: [second, first] }),
        `the id of previous vault key 2 ${rule}`,
      )
    }),
  )

  for (const id of ["", "a".repeat(33), "a key", "ключ", "a/b", "a\n"]) {
    it.effect(`have short ids of plain characters, not ${JSON.stringify(id)}`, () =>
      Effect.gen(function* () {
        const message = yield* refused({ current: keyOf(id, "!".repeat(32)) })
        assert.strictEqual(
          message,
          'the id of the current vault key must be 1 to 32 letters, digits, "_", "." or "-"',
        )
      }),
    )
  }

  it.effect("may have any id of that form", () =>
    Effect.gen(function* () {
      for (const id of ["a", "2026-11", "KMS.eu_1", "a".repeat(32)]) {
        const vault = yield* vaultOf(keyOf(id, "!".repeat(32)))
        assert.deepStrictEqual(yield* vault.open(place, yield* vault.seal(place, plain)), plain)
      }
    }),
  )

  const canary = "CANARY-of-a-key-that-never-leaks"
  const forms = [
    canary,
    Buffer.from(canary).toString("hex"),
    Buffer.from(canary).toString("base64"),
    Buffer.from(canary).join(),
  ].map((form) => form.slice(0, 20))

  const isClean = (what: unknown): boolean => {
    const texts = [String(what), inspect(what, { depth: 10 })]
    return texts.every((text) => {
      const bare = text.replaceAll(/\s/gu, "")
      return !forms.some((form) => bare.includes(form))
    })
  }

  it("can be searched for in memory dumps", () => {
    const bytes = bytesOf(canary)
    for (const leak of [canary, bytes, Buffer.from(bytes), { of: { keys: [bytes] } }]) {
      assert.isFalse(isClean(leak))
    }
  })

  const hostile = Arbitrary.schema(
    Schema.Struct({
      sealed: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))),
      header: Schema.Literals(["", "\u0001\u0006canary", "\u0001\u0005other"]),
    }),
  )

  it.effect.prop(
    "never appear in the vault's results, nor in the vault",
    [hostile],
    Effect.fnUntraced(function* ([{ header, sealed }]) {
      const vault = yield* vaultOf(keyOf("canary", canary))
      assert.isTrue(isClean(vault))
      const given = Uint8Array.of(...bytesOf(header), ...sealed)
      assert.isTrue(isClean(yield* Effect.exit(vault.open(place, given))))
    }),
    { arbitrary: { runs: Counts.of({ usual: 100, full: 10_000 }) } },
  )

  it.effect("never appear in error messages", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<VaultAes.Keys> = [
        { current: keyOf("canary", `${canary}.`) },
        // A key where its id belongs.
        { current: keyOf(`${canary}.`, canary) },
        { current: keyOf("canary", canary), previous: [keyOf("canary", canary)] },
      ]
      for (const keys of wrong) {
        assert.isTrue(isClean(keys.current.key))
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(VaultAes.layer(keys))))
        assert.isTrue(Exit.isFailure(exit))
        assert.isTrue(isClean(exit))
      }
    }),
  )
})
