import { assert, describe, it } from "@effect/vitest"
import * as Credit from "@florin/core/domain/Credit"
import * as Float from "@florin/core/engine/Float"
import * as Merchants from "@florin/core/engine/Merchants"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
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

/** What all accounts have of the operator's own money. */
const float = Effect.gen(function* () {
  const ledger = yield* LedgerStore
  const floats = yield* Effect.forEach(collectingWallets, ({ address: collecting }) =>
    ledger.float("test", { collecting, token }),
  )
  return floats.reduce((sum, each) => sum + each, 0n)
})

describe("Refunds of a partner without credit", () => {
  it.effect(
    "S3: wait, say why, and leave the operator's money alone, round after round",
    Gateway.play(({ own, walletKey }) =>
      Effect.gen(function* () {
        yield* Merchants.setPartnerCredit(own.partner.id, "test", Credit.none)
        yield* fund
        yield* register(own.key, own.merchantId, [asset])
        const before = yield* float
        const ids: Array<string> = []
        for (let round = 0; round < 3; round++) {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          yield* Scene.confirm(walletKey, id)
          yield* Gateway.finish(base)
          ids.push(id)
        }
        for (const id of ids) {
          const asked = yield* refund(own.key, id)
          assert.strictEqual(asked.status, 200, asked.text)
          yield* Gateway.finish(base)
        }
        const fees = (yield* float) - before
        assert.isTrue(fees >= 0n, "the fees of what was paid are all that changed")
        for (const id of ids) {
          const got = yield* Scene.send({
            path: `/v1/payments/${id}`,
            key: own.key,
            headers: { "Merchant-Id": own.merchantId },
          })
          assert.include(got.text, `"pendingReason":"insufficient_credit"`)
        }
        // S5: what comes in next pays the first of them, and nothing reaches the merchant.
        const chain = yield* SimulatedChain
        const paidOut = yield* chain.balanceOf(token, Scene.treasury.address)
        const later = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.confirm(walletKey, later)
        yield* Gateway.finish(base)
        assert.strictEqual(yield* chain.balanceOf(token, Scene.treasury.address), paidOut)
        assert.isTrue((yield* float) >= before)
      }),
    ),
  )
})
