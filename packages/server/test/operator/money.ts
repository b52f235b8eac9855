/**
 * What an operation on money needs to have something to do.
 *
 * @module
 */
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Lanes from "@florin/core/engine/Lanes"
import { Effect, Result } from "effect"
import * as Settlements from "../operations/settlements.ts"
import type * as Scene from "../scene.ts"

/** What an operation is called about. */
export interface Subject {
  /** The parameters of its path. */
  readonly params?: { readonly [name: string]: string }
  readonly body?: Scene.Json
}

export const chainId = Eip155.chainId(8453)

export const asset = Settlements.assets.usdcOnBase
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
