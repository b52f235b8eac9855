import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as MerchantQuery from "@florin/core/domain/list/MerchantQuery"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Settlements from "@florin/core/engine/Settlements"
import { findMerchant } from "@florin/core/ports/AccountStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, issuesOf, now } = Scene

const input = { name: "Café", email: "cafe@example.com", iconUrl: "https://cafe.example/i.svg" }

describe("Merchants.create", () => {
  it.effect(
    "creates an active merchant of the partner",
    alone(
      Effect.gen(function* () {
        const { accounts, tenant } = yield* begin
        const { merchant, replayed } = yield* Merchants.create({
          tenant,
          ...input,
          idempotencyKey: "key",
        })
        assert.isFalse(replayed)
        assert.deepStrictEqual(merchant, {
          id: merchant.id,
          ...tenant,
          ...input,
          status: "active",
          createdAt: now,
          deletedAt: null,
        })
        assert.deepStrictEqual(yield* findMerchant(accounts, tenant, merchant.id), merchant)
      }),
    ),
  )

  it.effect(
    "returns the merchant as it was created if the request is repeated",
    alone(
      Effect.gen(function* () {
        const { tenant, traces } = yield* begin
        const request = { tenant, name: "A", email: "a@example.com", idempotencyKey: "key" }
        const { merchant } = yield* Merchants.create(request)
        yield* Merchants.update(tenant, merchant.id, { name: "B" })
        const after = yield* traces
        const again = { merchant, replayed: true }
        assert.deepStrictEqual(yield* Merchants.create(request), again)
        assert.deepStrictEqual(yield* Merchants.create({ ...request, iconUrl: null }), again)
        yield* TestClock.adjust(Limits.idempotencyKeptInMs - 1)
        assert.deepStrictEqual(yield* Merchants.create(request), again)
        assert.deepStrictEqual(yield* traces, after)
      }),
    ),
  )

  it.effect(
    "refuses another request under the same key",
    alone(
      Effect.gen(function* () {
        const { tenant, traces } = yield* begin
        const request = { tenant, ...input, idempotencyKey: "key" }
        yield* Merchants.create(request)
        const after = yield* traces
        for (const other of [{ name: "B" }, { email: "b@example.com" }, { iconUrl: null }]) {
          yield* failsWith("IdempotencyConflict", Merchants.create({ ...request, ...other }))
        }
        assert.deepStrictEqual(yield* traces, after)
      }),
    ),
  )

  it.effect(
    "lets two partners, and both modes, use the same key",
    alone(
      Effect.gen(function* () {
        const { world } = yield* begin
        const tenants = [world.tenant, world.live, world.other, world.otherLive]
        const created = yield* Effect.forEach(tenants, (tenant) =>
          Merchants.create({ tenant, ...input, idempotencyKey: "key" }),
        )
        assert.isTrue(created.every((each) => !each.replayed))
        assert.strictEqual(new Set(created.map((each) => each.merchant.id)).size, 4)
      }),
    ),
  )

  it.effect(
    "checks the key before the request, and writes nothing if either is wrong",
    alone(
      Effect.gen(function* () {
        const { tenant, traces } = yield* begin
        const bad = { tenant, name: "", email: "nobody", iconUrl: "http://example.com" }
        const before = yield* traces
        const create = (idempotencyKey: string | undefined) =>
          Merchants.create({ ...bad, idempotencyKey })
        yield* failsWith("MissingIdempotencyKey", create(undefined))
        yield* failsWith("InvalidIdempotencyKey", create(""))
        yield* failsWith("InvalidIdempotencyKey", create("k".repeat(256)))
        assert.deepStrictEqual(yield* issuesOf(create("k".repeat(255))), [
          "merchantName",
          "merchantEmail",
          "iconUrl",
        ])
        assert.deepStrictEqual(yield* traces, before)
        const mended = yield* Merchants.create({
          tenant,
          ...input,
          idempotencyKey: "k".repeat(255),
        })
        assert.isFalse(mended.replayed)
      }),
    ),
  )

  it.effect(
    "creates one merchant from identical requests at the same time",
    alone(
      Effect.gen(function* () {
        const { tenant, traces } = yield* begin
        const before = yield* traces
        const answers = yield* Effect.all(
          Array.from({ length: 50 }, () =>
            Merchants.create({ tenant, ...input, idempotencyKey: "key" }),
          ),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(new Set(answers.map((each) => each.merchant.id)).size, 1)
        assert.strictEqual(answers.filter((each) => !each.replayed).length, 1)
        assert.strictEqual((yield* traces).merchants.length, before.merchants.length + 1)
      }),
    ),
  )
})

describe("another partner's merchant", () => {
  it.effect(
    "is not found, exactly like a merchant that does not exist",
    alone(
      Effect.gen(function* () {
        const { shop, traces, world } = yield* begin
        const before = yield* traces
        const cases = [
          ...[world.live, world.other, world.otherLive].map((tenant) => [tenant, shop.id] as const),
          ...["mrch_nobody", "mrch_", "", shop.id.toUpperCase(), `${shop.id} `].map(
            (id) => [world.tenant, id] as const,
          ),
        ]
        for (const [tenant, id] of cases) {
          const calls: ReadonlyArray<Scene.Call> = [
            Merchants.get(tenant, id),
            Merchants.update(tenant, id, { name: "Mine" }),
            Merchants.remove(tenant, id),
            Merchants.changeAsOperator(tenant, id, { status: "suspended" }),
          ]
          for (const call of calls) {
            const error = yield* failsWith("NotFound", call)
            assert.strictEqual(error.message, "there is no such merchant")
            assert.strictEqual("what" in error && error.what, "merchant")
          }
        }
        assert.deepStrictEqual(yield* traces, before)
      }),
    ),
  )
})

describe("Merchants.get", () => {
  it.effect(
    "returns the merchant with its destinations",
    alone(
      Effect.gen(function* () {
        const { shop, tenant, world } = yield* begin
        const created = yield* Settlements.create({
          tenant,
          merchantId: shop.id,
          settlements: [
            { asset: Scene.assets.base, destination: Scene.accountOn(8453, world.payTo) },
          ],
          idempotencyKey: "key",
        })
        assert.deepStrictEqual(yield* Merchants.get(tenant, shop.id), {
          merchant: shop,
          destinations: created.destinations,
        })
      }),
    ),
  )
})

describe("Merchants.update", () => {
  it.effect(
    "changes only the fields that are sent",
    alone(
      Effect.gen(function* () {
        const { shop, tenant } = yield* begin
        const iconUrl = "https://shop.example/icon.png"
        const named = yield* Merchants.update(tenant, shop.id, { name: "New", iconUrl })
        assert.deepStrictEqual(named, { ...shop, name: "New", iconUrl })
        const bare = yield* Merchants.update(tenant, shop.id, { iconUrl: null })
        assert.deepStrictEqual(bare, { ...shop, name: "New" })
        assert.deepStrictEqual((yield* Merchants.get(tenant, shop.id)).merchant, bare)
      }),
    ),
  )

  it.effect(
    "checks the change before it looks up the merchant, and writes nothing if it is wrong",
    alone(
      Effect.gen(function* () {
        const { shop, tenant, traces } = yield* begin
        const before = yield* traces
        for (const id of [shop.id, "mrch_nobody", "mrch_"]) {
          assert.deepStrictEqual(yield* issuesOf(Merchants.update(tenant, id, {})), ["body"])
          assert.deepStrictEqual(
            yield* issuesOf(Merchants.update(tenant, id, { name: "", email: "a@example.com" })),
            ["merchantName"],
          )
        }
        assert.deepStrictEqual(yield* traces, before)
      }),
    ),
  )
})

describe("Merchants.remove", () => {
  it.effect(
    "hides the merchant, and succeeds again if it is repeated",
    alone(
      Effect.gen(function* () {
        const { shop, tenant } = yield* begin
        const removed = yield* Merchants.remove(tenant, shop.id)
        assert.deepStrictEqual(removed, { ...shop, deletedAt: now })
        yield* TestClock.adjust(1000)
        assert.deepStrictEqual(yield* Merchants.remove(tenant, shop.id), removed)
        const refused: ReadonlyArray<Scene.Call> = [
          Merchants.get(tenant, shop.id),
          Merchants.update(tenant, shop.id, { name: "Back" }),
          Merchants.changeAsOperator(tenant, shop.id, { status: "active" }),
        ]
        for (const call of refused) yield* failsWith("NotFound", call)
        assert.deepStrictEqual((yield* Merchants.list(tenant, {})).items, [])
      }),
    ),
  )
})

describe("Merchants.changeAsOperator", () => {
  it.effect(
    "decides whether the merchant takes payments",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const suspended = yield* Merchants.changeAsOperator(tenant, shop.id, {
          status: "suspended",
        })
        assert.deepStrictEqual(suspended, { ...shop, status: "suspended" })
        yield* failsWith("Suspended", pay())
        yield* Merchants.changeAsOperator(tenant, shop.id, { status: "active" })
        assert.isFalse((yield* pay()).replayed)
      }),
    ),
  )
})

describe("Merchants.list", () => {
  it.effect(
    "lists the partner's merchants except deleted ones, newest first",
    alone(
      Effect.gen(function* () {
        const { addMerchant, shop, tenant, world } = yield* begin
        const newer = yield* addMerchant({ createdAt: now + 1 })
        yield* addMerchant({ deletedAt: now })
        yield* addMerchant({ ...world.live })
        yield* addMerchant({ ...world.other })
        assert.deepStrictEqual(yield* Merchants.list(tenant, {}), {
          items: [newer, shop],
          totalCount: 2,
          nextCursor: null,
        })
      }),
    ),
  )

  it.effect(
    "filters by status, and by literal text of the name or the id",
    alone(
      Effect.gen(function* () {
        const { addMerchant, shop, tenant } = yield* begin
        const odd = yield* addMerchant({ name: "100%_Off.*", status: "inactive" })
        const find = (raw: MerchantQuery.Raw) =>
          Effect.map(Merchants.list(tenant, raw), ({ items, totalCount }) => {
            assert.strictEqual(totalCount, items.length)
            return items.map((each) => each.name)
          })
        assert.deepStrictEqual(yield* find({ status: "inactive" }), [odd.name])
        assert.deepStrictEqual(yield* find({ status: "suspended" }), [])
        assert.deepStrictEqual(yield* find({ search: "%_oFF.*" }), [odd.name])
        assert.deepStrictEqual(yield* find({ search: "%" }), [odd.name])
        assert.deepStrictEqual(yield* find({ search: ".h" }), [])
        assert.deepStrictEqual(yield* find({ search: shop.id.toUpperCase() }), [shop.name])
        assert.deepStrictEqual(yield* find({ search: odd.id, status: "active" }), [])
        assert.strictEqual((yield* find({})).length, 2)
      }),
    ),
  )

  it.effect(
    "returns every merchant exactly once over all pages, for any page size",
    alone(
      Effect.gen(function* () {
        const { addMerchant, tenant } = yield* begin
        for (let index = 0; index < 10; index++) {
          yield* addMerchant({ createdAt: now + (index % 3), name: `Page ${index}` })
        }
        const all = (yield* Merchants.list(tenant, { search: "page" })).items
        assert.strictEqual(all.length, 10)
        for (const limit of [1, 3, "5", 10, 200]) {
          const seen: Array<string> = []
          let cursor: string | undefined
          do {
            const page = yield* Merchants.list(tenant, { search: "page", limit, cursor })
            assert.strictEqual(page.totalCount, 10)
            assert.isAtMost(page.items.length, Number(limit))
            seen.push(...page.items.map((each) => each.id))
            cursor = page.nextCursor ?? undefined
          } while (cursor !== undefined)
          assert.deepStrictEqual(
            seen,
            all.map((each) => each.id),
          )
        }
      }),
    ),
  )

  it.effect(
    "returns 50 merchants by default",
    alone(
      Effect.gen(function* () {
        const { addMerchant, tenant } = yield* begin
        for (let index = 0; index < Limits.listPageDefault; index++) yield* addMerchant()
        const page = yield* Merchants.list(tenant, {})
        assert.strictEqual(page.items.length, Limits.listPageDefault)
        assert.strictEqual(page.totalCount, Limits.listPageDefault + 1)
        assert.isNotNull(page.nextCursor)
      }),
    ),
  )

  it.effect(
    "refuses a cursor of another list, of this partner or another one",
    alone(
      Effect.gen(function* () {
        const { addMerchant, tenant, world } = yield* begin
        yield* addMerchant()
        const { nextCursor } = yield* Merchants.list(tenant, { limit: 1, status: "active" })
        const cursor = nextCursor ?? ""
        const lists: ReadonlyArray<Scene.Call> = [
          Merchants.list(tenant, { cursor }),
          Merchants.list(tenant, { cursor, status: "inactive" }),
          Merchants.list(tenant, { cursor, status: "active", search: "a" }),
          Merchants.list(world.live, { cursor, status: "active" }),
          Merchants.list(world.other, { cursor, status: "active" }),
          Merchants.list(tenant, { cursor: `${cursor}A`, status: "active" }),
          Merchants.list(tenant, { cursor: "", status: "active" }),
        ]
        for (const list of lists) assert.deepStrictEqual(yield* issuesOf(list), ["cursor"])
        const good = yield* Merchants.list(tenant, { cursor, status: "active" })
        assert.strictEqual(good.items.length, 1)
      }),
    ),
  )

  it.effect(
    "reports everything that is wrong with a query",
    alone(
      Effect.gen(function* () {
        const { tenant } = yield* begin
        const cases: ReadonlyArray<readonly [MerchantQuery.Raw, ReadonlyArray<string>]> = [
          [{ status: "deleted" }, ["status"]],
          [{ status: "" }, ["status"]],
          [{ status: "__proto__" }, ["status"]],
          [{ search: "" }, ["search"]],
          [{ search: "a".repeat(Limits.merchantSearchMaxLength + 1) }, ["search"]],
          [{ search: "a\0" }, ["search"]],
          [{ search: "\ud800" }, ["search"]],
          [{ limit: 0 }, ["limit"]],
          [{ limit: 201 }, ["limit"]],
          [{ limit: "1e2" }, ["limit"]],
          [{ limit: "" }, ["limit"]],
          [{ status: "x", search: "\n", limit: "x", cursor: "x" }, ["status", "search", "limit"]],
        ]
        for (const [raw, fields] of cases) {
          assert.deepStrictEqual(yield* issuesOf(Merchants.list(tenant, raw)), fields)
        }
        const longest = "é".repeat(Limits.merchantSearchMaxLength)
        assert.deepStrictEqual((yield* Merchants.list(tenant, { search: longest })).items, [])
      }),
    ),
  )
})
