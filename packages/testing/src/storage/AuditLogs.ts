/**
 * The audit log: written together with what it describes, never changed, listed newest first.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Claim from "@florin/core/domain/chain/Claim"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import { findPartner } from "@florin/core/ports/AccountStore"
import { AuditStore, type Listed } from "@florin/core/ports/AuditStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import { begin, applyEffects, failsWith, type It, range, type Scene } from "./Scene.ts"

const { now } = Fixtures

const entryOf = (
  { world }: Pick<Scene, "world">,
  overrides: Partial<AuditLog.Entry> = {},
): AuditLog.Entry => ({
  id: `aud_${world.next()}`,
  at: now,
  action: "merchant.changed",
  ...world.tenant,
  subject: "mrch_1",
  actor: { _tag: "Key", keyId: world.apiKey().id },
  requestId: "req_1",
  changes: [{ field: "merchantName", from: "Old", to: "ünï '\"\\" }, { field: "merchantEmail" }],
  ...overrides,
})

const entriesOf = (listed: ReadonlyArray<Listed>) => listed.map(({ entry }) => entry)

/** Adds entries that describe no write. */
const add = (store: AuditStore["Service"], entries: ReadonlyArray<AuditLog.Entry>) =>
  Effect.forEach(entries, (entry) => store.record(Effect.void, () => entry), { discard: true })

const all = { after: null, limit: 1000 }

export const auditRules = (it: It): void => {
  it.effect("S11: keeps an entry with the write that it describes", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const store = yield* AuditStore
      const entry = entryOf(scene)
      const partner = world.partner({ name: "Renamed" })
      const result = yield* store.record(
        Effect.as(Stores.putPartner(accounts, partner), 7),
        (written) => {
          assert.strictEqual(written, 7)
          return entry
        },
      )
      assert.strictEqual(result, 7)
      assert.deepStrictEqual(yield* findPartner(accounts, partner.id), partner)
      const { hasMore, items } = yield* store.entries(world.tenant, all)
      assert.deepStrictEqual(entriesOf(items), [entry])
      assert.isFalse(hasMore)
    }),
  )

  it.effect("S11: keeps no entry of a write that failed or that brings no entry", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, create, payments, world } = scene
      const store = yield* AuditStore
      const payment = yield* create()
      const refused = payments.modifyPayment(payment.id, () =>
        Result.fail({ _tag: "Refused" as const }),
      )
      yield* failsWith(
        "Refused",
        store.record(refused, () => entryOf(scene)),
      )
      yield* store.record(Stores.putPartner(accounts, world.partner()), () => null)
      assert.deepStrictEqual((yield* store.entries(world.tenant, all)).items, [])
    }),
  )

  it.effect("S11: names the claim that refuses a recorded write, and stores nothing of it", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { create, payments, world } = scene
      const store = yield* AuditStore
      const [first, second] = [yield* create(), yield* create()]
      const claim = Claim.ofAuthorization(world.attempt(first).option)
      yield* payments.modifyPayment(first.id, applyEffects({ claims: [claim] }))
      const taken = payments.modifyPayment(second.id, applyEffects({ claims: [claim] }))
      yield* failsWith(
        "ClaimTaken",
        store.record(taken, () => entryOf(scene)),
      )
      assert.deepStrictEqual((yield* store.entries(world.tenant, all)).items, [])
    }),
  )

  it.effect("S11: returns a key as a recorded write left it", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const store = yield* AuditStore
      const key = world.apiKey()
      yield* accounts.putKeys([key])
      yield* accounts.keyByHash(key.hash)
      const revoked = { ...key, revokedAt: now }
      // Until the write is committed, others may read the earlier state.
      const write = Effect.tap(accounts.putKeys([revoked]), accounts.keyByHash(key.hash))
      yield* store.record(write, () => entryOf(scene))
      assert.deepStrictEqual((yield* accounts.keyByHash(key.hash)).key, revoked)
    }),
  )

  it.effect("S11: creates a payment with its entry, once per key", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, world } = scene
      const store = yield* AuditStore
      const change = world.createPayment({})
      const [once, entry] = [world.once(), entryOf(scene, { action: "payment.created" })]
      yield* payments.createPayment(change, once, "{}", now, entry)
      const again = world.createPayment({})
      yield* payments.createPayment(again, once, "{}", now, entryOf(scene))
      assert.deepStrictEqual(entriesOf((yield* store.entries(world.tenant, all)).items), [entry])
    }),
  )

  it.effect(
    "S11: lists the newest first, page by page, by partner, mode, action, time and subject",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { world } = scene
        const store = yield* AuditStore
        const { partnerId } = world.tenant
        const entries = range(5).map((index) =>
          entryOf(scene, { at: now + index, subject: `mrch_${index}` }),
        )
        const others = [
          entryOf(scene, { partnerId: world.other.partnerId }),
          entryOf(scene, { partnerId: null, mode: "live", action: "chain.resumed" }),
        ]
        const ofLive = entryOf(scene, { mode: "live", action: "key.revoked" })
        const ofBoth = entryOf(scene, { mode: null, action: "partner.changed" })
        yield* add(store, [...entries, ...others, ofLive, ofBoth])
        const newest = entries.toReversed()

        const first = yield* store.entries({ partnerId, mode: "test" }, { after: null, limit: 3 })
        assert.deepStrictEqual(entriesOf(first.items), [ofBoth, ...newest.slice(0, 2)])
        assert.isTrue(first.hasMore)
        const after = first.items.at(-1)?.sequence ?? 0
        const rest = yield* store.entries({ partnerId, mode: "test" }, { after, limit: 3 })
        assert.deepStrictEqual(entriesOf(rest.items), newest.slice(2))
        assert.isFalse(rest.hasMore)

        const listed = (filter: AuditLog.Filter) =>
          Effect.map(store.entries({ partnerId, ...filter }, all), ({ items }) => entriesOf(items))
        assert.deepStrictEqual(yield* listed({}), [ofBoth, ofLive, ...newest])
        assert.deepStrictEqual(yield* listed({ mode: "live" }), [ofBoth, ofLive])
        assert.deepStrictEqual(yield* listed({ action: "key.revoked" }), [ofLive])
        assert.deepStrictEqual(yield* listed({ since: now + 3 }), newest.slice(0, 2))
        const subjects = ["mrch_1", "mrch_3", "mrch_9"]
        assert.deepStrictEqual(yield* listed({ subjects, since: now }), [
          ofBoth,
          ofLive,
          newest[1],
          newest[3],
        ])
      }),
  )

  it.effect("S11: deletes only entries older than the given time, a limited number at a time", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world } = scene
      const store = yield* AuditStore
      // Older than anything that other tests may have left in this storage.
      const old = range(3).map((index) => entryOf(scene, { at: index + 1 }))
      const kept = entryOf(scene, { at: 10 })
      yield* add(store, [...old, kept])
      assert.strictEqual(yield* store.deleteEntries(10, 2), 2)
      assert.strictEqual(yield* store.deleteEntries(10, 2), 1)
      assert.strictEqual(yield* store.deleteEntries(10, 2), 0)
      assert.deepStrictEqual(entriesOf((yield* store.entries(world.tenant, all)).items), [kept])
    }),
  )
}
