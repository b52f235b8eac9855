import { assert, describe } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as CoreRefunds from "@florin/core/engine/books/Refunds"
import * as Sender from "@florin/core/workers/Sender"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Refunds from "./refunds.ts"
import { assets, gained, register } from "./settlements.ts"

const { play } = Laws

const get = (key: string, id: string) => ({ path: `/v1/refunds/${id}`, key })

/** Fails unless the refund and the details of its payment both show a status. */
const isShown = Effect.fnUntraced(function* (
  { own }: Scene.Scene,
  { paymentId, refundId }: Refunds.Requested,
  status: string,
  more: { readonly held?: Scene.Json; readonly pendingReason?: string } = {},
) {
  const shown = { paymentId, refundId, status, amount: Refunds.amount, ...more }
  const answer = yield* Scene.send(get(own.key, refundId))
  assert.strictEqual(answer.status, 200, answer.text)
  const txId = Scene.at(answer.body, "txId")
  assert.strictEqual(txId !== undefined, status === "succeeded", "only what is paid has one")
  const refund = { ...shown, ...(txId !== undefined && { txId }) }
  assert.deepStrictEqual(answer.body, refund)
  const details = yield* Refunds.detailsOf(own, paymentId)
  assert.deepStrictEqual(Scene.at(details, "refund"), refund)
  assert.deepStrictEqual(Scene.at(details, "refunds"), [refund])
  assert.deepStrictEqual(Scene.at(details, "refunded"), Refunds.amount)
  assert.strictEqual(Scene.at(details, "status"), "succeeded")
  assert.strictEqual(Scene.at(details, "isFinal"), true)
})

describe("GET /v1/refunds/{id}", () => {
  play("returns a refund while it is pending, processing and succeeded", (scene) =>
    Effect.gen(function* () {
      const chain = yield* SimulatedChain
      const asked = yield* Refunds.requested(scene)
      yield* isShown(scene, asked, "pending")
      yield* chain.halt(8453)
      yield* Sender.drain
      yield* isShown(scene, asked, "processing")
      yield* chain.resume(8453)
      yield* Gateway.finish(8453)
      yield* isShown(scene, asked, "succeeded")
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.payer), 0n)
    }),
  )

  play("returns pending while there is no money for the refund", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const asked = yield* Refunds.requested(scene)
      yield* Gateway.finish(8453)
      yield* isShown(scene, asked, "pending", { pendingReason: "insufficient_funds" })
      yield* Refunds.fund
      yield* TestClock.adjust("1 hour")
      yield* Gateway.finish(8453)
      yield* isShown(scene, asked, "succeeded")
    }),
  )

  play("returns held for a refund that cannot be paid, until the operator retries it", (scene) =>
    Effect.gen(function* () {
      const chain = yield* SimulatedChain
      const asked = yield* Refunds.requested(scene)
      yield* chain.block(Scene.payer.address)
      yield* Gateway.finish(8453)
      const { body } = yield* Scene.send(get(scene.own.key, asked.refundId))
      const since = Scene.text(body, "held", "since")
      const held = { held: { reason: "payee", since } }
      assert.match(since, /^2026-/u)
      yield* isShown(scene, asked, "held", held)
      yield* chain.unblock(Scene.payer.address)
      yield* Gateway.finish(8453)
      yield* isShown(scene, asked, "held", held)
      yield* CoreRefunds.retryHeld(PaymentId.PaymentId.make(asked.paymentId)).pipe(Effect.orDie)
      yield* isShown(scene, asked, "pending")
      yield* Gateway.finish(8453)
      yield* isShown(scene, asked, "succeeded")
    }),
  )
})
