import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { type KeyWithPartner, AccountStore } from "@florin/core/ports/AccountStore"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Callers from "@florin/testing/Callers"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Stores from "@florin/testing/Stores"
import { Context, Deferred, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Connection from "../src/Connection.ts"
import * as RememberedKeys from "../src/storage/RememberedKeys.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import * as StorageTime from "../src/StorageTime.ts"
import * as Databases from "../test-support/databases.ts"

const { now } = Fixtures
let worlds = 0

const nobody = new NotFound({ what: "key", message: "there is no such key" })

/** A database with one partner's key in it that counts its look-ups. */
const begin = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const world = Fixtures.make(`k${++worlds}`)
  const key = world.apiKey()
  const rows = new Map<ApiKey.KeyHash, KeyWithPartner>()
  const put = (each: ApiKey.ApiKey, partner = world.partner()) =>
    rows.set(each.hash, { key: each, partner })
  put(key)
  const lookUps = { count: 0 }
  const remembered = RememberedKeys.make()
  const read = (hash: ApiKey.KeyHash) =>
    Effect.suspend(() => {
      lookUps.count += 1
      const row = rows.get(hash)
      return row === undefined ? Effect.fail(nobody) : Effect.succeed(row)
    })
  const find = (hash: ApiKey.KeyHash = key.hash) => remembered.find(hash, read(hash))
  /** How many look-ups an effect costs. */
  const cost = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const before = lookUps.count
      return Effect.map(Effect.exit(effect), () => lookUps.count - before)
    })
  return { world, key, put, remembered, find, cost }
})

describe("a remembered API key", () => {
  it.effect("is looked up once in a while", () =>
    Effect.gen(function* () {
      const { cost, find, key, world } = yield* begin
      assert.strictEqual(yield* cost(find()), 1)
      yield* TestClock.adjust(Limits.keyRememberedInMs - 1)
      assert.strictEqual(yield* cost(find()), 0)
      assert.deepStrictEqual(yield* find(), { key, partner: world.partner() })
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* cost(find()), 1)
      assert.strictEqual(yield* cost(find()), 0)
    }),
  )

  it.effect("P7: is read again if the clock was set back", () =>
    Effect.gen(function* () {
      const { cost, find } = yield* begin
      yield* find()
      yield* TestClock.setTime(now - 1)
      assert.strictEqual(yield* cost(find()), 1)
    }),
  )

  it.effect("does not affect another key", () =>
    Effect.gen(function* () {
      const { find, key, put, world } = yield* begin
      const live = world.apiKey({ mode: "live" })
      const foreign = world.apiKey({
        owner: { _tag: "Partner", partnerId: world.other.partnerId },
      })
      const stranger = world.partner({ id: world.other.partnerId, name: "Another partner" })
      put(live)
      put(foreign, stranger)
      for (const _ of ["read", "remembered"]) {
        assert.deepStrictEqual(yield* find(key.hash), { key, partner: world.partner() })
        assert.deepStrictEqual(yield* find(live.hash), { key: live, partner: world.partner() })
        assert.deepStrictEqual(yield* find(foreign.hash), { key: foreign, partner: stranger })
      }
    }),
  )

  it.effect("is forgotten when it is written, and other keys are not", () =>
    Effect.gen(function* () {
      const { cost, find, key, put, remembered, world } = yield* begin
      const another = world.apiKey()
      put(another)
      yield* find()
      yield* find(another.hash)
      const revoked = ApiKey.revoke(key, now)
      yield* remembered.writingKeys(
        [revoked],
        Effect.sync(() => put(revoked)),
      )
      assert.deepStrictEqual((yield* find()).key, revoked)
      assert.strictEqual(yield* cost(find(another.hash)), 0)
    }),
  )

  it.effect("is forgotten even if the write's result is unknown", () =>
    Effect.gen(function* () {
      const { cost, find, key, remembered } = yield* begin
      yield* find()
      yield* Effect.flip(remembered.writingKeys([key], Effect.fail("gone")))
      assert.strictEqual(yield* cost(find()), 1)
    }),
  )

  it.effect("is forgotten when a partner is written", () =>
    Effect.gen(function* () {
      const { find, key, put, remembered, world } = yield* begin
      yield* find()
      const renamed = world.partner({ name: "Renamed" })
      yield* remembered.writingPartner(Effect.sync(() => put(key, renamed)))
      assert.deepStrictEqual((yield* find()).partner, renamed)
    }),
  )

  it.effect("is not stored if it was written during the lookup", () =>
    Effect.gen(function* () {
      const { cost, find, key, put, remembered, world } = yield* begin
      const read = yield* Deferred.make<KeyWithPartner>()
      const slow = yield* Effect.forkChild(remembered.find(key.hash, Deferred.await(read)), {
        startImmediately: true,
      })
      const revoked = ApiKey.revoke(key, now)
      yield* remembered.writingKeys(
        [revoked],
        Effect.sync(() => put(revoked)),
      )
      yield* Deferred.succeed(read, { key, partner: world.partner() })
      assert.isNull((yield* Fiber.join(slow)).key.revokedAt)
      assert.deepStrictEqual((yield* find()).key, revoked)
      assert.strictEqual(yield* cost(find()), 1)
    }),
  )

  it.effect("is never an unknown or revoked key", () =>
    Effect.gen(function* () {
      const { cost, find, put, world } = yield* begin
      const made = world.apiKey()
      const refused = [
        world.apiKey({ revokedAt: now }),
        world.apiKey({ expiresAt: now }),
        world.apiKey({ rotation: { to: made.id, graceEndsAt: now } }),
      ]
      for (const each of refused) put(each)
      for (const { hash } of [made, ...refused]) {
        assert.strictEqual(yield* cost(find(hash)), 1)
        assert.strictEqual(yield* cost(find(hash)), 1)
      }
    }),
  )

  it.effect("is replaced by newer ones, so that there are never many", () =>
    Effect.gen(function* () {
      const { cost, find, key: kept, put, world } = yield* begin
      const findNew = Effect.suspend(() => {
        const each = world.apiKey()
        put(each)
        return Effect.as(find(each.hash), each)
      })
      yield* find(kept.hash)
      yield* TestClock.adjust(Limits.keyRememberedInMs)
      const oldest = yield* findNew
      yield* find(kept.hash)
      yield* Effect.repeat(findNew, { times: 10_000 - 3 })
      for (const each of [oldest, kept]) assert.strictEqual(yield* cost(find(each.hash)), 0)
      yield* findNew
      assert.strictEqual(yield* cost(find(kept.hash)), 0)
      assert.strictEqual(yield* cost(find(oldest.hash)), 1)
    }),
  )
})

describe("two processes on one database", () => {
  it.effect("see each other's changes of a key after a moment", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const url = Redacted.make(yield* Databases.address("migrated"))
      const process = Layer.build(
        Layer.fresh(
          Layer.merge(
            StoragePostgres.layer.pipe(
              Layer.provide(Connection.layer({ url })),
              Layer.provide(StorageTime.layerUnchecked),
            ),
            Identifiers.layer,
          ),
        ),
      )
      const [here, there] = [yield* process, yield* process]
      const accounts = Context.get(here, AccountStore)
      const world = Fixtures.make("processes")
      const issued = Result.getOrThrow(
        ApiKey.issue(
          {
            id: ApiKey.ApiKeyId.make("key_1"),
            random: new Uint8Array(ApiKey.randomBytesMin),
            mode: "test",
            owner: { _tag: "Partner", partnerId: world.tenant.partnerId },
            name: "Backend",
            expiresAt: now + 2 * Limits.keyRememberedInMs,
          },
          now,
        ),
      )
      yield* Stores.putPartner(accounts, world.partner())
      yield* accounts.putKeys([issued.record])
      const callIn = (one: typeof here) =>
        Effect.exit(Effect.provide(Callers.authenticate(issued.text), one))
      for (const each of [here, there]) {
        // The first call notes the key's use, and so forgets it.
        yield* callIn(each)
        assert.strictEqual((yield* callIn(each))._tag, "Success")
      }
      yield* Effect.provide(Keys.revoke(issued.record.id), here)
      assert.strictEqual((yield* callIn(here))._tag, "Failure")
      assert.strictEqual((yield* callIn(there))._tag, "Success")
      yield* TestClock.adjust(Limits.keyRememberedInMs)
      assert.strictEqual((yield* callIn(there))._tag, "Failure")
    }),
  )
})
