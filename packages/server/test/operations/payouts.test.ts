import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import { assets, destinationOn, register } from "./settlements.ts"

const { play } = Laws

const unit = "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const read = Effect.fnUntraced(function* (key: string, path: string) {
  const answer = yield* Scene.send({ path, key })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

/** Pays a payment whose share is paid out immediately; returns the id of its payout. */
const paidOut = Effect.fnUntraced(function* (
  { walletKey }: Pick<Scene.Scene, "walletKey">,
  { key, merchantId }: Pick<Scene.Scene["own"], "key" | "merchantId">,
) {
  const paymentId = yield* Scene.createPayment(key, merchantId)
  yield* Scene.pay(walletKey, paymentId)
  yield* Gateway.finish(8453)
  const details = yield* Scene.send({
    path: `/v1/payments/${paymentId}`,
    key,
    headers: { "Merchant-Id": merchantId },
  })
  return { paymentId, payoutId: Scene.text(details.body, "payout", "id"), details: details.body }
})

const idsOf = (body: Scene.Json) => Scene.list(body, "data").map((each) => Scene.text(each, "id"))

describe("GET /v1/payouts", () => {
  play("lists the payouts of merchants, newest first, by merchant and state, in pages", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const second = { key: own.key, merchantId: yield* Scene.createMerchant(own.key) }
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      yield* register(own.key, second.merchantId, [assets.usdcOnBase])
      assert.deepStrictEqual(yield* read(own.key, "/v1/payouts"), { data: [], nextCursor: null })
      const made: Array<string> = []
      for (const shop of [own, second, own]) {
        made.push((yield* paidOut(scene, shop)).payoutId)
        yield* TestClock.adjust("1 second")
      }
      const newest = made.toReversed()
      const all = yield* read(own.key, "/v1/payouts")
      assert.deepStrictEqual(idsOf(all), newest)
      assert.deepStrictEqual(
        idsOf(yield* read(own.key, `/v1/payouts?merchantId=${second.merchantId}`)),
        newest.slice(1, 2),
      )
      assert.deepStrictEqual(idsOf(yield* read(own.key, "/v1/payouts?status=paid")), newest)
      for (const query of ["status=held", "merchantId=nobody", "endTs=2026-01-01T00:00:00Z"]) {
        assert.deepStrictEqual(idsOf(yield* read(own.key, `/v1/payouts?${query}`)), [], query)
      }
      const first = yield* read(own.key, "/v1/payouts?limit=2")
      const cursor = encodeURIComponent(Scene.text(first, "nextCursor"))
      const rest = yield* read(own.key, `/v1/payouts?limit=2&cursor=${cursor}`)
      assert.deepStrictEqual([...idsOf(first), ...idsOf(rest)], newest)
      assert.isNull(Scene.at(rest, "nextCursor"))
      yield* Laws.invalid(scene, { path: "/v1/payouts?status=gone&limit=0", key: own.key }, [
        "status",
        "limit",
      ])
      // A cursor is good for its own list only.
      for (const [key, path] of [
        [other.key, `/v1/payouts?cursor=${cursor}`],
        [own.key, `/v1/payouts?status=paid&cursor=${cursor}`],
      ] as const) {
        yield* Laws.invalid(scene, { path, key }, ["cursor"])
      }
      assert.deepStrictEqual(idsOf(yield* read(other.key, "/v1/payouts")), [])
    }),
  )
})

describe("GET /v1/payouts/{id}", () => {
  play("returns a payout with the payments in it, and nothing else", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const { details, paymentId, payoutId } = yield* paidOut(scene, own)
      const body = yield* read(own.key, `/v1/payouts/${payoutId}`)
      const times = ["createdAt", "sentAt", "paidAt"].map((name) => [name, Scene.text(body, name)])
      assert.deepStrictEqual(body, {
        id: payoutId,
        state: "paid",
        reason: null,
        amount: Gateway.usdcOnBase("12340000"),
        destination: destinationOn(8453),
        txId: Scene.text(details, "settlement", "successful", "txId"),
        paymentCount: 1,
        ...Object.fromEntries(times),
        payments: [
          {
            paymentId,
            merchantId: own.merchantId,
            amount: { unit, value: "12340000" },
            netted: { unit, value: "0" },
          },
        ],
      })
      const listed = yield* read(own.key, "/v1/payouts")
      const { payments: _, ...summary } = Object(body)
      assert.deepStrictEqual(Scene.list(listed, "data"), [summary])
    }),
  )
})
