import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, register } from "./settlements.ts"

const { play } = Laws

const remove = (key: string, merchantId: string, id: string) => ({
  method: "DELETE",
  path: `/v1/merchants/${merchantId}/settlements/crypto/${id}`,
  key,
})

const detailsOf = Effect.fnUntraced(function* (
  { key, merchantId }: Scene.Scene["own"],
  id: string,
) {
  const headers = { "Merchant-Id": merchantId }
  const { body } = yield* Scene.send({ path: `/v1/payments/${id}`, key, headers })
  return body
})

describe("DELETE /v1/merchants/{merchantId}/settlements/crypto/{id}", () => {
  play(
    "keeps earlier payments settled, and the shares of later ones waiting",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const [id = ""] = yield* register(own.key, own.merchantId, [assets.usdcOnBase])
        const before = yield* Scene.createPayment(own.key, own.merchantId)
        const after = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.pay(walletKey, before)
        yield* Scene.send(remove(own.key, own.merchantId, id))
        yield* Scene.pay(walletKey, after)
        const settled = yield* detailsOf(own, before)
        assert.strictEqual(Scene.at(settled, "status"), "succeeded")
        assert.deepStrictEqual(Scene.at(settled, "settlement", "successful", "amount"), {
          unit: `caip19/${assets.usdcOnBase}`,
          value: "12340000",
        })
        const owed = yield* detailsOf(own, after)
        assert.strictEqual(Scene.at(owed, "status"), "succeeded")
        assert.isNull(Scene.at(owed, "settlement"))
        const list = yield* Scene.send({ path: "/v1/payments?sortDir=asc", key: own.key })
        const items = Scene.list(list.body, "data")
        const itemOf = (paymentId: string) =>
          items.find((item) => Scene.text(item, "paymentId") === paymentId)
        assert.strictEqual(Scene.at(itemOf(before), "settlement", "settled"), true)
        assert.deepStrictEqual(Scene.at(itemOf(after), "settlement"), { settled: false })
        assert.isUndefined(Scene.at(itemOf(after), "settledAt"))
      }),
  )
})
