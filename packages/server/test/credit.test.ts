import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Float from "@florin/core/engine/books/Float"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import * as Gateway from "./operations/gateway.ts"
import { assets, register, tokenOf } from "./operations/settlements.ts"
import * as Scene from "./scene.ts"

const base = Scene.chains.eip3009
const asset = assets.usdcOnBase
const token = tokenOf(asset)

/** The operator's own money on each account that collects: far more than a payment. */
const fund = Effect.forEach(collectingWallets, ({ address }, index) =>
  Effect.gen(function* () {
    const quantity = Fixtures.quantity(1_000_000_000n)
    yield* (yield* SimulatedChain).mint(token, address, quantity)
    const key = Fixtures.key(`float ${index}`)
    yield* Float.put("test", { key, token, collecting: address, quantity })
  }),
)

const refund = (key: string, paymentId: string) =>
  Scene.send({
    path: "/v1/refunds",
    key,
    headers: { "Idempotency-Key": Scene.fresh("refund") },
    body: { paymentId },
  })

describe("A share that paid off a debt in full", () => {
  it.effect(
    "is settled by the last transfer of that debt, once it is final",
    Gateway.play(({ own, walletKey }) =>
      Effect.gen(function* () {
        yield* fund
        yield* register(own.key, own.merchantId, [asset])
        const pay = Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          yield* Scene.confirm(walletKey, id)
          yield* Gateway.finish(base)
          return id
        })
        const get = (path: string) =>
          Effect.map(
            Scene.send({ path, key: own.key, headers: { "Merchant-Id": own.merchantId } }),
            ({ body }) => body,
          )
        const refunded = yield* pay
        const asked = yield* refund(own.key, refunded)
        assert.strictEqual(asked.status, 200, asked.text)
        yield* Gateway.finish(base)
        const netted = yield* pay
        const { state } = yield* (yield* PaymentStore).payment(PaymentId.PaymentId.make(refunded))
        const refundState = state._tag === "Succeeded" ? state.refunds[0]?.state : undefined
        const txId = refundState?._tag === "Succeeded" ? refundState.txHash : assert.fail()
        const details = yield* get(`/v1/payments/${netted}`)
        assert.strictEqual(Scene.text(details, "settlement", "successful", "txId"), txId)
        const listed = Scene.list(yield* get("/v1/payments"), "data").find(
          (each) => Scene.at(each, "paymentId") === netted,
        )
        assert.deepInclude(Scene.at(listed, "settlement"), { settled: true, txHash: txId })
        assert.isString(Scene.at(listed, "settledAt"))
        const events = Scene.list(yield* get("/v1/events?limit=100"), "data").filter(
          (each) => Scene.at(each, "data", "paymentId") === netted,
        )
        assert.strictEqual(Scene.text(events.at(-1), "type"), "payment.settled")
        assert.strictEqual(Scene.text(events.at(-1), "data", "settlement", "txId"), txId)
      }),
    ),
  )
})
