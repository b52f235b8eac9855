/**
 * The lanes of a chain as an operator sees them: stopped after a reorganisation deeper than the chain's policy, or where
 * an account sent what the ledger does not know, and let go on once somebody looked at what happened. The same for a token
 * of which a transfer of ours moved something else.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as AuditLog from "../domain/AuditLog.ts"
import * as Caip from "../domain/Caip.ts"
import * as ChainState from "../domain/ChainState.ts"
import type * as Mode from "../domain/Mode.ts"
import { LaneStore } from "../ports/LaneStore.ts"
import { recorded, watching } from "./AuditLog.ts"

/** The chains on which nothing new is sent, with why and since when. */
export const halted = Effect.fn("Lanes.halted")(function* (mode: Mode.Mode) {
  const states = yield* (yield* LaneStore).chainStates(mode)
  return states.flatMap(({ chainId, halt }) => (halt === null ? [] : [{ chainId, ...halt }]))
})

/** Stops a chain's lanes as `decide` says, and says so where that is news. */
const stopBy = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  reason: string,
  decide: (current: ChainState.ChainState, now: number) => ChainState.ChainState | null,
) {
  const now = yield* Clock.currentTimeMillis
  const isNews = yield* (yield* LaneStore).modifyChainState(mode, chainId, (current) =>
    decide(current, now),
  )
  if (isNews) {
    yield* Effect.logError(`chain ${chainId} is stopped: ${reason}`, { mode, chainId })
  }
})

/** Stops a chain's lanes, and says so once. */
export const stop = (mode: Mode.Mode, chainId: Caip.ChainId, reason: string) =>
  stopBy(mode, chainId, reason, (current, now) => ChainState.halt(current, reason, now))

/** Stops a chain's lanes because of transactions that the ledger does not know, and says so once for each account. */
export const stopForForeign = (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  foreign: ChainState.Foreign,
) =>
  stopBy(mode, chainId, ChainState.foreignReason(foreign), (current, now) =>
    ChainState.haltForeign(current, foreign, now),
  )

/** Lets a chain's lanes go on; tells whether they were stopped. What waited goes on by itself. */
export const resume = Effect.fn("Lanes.resume")(function* (mode: Mode.Mode, chainId: Caip.ChainId) {
  const watched = watching(ChainState.resume)
  return yield* recorded(
    (yield* LaneStore).modifyChainState(mode, chainId, watched.decide),
    (isNews) =>
      isNews
        ? {
            action: "chain.resumed",
            partnerId: null,
            mode,
            subject: chainId,
            changes: [AuditLog.became("halt", null, watched.before()?.halt?.reason ?? null)],
          }
        : null,
  )
})

/** The tokens of which nothing more is sent, with why and since when. */
export const stoppedTokens = Effect.fn("Lanes.stoppedTokens")(function* (mode: Mode.Mode) {
  const states = yield* (yield* LaneStore).chainStates(mode)
  return states.flatMap(({ chainId, stopped = {} }) =>
    Object.entries(stopped).map(([address, { reason, stoppedAt }]) => ({
      token: { chainId, address: Caip.Address.make(address) },
      reason,
      stoppedAt,
    })),
  )
})

/** Stops a token, and says so once. */
export const stopToken = Effect.fn("Lanes.stopToken")(function* (
  mode: Mode.Mode,
  { address, chainId }: Caip.Token,
  reason: string,
) {
  const stoppedAt = yield* Clock.currentTimeMillis
  const isNews = yield* (yield* LaneStore).modifyChainState(mode, chainId, (current) =>
    ChainState.stopToken(current, address, { reason, stoppedAt }),
  )
  if (isNews) {
    yield* Effect.logError(`nothing more of a token is sent: ${reason}`, {
      mode,
      chainId,
      token: address,
    })
  }
})

/** Has a token sent again; returns whether it was stopped. */
export const resumeToken = Effect.fn("Lanes.resumeToken")(function* (
  mode: Mode.Mode,
  { address, chainId }: Caip.Token,
) {
  const watched = watching((current: ChainState.ChainState) =>
    ChainState.resumeToken(current, address),
  )
  return yield* recorded(
    (yield* LaneStore).modifyChainState(mode, chainId, watched.decide),
    (isNews) =>
      isNews
        ? {
            action: "asset.resumed",
            partnerId: null,
            mode,
            subject: Caip.tokenKey({ address, chainId }),
            changes: [
              AuditLog.became("stop", null, watched.before()?.stopped?.[address]?.reason ?? null),
            ],
          }
        : null,
  )
})
