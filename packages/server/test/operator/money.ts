/**
 * What an operation on money needs to have something to do.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { StateStore } from "@florin/core/ports/StateStore"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Gateway from "../operations/gateway.ts"
import * as Refunds from "../operations/refunds.ts"
import * as Settlements from "../operations/settlements.ts"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"

/** What an operation is called about. */
export interface Subject {
  /** The parameters of its path. */
  readonly params?: { readonly [name: string]: string }
  readonly body?: Scene.Json
}

export const chainId = Eip155.chainId(8453)

export const asset = Settlements.assets.usdcOnBase
/** Two accounts of the service. */
export const [account = assert.fail(), another = assert.fail()] = collectingWallets
const token = Result.getOrThrow(Eip155.parseToken(asset))

/** A halted chain. */
export const halted = Effect.fnUntraced(function* () {
  yield* Lanes.stop("test", chainId, "blocks are gone")
  const subject: Subject = { params: { chainId } }
  return subject
})

/** A stopped token. */
export const stopped = Effect.fnUntraced(function* () {
  yield* Lanes.stopToken("test", token, "it keeps a part of each transfer")
  const subject: Subject = { body: { asset } }
  return subject
})

/** A transfer of 7 USDC to an account of the service that belongs to no payment. */
export const unclaimed = Effect.fnUntraced(function* () {
  const chain = yield* SimulatedChain
  yield* chain.settle(chainId)
  yield* Scanner.drain
  const txId = yield* chain.transfer(
    Scene.stranger.address,
    token,
    account.address,
    Fixtures.quantity(7_000_000n),
  )
  yield* chain.settle(chainId)
  yield* Scanner.drain
  const [inflow = assert.fail("nothing was found")] = yield* Inflows.broughtBy(txId)
  const subject: Subject = { params: { txId, inflowId: inflow.id } }
  return subject
})

/** The only outflow that is not over. */
const openOutflow = Effect.gen(function* () {
  const [outflow, ...others] = yield* (yield* OutflowStore).openOutflows("test")
  assert.deepStrictEqual(others, [])
  return outflow
})

const subjectOf = (outflow: Outflow.Outflow | undefined): Subject => {
  if (outflow === undefined) return assert.fail("there is no outflow")
  const { id, state } = outflow
  assert.strictEqual(state._tag, "Held")
  const [paymentId = assert.fail("it is for no payment")] = Outflow.paymentIds(outflow)
  return { params: { outflowId: id, paymentId } }
}

const { address: payee } = Scene.treasury

/** A payout that is held, as its destination could not be paid. It can be now. */
export const heldPayout = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const chain = yield* SimulatedChain
  yield* Settlements.register(scene.own.key, scene.own.merchantId, [asset])
  yield* chain.block(payee)
  yield* Refunds.succeeded(scene)
  yield* chain.unblock(payee)
  return subjectOf(yield* openOutflow)
})

/** A refund of money that its merchant has already, for which the operator has no float. */
export const shortRefund = Effect.fnUntraced(function* (scene: Scene.Scene) {
  yield* Settlements.register(scene.own.key, scene.own.merchantId, [asset])
  yield* Refunds.requested(scene)
  yield* Gateway.finish(Scene.chains.eip3009)
})

/** A refund that is held, as its payer could not be paid. They can be now. */
export const heldRefund = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const chain = yield* SimulatedChain
  yield* Refunds.requested(scene)
  yield* chain.block(Scene.payer.address)
  yield* Gateway.finish(Scene.chains.eip3009)
  yield* chain.unblock(Scene.payer.address)
  return subjectOf(yield* openOutflow)
})

/** A payout of which the token kept a hundredth, on a chain whose blocks are made by hand. */
export const movedPayout = Effect.fnUntraced(function* ({ own, walletKey }: Scene.Scene) {
  const chain = yield* SimulatedChain
  yield* Settlements.register(own.key, own.merchantId, [asset])
  const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
  yield* Scene.confirm(walletKey, paymentId)
  for (let round = 0; round < 9 && (yield* openOutflow)?.state._tag !== "Sent"; round += 1) {
    yield* chain.settle(chainId)
    yield* TestClock.adjust("5 seconds")
    yield* Scene.work
  }
  yield* chain.setTransferFee(token, 100)
  yield* Gateway.finish(Scene.chains.eip3009)
  yield* chain.setTransferFee(token, 0)
  return subjectOf(yield* openOutflow)
})

/** A payout that the chain shows and the ledger does not have, as its merchant is frozen. */
export const unknownPayout = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const chain = yield* SimulatedChain
  const { key, merchantId, partner } = scene.own
  yield* Settlements.register(key, merchantId, [asset])
  yield* Merchants.take({ partnerId: partner.id, mode: "test" }, merchantId, "freeze")
  const paymentId = yield* Refunds.succeeded(scene)
  const { state } = yield* (yield* PaymentStore).payment(PaymentId.PaymentId.make(paymentId))
  if (state._tag !== "Succeeded") return assert.fail("it is not paid")
  const { payTo } = state.attempt.option
  const txId = yield* chain.transfer(payTo, token, payee, state.charge.net)
  yield* chain.settle(chainId)
  const subject: Subject = { params: { paymentId }, body: { txId } }
  return subject
})

const accountOf = ({ address }: { readonly address: Caip.Address }) =>
  Eip155.formatAccount({ chainId, address })
const amount = { unit: `caip19/${asset}`, value: "5000000" }

/** Float that came to the first account, and transfers of it. */
export const putting = { mode: "test", key: "0x5", account: accountOf(account), amount } as const
const from = putting.account
export const moving = { mode: "test", from, to: accountOf(another), amount } as const
export const withdrawing = { mode: "test", from, to: accountOf(Scene.treasury), amount } as const

/** The operator may withdraw to one account. */
export const treasury = Layer.succeed(TreasuryPolicy, {
  accounts: [{ chainId, address: Scene.treasury.address }],
  sweep: null,
})

/** A deny list that was refused, because it lost its only address. */
export const refusedList = Effect.fnUntraced(function* () {
  const denied = yield* (yield* StateStore).modify("denyList", () => {
    const inForce = [Scene.stranger.address]
    const next = { inForce, refused: { addresses: [], since: Scene.now } }
    return { result: next, next }
  })
  const { digest = assert.fail() } = DenyList.refusalOf(denied) ?? {}
  const subject: Subject = { body: { digest } }
  return subject
})

/** Float on the first account. */
export const funded = Effect.fnUntraced(function* () {
  yield* (yield* Calls.inProcess)(({ float }) => float.put(putting))
  const subject: Subject = {}
  return subject
})

/** Float that nobody sent yet. */
export const movingFloat = Effect.fnUntraced(function* () {
  yield* funded()
  const { id } = yield* (yield* Calls.inProcess)(({ float }) => float.move(moving))
  const subject: Subject = { params: { outflowId: id } }
  return subject
})
