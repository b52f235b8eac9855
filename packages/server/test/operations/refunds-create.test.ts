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
const { amount, refunding } = Refunds

const subject: Laws.Subject = {
  good: (scene) => Effect.map(Refunds.succeeded(scene), (id) => refunding(scene.own.key, id)),
  status: 200,
}

describe("POST /v1/refunds", () => {
  Laws.ofPartners(subject)
  Laws.ofBodies(subject)
  Laws.ofFields(subject, [
    ["an empty object", () => ({}), ["paymentId"]],
    ["a name in another case", () => ({ paymentid: "pay_1" }), ["paymentId"]],
    ...([null, 1, true, [], {}, ["pay_1"]] as const).map(
      (value) =>
        [
          `${JSON.stringify(value)} for the payment`,
          () => ({ paymentId: value }),
          ["paymentId"],
        ] as const,
    ),
  ])

  play("answers the refund, and nothing else", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const paymentId = yield* Refunds.succeeded(scene)
      const answer = yield* Scene.send(refunding(own.key, paymentId))
      assert.strictEqual(answer.status, 200, answer.text)
      const refundId = Scene.text(answer.body, "refundId")
      assert.match(refundId, /^rfnd_[0-9A-Za-z]{1,64}$/u)
      assert.deepStrictEqual(answer.body, { paymentId, refundId, status: "pending", amount })
    }),
  )

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

  play("takes back a share that was not sent, and gives the payer everything", (scene) =>
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

  play("refunds once, however many ask at once", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => Scene.send(refunding(own.key, id))),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1,
      )
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        Scene.isProblem(answer, 409, "already_refunded")
      }
    }),
  )

  play("takes a Merchant-Id, which must be the payment's", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const id = yield* Refunds.succeeded(scene)
      const sent = refunding(own.key, id)
      const second = yield* Scene.createMerchant(own.key)
      for (const merchantId of [second, other.merchantId, "mrch_0", "x"]) {
        const headers = { "Merchant-Id": merchantId }
        yield* Laws.refused(scene, { ...sent, headers }, 404, "not_found")
      }
      const answer = yield* Scene.send({ ...sent, headers: { "Merchant-Id": own.merchantId } })
      assert.strictEqual(answer.status, 200, answer.text)
    }),
  )

  play("tells no absent payment from another partner's, another mode's or malformed one", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const id = yield* Refunds.succeeded(scene)
      const bodies = new Set<string>()
      for (const [key, paymentId] of [
        [other.key, id],
        [own.liveKey, id],
        [own.key, "pay_0"],
        [own.key, id.toUpperCase()],
        [own.key, `${id} `],
        [own.key, ""],
        [own.key, "x"],
        [own.key, "pay_"],
        [own.key, `pay_${"0".repeat(65)}`],
        [own.key, "pay_\u0000"],
        [own.key, "pay_😀"],
        [own.key, own.merchantId],
        [own.key, `https://pay.example.com/?pid=${id}`],
      ] as const) {
        const answer = yield* Laws.refused(scene, refunding(key, paymentId), 404, "not_found")
        bodies.add(answer.text.replace(/req_\w+/u, ""))
      }
      assert.strictEqual(bodies.size, 1)
    }),
  )

  play("answers the same refund again under the same Idempotency-Key, however far it is", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const headers = { "Idempotency-Key": "refund" }
      const sent = { ...refunding(own.key, id), headers }
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => Scene.send(sent)),
        { concurrency: "unbounded" },
      )
      yield* Gateway.finish(Scene.chains.eip3009)
      const again = yield* Scene.send(sent)
      const [first] = answers
      for (const { body, status } of [...answers, again]) {
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body, first?.body)
      }
      const replays = answers.map((each) => each.headers.get("idempotency-replayed"))
      assert.strictEqual(replays.filter((each) => each === null).length, 1)
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      const shown = yield* Refunds.detailsOf(own, id)
      assert.strictEqual(Scene.at(shown, "refund", "status"), "succeeded")
      assert.strictEqual(Scene.at(shown, "refund", "refundId"), Scene.text(again.body, "refundId"))
      const another = { "Idempotency-Key": "another" }
      yield* Laws.refused(scene, { ...sent, headers: another }, 409, "already_refunded")
    }),
  )

  play("takes an Idempotency-Key for one refund only, and remembers no refusal", (scene) =>
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
