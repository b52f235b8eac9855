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

const subject: Laws.Subject = {
  good: ({ own }) =>
    Effect.map(registered(own), (id) =>
      change(own.key, own.merchantId, id, { destination: elsewhere }),
    ),
  status: 200,
}

const listOf = (key: string, merchantId: string) =>
  Effect.map(Scene.send({ path: `/v1/merchants/${merchantId}/settlements`, key }), ({ body }) =>
    Scene.at(body, "crypto"),
  )

describe("PUT /v1/merchants/{merchantId}/settlements/crypto/{id}", () => {
  Laws.ofPartners(subject)
  Laws.ofBodies(subject)
  Laws.ofFields(subject, [
    ["a body without a destination", () => ({}), ["destination"]],
    ["an asset alone", () => ({ asset: assets.usdcOnPolygon }), ["destination"]],
    ...([null, 1, true, [], {}, [elsewhere]] as const).map(
      (value) =>
        [
          `${JSON.stringify(value).slice(0, 20)} for the destination`,
          () => ({ destination: value }),
          ["destination"],
        ] as const,
    ),
    ...[
      "",
      "0x3333333333333333333333333333333333333333",
      "eip155:8453:0x333333333333333333333333333333333333333",
      "eip155:1:0x3333333333333333333333333333333333333333",
      "eip155:8453:0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    ].map(
      (destination) =>
        [`the destination "${destination}"`, () => ({ destination }), ["destination"]] as const,
    ),
  ])

  play("S15: refuses an account that no merchant has, and says what it is", (scene) =>
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

  play("answers the settlement with its new destination, and changes nothing else", ({ own }) =>
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

  play(
    "sends the share of a payment that succeeds later to the new destination",
    ({ own, walletKey }) =>
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

  play("tells no absent settlement from another's, a removed or a malformed one", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const mine = yield* registered(own)
      const theirs = yield* registered(other)
      const removed = yield* registered(own, assets.eurcOnBase)
      const second = yield* Scene.createMerchant(own.key)
      const gone = yield* Scene.createMerchant(own.key)
      const [ofGone = ""] = yield* register(own.key, gone, [assets.usdcOnBase])
      yield* Scene.send({
        method: "DELETE",
        path: `/v1/merchants/${own.merchantId}/settlements/crypto/${removed}`,
        key: own.key,
      })
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${gone}`, key: own.key })
      const bodies = new Set<string>()
      for (const [key, merchantId, id] of [
        [own.key, own.merchantId, theirs],
        [own.key, other.merchantId, theirs],
        [own.key, second, mine],
        [own.key, gone, ofGone],
        [own.liveKey, own.merchantId, mine],
        [other.key, own.merchantId, mine],
        [own.key, own.merchantId, removed],
        [own.key, own.merchantId, "crypto_0"],
        [own.key, own.merchantId, mine.toLowerCase()],
        [own.key, own.merchantId, "x"],
        [own.key, own.merchantId, "%00"],
        [own.key, "mrch_0", mine],
        [own.key, "x", "x"],
      ] as const) {
        const good = change(key, merchantId, id, { destination: elsewhere })
        const answer = yield* Laws.refused(scene, good, 404, "not_found")
        bodies.add(answer.text.replace(/req_\w+/u, ""))
        // The body is judged before it is known what it is about.
        for (const destination of ["none", `eip155:8453:0x${"0".repeat(40)}`]) {
          yield* Laws.invalid(scene, { ...good, body: { destination } }, ["destination"])
        }
      }
      // One says that the merchant is absent, the other that the destination is.
      assert.strictEqual(bodies.size, 2)
    }),
  )
})
