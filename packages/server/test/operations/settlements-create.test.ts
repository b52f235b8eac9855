import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, deadEnds, destinationOn, entry, registering } from "./settlements.ts"

const { play } = Laws

const listOf = (key: string, merchantId: string) =>
  Effect.map(Scene.send({ path: `/v1/merchants/${merchantId}/settlements`, key }), ({ body }) =>
    Scene.list(body, "crypto"),
  )

const base = assets.usdcOnBase

describe("POST /v1/merchants/{merchantId}/settlements/crypto", () => {
  const good = entry(base)
  const request = ({ own }: Scene.Scene) =>
    Effect.succeed(registering(own.key, own.merchantId, [good]))
  const bodyWith =
    (...settlements: ReadonlyArray<object>) =>
    () => ({
      settlements: settlements.map((each) => Object.assign({}, good, each)),
    })
  Laws.refusesBodies(request, [
    ["no entry", bodyWith(), ["settlements"]],
    ["51 entries", bodyWith(...Array.from({ length: 51 }, () => good)), ["settlements"]],
    ["an unknown token", bodyWith({ asset: base.replace("0x8", "0x9") }), ["settlements[0].asset"]],
    ["an asset of a payment", bodyWith({ asset: `caip19/${base}` }), ["settlements[0].asset"]],
    [
      "a wrong checksum",
      bodyWith({ destination: "eip155:8453:0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }),
      ["settlements[0].destination"],
    ],
    [
      "several entries",
      bodyWith(
        { asset: "none", destination: "none" },
        {},
        { asset: "none" },
        { asset: assets.usdcOnEthereum, destination: destinationOn(8453) },
      ),
      [
        "settlements[0].asset",
        "settlements[0].destination",
        "settlements[2].asset",
        "settlements[3].destination",
      ],
    ],
  ])

  play("ignores unknown members of an entry", ({ own }) =>
    Effect.gen(function* () {
      const extra = { ...good, id: "crypto_1", chain: 1, merchantId: "mrch_0" }
      const sent = registering(own.key, own.merchantId, [extra])
      const answer = yield* Scene.send(sent)
      const id = Scene.text(answer.body, "settlements", 0, "id")
      assert.notStrictEqual(id, extra.id)
      assert.deepStrictEqual(answer.body, { settlements: [{ id, ...good }] })
      const again = yield* Scene.send({ ...sent, body: { settlements: [good] } })
      assert.strictEqual(again.text, answer.text)
    }),
  )

  play("S15: refuses an account that cannot be a merchant's, and says why", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      for (const [account, what] of deadEnds) {
        const answer = yield* Laws.invalid(
          scene,
          registering(key, merchantId, [{ asset: base, destination: `eip155:8453:${account}` }]),
          ["settlements[0].destination"],
        )
        assert.include(answer.text, `the destination is ${what}`)
      }
    }),
  )

  play("refuses an asset that is in two entries, in any spelling", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      for (const asset of [base, base.toLowerCase()]) {
        const sent = registering(own.key, own.merchantId, [
          entry(assets.usdcOnPolygon),
          good,
          { ...good, asset },
        ])
        yield* Laws.refused(scene, sent, 409, "settlement_asset_conflict")
      }
      assert.deepStrictEqual(yield* listOf(own.key, own.merchantId), [])
    }),
  )

  play("takes up to 50 entries", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      // There are not 50 assets: as many entries as may be name some of them twice.
      const entries = Array.from({ length: 50 }, () => good)
      const sent = registering(own.key, own.merchantId, entries)
      yield* Laws.refused(scene, sent, 409, "settlement_asset_conflict")
    }),
  )
})
