import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Payments from "./payments.ts"

const { about, play } = Payments

const request = ({ own }: Gateway.World, id: string, query = "") =>
  about(own, `/v1/payments/${id}/status${query}`)

const read = Effect.fnUntraced(function* (world: Gateway.World, id: string, query = "") {
  const answer = yield* Scene.send(request(world, id, query))
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

const cancel = ({ own }: Gateway.World, id: string) =>
  Scene.send({ method: "POST", path: `/v1/payments/${id}/cancel`, key: own.key })

describe("GET /v1/payments/{id}/status", () => {
  Laws.ofPartners({
    good: ({ own }) =>
      Effect.map(Scene.createPayment(own.key, own.merchantId), (id) =>
        about(own, `/v1/payments/${id}/status`),
      ),
    status: 200,
  })
  Payments.obeysMerchantId(request, true)
  Payments.remembersNoRead(request)

  for (const state of Gateway.stateNames) {
    play(`tells of a payment that is ${state} what the gateway tells`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const body = yield* read(world, id)
        assert.deepStrictEqual(body, Payments.told(state, body))
        const gateway = yield* Scene.send({
          path: Gateway.pathOf(id, "/status"),
          key: world.walletKey,
        })
        assert.deepStrictEqual(body, gateway.body)
      }),
    )
  }

  play("asks to come back later the longer nothing happens, from 1 to 3 seconds", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      const waits: Array<number> = []
      for (let second = 0; second < 300; second += 5) {
        waits.push(Number(Scene.at(yield* read(world, id), "pollInMs")))
        yield* TestClock.adjust("5 seconds")
      }
      assert.deepStrictEqual(
        waits,
        waits.toSorted((left, right) => left - right),
      )
      assert.isTrue(waits.every((wait) => Number.isInteger(wait) && wait >= 1000 && wait <= 3000))
      assert.isAbove(waits.at(-1) ?? 0, waits[0] ?? 0)
    }),
  )

  play("reads maxPollMs as a whole number of 64 bits from 0", (world) =>
    Effect.gen(function* () {
      const { id } = yield* Gateway.reach(world, "cancelled by the merchant")
      for (const [text, isGood] of Gateway.polls) {
        const answer = yield* Scene.send(request(world, id, `?maxPollMs=${text}`))
        if (isGood) assert.strictEqual(answer.status, 200, `${text}: ${answer.text}`)
        else assert.deepStrictEqual(Scene.fieldsOf(answer), ["maxPollMs"], text)
      }
      const twice = yield* Scene.send(request(world, id, "?maxPollMs=1&maxPollMs=1"))
      assert.deepStrictEqual(Scene.fieldsOf(twice), ["maxPollMs"])
    }),
  )

  play(
    "reads maxPollMs before it looks for the payment, and holds no call about nothing",
    (world) =>
      Effect.gen(function* () {
        for (const id of [Gateway.absent, "pay_", "nothing"]) {
          const wrong = yield* Scene.send(request(world, id, "?maxPollMs=x"))
          assert.deepStrictEqual(Scene.fieldsOf(wrong), ["maxPollMs"])
          const held = yield* Scene.send(request(world, id, "?maxPollMs=25000"))
          Scene.isProblem(held, 404, "payment_not_found")
        }
        const theirs = yield* Scene.createPayment(world.other.key, world.other.merchantId)
        const held = yield* Scene.send(request(world, theirs, "?maxPollMs=25000"))
        Scene.isProblem(held, 404, "payment_not_found")
      }),
  )

  play("holds the call until the payment changes", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      const held = yield* Effect.forkChild(read(world, id, "?maxPollMs=25000"))
      yield* Gateway.parked(id, 1)
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(held.pollUnsafe())
      yield* cancel(world, id)
      const body = yield* Fiber.join(held)
      assert.deepStrictEqual(body, Payments.told("cancelled by the merchant", body))
    }),
  )

  play("holds the call for as long as it was told, and at most 25 seconds", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      for (const [maxPollMs, heldInMs] of [
        ["1", 1],
        ["1234", 1234],
        ["25000", 25_000],
        ["9223372036854775807", 25_000],
      ] as const) {
        const startedAt = yield* Clock.currentTimeMillis
        const held = yield* Effect.forkChild(read(world, id, `?maxPollMs=${maxPollMs}`))
        yield* Gateway.parked(id, 1)
        yield* TestClock.setTime(startedAt + heldInMs - 1)
        assert.isUndefined(held.pollUnsafe(), maxPollMs)
        yield* TestClock.setTime(startedAt + heldInMs)
        const body = yield* Fiber.join(held)
        assert.deepStrictEqual(body, Payments.told("open", body))
      }
    }),
  )

  play("answers the moment that time ends the payment", (world) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
      yield* TestClock.setTime(Gateway.paymentEnd - 10_000)
      const held = yield* Effect.forkChild(read(world, id, "?maxPollMs=25000"))
      yield* Gateway.parked(id, 1)
      yield* TestClock.setTime(Gateway.paymentEnd - 1)
      assert.isUndefined(held.pollUnsafe())
      yield* TestClock.setTime(Gateway.paymentEnd)
      assert.strictEqual(Scene.at(yield* Fiber.join(held), "status"), "expired")
    }),
  )

  play("answers at once without maxPollMs, and where nothing can change any more", (world) =>
    Effect.gen(function* () {
      const open = yield* Gateway.reach(world, "open")
      for (const query of ["", "?maxPollMs=0"]) {
        assert.strictEqual(Scene.at(yield* read(world, open.id, query), "isFinal"), false)
      }
      const { id } = yield* Gateway.reach(world, "succeeded")
      assert.strictEqual(Scene.at(yield* read(world, id, "?maxPollMs=25000"), "isFinal"), true)
    }),
  )
})
