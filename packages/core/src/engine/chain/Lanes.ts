/**
 * The lanes of a chain as an operator sees them. They stop after a reorganisation deeper than the chain's policy, or if
 * an account sent a transaction that the ledger does not know, and resume once somebody has looked at the cause. A
 * token stops in the same way if one of our transfers moved something else.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Caip from "../../domain/chain/Caip.ts"
import * as ChainState from "../../domain/chain/ChainState.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import { LaneStore } from "../../ports/LaneStore.ts"
import { recordChange } from "../record/AuditLog.ts"

/** The chains on which nothing new is sent, with the reason and the start. */
export const listHalted = Effect.fn("Lanes.listHalted")(function* (mode: Mode.Mode) {
  const states = yield* (yield* LaneStore).chainStates(mode)
  return states.flatMap(({ chainId, halt }) => (halt === null ? [] : [{ chainId, ...halt }]))
})

/** Stops something on a chain as `decide` returns, and logs it if that is new. */
const stopBy = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  message: string,
  decide: (current: ChainState.ChainState, now: number) => ChainState.ChainState | null,
  about: { readonly token?: Caip.Address } = {},
) {
  const now = yield* Clock.currentTimeMillis
  const isNews = yield* (yield* LaneStore).modifyChainState(mode, chainId, (current) =>
    decide(current, now),
  )
  if (isNews) yield* Effect.logError(message, { mode, chainId, ...about })
})

/** Stops a chain's lanes, and logs it once. */
export const stop = (mode: Mode.Mode, chainId: Caip.ChainId, reason: string) =>
  stopBy(mode, chainId, `chain ${chainId} is stopped: ${reason}`, (current, now) =>
    ChainState.halt(current, reason, now),
  )

/** Stops a chain's lanes because of transactions that the ledger does not know, and logs it once for each account. */
export const stopForForeign = (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  foreign: ChainState.Foreign,
) => {
  const message = `chain ${chainId} is stopped: ${ChainState.foreignReason(foreign)}`
  return stopBy(mode, chainId, message, (current, now) =>
    ChainState.haltForeign(current, foreign, now),
  )
}

/** Ends a stop, and records the deed; returns whether there was one. */
const resumeBy = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  chainId: Caip.ChainId,
  decide: typeof ChainState.resume,
  deedOf: (
    before: ChainState.ChainState | null,
  ) => Pick<AuditLog.Deed, "action" | "changes" | "subject">,
) {
  const lanes = yield* LaneStore
  return yield* recordChange(
    (decided) => lanes.modifyChainState(mode, chainId, decided),
    decide,
    (before, isNews) => (isNews ? { ...deedOf(before), partnerId: null, mode } : null),
  )
})

/** Resumes a chain's lanes; returns whether they were stopped. Waiting work continues by itself. */
export const resume = Effect.fn("Lanes.resume")((mode: Mode.Mode, chainId: Caip.ChainId) =>
  resumeBy(mode, chainId, ChainState.resume, (before) => ({
    action: "chain.resumed",
    subject: chainId,
    changes: [AuditLog.became("halt", null, before?.halt?.reason)],
  })),
)

/** The tokens that are no longer sent, with the reason and the start. */
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

/** Stops a token, and logs it once. */
export const stopToken = (mode: Mode.Mode, { address, chainId }: Caip.Token, reason: string) =>
  stopBy(
    mode,
    chainId,
    `sending of a token is stopped: ${reason}`,
    (current, stoppedAt) => ChainState.stopToken(current, address, { reason, stoppedAt }),
    { token: address },
  )

/** Resumes a token; returns whether it was stopped. */
export const resumeToken = Effect.fn("Lanes.resumeToken")((mode: Mode.Mode, token: Caip.Token) =>
  resumeBy(
    mode,
    token.chainId,
    (current) => ChainState.resumeToken(current, token.address),
    (before) => ({
      action: "asset.resumed",
      subject: Caip.tokenKey(token),
      changes: [AuditLog.became("stop", null, before?.stopped?.[token.address]?.reason)],
    }),
  ),
)
