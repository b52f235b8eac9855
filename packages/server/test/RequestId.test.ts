import { assert, describe, it } from "@effect/vitest"
import { AuditStore } from "@florin/core/ports/AuditStore"
import { Chain, Chains } from "@florin/core/ports/Chain"
import * as Florin from "@florin/server/Florin"
import * as Service from "@florin/testing/Service"
import { Effect, Layer, Logger, References } from "effect"
import type * as AccessLog from "../src/edge/AccessLog.ts"
import * as Scene from "./scene.ts"

/** Chains that write a line of their own whenever they are asked what accounts hold. */
const talking = Layer.effect(
  Chains,
  Effect.map(Chain, (chain) =>
    Chains.of({
      of: () => ({
        ...chain,
        holdings: (...asked) =>
          Effect.andThen(Effect.logWarning("a node is slow"), chain.holdings(...asked)),
      }),
    }),
  ),
)

describe("a Request-Id", () => {
  it.effect("is the same in the response, the access log, other logs and the audit log", () => {
    const lines: Array<AccessLog.Line> = []
    const logged: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ fiber, message }) => {
      const annotations = fiber.getRef(References.CurrentLogAnnotations)
      logged.push([String(message), annotations["requestId"]])
    })
    return Effect.gen(function* () {
      const { own, walletKey } = yield* Scene.make
      const created = yield* Scene.send({
        path: "/v1/merchants",
        key: own.key,
        headers: { "Idempotency-Key": "another" },
        body: { merchantName: "Another", merchantEmail: "another@example.com" },
      })
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      lines.length = 0
      logged.length = 0
      const options = yield* Scene.send({
        path: `/v1/gateway/payment/${paymentId}/options`,
        key: walletKey,
        body: { accounts: [Scene.accountOf(Scene.payer, Scene.chains.eip3009)] },
      })
      const requestId = options.headers.get("request-id")
      assert.deepStrictEqual(
        lines.map((line) => line.requestId),
        [requestId],
      )
      assert.deepStrictEqual(logged, [["a node is slow", requestId]])
      const merchantId = Scene.text(created.body, "merchant", "id")
      const { items } = yield* (yield* AuditStore).entries({}, { after: null, limit: 100 })
      const written = items.filter(({ entry }) => entry.subject === merchantId)
      assert.deepStrictEqual(
        written.map(({ entry }) => entry.requestId),
        [created.headers.get("request-id")],
      )
    }).pipe(
      Effect.provide(
        Florin.layer({
          publicUrl: "https://pay.example.com",
          log: (line) => void lines.push(line),
        }).pipe(
          Layer.provideMerge(talking),
          Layer.provideMerge(Service.layer({ chain: { unseenBalance: 1_000_000 } })),
          Layer.provideMerge(Logger.layer([logger])),
        ),
      ),
    )
  })
})
