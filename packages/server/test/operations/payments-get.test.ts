import { assert, describe } from "@effect/vitest"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Payments from "./payments.ts"
import { assets, register } from "./settlements.ts"

const { about, play } = Payments

const request = ({ own }: Gateway.World, id: string) => about(own, `/v1/payments/${id}`)

const read = Effect.fnUntraced(function* (world: Gateway.World, id: string) {
  const answer = yield* Scene.send(request(world, id))
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

const reasons: { readonly [S in Gateway.State]?: string } = {
  "cancelled by the payer": "cancelled_by_user",
  "cancelled by the merchant": "cancelled_by_merchant",
}
const confirmed = new Set<Gateway.State>(["processing", "succeeded", "failed", "declined"])

/** The members next to the status: amount, merchant, buyer and times. */
const asked = ({ own }: Gateway.World, id: string, state: Gateway.State) => ({
  merchant: { id: own.merchantId, name: "Corner Shop" },
  amount: Gateway.usd("1234"),
  buyer: confirmed.has(state)
    ? {
        accountCaip10: Scene.accountOf(Scene.payer, Scene.chains.eip3009),
        accountProviderName: "A wallet",
        accountProviderIcon: "https://wallet.example/icon.png",
      }
    : null,
  gatewayUrl: `https://pay.example.com/?pid=${id}`,
  expiresAt: Gateway.paymentEnd / 1000,
  createdAt: "2026-09-21T14:13:20.000Z",
  ...(reasons[state] !== undefined && {
    cancelledReason: reasons[state],
    cancelledAt: "2026-09-21T14:13:20.000Z",
  }),
})

const unit = `caip19/${assets.usdcOnBase}`

/** The payout of a share without deductions. */
const payout = (state: string, reason: string | null = null, id: Scene.Json = null) => ({
  payout: { id, state, reason, dueAt: null, netted: { unit, value: "0" } },
})

const refund = Effect.fnUntraced(function* (key: string, paymentId: string) {
  const answer = yield* Scene.send({ path: "/v1/refunds", key, body: { paymentId } })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

describe("GET /v1/payments/{id}", () => {
  for (const state of Gateway.stateNames) {
    play(`returns all of a payment that is ${state}, and nothing else`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state, { referenceId: "ORDER 7/ä😀" })
        const body = yield* read(world, id)
        assert.deepStrictEqual(body, {
          paymentId: id,
          referenceId: "ORDER 7/ä😀",
          metadata: {},
          ...Payments.statusIn(state, body),
          settlement: null,
          ...asked(world, id, state),
          ...(state === "succeeded" && payout("waiting", "destination")),
        })
      }),
    )
  }

  play("returns the settlement only once it is final", (world) =>
    Effect.gen(function* () {
      const { key, merchantId } = world.own
      yield* register(key, merchantId, [assets.usdcOnBase])
      const id = yield* Scene.createPayment(key, merchantId, { referenceId: "ORDER-7" })
      yield* Scene.confirm(world.walletKey, id)
      assert.isNull(Scene.at(yield* read(world, id), "settlement"))
      const chain = yield* SimulatedChain
      yield* Scene.work
      yield* chain.settle(8453)
      yield* TestClock.adjust("30 seconds")
      while (Scene.at(yield* read(world, id), "status") !== "succeeded") yield* Scene.work
      const paid = yield* read(world, id)
      assert.strictEqual(Scene.at(paid, "status"), "succeeded")
      yield* Gateway.finish(8453)
      const body = yield* read(world, id)
      const txId = Scene.at(body, "settlement", "successful", "txId")
      assert.isTrue(Gateway.isHash(txId))
      assert.notStrictEqual(txId, Scene.at(body, "info", "txId"))
      assert.deepStrictEqual(body, {
        paymentId: id,
        referenceId: "ORDER-7",
        metadata: {},
        ...Payments.statusIn("succeeded", body),
        settlement: {
          successful: {
            txId: String(txId),
            amount: { unit, value: "12340000" },
          },
        },
        ...asked(world, id, "succeeded"),
        ...payout("paid", null, Scene.text(body, "payout", "id")),
      })
    }),
  )

  play("returns the refund as its creation did, and then its progress", (world) =>
    Effect.gen(function* () {
      const { own, walletKey } = world
      const id = yield* Scene.createPayment(own.key, own.merchantId, { referenceId: "ORDER-7" })
      yield* Scene.pay(walletKey, id)
      const answer = yield* refund(own.key, id)
      const pending = yield* read(world, id)
      const refunded = Gateway.usdcOnBase("12340000")
      const shown = {
        paymentId: id,
        refundId: Scene.text(answer, "refundId"),
        status: "pending",
        amount: refunded,
      }
      assert.deepStrictEqual(pending, {
        paymentId: id,
        referenceId: "ORDER-7",
        metadata: {},
        ...Payments.statusIn("succeeded", pending),
        settlement: null,
        refund: shown,
        refunds: [shown],
        refunded,
        ...asked(world, id, "succeeded"),
        ...payout("cancelled"),
      })
      assert.deepStrictEqual(Scene.at(pending, "refund"), answer)
      const list = yield* Scene.send({ path: "/v1/payments", key: own.key })
      assert.deepStrictEqual(Scene.at(list.body, "data", 0, "refund"), answer)
      yield* Gateway.finish(8453)
      const done = yield* read(world, id)
      assert.strictEqual(Scene.at(done, "refund", "status"), "succeeded")
      assert.strictEqual(Scene.at(done, "status"), "succeeded")
      assert.isNull(Scene.at(done, "settlement"))
    }),
  )

  play("keeps the settlement of a payment that is refunded later", (world) =>
    Effect.gen(function* () {
      const { own, walletKey } = world
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(walletKey, id)
      const settled = Scene.at(yield* read(world, id), "settlement")
      assert.isNotNull(settled)
      yield* refund(own.key, id)
      const body = yield* read(world, id)
      assert.deepStrictEqual(Scene.at(body, "settlement"), settled)
      assert.strictEqual(Scene.at(body, "refund", "status"), "pending")
    }),
  )

  play("shows that a share was kept for an earlier refund", (world) =>
    Effect.gen(function* () {
      const { own, walletKey } = world
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const first = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(walletKey, first)
      yield* refund(own.key, first)
      const second = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(walletKey, second)
      const body = yield* read(world, second)
      const settled = Scene.at(body, "settlement", "successful")
      assert.deepStrictEqual(Scene.at(settled, "amount"), { unit, value: "12340000" })
      const netted = {
        payout: {
          id: null,
          state: "netted",
          reason: null,
          dueAt: null,
          netted: { unit, value: "12340000" },
        },
      }
      assert.deepStrictEqual(Scene.at(body, "payout"), netted.payout)
      const list = yield* Scene.send({ path: "/v1/payments?limit=1", key: own.key })
      assert.deepStrictEqual(Scene.at(list.body, "data", 0, "payout"), netted.payout)
      const txId = Scene.text(settled, "txId")
      assert.deepInclude(Scene.at(list.body, "data", 0, "settlement"), {
        settled: true,
        txHash: txId,
      })
      const events = yield* Scene.send({ path: "/v1/events?limit=200", key: own.key })
      const data = Scene.at(events.body, "data")
      const told = Array.isArray(data)
        ? data.findLast((event) => Scene.at(event, "type") === "payment.settled")
        : undefined
      assert.strictEqual(Scene.at(told, "data", "paymentId"), second)
      assert.strictEqual(Scene.text(told, "data", "settlement", "txId"), txId)
      assert.deepStrictEqual(Scene.at(told, "data", "payout"), netted.payout)
    }),
  )

  play("shows the merchant as it is now, also a deleted one", (world) =>
    Effect.gen(function* () {
      const { key } = world.own
      const merchantId = yield* Scene.createMerchant(key, "First")
      const path = `/v1/merchants/${merchantId}`
      const id = yield* Scene.createPayment(key, merchantId)
      const iconUrl = "https://shop.example/icon.png"
      yield* Scene.send({ method: "PATCH", path, key, body: { merchantName: "Second", iconUrl } })
      yield* Scene.send({ method: "DELETE", path, key })
      const headers = { "Merchant-Id": merchantId }
      const { body } = yield* Scene.send({ path: `/v1/payments/${id}`, key, headers })
      assert.deepStrictEqual(Scene.at(body, "merchant"), {
        id: merchantId,
        name: "Second",
        iconUrl,
      })
    }),
  )
})
