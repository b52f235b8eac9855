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
const { amount, refunding, refundingPart } = Refunds

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

  const usdc = "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

  for (const isSettled of [false, true]) {
    play(
      `refunds parts of a payment until nothing is left, ${isSettled ? "after" : "before"} its settlement`,
      (scene) =>
        Effect.gen(function* () {
          const { own } = scene
          if (isSettled) yield* register(own.key, own.merchantId, [assets.usdcOnBase])
          const id = yield* Refunds.succeeded(scene)
          if (isSettled) yield* Refunds.fund
          const part = refundingPart(own.key, id, "234")
          const first = yield* Scene.send({ ...part, body: { ...part.body, reason: "A bag" } })
          assert.strictEqual(first.status, 200, first.text)
          const firstId = Scene.text(first.body, "refundId")
          assert.deepStrictEqual(first.body, {
            paymentId: id,
            refundId: firstId,
            status: "pending",
            amount: Gateway.usdcOnBase("2340000"),
            requested: { unit: "iso4217/USD", value: "234" },
            reason: "A bag",
          })
          yield* Laws.refused(scene, refunding(own.key, id), 409, "already_refunded")
          const tooMuch = yield* Scene.send(refundingPart(own.key, id, "1001"))
          Scene.isProblem(tooMuch, 409, "already_refunded")
          assert.match(Scene.text(tooMuch.body, "message"), /10\.00 USD, or 10\.00 USDC/u)
          yield* Gateway.finish(8453)
          const rest = yield* Scene.send(refundingPart(own.key, id, "10000000", { unit: usdc }))
          assert.strictEqual(rest.status, 200, rest.text)
          const none = yield* Scene.send(refundingPart(own.key, id, "1"))
          Scene.isProblem(none, 409, "already_refunded")
          assert.match(Scene.text(none.body, "message"), /in full/u)
          yield* Gateway.finish(8453)
          const details = yield* Refunds.detailsOf(own, id)
          const [one = null, two = null] = Scene.list(details, "refunds")
          assert.deepStrictEqual(
            [Scene.text(one, "refundId"), Scene.text(two, "refundId")],
            [firstId, Scene.text(rest.body, "refundId")],
          )
          assert.strictEqual(Scene.text(one, "status"), "succeeded")
          assert.strictEqual(Scene.text(two, "status"), "succeeded")
          assert.notStrictEqual(Scene.text(one, "txId"), Scene.text(two, "txId"))
          assert.deepStrictEqual(Scene.at(details, "refund"), two)
          assert.deepStrictEqual(Scene.at(details, "refunded"), amount)
          assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.payer), 0n)
          const listed = yield* Scene.send({
            path: `/v1/refunds?paymentId=${id}`,
            key: own.key,
          })
          assert.deepStrictEqual(listed.body, { data: [two, one], nextCursor: null })
          const stats = yield* Scene.send({ path: "/v1/payments", key: own.key })
          assert.deepStrictEqual(Scene.at(stats.body, "stats", "totalRefunded"), [
            { amount: 12.34, currency: "USD" },
          ])
        }),
    )
  }

  play("pays out what a refund of a part leaves of the share", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const asked = yield* Scene.send(refundingPart(own.key, id, "34"))
      assert.strictEqual(asked.status, 200, asked.text)
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      yield* Gateway.finish(8453)
      const details = yield* Refunds.detailsOf(own, id)
      assert.strictEqual(Scene.text(details, "refund", "status"), "succeeded")
      const settled = Scene.at(details, "settlement", "successful", "amount", "value")
      assert.strictEqual(settled, (yield* gained(assets.usdcOnBase, Scene.treasury)).toString())
      assert.isTrue(BigInt(String(settled)) > 0n && BigInt(String(settled)) <= 12_000_000n)
    }),
  )

  play("refuses a part without an Idempotency-Key, and amounts that it cannot refund", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const part = refundingPart(own.key, id, "100")
      const unkeyed = { ...part, headers: {} }
      yield* Laws.refused(scene, unkeyed, 400, "missing_idempotency_key")
      for (const wrong of [
        { unit: "iso4217/USD", value: "0" },
        { unit: "iso4217/EUR", value: "100" },
        { unit: "iso4217/USD", value: "-1" },
        { unit: "dollars", value: "100" },
      ]) {
        const sent = { ...part, body: { paymentId: id, amount: wrong } }
        yield* Laws.refused(scene, sent, 400, "params_validation")
      }
      const long = { ...part, body: { ...part.body, reason: "x".repeat(201) } }
      yield* Laws.refused(scene, long, 400, "params_validation")
      // No amount is the whole payment.
      const whole = { ...part, body: { paymentId: id, amount: null, reason: null } }
      const answer = yield* Scene.send(whole)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(Scene.at(answer.body, "amount"), amount)
    }),
  )

  play("never refunds more than was paid if 50 calls for parts race", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => Scene.send(refundingPart(own.key, id, "100"))),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        12,
      )
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        Scene.isProblem(answer, 409, "already_refunded")
      }
      const part = refundingPart(own.key, id, "34", { idempotencyKey: "the rest" })
      for (const replayed of [null, "true"]) {
        const rest = yield* Scene.send(part)
        assert.strictEqual(rest.status, 200, rest.text)
        assert.strictEqual(rest.headers.get("idempotency-replayed"), replayed)
      }
      assert.deepStrictEqual(Scene.at(yield* Refunds.detailsOf(own, id), "refunded"), amount)
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
