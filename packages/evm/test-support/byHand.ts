/**
 * A service whose workers run only when a test calls them. Their clock jumps to the next due time, so tests never wait.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import { type Claimed, DueWork } from "@florin/core/ports/DueWork"
import { OutflowStore, findOutflow } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Collector from "@florin/core/workers/Collector"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Payer from "@florin/core/workers/Payer"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sender from "@florin/core/workers/Sender"
import type { Florin } from "@florin/server/Florin"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as References from "effect/References"

const workers = [
  { kind: "collect", drain: Collector.drain },
  { kind: "settle", drain: Payer.drain },
  { kind: "send", drain: Sender.drain },
  { kind: "watch", drain: LateWatcher.drain },
  { kind: "audit", drain: Auditor.drain },
  { kind: "recheck", drain: Auditor.drain },
] as const

type Kind = (typeof workers)[number]["kind"]

/** The work of any of them. */
type Drain = (typeof workers)[number]["drain"]

const anyOf = (drain: Drain): Effect.Effect<void, Effect.Error<Drain>, Effect.Services<Drain>> =>
  drain

const nanosOf = (millis: number): bigint => BigInt(Math.round(millis * 1e6))

/** A clock that runs ahead of another. */
const ahead = (clock: Clock.Clock, byInMs: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + byInMs(),
  currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + byInMs()),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanosOf(byInMs()),
  currentTimeNanos: Effect.sync(() => clock.currentTimeNanosUnsafe() + nanosOf(byInMs())),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration),
})

/** What a round did. */
export interface Done {
  /** What was worked on, as it was before. */
  readonly tried: ReadonlyMap<PaymentId.PaymentId, Claimed>
  /** Whether anything of it is another thing now. */
  readonly hasChanged: boolean
  /** The workers' time. */
  readonly now: number
}

export interface ByHand {
  /** Every worker does what is due next; null where nothing is due, now or later. */
  readonly round: Effect.Effect<Done | null>
  /** The workers of these kinds do what is due now; no time goes by. */
  readonly due: (...kinds: ReadonlyArray<Kind>) => Effect.Effect<void>
  /** Lets the workers' time go by. */
  readonly pass: (ms: number) => Effect.Effect<void>
}

export const make = ({ run }: Pick<Florin, "run">): ByHand => {
  let aheadInMs = 0
  const onClock = <A, E>(effect: Parameters<typeof run<A, E>>[0]) =>
    Effect.promise(() =>
      run(
        Effect.flatMap(Clock.Clock, (clock) =>
          effect.pipe(
            Effect.provideService(
              Clock.Clock,
              ahead(clock, () => aheadInMs),
            ),
            // What waits is put off in every round.
            Effect.provideService(References.MinimumLogLevel, "Error"),
          ),
        ),
      ),
    )
  const round = Effect.gen(function* () {
    const payments = yield* PaymentStore
    const outflows = yield* OutflowStore
    const work = yield* DueWork
    const sent: Array<Outflow.Outflow> = []
    const tried = new Map<PaymentId.PaymentId, Claimed>()
    const watched = DueWork.of({
      ...work,
      claimDue: (...request) =>
        Effect.tap(work.claimDue(...request), (all) =>
          Effect.sync(() => {
            for (const each of all) {
              if (!tried.has(each.payment.id)) tried.set(each.payment.id, each)
            }
          }),
        ),
      claimDueOutflows: (...request) =>
        Effect.tap(work.claimDueOutflows(...request), (all) =>
          Effect.sync(() => {
            sent.push(...all.map(({ outflow }) => outflow))
          }),
        ),
    })
    yield* Effect.ignore(Scanner.drain)
    let isDue = false
    for (const { drain, kind } of workers) {
      const dueAt = yield* work.nextDueAt(kind)
      if (dueAt === null) continue
      isDue = true
      aheadInMs += Math.max(0, dueAt - (yield* Clock.currentTimeMillis))
      yield* Effect.provideService(anyOf(drain), DueWork, watched)
    }
    if (!isDue) return null
    let hasChanged = false
    for (const [id, { payment }] of tried) {
      const { reports, state } = yield* payments.payment(id)
      hasChanged ||= !isDeepStrictEqual([reports, state], [payment.reports, payment.state])
    }
    for (const { id, state } of sent) {
      hasChanged ||= !isDeepStrictEqual((yield* findOutflow(outflows, id)).state, state)
    }
    const done: Done = { tried, hasChanged, now: yield* Clock.currentTimeMillis }
    return done
  })
  return {
    round: onClock(round),
    due: (...kinds) =>
      onClock(
        Effect.forEach(
          workers.filter(({ kind }) => kinds.includes(kind)),
          ({ drain }) => anyOf(drain),
          { discard: true },
        ),
      ),
    pass: (ms) =>
      Effect.sync(() => {
        aheadInMs += ms
      }),
  }
}
