import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const remove = (key: string, id: string) => ({
  method: "DELETE",
  path: `/v1/merchants/${id}`,
  key,
})

const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

describe("DELETE /v1/merchants/{merchantId}", () => {
  play("ignores any body", ({ own }) =>
    Effect.gen(function* () {
      for (const raw of ["", "{}", "{", "[]"]) {
        const answer = yield* Scene.send({ ...remove(own.key, own.merchantId), raw })
        assert.strictEqual(answer.status, 200, raw)
      }
    }),
  )

  play("hides the merchant, and refuses new payments for it", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      yield* Scene.send(remove(own.key, own.merchantId))
      const path = `/v1/merchants/${own.merchantId}`
      const hidden: ReadonlyArray<Scene.Sent> = [
        { path },
        { path, method: "PATCH", body: { merchantName: "x" } },
        { path: `${path}/settlements` },
        {
          path: `${path}/settlements/crypto`,
          headers: { "Idempotency-Key": "k" },
          body: {
            settlements: [
              { asset, destination: "eip155:8453:0x2222222222222222222222222222222222222222" },
            ],
          },
        },
      ]
      for (const sent of hidden) {
        yield* Laws.refused(scene, { ...sent, key: own.key }, 404, "not_found")
      }
      const list = yield* Scene.send({ path: "/v1/merchants", key: own.key })
      assert.deepStrictEqual(list.body, { merchants: [], totalCount: 0, nextCursor: null })
      const body = { referenceId: "ORDER", amount: { unit: "iso4217/USD", value: "1" } }
      const create = { path: "/v1/payments", key: own.key, body }
      const headers = { "Merchant-Id": own.merchantId }
      yield* Laws.refused(scene, { ...create, headers }, 404, "merchant_not_found")
      yield* Laws.refused(scene, create, 401, "missing_merchant_id")
    }),
  )

  play(
    "keeps its payments, which can still be read, paid, settled and refunded",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        yield* Scene.send({
          path: `/v1/merchants/${own.merchantId}/settlements/crypto`,
          key: own.key,
          headers: { "Idempotency-Key": "k" },
          body: {
            settlements: [
              { asset, destination: Scene.accountOf(Scene.treasury, Scene.chains.eip3009) },
            ],
          },
        })
        const paid = yield* Scene.createPayment(own.key, own.merchantId)
        const open = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.confirm(walletKey, paid)
        yield* Scene.send(remove(own.key, own.merchantId))
        yield* Scene.pay(walletKey, open)
        const headers = { "Merchant-Id": own.merchantId }
        for (const id of [paid, open]) {
          const details = yield* Scene.send({ path: `/v1/payments/${id}`, key: own.key, headers })
          assert.strictEqual(Scene.at(details.body, "status"), "succeeded", details.text)
          assert.match(
            Scene.text(details.body, "settlement", "successful", "txId"),
            /^0x[0-9a-f]{64}$/u,
          )
        }
        for (const path of ["/v1/payments", "/v1/merchants/payments"]) {
          const list = yield* Scene.send({ path, key: own.key, headers })
          const ids = Scene.list(list.body, "data").map((each) => Scene.text(each, "paymentId"))
          assert.sameMembers(ids, [paid, open])
          assert.strictEqual(Scene.text(list.body, "data", 0, "merchant", "name"), "Corner Shop")
        }
        const refund = yield* Scene.send({
          path: "/v1/refunds",
          key: own.key,
          headers,
          body: { paymentId: paid },
        })
        assert.strictEqual(refund.status, 200, refund.text)
      }),
  )
})
