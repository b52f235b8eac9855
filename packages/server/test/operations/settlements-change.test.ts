import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, deadEnds, destinationOn, gained, register } from "./settlements.ts"

const { play } = Laws

const elsewhere = "eip155:8453:0x3333333333333333333333333333333333333333"

const change = (key: string, merchantId: string, id: string, body: Scene.Json) => ({
  method: "PUT",
  path: `/v1/merchants/${merchantId}/settlements/crypto/${id}`,
  key,
  body,
})

const registered = Effect.fnUntraced(function* (
  { key, merchantId }: Scene.Scene["own"],
  asset: string = assets.usdcOnBase,
) {
  const [id = ""] = yield* register(key, merchantId, [asset])
  return id
})

const listOf = (key: string, merchantId: string) =>
  Effect.map(Scene.send({ path: `/v1/merchants/${merchantId}/settlements`, key }), ({ body }) =>
    Scene.at(body, "crypto"),
  )

describe("PUT /v1/merchants/{merchantId}/settlements/crypto/{id}", () => {
  const request = ({ own }: Scene.Scene) =>
    Effect.map(registered(own), (id) => change(own.key, own.merchantId, id, {}))
  const to = (destination: string) => () => ({ destination })
  Laws.refusesBodies(request, [
    ["an account on another chain", to(elsewhere.replace("8453", "1")), ["destination"]],
    [
      "a wrong checksum",
      to("eip155:8453:0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
      ["destination"],
    ],
  ])

  play("S15: refuses an account that cannot be a merchant's, and says why", (scene) =>
    Effect.gen(function* () {
      const id = yield* registered(scene.own)
      for (const [account, what] of deadEnds) {
        const answer = yield* Laws.invalid(
          scene,
          change(scene.own.key, scene.own.merchantId, id, {
            destination: `eip155:8453:${account}`,
          }),
          ["destination"],
        )
        assert.include(answer.text, `the destination is ${what}`)
      }
    }),
  )

  play("returns the settlement with its new destination, and changes nothing else", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* registered(own)
      const other = yield* registered(own, assets.eurcOnBase)
      const second = { id: other, asset: assets.eurcOnBase, destination: destinationOn(8453) }
      const spellings = [
        elsewhere,
        `eip155:8453:0x${"ab".repeat(20)}`,
        `eip155:8453:0x${"AB".repeat(20)}`,
        "eip155:8453:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "eip155:8453:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      ]
      for (const destination of spellings) {
        const answer = yield* Scene.send(
          change(own.key, own.merchantId, id, {
            destination,
            asset: assets.usdcOnPolygon,
            id: "x",
          }),
        )
        assert.strictEqual(answer.status, 200, answer.text)
        const first = { id, asset: assets.usdcOnBase, destination }
        assert.deepStrictEqual(answer.body, first)
        assert.deepStrictEqual(yield* listOf(own.key, own.merchantId), [first, second])
      }
    }),
  )

  play("pays the share of a later payment to the new destination", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const id = yield* registered(own)
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.send(
        change(own.key, own.merchantId, id, {
          destination: Scene.accountOf(Scene.stranger, 8453),
        }),
      )
      yield* Scene.pay(walletKey, paymentId)
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.stranger), 12_340_000n)
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.treasury), 0n)
    }),
  )
})
