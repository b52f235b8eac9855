import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, destinationOn, register } from "./settlements.ts"

const { play } = Laws

const list = (key: string, merchantId: string) => ({
  path: `/v1/merchants/${merchantId}/settlements`,
  key,
})

describe("GET /v1/merchants/{merchantId}/settlements", () => {
  play("returns empty lists if no destination is registered", ({ own }) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send(list(own.key, own.merchantId))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, { crypto: [], fiat: [] })
    }),
  )

  play("returns every registered destination, oldest first, and nothing else", ({ other, own }) =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (const asset of [assets.usdcOnPolygon, assets.usdcOnBase, assets.eurcOnBase]) {
        yield* TestClock.adjust("1 second")
        ids.push(...(yield* register(own.key, own.merchantId, [asset])))
      }
      yield* register(other.key, other.merchantId, [assets.usdtOnBsc])
      const answer = yield* Scene.send(list(own.key, own.merchantId))
      assert.deepStrictEqual(answer.body, {
        crypto: [
          { id: ids[0] ?? "", asset: assets.usdcOnPolygon, destination: destinationOn(137) },
          { id: ids[1] ?? "", asset: assets.usdcOnBase, destination: destinationOn(8453) },
          { id: ids[2] ?? "", asset: assets.eurcOnBase, destination: destinationOn(8453) },
        ],
        fiat: [],
      })
    }),
  )
})
