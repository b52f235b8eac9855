import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

describe("a payment over HTTP", () => {
  for (const [flow, chainId] of Object.entries(Scene.chains)) {
    it.effect(`is created, paid by ${flow}, watched and returned`, () =>
      Effect.gen(function* () {
        const { own, walletKey } = yield* Scene.make
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.pay(walletKey, id, chainId)
        const status = yield* Scene.send({
          path: `/v1/gateway/payment/${id}/status`,
          key: walletKey,
        })
        assert.strictEqual(Scene.at(status.body, "status"), "succeeded", status.text)
        assert.strictEqual(Scene.at(status.body, "isFinal"), true)
      }).pipe(Effect.provide(Scene.layer())),
    )
  }
})
