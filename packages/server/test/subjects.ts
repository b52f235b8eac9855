/**
 * The objects that a request can name, created over HTTP: a merchant, its destination, a payment and a signed option.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Callers from "@florin/testing/Callers"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Asking from "./asking.ts"
import * as Webhooks from "./operations/webhooks.ts"
import * as Scene from "./scene.ts"

/** The state of a payment, or the other object that exists. */
export type Stage = "open" | "paid" | "refunded" | "hooked" | "keyed" | "asked"

export interface Subject {
  readonly stage: Stage
  readonly merchantId: string
  readonly paymentId: string
  readonly destinationId: string
  /** Names nothing unless the payment was paid. */
  readonly payoutId: string
  /** Names nothing unless the payment was refunded. */
  readonly refundId: string
  /** Names nothing unless the stage is `hooked`. */
  readonly webhookId: string
  readonly deliveryId: string
  /** Names nothing unless the stage is `keyed`. */
  readonly keyId: string
  /** Names nothing unless the stage is `asked`. */
  readonly approvalId: string
  readonly option: Scene.Json
  readonly confirm: { readonly optionId: string; readonly results: ReadonlyArray<Scene.Json> }
}

/** Well-formed ids of a webhook and a delivery that do not exist. */
export const noWebhook = {
  webhookId: "whk_00000000000000000000000000",
  deliveryId: "dlv_00000000000000000000000000",
} as const

/** A well-formed id of a key that does not exist. */
export const noKeyId = "key_00000000000000000000000000"

/** A well-formed id of a refund that does not exist. */
export const noRefundId = "rfnd_00000000000000000000000000"

/** A well-formed id of a payout that does not exist. */
export const noPayoutId = "out_00000000000000000000000000"

const usdcOnBase = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"

/** Confirms the payment, and runs the workers until it is paid. */
const pay = Effect.fnUntraced(function* (key: string, subject: Subject, chainId: number) {
  const { confirm, paymentId } = subject
  const path = `/v1/gateway/payment/${paymentId}/confirm`
  const confirmed = yield* Scene.send({ path, key, body: confirm })
  assert.strictEqual(confirmed.status, 200, confirmed.text)
  const chain = yield* SimulatedChain
  yield* Scene.work
  yield* chain.settle(chainId)
  yield* TestClock.adjust("10 seconds")
  yield* Scene.work
})

const refund = Effect.fnUntraced(function* (key: string, { paymentId }: Subject) {
  const refunded = yield* Scene.send({ path: "/v1/refunds", key, body: { paymentId } })
  return Scene.text(refunded.body, "refundId")
})

/** A key that may only manage keys. */
const makeKey = Effect.fnUntraced(function* (key: string) {
  const made = yield* Scene.send({
    path: "/v1/keys",
    key,
    headers: { "Idempotency-Key": Scene.fresh("key") },
    body: { name: "A key", scopes: ["keys"] },
  })
  return Scene.text(made.body, "key", "id")
})

/** A request of another person that waits. */
const ask = Effect.fnUntraced(function* (key: string, about: string) {
  const { caller } = yield* Effect.orDie(Callers.authenticate(key))
  return caller._tag === "Partner"
    ? yield* Asking.waiting({ partnerId: caller.partner.id, mode: caller.mode }, "read", about)
    : assert.fail("only partners ask")
})

/** A wallet can be passed so that subjects do not share an allowance, which is for one payment. */
export const make = Effect.fnUntraced(function* (
  key: string,
  stage: Stage,
  { chainId, wallet }: { readonly chainId: number; readonly wallet: Wallet.Wallet } = {
    chainId: Scene.chains.eip3009,
    wallet: Scene.payer,
  },
) {
  const merchantId = yield* Scene.createMerchant(key)
  const registered = yield* Scene.send({
    path: `/v1/merchants/${merchantId}/settlements/crypto`,
    key,
    headers: { "Idempotency-Key": Scene.fresh("destination") },
    body: {
      settlements: [{ asset: usdcOnBase, destination: Scene.accountOf(Scene.treasury, 8453) }],
    },
  })
  assert.strictEqual(registered.status, 201, registered.text)
  const paymentId = yield* Scene.createPayment(key, merchantId)
  const option = yield* Scene.firstOption(key, paymentId, Scene.accountOf(wallet, chainId))
  const subject: Subject = {
    stage,
    merchantId,
    paymentId,
    destinationId: Scene.text(registered.body, "settlements", 0, "id"),
    payoutId: noPayoutId,
    refundId: noRefundId,
    ...noWebhook,
    keyId: noKeyId,
    approvalId: noKeyId,
    option,
    confirm: yield* Scene.confirmBody(key, paymentId, option, wallet),
  }
  if (stage === "open") return subject
  if (stage === "keyed") return { ...subject, keyId: yield* makeKey(key) }
  if (stage === "asked") return { ...subject, approvalId: yield* ask(key, merchantId) }
  if (stage === "hooked") return { ...subject, ...(yield* Webhooks.hook(key)) }
  yield* pay(key, subject, chainId)
  const details = yield* Scene.send({
    path: `/v1/payments/${paymentId}`,
    key,
    headers: { "Merchant-Id": merchantId },
  })
  const payoutId = Scene.at(details.body, "payout", "id")
  const paid: Subject = {
    ...subject,
    payoutId: typeof payoutId === "string" ? payoutId : noPayoutId,
  }
  if (stage === "paid") return paid
  const refunded: Subject = { ...paid, refundId: yield* refund(key, paid) }
  return refunded
})
