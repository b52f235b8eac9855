import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const get = (key: string, id: string) => Scene.send({ path: `/v1/merchants/${id}`, key })

describe("GET /v1/merchants/{merchantId}", () => {
  play("reads an id that is percent-encoded", ({ own }) =>
    Effect.gen(function* () {
      const encoded = Array.from(own.merchantId, (each) => `%${each.charCodeAt(0).toString(16)}`)
      const answer = yield* get(own.key, encoded.join(""))
      assert.strictEqual(Scene.text(answer.body, "merchant", "id"), own.merchantId)
    }),
  )
})
