/**
 * Refunds as the tests of several operations write them.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Ledger from "@florin/core/domain/money/Ledger"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import { assets, tokenOf } from "./settlements.ts"

const chainId = Scene.chains.eip3009
const quantity = 12_340_000n
const token = tokenOf(assets.usdcOnBase)

/** The amount of every payment and refund in these tests. */
export const amount = Gateway.usdcOnBase(String(quantity))

/** A payment that succeeded, and is settled where its merchant has a destination. */
export const succeeded = Effect.fnUntraced(function* ({ own, walletKey }: Scene.Scene) {
  const id = yield* Scene.createPayment(own.key, own.merchantId)
  yield* Scene.confirm(walletKey, id)
  yield* Gateway.finish(chainId)
  return id
})

export const refunding = (key: string, paymentId: string) => ({
  path: "/v1/refunds",
  key,
  body: { paymentId },
})

/** A request for a part, under a key of its own unless one is named. */
export const refundingPart = (
  key: string,
  paymentId: string,
  value: string,
  { idempotencyKey = Scene.fresh("part"), unit = "iso4217/USD" } = {},
) => ({
  ...refunding(key, paymentId),
  headers: { "Idempotency-Key": idempotencyKey },
  body: { paymentId, amount: { unit, value } },
})

export interface Requested {
  readonly paymentId: string
  readonly refundId: string
}

/** A refund of a payment that succeeded. */
export const requested = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const paymentId = yield* succeeded(scene)
  const answer = yield* Scene.send(refunding(scene.own.key, paymentId))
  assert.strictEqual(answer.status, 200, answer.text)
  const asked: Requested = { paymentId, refundId: Scene.text(answer.body, "refundId") }
  return asked
})

/** The details of a payment. */
export const detailsOf = Effect.fnUntraced(function* (
  { key, merchantId }: Scene.Scene["own"],
  id: string,
) {
  const headers = { "Merchant-Id": merchantId }
  const answer = yield* Scene.send({ path: `/v1/payments/${id}`, key, headers })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

/** The operator puts enough for a refund on every collecting account. */
export const fund = Effect.gen(function* () {
  const chain = yield* SimulatedChain
  const ledger = yield* LedgerStore
  for (const { address } of collectingWallets) {
    yield* chain.mint(token, address, quantity)
    const moved = { token, collecting: address, quantity: Fixtures.quantity(quantity) }
    const once = Fixtures.key(address)
    yield* ledger.post("test", once, Ledger.funding(moved)).pipe(Effect.orDie)
  }
})
