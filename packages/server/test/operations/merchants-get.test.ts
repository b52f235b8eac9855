import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const get = (key: string, id: string) => Scene.send({ path: `/v1/merchants/${id}`, key })

const subject: Laws.Subject = {
  good: ({ own }) => Effect.succeed({ path: `/v1/merchants/${own.merchantId}`, key: own.key }),
  status: 200,
}

const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const destination = "eip155:8453:0x2222222222222222222222222222222222222222"

describe("GET /v1/merchants/{merchantId}", () => {
  Laws.ofPartners(subject)

  play("shows the merchant with its settlements, and nothing else", ({ own }) =>
    Effect.gen(function* () {
      const registered = yield* Scene.send({
        path: `/v1/merchants/${own.merchantId}/settlements/crypto`,
        key: own.key,
        headers: { "Idempotency-Key": Scene.fresh("settlement") },
        body: { settlements: [{ asset, destination }] },
      })
      const answer = yield* get(own.key, own.merchantId)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        merchant: {
          id: own.merchantId,
          name: "Corner Shop",
          email: "shop@example.com",
          iconUrl: null,
          ...Scene.faceless,
          status: "active",
          createdAt: "2026-09-21T14:13:20.000Z",
          settlements: {
            crypto: [
              { id: Scene.text(registered.body, "settlements", 0, "id"), asset, destination },
            ],
            fiat: [],
          },
        },
      })
    }),
  )

  play("shows empty lists where nothing is registered", ({ own }) =>
    Effect.gen(function* () {
      const { body } = yield* get(own.key, own.merchantId)
      assert.deepStrictEqual(Scene.at(body, "merchant", "settlements"), { crypto: [], fiat: [] })
    }),
  )

  play("reads an id that is percent-encoded", ({ own }) =>
    Effect.gen(function* () {
      const encoded = Array.from(own.merchantId, (each) => `%${each.charCodeAt(0).toString(16)}`)
      const answer = yield* get(own.key, encoded.join(""))
      assert.strictEqual(Scene.text(answer.body, "merchant", "id"), own.merchantId)
    }),
  )

  play("tells no absent merchant from a deleted, another partner's or malformed one", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const deleted = yield* Scene.createMerchant(own.key)
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${deleted}`, key: own.key })
      const bodies = new Set<string>()
      for (const [key, id] of [
        [own.key, deleted],
        [own.key, other.merchantId],
        [own.liveKey, own.merchantId],
        [own.key, "mrch_0"],
        [own.key, own.merchantId.toLowerCase()],
        [own.key, `${own.merchantId}0`],
        [own.key, "mrch_"],
        [own.key, "x"],
        [own.key, "%20"],
        [own.key, "%00"],
        [own.key, "%2F"],
        [own.key, "..%2f"],
        [own.key, "é"],
        [own.key, "%F0%9F%98%80"],
        [own.key, "x".repeat(5000)],
      ] as const) {
        const answer = yield* Laws.refused(
          scene,
          { path: `/v1/merchants/${id}`, key },
          404,
          "not_found",
        )
        bodies.add(answer.text.replace(/req_\w+/u, ""))
      }
      assert.strictEqual(bodies.size, 1)
    }),
  )
})
