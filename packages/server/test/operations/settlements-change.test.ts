import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, deadEnds, register } from "./settlements.ts"

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
})
