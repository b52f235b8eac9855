import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, deadEnds, destinationOn, entry, register, registering } from "./settlements.ts"

const { play } = Laws

const listOf = (key: string, merchantId: string) =>
  Effect.map(Scene.send({ path: `/v1/merchants/${merchantId}/settlements`, key }), ({ body }) =>
    Scene.list(body, "crypto"),
  )

const base = assets.usdcOnBase
const [, token = ""] = base.split("erc20:")
const address = "0x2222222222222222222222222222222222222222"

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

  play("returns the new destinations in their order, and nothing else", ({ own }) =>
    Effect.gen(function* () {
      const sent = Object.values(assets).map(entry)
      const answer = yield* Scene.send(registering(own.key, own.merchantId, sent))
      assert.strictEqual(answer.status, 201, answer.text)
      const ids = Scene.list(answer.body, "settlements").map((each) => Scene.text(each, "id"))
      assert.deepStrictEqual(answer.body, {
        settlements: sent.map((each, index) => ({ id: ids[index] ?? "", ...each })),
      })
      for (const id of ids) assert.match(id, /^crypto_[0-9A-Za-z]{1,64}$/u)
      assert.strictEqual(new Set(ids).size, sent.length)
      assert.sameDeepMembers(
        [...(yield* listOf(own.key, own.merchantId))],
        [...Scene.list(answer.body, "settlements")],
      )
    }),
  )

  const spelled = [
    ["as in EIP-55", base, `eip155:8453:${address}`],
    ["in lower case", base.toLowerCase(), `eip155:8453:0x${"ab".repeat(20)}`],
    [
      "in upper case",
      `eip155:8453/erc20:0x${token.slice(2).toUpperCase()}`,
      `eip155:8453:0x${"AB".repeat(20)}`,
    ],
    [
      "with a checksum that is wrong for the asset",
      `eip155:8453/erc20:0x${token.slice(2).replace("f", "F")}`,
      destinationOn(8453),
    ],
  ] as const
  for (const [how, asset, destination] of spelled) {
    play(`takes addresses ${how}, and returns them as they were sent`, ({ own }) =>
      Effect.gen(function* () {
        const sent = registering(own.key, own.merchantId, [{ asset, destination }])
        const answer = yield* Scene.send(sent)
        assert.strictEqual(answer.status, 201, answer.text)
        const id = Scene.text(answer.body, "settlements", 0, "id")
        assert.deepStrictEqual(answer.body, { settlements: [{ id, asset, destination }] })
        assert.deepStrictEqual(yield* listOf(own.key, own.merchantId), [{ id, asset, destination }])
      }),
    )
  }

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

  play("refuses an asset that is registered already, and registers none of the others", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      yield* register(own.key, own.merchantId, [base])
      for (const asset of [base, base.toLowerCase()]) {
        const sent = registering(own.key, own.merchantId, [
          entry(assets.usdcOnPolygon),
          { asset, destination: `eip155:8453:${address}` },
        ])
        yield* Laws.refused(scene, sent, 409, "settlement_asset_conflict")
      }
      assert.lengthOf(yield* listOf(own.key, own.merchantId), 1)
      // Each merchant has its own.
      yield* register(other.key, other.merchantId, [base])
      yield* register(own.key, yield* Scene.createMerchant(own.key), [base])
    }),
  )

  play("checks the fields of all entries before it looks for conflicts", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      yield* register(own.key, own.merchantId, [base])
      yield* Laws.invalid(
        scene,
        registering(own.key, own.merchantId, [good, good, { ...good, destination: "none" }]),
        ["settlements[2].destination"],
      )
      assert.lengthOf(yield* listOf(own.key, own.merchantId), 1)
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

  play("registers an asset once if 20 calls race", ({ own }) =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => Scene.send(registering(own.key, own.merchantId, [good]))),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        1,
      )
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        Scene.isProblem(answer, 409, "settlement_asset_conflict")
      }
      assert.lengthOf(yield* listOf(own.key, own.merchantId), 1)
    }),
  )

  play(
    "repeats the first response, even if the destination was changed or deleted since",
    ({ own }) =>
      Effect.gen(function* () {
        const sent = registering(own.key, own.merchantId, [good])
        const first = yield* Scene.send(sent)
        const id = Scene.text(first.body, "settlements", 0, "id")
        const registered = `${sent.path}/${id}`
        const merchant = `/v1/merchants/${own.merchantId}`
        const changes: ReadonlyArray<Scene.Sent> = [
          { method: "PUT", path: registered, body: { destination: `eip155:8453:${address}` } },
          { method: "DELETE", path: registered },
          { method: "DELETE", path: merchant },
        ]
        for (const change of changes) {
          assert.strictEqual((yield* Scene.send({ ...change, key: own.key })).status, 200)
          const again = yield* Scene.send(sent)
          assert.strictEqual(again.status, 201, again.text)
          assert.strictEqual(again.text, first.text)
          assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        }
      }),
  )
})
