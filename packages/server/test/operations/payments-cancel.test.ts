import { assert, describe } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Outbox } from "@florin/core/ports/Outbox"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Payments from "./payments.ts"

const { play } = Payments

const request = ({ own }: Gateway.World, id: string): Scene.Sent => ({
  method: "POST",
  path: `/v1/payments/${id}/cancel`,
  key: own.key,
})

const cancels = Effect.fnUntraced(function* (world: Gateway.World, id: string) {
  const answer = yield* Scene.send(request(world, id))
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

const eventsOf = Effect.fnUntraced(function* (id: string) {
  const events = yield* (yield* Outbox).eventsOf(PaymentId.PaymentId.make(id))
  return events.map(({ type }) => type)
})

const isoOf = (at: number): string => new Date(at).toISOString()

describe("POST /v1/payments/{id}/cancel", () => {
  Laws.ofPartners({
    good: ({ own }) =>
      Effect.map(Scene.createPayment(own.key, own.merchantId), (id) => ({
        method: "POST",
        path: `/v1/payments/${id}/cancel`,
        key: own.key,
      })),
    status: 200,
  })
  Payments.obeysMerchantId(request, false)

  play("calls an open payment off, once", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      yield* TestClock.adjust("1234 millis")
      const first = yield* cancels(world, id)
      assert.deepStrictEqual(first, {
        paymentId: id,
        status: "cancelled",
        cancelledReason: "cancelled_by_merchant",
        cancelledAt: isoOf(Scene.now + 1234),
      })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* Gateway.writesNothing(id, cancels(world, id)), first)
      assert.deepStrictEqual(yield* eventsOf(id), ["payment.created", "payment.cancelled"])
    }),
  )

  play("takes the Merchant-Id of the payment", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      const id = yield* Scene.createPayment(key, merchantId)
      const sent = { ...request(world, id), headers: { "Merchant-Id": merchantId } }
      assert.strictEqual((yield* Scene.send(sent)).status, 200)
    }),
  )

  play("tells who was first where the payer called it off", (world) =>
    Effect.gen(function* () {
      const { id } = yield* Gateway.reach(world, "cancelled by the payer")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Gateway.writesNothing(id, cancels(world, id)), {
        paymentId: id,
        status: "cancelled",
        cancelledReason: "cancelled_by_user",
        cancelledAt: isoOf(Scene.now),
      })
    }),
  )

  for (const state of ["processing", "succeeded", "failed", "declined"] as const) {
    play(`is refused where the payment is ${state}`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const answer = yield* Gateway.writesNothing(id, Scene.send(request(world, id)))
        const problem = Scene.isProblem(answer, 400, "invalid_state")
        assert.hasAllKeys(problem, ["code", "message", "requestId"])
      }),
    )
  }

  for (const state of ["expired by time alone", "expired by the worker"] as const) {
    play(`is refused where the payment is ${state}`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const answer = yield* Gateway.writesNothing(id, Scene.send(request(world, id)))
        const problem = Scene.isProblem(answer, 410, "payment_expired")
        assert.hasAllKeys(problem, ["code", "message", "requestId"])
      }),
    )
  }

  play("can be called until the last millisecond of a payment", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      yield* TestClock.setTime(Gateway.paymentEnd - 1)
      yield* cancels(world, id)
      yield* TestClock.setTime(Gateway.paymentEnd)
      assert.strictEqual(Scene.at(yield* cancels(world, id), "status"), "cancelled")
    }),
  )

  play("takes no body, or an object", (world) =>
    Effect.gen(function* () {
      for (const raw of ["", "{}", " {} ", '{"reason":"why","status":"failed"}']) {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        const answer = yield* Scene.send({ ...request(world, id), raw })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      for (const raw of ["null", "[]", "1", "true", '"text"', "{", "nonsense"]) {
        const sent = { ...request(world, id), raw }
        const answer = yield* Gateway.writesNothing(id, Scene.send(sent))
        Scene.isProblem(answer, 400, "invalid_params")
        const absent = yield* Scene.send({ ...sent, path: `/v1/payments/${Gateway.absent}/cancel` })
        Scene.isProblem(absent, 400, "invalid_params")
      }
      const headers = { "Content-Type": "text/plain" }
      const typed = { ...request(world, id), raw: "{}", headers }
      const answer = yield* Gateway.writesNothing(id, Scene.send(typed))
      Scene.isProblem(answer, 415, "unsupported_media_type")
    }),
  )

  play("takes an Idempotency-Key of up to 255 characters", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      const keyed = (key: string) => ({
        ...request(world, id),
        headers: { "Idempotency-Key": key },
      })
      const long = yield* Gateway.writesNothing(id, Scene.send(keyed("k".repeat(256))))
      assert.deepStrictEqual(Scene.fieldsOf(long), ["Idempotency-Key"])
      const foreign = yield* Gateway.writesNothing(id, Scene.send(keyed("é")))
      Scene.isProblem(foreign, 400, "header_not_ascii")
      const first = yield* Scene.send(keyed("k".repeat(255)))
      const again = yield* Scene.send(keyed("k".repeat(255)))
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual(again.text, first.text)
    }),
  )

  play("ends a payment once, however many call at once from both sides", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      const payer = { method: "POST", path: Gateway.pathOf(id, "/cancel"), key: world.walletKey }
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, (_, index) =>
          Scene.send(index % 2 === 0 ? payer : request(world, id)),
        ),
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      assert.deepStrictEqual(yield* eventsOf(id), ["payment.created", "payment.cancelled"])
    }),
  )

  play("lets exactly one of a cancel and a confirm through", (world) =>
    Effect.gen(function* () {
      const { id, own } = yield* Gateway.reach(world, "open")
      const [cancelled, confirmed] = yield* Effect.all(
        [
          Scene.send(request(world, id)),
          Scene.send({ path: Gateway.pathOf(id, "/confirm"), key: world.walletKey, body: own }),
        ],
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(
        [cancelled.status, confirmed.status].toSorted((left, right) => left - right),
        [200, 400],
      )
      const refused = cancelled.status === 200 ? confirmed : cancelled
      Scene.isProblem(refused, 400, "invalid_state")
    }),
  )
})
