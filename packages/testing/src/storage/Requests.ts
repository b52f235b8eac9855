/**
 * Requests with an idempotency key: a key stands for one object, whichever caller sends it and however often.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { findMerchant } from "@florin/core/ports/AccountStore"
import type { Created, Once } from "@florin/core/ports/ResponseStore"
import type { IdempotencyConflict, StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import {
  atOnce,
  begin,
  failsWith,
  farFuture,
  type It,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures

/** One call that creates an object, and how to count what was created. */
interface Creating {
  readonly create: (
    once: Once,
    at?: number,
  ) => Effect.Effect<Created, IdempotencyConflict | StorageUnavailable>
  /** How many objects there are in total in the scene's tenant. */
  readonly count: Effect.Effect<number, StorageUnavailable>
}

const ways: ReadonlyArray<{ readonly name: string; readonly of: (scene: Scene) => Creating }> = [
  {
    name: "createPayment",
    of: ({ payments, outbox, world }) => ({
      create: (once, at = now) => {
        const change = world.createPayment({
          partnerId: once.scope.partnerId,
          mode: once.scope.mode,
        })
        const response = JSON.stringify({ id: change.payment.id })
        return payments.createPayment(change, once, response, at)
      },
      count: Effect.map(outbox.events(world.tenant, 0, 1000), (events) => events.length),
    }),
  },
  {
    name: "respondOnce",
    of: ({ responses, outbox, world }) => ({
      create: (once, at = now) => {
        const endpoint = world.endpoint()
        const { id } = endpoint
        return responses.respondOnce(
          once,
          at,
          Effect.as(outbox.putEndpoint(endpoint), JSON.stringify({ id })),
        )
      },
      count: Effect.map(outbox.endpoints(world.tenant), (all) => all.length),
    }),
  },
]

export const requests = (it: It): void => {
  it.effect.each(ways)(
    "creates one object for 100 concurrent equal requests: $name",
    ({ of }) =>
      Effect.gen(function* () {
        for (const _ of range(Counts.of({ usual: 3, full: 100 }))) {
          const scene = yield* begin
          const { create, count } = of(scene)
          const once = scene.world.once()
          const created = yield* atOnce(range(100), () => create(once))
          assert.strictEqual(created.filter((each) => !each.replayed).length, 1, "first responses")
          assert.strictEqual(new Set(created.map((each) => each.response)).size, 1, "responses")
          assert.strictEqual(yield* count, 1)
          assert.deepStrictEqual(yield* create(once), {
            replayed: true,
            response: created[0]?.response ?? "",
          })
        }
      }),
    timeout,
  )

  it.effect.each(ways)("stores a response byte by byte: $name", ({ of, name }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { responses, payments, world } = scene
      const once = world.once()
      const response = JSON.stringify({ text: "'\"\\ \u2028 ünï 𝔘 {}", long: "x".repeat(20_000) })
      yield* name === "createPayment"
        ? payments.createPayment(world.createPayment(), once, response, now)
        : responses.respondOnce(once, now, Effect.succeed(response))
      assert.deepStrictEqual(yield* of(scene).create(once), { replayed: true, response })
    }),
  )

  it.effect.each(ways)("refuses another request under the same key: $name", ({ of }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { create, count } = of(scene)
      const first = yield* create(scene.world.once("a key", { a: 1 }))
      yield* failsWith("IdempotencyConflict", create(scene.world.once("a key", { a: 2 })))
      assert.strictEqual(yield* count, 1)
      assert.deepStrictEqual(yield* create(scene.world.once("a key", { a: 1 })), {
        ...first,
        replayed: true,
      })
    }),
  )

  it.effect.each(ways)("responds to one of two different concurrent requests: $name", ({ of }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { create, count } = of(scene)
      const outcomes = yield* atOnce(range(100), (index) =>
        Effect.map(
          Effect.result(create(scene.world.once("a key", { body: index % 2 }))),
          (result) => ({ body: index % 2, result }),
        ),
      )
      const first = outcomes.filter(
        ({ result }) => Result.isSuccess(result) && !result.success.replayed,
      )
      assert.strictEqual(first.length, 1, "first responses")
      for (const { body, result } of outcomes) {
        if (body === first[0]?.body) assert.isTrue(Result.isSuccess(result))
        else {
          assert.strictEqual(
            Result.isFailure(result) ? result.failure._tag : "a success",
            "IdempotencyConflict",
          )
        }
      }
      assert.strictEqual(yield* count, 1)
    }),
  )

  it.effect.each(ways)("distinguishes keys by partner, mode, endpoint and case: $name", ({ of }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world } = scene
      const { create } = of(scene)
      const onces = [
        world.once("a key", { a: 0 }),
        world.once("a key", { a: 1 }, world.live),
        world.once("a key", { a: 2 }, world.other),
        world.once("a key", { a: 3 }, world.otherLive),
        world.once("a key", { a: 4 }, { endpoint: "POST /v1/merchants/mrch_1/settlements" }),
        world.once("a key", { a: 5 }, { endpoint: "post /v1/merchants" }),
        world.once("A key", { a: 6 }),
        world.once("a key ", { a: 7 }),
        world.once(" a key", { a: 8 }),
        world.once("~".repeat(Limits.idempotencyKeyMaxLength), { a: 9 }),
        world.once("'; --\\ %_", { a: 10 }),
      ]
      const responses = yield* atOnce(onces, (once) => create(once))
      assert.deepStrictEqual(
        responses.map((each) => each.replayed),
        onces.map(() => false),
      )
      const again = yield* atOnce(onces, (once) => create(once))
      assert.deepStrictEqual(
        again,
        responses.map(({ response }) => ({ replayed: true, response })),
      )
    }),
  )

  it.effect.each(ways)(
    "deletes a key at the end of its time, and then accepts one new request: $name",
    ({ of }) =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { create, count } = of(scene)
        const once = scene.world.once("a key", { a: 1 })
        const other = scene.world.once("a key", { a: 2 })
        const end = now + Limits.idempotencyKeptInMs
        const first = yield* create(once)
        assert.deepStrictEqual(yield* create(once, end - 1), { ...first, replayed: true })
        yield* failsWith("IdempotencyConflict", create(other, end - 1))
        const later = yield* atOnce(range(50), () => create(other, end))
        assert.strictEqual(later.filter((each) => !each.replayed).length, 1)
        assert.strictEqual(new Set(later.map((each) => each.response)).size, 1)
        assert.notStrictEqual(later[0]?.response, first.response)
        assert.strictEqual(yield* count, 2)
        yield* failsWith("IdempotencyConflict", create(once, end))
      }),
  )

  it.effect.each(ways)("deletes expired responses in batches: $name", ({ of }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { responses, world } = scene
      const { create, count } = of(scene)
      yield* responses.deleteResponses(farFuture, 1_000_000)
      const onces = range(8).map((index) => world.once(`key ${index}`))
      for (const [index, once] of onces.entries()) yield* create(once, now + index)
      const end = now + Limits.idempotencyKeptInMs
      assert.strictEqual(yield* responses.deleteResponses(end - 1, 10), 0)
      const some = yield* Effect.forEach(range(3), () => responses.deleteResponses(end + 2, 2))
      assert.deepStrictEqual(some, [2, 1, 0])
      // Remembered responses are still there, and no created object is gone.
      for (const [index, once] of onces.entries()) {
        assert.strictEqual((yield* responses.storedResponse(once, now)) === null, index < 3)
      }
      assert.strictEqual(yield* count, 8)
      const rest = yield* atOnce(range(8), () => responses.deleteResponses(farFuture, 1))
      const left = yield* responses.deleteResponses(farFuture, 10)
      assert.strictEqual(
        rest.reduce((total, each) => total + each, left),
        5,
      )
    }),
  )

  it.effect.each(ways)(
    "keeps a response that was stored again, even during a deletion: $name",
    ({ of }) =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { responses, world } = scene
        const { create } = of(scene)
        const onces = range(20).map((index) => world.once(`key ${index}`))
        for (const once of onces) yield* create(once)
        const end = now + Limits.idempotencyKeptInMs
        const created = yield* atOnce(onces, (once, index) =>
          Effect.all([create(once, end), responses.deleteResponses(end, index)], {
            concurrency: "unbounded",
          }),
        )
        for (const [index, [{ response, replayed }]] of created.entries()) {
          assert.isFalse(replayed)
          const [once] = onces.slice(index)
          assert.strictEqual(once && (yield* responses.storedResponse(once, end)), response)
        }
      }),
  )

  it.effect.each(ways)("returns the stored response, as a write would: $name", ({ of }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { responses, world } = scene
      const { create, count } = of(scene)
      const once = world.once("a key", { a: 1 })
      assert.strictEqual(yield* responses.storedResponse(once, now), null)
      const { response } = yield* create(once)
      const end = now + Limits.idempotencyKeptInMs
      assert.strictEqual(yield* responses.storedResponse(once, now), response)
      assert.strictEqual(yield* responses.storedResponse(once, end - 1), response)
      assert.strictEqual(yield* responses.storedResponse(once, end), null)
      const other = world.once("a key", { a: 2 })
      yield* failsWith("IdempotencyConflict", responses.storedResponse(other, end - 1))
      assert.strictEqual(yield* responses.storedResponse(other, end), null)
      for (const elsewhere of [
        world.once("a key", { a: 1 }, world.live),
        world.once("a key", { a: 1 }, world.other),
        world.once("a key", { a: 1 }, { endpoint: "POST /v1/payments" }),
        world.once("A key", { a: 1 }),
      ]) {
        assert.strictEqual(yield* responses.storedResponse(elsewhere, now), null)
      }
      assert.strictEqual(yield* count, 1)
    }),
  )

  it.effect("keeps only the object of the request that came first", () =>
    Effect.gen(function* () {
      const { accounts, payments: paymentStore, responses, world } = yield* begin
      const once = world.once()
      const merchants = range(20).map(() => world.merchant())
      const payments = range(20).map(() => world.createPayment())
      const paymentOnce = world.once()
      const created = yield* atOnce(merchants, (each) =>
        responses.respondOnce(
          once,
          now,
          Effect.as(accounts.addMerchant(each), JSON.stringify(each.id)),
        ),
      )
      yield* atOnce(payments, (each) =>
        paymentStore.createPayment(each, paymentOnce, JSON.stringify(each.payment.id), now),
      )
      const known = yield* atOnce(merchants, (each) =>
        Effect.result(findMerchant(accounts, world.tenant, each.id)),
      )
      const kept = known.flatMap((each) => (Result.isSuccess(each) ? [each.success.id] : []))
      assert.deepStrictEqual(
        kept.map((each) => JSON.stringify(each)),
        created.slice(0, 1).map((each) => each.response),
      )
      const paid = yield* atOnce(payments, (each) =>
        Effect.result(paymentStore.payment(each.payment.id)),
      )
      assert.strictEqual(paid.filter(Result.isSuccess).length, 1)
    }),
  )

  it.effect("creates a payment for each call without a key", () =>
    Effect.gen(function* () {
      const { payments, world } = yield* begin
      const changes = range(20).map(() => world.createPayment())
      const created = yield* atOnce(changes, (each) =>
        payments.createPayment(each, null, "a response", now),
      )
      assert.deepStrictEqual(
        created,
        changes.map(() => ({ replayed: false, response: "a response" })),
      )
      for (const { payment } of changes) {
        assert.deepStrictEqual(yield* payments.payment(payment.id), payment)
      }
    }),
  )

  it.effect("can be repeated: a payment that is there already is not created again", () =>
    Effect.gen(function* () {
      const { payments, outbox, world } = yield* begin
      const change = world.createPayment()
      const { id } = change.payment
      yield* payments.createPayment(change, null, "{}", now)
      yield* payments.modifyPayment(id, (current) =>
        Result.succeed({
          result: null,
          change: { ...change, payment: { ...current, revision: 2, referenceId: "moved on" } },
        }),
      )
      const before = yield* payments.payment(id)
      const events = yield* outbox.eventsOf(id)
      yield* payments.createPayment(change, null, "{}", now)
      assert.deepStrictEqual(yield* payments.payment(id), before)
      assert.deepStrictEqual(yield* outbox.eventsOf(id), events)
    }),
  )

  it.effect("stores nothing of a write that fails after its key was taken", () =>
    Effect.gen(function* () {
      const { responses, outbox, world } = yield* begin
      const once = world.once()
      const endpoint = world.endpoint()
      const refused = { _tag: "Refused", why: 7 } as const
      const failing = Effect.fail(refused)
      assert.deepStrictEqual(yield* Effect.flip(responses.respondOnce(once, now, failing)), refused)
      const put = Effect.as(outbox.putEndpoint(endpoint), "a response")
      const first = yield* responses.respondOnce(once, now, put)
      assert.deepStrictEqual(first, { replayed: false, response: "a response" })
      assert.deepStrictEqual(yield* responses.respondOnce(once, now, failing), {
        replayed: true,
        response: "a response",
      })
      assert.deepStrictEqual(yield* outbox.endpoints(world.tenant), [endpoint])
    }),
  )
}
