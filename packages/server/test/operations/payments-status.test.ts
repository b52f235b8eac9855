import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Payments from "./payments.ts"

const { about, play } = Payments

const pathsOf = (id: string) =>
  [`/v1/payments/${id}/status`, `/v1/merchant/payment/${id}/status`] as const

/** How a call waits is tested with the gateway's operation, which shares it. */
describe("GET /v1/payments/{id}/status, and at its deprecated path", () => {
  for (const state of Gateway.stateNames) {
    play(`returns the gateway's status of a payment that is ${state}`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const [path, alias] = pathsOf(id)
        const answer = yield* Payments.get(about(world.own, path))
        assert.deepStrictEqual(answer.body, Payments.statusIn(state, answer.body))
        assert.isNull(answer.headers.get("deprecation"))
        const sent = { path: Gateway.pathOf(id, "/status"), key: world.walletKey }
        assert.deepStrictEqual((yield* Payments.get(sent)).body, answer.body)
        const aliased = yield* Payments.get(about(world.own, alias))
        assert.strictEqual(aliased.text, answer.text)
        assert.isNotNull(aliased.headers.get("deprecation"))
        assert.strictEqual(aliased.headers.get("link"), `<${path}>; rel="successor-version"`)
      }),
    )
  }

  play("holds a call with maxPollMs until the payment changes", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      for (const at of [0, 1] as const) {
        const id = yield* Scene.createPayment(key, merchantId)
        const sent = about(world.own, `${pathsOf(id)[at]}?maxPollMs=25000`)
        const held = yield* Effect.forkChild(Payments.get(sent))
        yield* Gateway.parked(id, 1)
        assert.isUndefined(held.pollUnsafe())
        yield* Scene.send({ method: "POST", path: `/v1/payments/${id}/cancel`, key })
        const { body } = yield* Fiber.join(held)
        assert.deepStrictEqual(body, Payments.statusIn("cancelled by the merchant", body))
      }
    }),
  )
})
