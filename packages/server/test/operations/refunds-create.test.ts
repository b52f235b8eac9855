import { assert, describe, it } from "@effect/vitest"
import * as Collector from "@florin/core/workers/Collector"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Refunds from "./refunds.ts"
import { assets, gained, register } from "./settlements.ts"

const { play } = Laws
const { refunding } = Refunds

describe("POST /v1/refunds", () => {
  for (const state of Gateway.stateNames.filter((each) => each !== "succeeded")) {
    it.effect(
      `refuses a payment that is ${state}`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { own } = world
          const { id } = yield* Gateway.reach(world, state)
          for (const headers of [{}, { "Merchant-Id": own.merchantId }]) {
            const sent = { ...refunding(own.key, id), headers }
            const answer = yield* Gateway.writesNothing(id, Scene.send(sent))
            Scene.isProblem(answer, 400, "payment_not_succeeded")
          }
          const details = yield* Refunds.detailsOf(own, id)
          assert.strictEqual(Scene.at(details, "status"), Gateway.states[state])
          assert.isUndefined(Scene.at(details, "refund"))
        }),
      ),
    )
  }

  for (const isSettled of [false, true]) {
    play(`refunds a payment once, ${isSettled ? "after" : "before"} its settlement`, (scene) =>
      Effect.gen(function* () {
        const { own } = scene
        if (isSettled) yield* register(own.key, own.merchantId, [assets.usdcOnBase])
        const id = yield* Refunds.succeeded(scene)
        const settled = Scene.at(yield* Refunds.detailsOf(own, id), "settlement")
        assert.strictEqual(settled !== null, isSettled)
        const first = yield* Scene.send(refunding(own.key, id))
        assert.strictEqual(first.status, 200, first.text)
        yield* Laws.refused(scene, refunding(own.key, id), 409, "already_refunded")
        if (isSettled) yield* Refunds.fund
        yield* Gateway.finish(8453)
        const shown = yield* Refunds.detailsOf(own, id)
        assert.strictEqual(Scene.at(shown, "refund", "status"), "succeeded")
        assert.deepStrictEqual(Scene.at(shown, "settlement"), settled)
        yield* Laws.refused(scene, refunding(own.key, id), 409, "already_refunded")
      }),
    )
  }

  play("cancels a share that was not paid out, and returns the full amount to the payer", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const chain = yield* SimulatedChain
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.confirm(walletKey, id)
      for (let round = 0; round < 3; round += 1) {
        yield* Collector.drain
        yield* chain.settle(8453)
        yield* TestClock.adjust("5 seconds")
      }
      const paid = yield* Refunds.detailsOf(own, id)
      assert.strictEqual(Scene.at(paid, "status"), "succeeded")
      assert.isNull(Scene.at(paid, "settlement"))
      assert.strictEqual((yield* Scene.send(refunding(own.key, id))).status, 200)
      yield* Gateway.finish(8453)
      const shown = yield* Refunds.detailsOf(own, id)
      assert.strictEqual(Scene.at(shown, "refund", "status"), "succeeded")
      assert.isNull(Scene.at(shown, "settlement"))
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.payer), 0n)
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.treasury), 0n)
    }),
  )

  play("accepts an Idempotency-Key for one refund only, and forgets refusals", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      const id = yield* Refunds.succeeded(scene)
      const open = yield* Scene.createPayment(own.key, own.merchantId)
      const headers = { "Idempotency-Key": "refund" }
      const early = { ...refunding(own.key, open), headers }
      yield* Laws.refused(scene, early, 400, "payment_not_succeeded")
      yield* Scene.confirm(walletKey, open)
      yield* Gateway.finish(Scene.chains.eip3009)
      assert.strictEqual((yield* Scene.send(early)).status, 200)
      const other = { ...refunding(own.key, id), headers }
      yield* Laws.refused(scene, other, 409, "idempotency_conflict")
      const merchant = { ...headers, "Merchant-Id": own.merchantId }
      yield* Laws.refused(scene, { ...early, headers: merchant }, 409, "idempotency_conflict")
      assert.isUndefined(Scene.at(yield* Refunds.detailsOf(own, id), "refund"))
    }),
  )
})
