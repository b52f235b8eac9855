import { assert, describe } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Outbox } from "@florin/core/ports/Outbox"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
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
  play("cancels an open payment, once", (world) =>
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

  play("returns the payer's cancellation if that came first", (world) =>
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

  for (const [state, status, code] of [
    ["processing", 400, "invalid_state"],
    ["succeeded", 400, "invalid_state"],
    ["failed", 400, "invalid_state"],
    ["declined", 400, "invalid_state"],
    ["expired by time alone", 410, "payment_expired"],
    ["expired by the worker", 410, "payment_expired"],
  ] as const) {
    play(`refuses with ${code} if the payment is ${state}`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const answer = yield* Gateway.writesNothing(id, Scene.send(request(world, id)))
        Scene.isProblem(answer, status, code)
      }),
    )
  }

  play("cancels until the last millisecond of a payment", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      yield* TestClock.setTime(Gateway.paymentEnd - 1)
      yield* cancels(world, id)
      yield* TestClock.setTime(Gateway.paymentEnd)
      assert.strictEqual(Scene.at(yield* cancels(world, id), "status"), "cancelled")
    }),
  )

  play("cancels once if payer and merchant race", (world) =>
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

  play("accepts exactly one of a cancel and a confirm that race", (world) =>
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
