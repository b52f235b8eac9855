import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

const get = (id: string, key: string, query = "") =>
  Scene.send({ path: `${Gateway.pathOf(id, "/status")}${query}`, key })

/** Members next to `status`, by state; the hash of a success is checked separately. */
const told: { readonly [State in Gateway.State]: Gateway.Body } = {
  open: { isFinal: false, pollInMs: 1000, info: null },
  processing: { isFinal: false, pollInMs: 1000, info: null },
  succeeded: { isFinal: true },
  failed: { isFinal: true, failureCode: null, info: null },
  declined: { isFinal: true, failureCode: "declined_user", info: null },
  "expired by time alone": { isFinal: true, info: null },
  "expired by the worker": { isFinal: true, info: null },
  "cancelled by the payer": { isFinal: true, info: null },
  "cancelled by the merchant": { isFinal: true, info: null },
}

describe("GET /v1/gateway/payment/{id}/status", () => {
  for (const state of Gateway.stateNames) {
    it.effect(
      `returns a payment that is ${state}, with every member and no other`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id } = yield* Gateway.reach(world, state)
          const answer = yield* Gateway.writesNothing(id, get(id, world.walletKey))
          assert.strictEqual(answer.status, 200)
          const txId = Scene.at(answer.body, "info", "txId") ?? null
          assert.strictEqual(Gateway.isHash(txId), state === "succeeded")
          assert.deepStrictEqual(answer.body, {
            status: Gateway.states[state],
            ...told[state],
            ...(state === "succeeded" && {
              info: { optionAmount: Gateway.usdcOnBase("12340000"), txId },
            }),
          })
          assert.deepStrictEqual((yield* get(id, world.own.key)).body, answer.body)
          // A final payment has nothing to wait for.
          if (told[state]["isFinal"] === true) {
            assert.deepStrictEqual(
              (yield* get(id, world.walletKey, "?maxPollMs=25000")).body,
              answer.body,
            )
          }
        }),
      ),
    )
  }

  it.effect(
    "shows the paid amount in the decimals of its chain",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        yield* Scene.pay(world.walletKey, id, Scene.chains.permit2)
        const answer = yield* get(id, world.walletKey)
        assert.deepStrictEqual(
          Scene.at(answer.body, "info", "optionAmount"),
          Gateway.usdtOnBsc("12340000000000000000"),
        )
      }),
    ),
  )

  it.effect(
    "names a maxPollMs that is wrong, missing a value, or sent twice",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, "succeeded")
        for (const query of ["?maxPollMs=-1", "?maxPollMs=1&maxPollMs=1", "?maxPollMs"]) {
          assert.deepStrictEqual(
            Scene.fieldsOf(yield* get(id, world.walletKey, query)),
            ["maxPollMs"],
            query,
          )
        }
        const absent = yield* get(Gateway.absent, world.walletKey, "?maxPollMs=x")
        assert.deepStrictEqual(Scene.fieldsOf(absent), ["maxPollMs"])
      }),
    ),
  )

  it.effect(
    "is held until the status changes",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { id, own } = yield* Gateway.reach(world, "open")
        const held = yield* Effect.forkChild(get(id, world.walletKey, "?maxPollMs=20000"))
        yield* Gateway.parked(id, 1)
        const confirmed = yield* Scene.send({
          path: Gateway.pathOf(id, "/confirm"),
          key: world.walletKey,
          body: own,
        })
        assert.strictEqual(confirmed.status, 200, confirmed.text)
        const changed = yield* Fiber.join(held)
        assert.deepStrictEqual(changed.body, {
          status: "processing",
          isFinal: false,
          pollInMs: 1000,
          info: null,
        })
        const again = yield* Effect.forkChild(get(id, world.walletKey, "?maxPollMs=25000"))
        yield* Gateway.parked(id, 1)
        yield* Gateway.finish(Scene.chains.eip3009)
        assert.strictEqual(Scene.at((yield* Fiber.join(again)).body, "status"), "succeeded")
      }),
    ),
  )

  const waits = [
    ["?maxPollMs=7000", 7000],
    ["?maxPollMs=9223372036854775807", 25_000],
  ] as const
  for (const [query, endsInMs] of waits) {
    it.effect(
      `with ${query} is held for ${endsInMs} ms if nothing changes`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
          const held = yield* Effect.forkChild(get(id, world.walletKey, query))
          yield* Gateway.parked(id, 1)
          yield* TestClock.adjust(endsInMs - 1)
          yield* Gateway.parked(id, 1)
          yield* TestClock.adjust(1)
          const answer = yield* Fiber.join(held)
          assert.strictEqual(Scene.at(answer.body, "status"), "requires_action")
          yield* Gateway.parked(id, 0)
        }),
      ),
    )
  }

  it.effect(
    "is not held for an unknown payment, nor without maxPollMs",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(world.own.key, world.own.merchantId)
        for (const query of ["", "?maxPollMs=0"]) {
          const answer = yield* get(id, world.walletKey, query)
          assert.strictEqual(Scene.at(answer.body, "status"), "requires_action")
        }
        const foreign = yield* get(id, world.other.key, "?maxPollMs=25000")
        Scene.isProblem(foreign, 404, "payment_not_found")
      }),
    ),
  )
})
