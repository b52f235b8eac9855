/**
 * The loop of every worker of payments: lease due work while places are free, do it, and sleep until more is due.
 *
 * Each kind of work has its own loop, and each chain has its own places in it. So no piece of work waits for another,
 * and a chain that does not respond is paused for growing times.
 *
 * Any number of processes may run any number of workers. A piece of work has one holder at a time, and a write by a
 * holder whose lease was taken over is refused. Work on money is never given up: after a failure it is due again after
 * a growing pause.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Outgoing from "../domain/books/Outgoing.ts"
import * as Money from "../domain/ground/Money.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Turn from "../domain/list/Turn.ts"
import type * as Outflow from "../domain/outflow/Outflow.ts"
import * as Change from "../domain/payment/Change.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import * as Metrics from "../engine/record/Metrics.ts"
import * as Writes from "../engine/record/Writes.ts"
import {
  type Claimed,
  type ClaimedOutflow,
  DueWork,
  isOutflowLease,
  type Leased,
} from "../ports/DueWork.ts"
import { debtsOf, LedgerStore } from "../ports/LedgerStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { isClockOff, type StorageUnavailable } from "../ports/StorageError.ts"
import type { ClaimOptions, Turns } from "../ports/Turns.ts"
import * as Places from "./Places.ts"

export interface Options {
  /** Work leased in one call. */
  readonly batch: number
  /**
   * How much work of one partner runs at the same time, of one kind on one chain. A chain has half as many more places.
   */
  readonly concurrency: number
  /** How long one process has the lease on work. Work that takes two thirds of it is interrupted, and due again. */
  readonly leaseInMs: number
  /** The longest sleep before the worker looks for new work. */
  readonly idleInMs: number
}

export const defaults: Options = {
  batch: 64,
  concurrency: 16,
  leaseInMs: 30_000,
  idleInMs: 250,
}

/** A failure of ports or the engine. Its message holds no secrets, so it may be logged. */
interface Failure {
  readonly _tag: string
  readonly message: string
}

/** What a worker does with one piece of work. When it returns, the work is written or postponed. */
export type Handle<C extends Leased, E extends Failure, R> = (
  claimed: C,
) => Effect.Effect<void, E, R>

/** The source of due work of one kind. */
export interface Source<C extends Leased> {
  readonly kind: C["lease"]["kind"]
  readonly claim: (
    options: ClaimOptions,
  ) => Effect.Effect<ReadonlyArray<C>, StorageUnavailable, DueWork>
}

/** Work that is due for payments. */
export const payments = (kind: Change.WorkKind): Source<Claimed> => ({
  kind,
  claim: (options) => Effect.flatMap(DueWork, (work) => work.claimDue(kind, options)),
})

/** Work that is due for outflows. */
export const outflows = (kind: Change.OutflowWorkKind): Source<ClaimedOutflow> => ({
  kind,
  claim: (options) => Effect.flatMap(DueWork, (work) => work.claimDueOutflows(kind, options)),
})

const pauseFirstInMs = 500
/** The longest pause between two attempts at one piece of work. */
export const pauseLongestInMs = 60_000

/** How long to wait after this many failures: twice as long each time, up to a minute. */
export const pauseInMs = (failures: number): number =>
  Math.min(pauseLongestInMs, pauseFirstInMs * 2 ** Math.min(failures, 10))

/** How soon the money of a frozen merchant is looked at again. */
export const frozenPauseInMs = 600_000

/** Postpones work by a pause that grows with its failures. */
export const postpone = Effect.fnUntraced(function* ({ failures, lease }: Leased) {
  const dueAt = (yield* Clock.currentTimeMillis) + pauseInMs(failures)
  yield* (yield* DueWork).postpone(lease, dueAt, failures + 1)
})

/** A transfer on its way is looked for again after an eighth of the time that it has taken so far. */
const waitedPerPause = 8

/**
 * How long to wait before looking again: at least half a second and at most a minute. The delay before a result is
 * noticed is at most an eighth of the time that it took, or half a second.
 */
export const lookAgainInMs = (waitedInMs: number): number =>
  Math.min(pauseLongestInMs, Math.max(pauseFirstInMs, Math.floor(waitedInMs / waitedPerPause)))

/** Postpones work that waits for the chain. Nothing went wrong, so the pause depends only on how long it has waited. */
export const wait = Effect.fnUntraced(function* ({ lease }: Leased, since: number) {
  const now = yield* Clock.currentTimeMillis
  yield* (yield* DueWork).postpone(lease, now + lookAgainInMs(now - since), 0)
})

/** Writes one decision while the lease on the work is valid, and wakes all callers that wait for the payment. */
export const write = Effect.fnUntraced(function* <E>(
  { lease, payment }: Pick<Claimed, "payment" | "lease">,
  decide: (current: Payment.Payment, now: number) => Result.Result<Change.Change | null, E>,
) {
  const now = yield* Clock.currentTimeMillis
  yield* Writes.writePayment(
    payment.id,
    (current) =>
      Result.map(
        decide(current, now),
        // Nothing is left to do: the work is done, and must not be claimed again.
        (decided) => decided ?? Change.make(current, now, { due: { [lease.kind]: null } }),
      ),
    lease,
  )
})

/** Ends the work because nothing is left to do for the payment. */
export const endWork = (claimed: Claimed) => write(claimed, () => Result.succeed(null))

/** A decision on an outflow, and on the payments of the outflow that it reads. */
export type OutflowDecision = (current: Outgoing.Current, now: number) => Change.Write | null

/**
 * Writes one decision on an outflow while the lease on the work is valid, and wakes all callers that wait for a payment
 * that it changes.
 */
export const writeOutflow = Effect.fnUntraced(function* (
  { lease, outflow }: ClaimedOutflow,
  shown: ReadonlyArray<PaymentId.PaymentId>,
  decide: OutflowDecision,
) {
  const now = yield* Clock.currentTimeMillis
  const { kind } = lease
  const decideOn = (readAs: (current: Outgoing.Current) => Outgoing.Current) =>
    Writes.decideOutflow(
      outflow,
      (read) => {
        const current = readAs(read)
        return decide(current, now) ?? Outgoing.finishWork(current, kind, now)
      },
      { lease, shown },
    )
  const written = yield* decideOn((current) => current).pipe(
    // Shares may have paid back the debt of a refund or an advance before its transaction reverted.
    Effect.catchTag("Overdrawn", (error) =>
      Effect.flatMap(debtBehind(outflow), (debt) =>
        debt === null ? error : decideOn((current) => Outgoing.repaid(current, debt)),
      ),
    ),
  )
  yield* Writes.announce(written?.payments ?? [])
})

/** What the merchant of a refund owes by now, or nothing for an advance; null for other outflows. */
const debtBehind = Effect.fnUntraced(function* ({ mode, movement, purpose }: Outflow.Outflow) {
  if ("advance" in purpose) return Money.zero
  if (purpose._tag !== "Refund") return null
  const { merchantId } = yield* (yield* PaymentStore).payment(purpose.paymentId)
  const debts = yield* debtsOf(yield* LedgerStore, mode, movement.token, [merchantId])
  return debts.get(merchantId) ?? Money.zero
})

/** The timeout of a piece of work, early enough that it can be postponed before its lease expires. */
export const limitInMs = ({ leaseInMs }: Pick<Options, "leaseInMs">): number => (leaseInMs * 2) / 3

/** A piece of work took so long that another worker would claim it. */
class TookTooLong extends Schema.TaggedError<TookTooLong>()("TookTooLong", {
  message: Schema.String,
}) {}

/** Failures that are caused by the chain, not by the piece of work: other work on the chain would fail as well. */
const isChains = (cause: Cause.Cause<Failure>): boolean =>
  Option.exists(
    Cause.findErrorOption(cause),
    ({ _tag }) => _tag === "ChainUnavailable" || _tag === "TookTooLong",
  )

const counted = ({ lease: { kind } }: Leased, outcome: "done" | "failed") =>
  Metrics.count("florin_work_total", { kind, outcome })

/**
 * Runs one piece of work. Any failure affects only this piece: it is postponed, and the others continue. Returns
 * whether its chain works.
 */
const attempt = <C extends Leased, E extends Failure, R>(
  claimed: C,
  handle: Handle<C, E, R>,
  options: Options,
) =>
  Effect.suspend(() => handle(claimed)).pipe(
    Effect.timeoutOrElse({
      duration: limitInMs(options),
      orElse: () => new TookTooLong({ message: `it timed out after ${limitInMs(options)} ms` }),
    }),
    Effect.andThen(counted(claimed, "done")),
    Effect.as(true),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.andThen(
            counted(claimed, "failed"),
            report("work was postponed", cause, {
              work: claimed.lease.kind,
              [isOutflowLease(claimed.lease) ? "outflowId" : "paymentId"]: claimed.lease.id,
              failures: claimed.failures,
            }),
          ).pipe(Effect.andThen(Effect.ignore(postpone(claimed))), Effect.as(!isChains(cause))),
    ),
    Effect.withSpan(`Worker.${claimed.lease.kind}`, { attributes: { id: claimed.lease.id } }),
  )

/**
 * Logs why something failed: a failure as a warning, and a defect of our own as an error with its cause. If the clock
 * is off, only the storage logs it, once and not for each piece of work.
 */
const report = (message: string, cause: Cause.Cause<Failure>, about: object = {}) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logError(message, { ...about, cause: Cause.pretty(cause) }),
    onSome: (error) =>
      isClockOff(error)
        ? Effect.void
        : Effect.logWarning(message, { ...about, reason: error._tag, message: error.message }),
  })

/** Does due work until none is left. */
export const drain = <C extends Leased, E extends Failure, R>(
  source: Source<C>,
  handle: Handle<C, E, R>,
  options: Options = defaults,
) =>
  Effect.gen(function* () {
    const { batch: limit, concurrency, leaseInMs } = options
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* source.claim({ limit, leaseInMs, now })
      if (claimed.length === 0) return
      yield* Effect.forEach(claimed, (each) => attempt(each, handle, options), {
        concurrency,
        discard: true,
      })
    }
  })

/** Runs a look for work without a trace. Workers look all the time, and traces of that would hide those of the work. */
export const withoutTrace: <A, E, R>(look: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.withTracerEnabled(false)

/** How claimed work is done in the places for it. */
interface Loop<C, E extends Failure, R> {
  readonly claim: (
    limit: number,
    turns: (now: number) => Turns,
  ) => Effect.Effect<ReadonlyArray<C>, E, R>
  readonly queueOf: (each: C) => Turn.Queue
  /** Returns whether the group or the queue works. */
  readonly attempt: (each: C) => Effect.Effect<boolean, never, R>
  readonly untilDueInMs: Effect.Effect<number, E, R>
}

/** Claims and starts work while places are free, until the layer's scope closes. */
export const layerInPlaces = <C, E extends Failure, R>(
  of: Places.Options,
  { batch, idleInMs }: Pick<Options, "batch" | "idleInMs">,
  { attempt: start, claim, queueOf, untilDueInMs }: Loop<C, E, R>,
) =>
  Layer.unwrap(
    Effect.sync(() => {
      const places = Places.make(of)
      const round = Effect.gen(function* () {
        const limit = Math.min(batch, places.free())
        const claimed = yield* withoutTrace(claim(limit, places.turns))
        yield* places.run(claimed, queueOf, start)
        if (claimed.length < batch) yield* places.rest(idleInMs, untilDueInMs)
      })
      return layerRepeating(round, idleInMs)
    }),
  )

/** A chain has half as many places more than one partner can use of them. */
const placesOf = ({ concurrency }: Options): Places.Options => ({
  all: Infinity,
  ofGroup: Math.ceil(concurrency * 1.5),
  ofQueue: concurrency,
  rests: "group",
  tries: 1,
})

/** Does due work until the layer's scope closes. The host decides where it runs: nothing starts by itself. */
export const layer = <C extends Leased, E extends Failure, R>(
  source: Source<C>,
  handle: Handle<C, E, R>,
  options: Partial<Options> = {},
) => {
  const chosen = { ...defaults, ...options }
  const { leaseInMs } = chosen
  return layerInPlaces(placesOf(chosen), chosen, {
    claim: (limit, turns) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        source.claim({ limit, leaseInMs, now, turns: turns(now) }),
      ),
    queueOf: ({ queue }) => queue,
    attempt: (each) => attempt(each, handle, chosen),
    untilDueInMs: restInMs(source.kind, chosen),
  })
}

/** A worker: `drain` does the work that is due now, and `layer` does due work until its scope closes. */
export const of = <C extends Leased, E extends Failure, R>(
  source: Source<C>,
  handle: Handle<C, E, R>,
) => ({
  drain: drain(source, handle),
  layer: (options?: Partial<Options>) => layer(source, handle, options),
})

/**
 * Repeats a round until the layer's scope closes. If a round fails, even by a bug of our own, another one follows after
 * a pause.
 */
export const layerRepeating = <E extends Failure, R>(
  round: Effect.Effect<void, E, R>,
  restsInMs: number,
) =>
  Layer.effectDiscard(
    round.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.andThen(report("a round of work failed", cause), Effect.sleep(restsInMs)),
      ),
      Effect.forever,
      Effect.forkScoped,
    ),
  )

/** The same, with a pause after each round. */
export const layerEvery = <E extends Failure, R>(
  betweenInMs: number,
  round: Effect.Effect<void, E, R>,
) => layerRepeating(Effect.andThen(round, Effect.sleep(betweenInMs)), betweenInMs)

/** Runs a layer for each of some chains, so that a chain that hangs delays no other. */
export const layerOfEach = <A, E, R, E2, R2>(
  chains: Effect.Effect<ReadonlyArray<A>, E, R>,
  layerOf: (chain: A) => Layer.Layer<never, E2, R2>,
) =>
  Layer.unwrap(
    Effect.map(chains, (all) => Layer.mergeAll(Layer.empty, ...all.map((each) => layerOf(each)))),
  )

const restInMs = Effect.fnUntraced(function* (kind: Leased["lease"]["kind"], options: Options) {
  const nextAt = yield* withoutTrace((yield* DueWork).nextDueAt(kind))
  if (nextAt === null) return options.idleInMs
  return Math.max(0, Math.min(options.idleInMs, nextAt - (yield* Clock.currentTimeMillis)))
})
