/**
 * Payments in every state, and what is stored of them, for the tests of the gateway's operations.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payment from "@florin/core/domain/payment/Payment"
import { DueWork } from "@florin/core/ports/DueWork"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Screening } from "@florin/core/ports/Screening"
import { Signals } from "@florin/core/ports/Signals"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"

type Json = Scene.Json
export type Body = Readonly<Record<string, Json>>

/** Screening refuses the addresses in `denied`. */
export interface World extends Scene.Scene {
  readonly denied: Set<Caip.Address>
}

/** Runs a test in a service of its own. */
export const play =
  <A, E>(body: (world: World) => Effect.Effect<A, E, Scene.Ports>, options: Scene.Options = {}) =>
  () => {
    const denied = new Set<Caip.Address>()
    const screening = Layer.succeed(Screening, {
      refused: (accounts) =>
        Effect.sync(() => accounts.filter((account) => denied.has(account.address))),
    })
    return Effect.flatMap(Scene.make, (scene) => body({ ...scene, denied })).pipe(
      Effect.provide(Scene.layer({ screening, ...options })),
    )
  }

/** The payer's account, with its EIP-55 checksum. */
export const payerOn = (chainId: Caip.ChainId | number) => Scene.accountOf(Scene.payer, chainId)
export const strangerOn = (chainId: number) => Scene.accountOf(Scene.stranger, chainId)

export const pathOf = (id: string, tail = ""): string => `/v1/gateway/payment/${id}${tail}`

export const absent = "pay_0000000000000000000000000000"

/** Everything that is stored about a payment, to check that a refusal changes nothing. */
export const traces = Effect.fnUntraced(function* (id: string) {
  const payments = yield* PaymentStore
  const work = yield* DueWork
  const ledger = yield* LedgerStore
  const outbox = yield* Outbox
  const paymentId = PaymentId.PaymentId.make(id)
  return {
    payment: yield* payments.payment(paymentId),
    events: yield* outbox.eventsOf(paymentId),
    ledger: yield* ledger.ledgerOf(paymentId),
    collected: yield* payments.collected(paymentId),
    due: yield* Effect.forEach(
      ["expire", "collect", "settle", "send", "watch"] as const,
      work.nextDueAt,
    ),
  }
})

/** Fails if a call changes the payment. The only change allowed is that an overdue payment is stored as expired. */
export const writesNothing = <A, E, R>(id: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* traces(id)
    const answer = yield* effect
    const after = yield* traces(id)
    if (!Payment.isOverdue(before.payment, yield* Clock.currentTimeMillis)) {
      assert.deepStrictEqual(after, before)
      return answer
    }
    assert.strictEqual(after.payment.state._tag, "Expired")
    const types = [...before.events.map(({ type }) => type), "payment.expired"]
    assert.deepStrictEqual(
      after.events.map(({ type }) => type),
      types,
    )
    const { collected, ledger } = before
    assert.deepStrictEqual(
      { collected: after.collected, ledger: after.ledger },
      { collected, ledger },
    )
    return answer
  })

/** Runs all workers until nothing is due. */
export const finish = Effect.fnUntraced(function* (chainId: number) {
  const chain = yield* SimulatedChain
  for (let round = 0; round < 4; round += 1) {
    yield* Scene.work
    yield* chain.settle(chainId)
    yield* TestClock.adjust("5 seconds")
  }
  yield* Scene.work
})

/** The payer revokes the signed authorization of a confirmed payment. */
export const revokeAuthorization = Effect.fnUntraced(function* (id: string) {
  const { state } = yield* (yield* PaymentStore).payment(PaymentId.PaymentId.make(id))
  if (state._tag !== "Processing") return assert.fail("nothing was confirmed")
  return yield* (yield* SimulatedChain).cancelAuthorization(state.attempt.option)
})

/** The end of a payment that was created at the beginning of its scene. */
export const paymentEnd = Scene.now + 300_000

/** Every state of a payment, with the status that callers see. */
export const states = {
  open: "requires_action",
  processing: "processing",
  succeeded: "succeeded",
  failed: "failed",
  declined: "failed",
  "expired by time alone": "expired",
  "expired by the worker": "expired",
  "cancelled by the payer": "cancelled",
  "cancelled by the merchant": "cancelled",
} as const
export type State = keyof typeof states
export const stateNames: ReadonlyArray<State> = [
  "open",
  "processing",
  "succeeded",
  "failed",
  "declined",
  "expired by time alone",
  "expired by the worker",
  "cancelled by the payer",
  "cancelled by the merchant",
]

/** A payment in a state, and bodies to confirm it with. */
interface Reached {
  readonly id: string
  /** The payer's confirm that led to the state, or that an open payment would accept. */
  readonly own: Body
  /** A good confirm by another account. */
  readonly other: Body
}

const confirmWith = (key: string, id: string, body: Body) =>
  Scene.send({ path: pathOf(id, "/confirm"), key, body })

const answers = Effect.fnUntraced(function* (
  sent: Effect.Effect<Scene.Reply, unknown, Scene.Ports>,
) {
  const answer = yield* sent
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

/** A new payment of the own partner, brought to a state. */
export const reach = Effect.fnUntraced(function* (
  { denied, own: partner, walletKey: key }: World,
  state: State,
  overrides: Body = {},
) {
  const id = yield* Scene.createPayment(partner.key, partner.merchantId, overrides)
  const own = yield* Effect.flatMap(Scene.firstOption(key, id), (option) =>
    Scene.confirmBody(key, id, option),
  )
  const other = yield* Effect.flatMap(
    Scene.firstOption(key, id, strangerOn(Scene.chains.eip3009)),
    (option) => Scene.confirmBody(key, id, option, Scene.stranger),
  )
  const confirm = answers(confirmWith(key, id, own))
  switch (state) {
    case "open":
      break
    case "processing":
      yield* confirm
      break
    case "succeeded":
      yield* confirm
      yield* finish(Scene.chains.eip3009)
      break
    case "failed":
      yield* confirm
      yield* revokeAuthorization(id)
      yield* finish(Scene.chains.eip3009)
      break
    case "declined":
      denied.add(Scene.payer.address)
      yield* confirm
      denied.clear()
      break
    case "expired by time alone":
      yield* TestClock.setTime(paymentEnd)
      break
    case "expired by the worker":
      yield* TestClock.setTime(paymentEnd)
      yield* Scene.work
      break
    case "cancelled by the payer":
      yield* answers(Scene.send({ method: "POST", path: pathOf(id, "/cancel"), key }))
      break
    case "cancelled by the merchant":
      yield* answers(
        Scene.send({ method: "POST", path: `/v1/payments/${id}/cancel`, key: partner.key }),
      )
      break
  }
  const reached: Reached = { id, own, other }
  return reached
})

/** Waits until this many held calls wait for a payment. */
export const parked = Effect.fnUntraced(function* (id: string, count: number) {
  const signals = yield* Signals
  while (signals.watching(PaymentId.PaymentId.make(id)).here !== count) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

/** An amount of USDC on Base, as responses show it. */
export const usdcOnBase = (value: string): Json => ({
  unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  value,
  display: {
    assetName: "USD Coin",
    assetSymbol: "USDC",
    decimals: 6,
    iconUrl: "https://pay.example.com/icons/usdc.svg",
    networkName: "Base",
    networkIconUrl: "https://pay.example.com/icons/base.svg",
  },
})

/** An amount of USDT on BNB Smart Chain, as responses show it. */
export const usdtOnBsc = (value: string): Json => ({
  unit: "caip19/eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
  value,
  display: {
    assetName: "Tether USD",
    assetSymbol: "USDT",
    decimals: 18,
    iconUrl: "https://pay.example.com/icons/usdt.svg",
    networkName: "BNB Smart Chain",
    networkIconUrl: "https://pay.example.com/icons/bsc.svg",
  },
})

export const usd = (value: string): Json => ({
  unit: "iso4217/USD",
  value,
  display: {
    assetName: "US Dollar",
    assetSymbol: "USD",
    decimals: 2,
    iconUrl: "https://pay.example.com/icons/usd.svg",
  },
})

/** Whether a value has the form of a transaction's hash. */
export const isHash = (value: Json | undefined): boolean =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/u.test(value)

/** Fails unless the response says “Option not found”, which wallets look for. */
export const isOptionNotFound = (answer: Scene.Reply): void => {
  assert.deepStrictEqual(Scene.fieldsOf(answer), ["optionId"])
  assert.include(Scene.text(answer.body, "message"), "Option not found")
}

/** Fails unless the response says “IC data required”, which wallets look for. */
export const isDataRequired = (answer: Scene.Reply): void => {
  assert.deepStrictEqual(Scene.fieldsOf(answer), ["collectedData"])
  assert.include(Scene.text(answer.body, "message"), "IC data required")
}

/** Fails unless the response refuses the signature or transaction. */
export const isWrongAttempt = (answer: Scene.Reply): void => {
  const body = Scene.isProblem(answer, 422, "params_validation")
  assert.strictEqual(Scene.text(body, "issues", 0, "field"), "results")
  assert.lengthOf(Scene.list(body, "issues"), 1)
}
