import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, entry, register } from "./settlements.ts"

const { play } = Laws

const get = (key: string, id: string) => Scene.send({ path: `/v1/merchants/${id}`, key })

describe("GET /v1/merchants/{merchantId}", () => {
  play("returns the merchant with its destinations, and nothing else", ({ own }) =>
    Effect.gen(function* () {
      const [id = ""] = yield* register(own.key, own.merchantId, [assets.usdcOnBase])
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
            crypto: [{ id, ...entry(assets.usdcOnBase) }],
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
