import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

const cancel = (id: string, key: string, sent: Omit<Scene.Sent, "path"> = {}) =>
  Scene.send({ method: "POST", path: Gateway.pathOf(id, "/cancel"), key, ...sent })

const cancelledAt = new Date(Scene.now).toISOString()

/** The response to cancelling a payment in each state. */
const outcomes: { readonly [State in Gateway.State]: readonly [status: number, told: string] } = {
  open: [200, "cancelled_by_user"],
  processing: [400, "invalid_state"],
  succeeded: [400, "invalid_state"],
  failed: [400, "invalid_state"],
  declined: [400, "invalid_state"],
  "expired by time alone": [410, "payment_expired"],
  "expired by the worker": [410, "payment_expired"],
  "cancelled by the payer": [200, "cancelled_by_user"],
  "cancelled by the merchant": [200, "cancelled_by_merchant"],
}

describe("POST /v1/gateway/payment/{id}/cancel", () => {
  for (const state of Gateway.stateNames) {
    const [status, told] = outcomes[state]
    it.effect(
      `responds with ${status} ${told} for a payment that is ${state}`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id } = yield* Gateway.reach(world, state)
          const calling = cancel(id, world.walletKey)
          const answer = yield* state === "open" ? calling : Gateway.writesNothing(id, calling)
          if (status !== 200) return void Scene.isProblem(answer, status, told)
          assert.strictEqual(answer.status, 200, answer.text)
          assert.deepStrictEqual(answer.body, {
            paymentId: id,
            status: "cancelled",
            cancelledReason: told,
            cancelledAt,
          })
          yield* TestClock.adjust("10 minutes")
          for (const key of [world.walletKey, world.own.key]) {
            const again = yield* Gateway.writesNothing(id, cancel(id, key))
            assert.strictEqual(again.status, 200)
            assert.deepStrictEqual(again.body, answer.body)
          }
        }),
      ),
    )
  }

  it.effect(
    "cancels as the payer with the partner's key",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        const answer = yield* cancel(id, world.own.key)
        assert.strictEqual(Scene.at(answer.body, "cancelledReason"), "cancelled_by_user")
        const events = yield* Gateway.traces(id)
        assert.deepStrictEqual(
          events.events.map(({ type }) => type),
          ["payment.created", "payment.cancelled"],
        )
      }),
    ),
  )

  it.effect(
    "ends a held call",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        const path = `${Gateway.pathOf(id, "/status")}?maxPollMs=25000`
        const held = yield* Effect.forkChild(Scene.send({ path, key: world.walletKey }))
        yield* Gateway.parked(id, 1)
        yield* cancel(id, world.walletKey)
        assert.deepStrictEqual((yield* Fiber.join(held)).body, {
          status: "cancelled",
          isFinal: true,
          info: null,
        })
      }),
    ),
  )
})
