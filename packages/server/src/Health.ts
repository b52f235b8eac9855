/**
 * Whether the process is alive, and whether it is ready.
 *
 * @module
 */
import * as Family from "@florin/core/domain/chain/Family"
import * as ClockDrift from "@florin/core/domain/ground/ClockDrift"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as AcceptedAssets from "@florin/core/engine/AcceptedAssets"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Relaying from "@florin/core/engine/Relaying"
import * as Status from "@florin/core/engine/Status"
import { Chains } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import { Signals } from "@florin/core/ports/Signals"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exchange from "./Exchange.ts"
import * as Page from "./Page.ts"

/** Alive: responds without checking anything. */
const healthz = Page.make("/healthz", () => Effect.succeed(Exchange.json(200, { status: "ok" })))

/** After this time the process is not ready, and a load balancer should use another. */
const responseTimeoutInMs = 2000

/** Returns the fallback if a check fails or hangs, also because of a bug in an adapter. */
const soundly = <A, R>(
  check: Effect.Effect<A, unknown, R>,
  otherwise: A,
): Effect.Effect<A, never, R> =>
  check.pipe(
    Effect.catchCause(() => Effect.succeed(otherwise)),
    Effect.timeoutOrElse({
      duration: responseTimeoutInMs,
      orElse: () => Effect.succeed(otherwise),
    }),
  )

/**
 * How far our clock is off the storage's, by which every process expires things; null if the storage does not respond.
 */
export const clockDrift = soundly(Status.clockDrift, null)

/** Whether the storage accepts new work. */
export const hasRoom = soundly(
  Effect.flatMap(DueWork, ({ requireRoom }) => Effect.as(requireRoom, true)),
  false,
)

/** Each only once, as both modes may share the same chains. */
const chains = Effect.map(Chains, ({ of }) => [...new Set([of("live"), of("test")])])

const inEachMode = <A, E, R>(ask: (mode: Mode.Mode) => Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.map(
    Effect.forEach(
      Mode.Mode.literals,
      (mode) => Effect.map(ask(mode), (found) => found.map((each) => ({ ...each, mode }))),
      { concurrency: "unbounded" },
    ),
    (found) => found.flat(),
  )

/** Chains that are halted: none of their tokens is offered, and nothing new is sent on them. */
const halted = soundly(inEachMode(Lanes.listHalted), [])

/** Tokens for which no payout, refund or return is sent. */
const stoppedTokens = soundly(inEachMode(Lanes.stoppedTokens), [])

/** Accounts that used up their gas budget for this hour: they collect no payments for payers. */
const spent = soundly(
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    inEachMode((mode) =>
      Effect.map(Relaying.gasBudgets(mode, now), (budgets) =>
        budgets.filter(({ isSpent }) => isSpent),
      ),
    ),
  ),
  [],
)

const offered = soundly(
  Effect.flatMap(Chains, ({ of }) => inEachMode((mode) => of(mode).offered)),
  [],
)

const leftOut = Effect.flatMap(chains, (each) =>
  Effect.map(
    Effect.forEach(each, ({ catalog, faults }) =>
      Effect.map(faults, (found) =>
        found.map(({ message, token }) => ({ asset: Family.formatToken(catalog, token), message })),
      ),
    ),
    (faults) => faults.flat(),
  ),
).pipe(Effect.catchCause(() => Effect.succeed([])))

const lacks = Effect.flatMap(chains, (each) =>
  Effect.map(
    Effect.forEach(each, (chain) => chain.lacks),
    (found) => found.flat().map(({ chainId, message }) => ({ chain: chainId, message })),
  ),
).pipe(Effect.catchCause(() => Effect.succeed([])))

/**
 * Ready: the storage responds and its clock agrees with ours, something can be offered, and the process is not shutting
 * down. An asset that is left out, a chain that is halted or an account that used up its gas budget is reported, but
 * the process is still ready: it is the same in every other process.
 */
const readyz = Page.make("/readyz", () =>
  Effect.gen(function* () {
    const isClosed = (yield* Signals).isClosed()
    const [driftInMs, stopped, tokens, offers, missing, lacking, outOfGas] = yield* Effect.all(
      [clockDrift, halted, stoppedTokens, offered, leftOut, lacks, spent],
      { concurrency: "unbounded" },
    )
    const { of } = yield* Chains
    const isOffered = offers.some(({ mode, ...offer }) => {
      const { chainId } = offer.asset.token
      const spentIn = outOfGas.filter((each) => each.mode === mode)
      return (
        !stopped.some((each) => each.mode === mode && each.chainId === chainId) &&
        AcceptedAssets.flowsLeft(of(mode).catalog, offer, spentIn).length > 0
      )
    })
    const isClockOff = driftInMs !== null && ClockDrift.isTooFar(driftInMs)
    const storage = driftInMs !== null && !isClockOff
    const isWhole = [missing, stopped, tokens, outOfGas].every(({ length }) => length === 0)
    const isReady = storage && isOffered && !isClosed
    return Exchange.json(isReady ? 200 : 503, {
      status: isReady ? "ok" : "unavailable",
      checks: {
        storage: storage ? "ok" : "unavailable",
        assets: isOffered ? (isWhole ? "ok" : "reduced") : "unavailable",
        process: isClosed ? "ending" : "ok",
      },
      ...(isClockOff && { clock: { driftInMs, message: ClockDrift.messageOf(driftInMs) } }),
      ...(missing.length > 0 && { leftOut: missing }),
      ...(stopped.length > 0 && {
        halted: stopped.map(({ chainId, mode, reason }) => ({ chain: chainId, mode, reason })),
      }),
      ...(tokens.length > 0 && {
        stopped: tokens.map(({ mode, reason, token }) => ({
          asset: Family.formatToken(of(mode).catalog, token),
          mode,
          reason,
        })),
      }),
      ...(outOfGas.length > 0 && {
        outOfGas: outOfGas.map(({ account, mode }) => ({
          chain: account.chainId,
          mode,
          account: Family.formatAddress(of(mode).catalog, account),
          message: "spendPerHour is used up: nothing is collected by this account in this hour",
        })),
      }),
      ...(lacking.length > 0 && { nodes: lacking }),
    })
  }),
)

export const pages = [healthz, readyz]
