import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as SeededIdentifiers from "@florin/testing/SeededIdentifiers"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"

const everyKind = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  return yield* Effect.all([
    identifiers.payment,
    identifiers.partner,
    identifiers.merchant,
    identifiers.destination,
    identifiers.refund,
    identifiers.key,
    identifiers.endpoint,
  ])
})

describe("Identifiers", () => {
  it.effect("have their prefix, and 30 letters or digits", () =>
    Effect.gen(function* () {
      const ids = yield* everyKind
      assert.deepStrictEqual(
        ids.map((id) => id.replace(/[0-9A-Za-z]{30}$/u, "")),
        ["pay_", "prtn_", "mrch_", "crypto_", "rfnd_", "key_", "whk_"],
      )
      const [payment = ""] = ids
      assert.isTrue(Result.isSuccess(PaymentId.parse(payment)))
    }).pipe(Effect.provide(Identifiers.layer)),
  )

  it.effect("A3: never repeat, and have different random parts at the same time", () =>
    Effect.gen(function* () {
      const identifiers = yield* Identifiers
      const ids = yield* Effect.all(Array.from({ length: 2000 }, () => identifiers.payment))
      assert.strictEqual(new Set(ids).size, ids.length)
      const randomParts = ids.map((id) => id.slice(-22))
      // 130 random bits: in each place every one of 62 characters turns up.
      for (let place = 0; place < 22; place++) {
        assert.strictEqual(new Set(randomParts.map((part) => part.charAt(place))).size, 62)
      }
    }).pipe(Effect.provide(Identifiers.layer)),
  )

  it.effect("sort by the time at which they were created", () =>
    Effect.gen(function* () {
      const identifiers = yield* Identifiers
      const ids: Array<string> = []
      for (const time of [1, 61, 62, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000]) {
        yield* TestClock.setTime(time)
        ids.push(yield* identifiers.merchant)
      }
      assert.deepStrictEqual(ids.toSorted(), ids)
    }).pipe(Effect.provide(Identifiers.layer)),
  )

  it.effect("returns as many random bytes as are requested", () =>
    Effect.gen(function* () {
      const identifiers = yield* Identifiers
      for (const length of [1, 31, 32, 33, 100]) {
        assert.strictEqual((yield* identifiers.randomBytes(length)).length, length)
      }
    }).pipe(Effect.provide(SeededIdentifiers.layer("bytes"))),
  )

  it.effect("are the same for the same seed, and different for another seed", () =>
    Effect.gen(function* () {
      const seeded = (seed: string) =>
        Effect.provide(Effect.all([everyKind, everyKind]), SeededIdentifiers.layer(seed))
      const first = yield* seeded("one")
      assert.deepStrictEqual(yield* seeded("one"), first)
      assert.notDeepEqual(yield* seeded("two"), first)
      assert.strictEqual(new Set(first.flat()).size, 14)
    }),
  )
})
