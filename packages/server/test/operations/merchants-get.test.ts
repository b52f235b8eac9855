import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const get = (key: string, id: string) => Scene.send({ path: `/v1/merchants/${id}`, key })

const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const destination = "eip155:8453:0x2222222222222222222222222222222222222222"

describe("GET /v1/merchants/{merchantId}", () => {
  play("returns the merchant with its destinations, and nothing else", ({ own }) =>
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

  play("returns empty lists if no destination is registered", ({ own }) =>
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
})
