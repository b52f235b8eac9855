/**
 * What an operation on money needs to have something to do.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Inflows from "@florin/core/engine/Inflows"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Result } from "effect"
import * as Settlements from "../operations/settlements.ts"
import * as Scene from "../scene.ts"

/** What an operation is called about. */
export interface Subject {
  /** The parameters of its path. */
  readonly params?: { readonly [name: string]: string }
  readonly body?: Scene.Json
}

export const chainId = Eip155.chainId(8453)

export const asset = Settlements.assets.usdcOnBase
/** The first account of the service on the chain. */
export const [account = assert.fail()] = collectingWallets
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
