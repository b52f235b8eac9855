/**
 * Whether the process lives, and whether it can serve.
 *
 * @module
 */
import * as Family from "@florin/core/domain/Family"
import * as Limits from "@florin/core/domain/Limits"
import { Chains } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import { Signals } from "@florin/core/ports/Signals"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exchange from "./Exchange.ts"
import * as Page from "./Page.ts"

const noStore = { "cache-control": "no-store" }

/** Alive: nothing is asked. */
const healthz = Page.make("/healthz", () =>
  Effect.succeed(Exchange.json(200, { status: "ok" }, noStore)),
)

/** Longer than this is not ready: a balancer should ask another. */
const answersWithinInMs = 2000

/** What fails or hangs is no readiness, a bug in an adapter included. */
const soundly = <R>(check: Effect.Effect<boolean, unknown, R>): Effect.Effect<boolean, never, R> =>
  check.pipe(
    Effect.catchCause(() => Effect.succeed(false)),
    Effect.timeoutOrElse({ duration: answersWithinInMs, orElse: () => Effect.succeed(false) }),
  )

/**
 * The storage answers, and its clock is ours: every process expires things by the same time. What passes while it is
 * asked is no difference.
 */
const storageAnswers = soundly(
  Effect.gen(function* () {
    const work = yield* DueWork
    const before = yield* Clock.currentTimeMillis
    const there = yield* work.time
    const after = yield* Clock.currentTimeMillis
    const driftInMs = Math.max(before - there, there - after)
    if (driftInMs <= Limits.clockDriftMaxInMs) return true
    yield* Effect.logError("our clock is not the storage's: set one of them", { driftInMs })
    return false
  }),
)

/** Each once: both modes may have the same. */
const chains = Effect.map(Chains, ({ of }) => [...new Set([of("live"), of("test")])])

const somethingIsOffered = soundly(
  Effect.flatMap(chains, (each) =>
    Effect.map(
      Effect.forEach(each, ({ offered }) => offered, { concurrency: "unbounded" }),
      (offers) => offers.flat().length > 0,
    ),
  ),
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
 * Ready: the storage answers, something can be offered, and the process is not ending. An asset that is left out is told
 * and keeps nobody from being ready: every other process leaves it out, too.
 */
const readyz = Page.make("/readyz", () =>
  Effect.gen(function* () {
    const isClosed = (yield* Signals).isClosed()
    const [storage, offers, missing, lacking] = yield* Effect.all(
      [storageAnswers, somethingIsOffered, leftOut, lacks],
      { concurrency: "unbounded" },
    )
    const isReady = storage && offers && !isClosed
    return Exchange.json(
      isReady ? 200 : 503,
      {
        status: isReady ? "ok" : "unavailable",
        checks: {
          storage: storage ? "ok" : "unavailable",
          assets: offers ? (missing.length === 0 ? "ok" : "reduced") : "unavailable",
          process: isClosed ? "ending" : "ok",
        },
        ...(missing.length > 0 && { leftOut: missing }),
        ...(lacking.length > 0 && { nodes: lacking }),
      },
      noStore,
    )
  }),
)

export const pages = [healthz, readyz]
