/**
 * The loop that every worker of payments runs: lease due work while places are free, do it, and sleep until more is due.
 *
 * Each kind of work has a loop of its own, and each chain has places of its own in it: no piece of work waits until
 * another is done, and a chain that does not answer is left alone with growing pauses.
 *
 * Any number of processes may run any number of workers: a piece of work has one holder at a time, and what a holder
 * writes after its lease lapsed is refused. Work on money is never given up: what fails is due again after a growing
 * pause.
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
import * as Change from "../domain/Change.ts"
import * as Outgoing from "../domain/Outgoing.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as PaymentState from "../domain/PaymentState.ts"
import type * as Transfer from "../domain/Transfer.ts"
import * as Unclaimed from "../domain/Unclaimed.ts"
import * as UnclaimedId from "../domain/UnclaimedId.ts"
import * as Metrics from "../engine/Metrics.ts"
import {
  type Claimed,
  type ClaimedOutflow,
  DueWork,
  isOutflowHold,
  type Leased,
} from "../ports/DueWork.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"
import { type ClaimTaken, isClockOff, type StorageUnavailable } from "../ports/StorageError.ts"
import type { ClaimOptions } from "../ports/Turns.ts"
import * as Places from "./Places.ts"

export interface Options {
  /** Work leased at once. */
  readonly batch: number
  /** Work of one partner done at once, of one kind on one chain. A chain has half as many places more. */
  readonly concurrency: number
  /** For how long work is one process's. What takes two thirds of that is interrupted, and due again. */
  readonly leaseInMs: number
  /** How long to sleep at most before looking for new work. */
  readonly idleInMs: number
}

export const defaults: Options = {
  batch: 64,
  concurrency: 16,
  leaseInMs: 30_000,
  idleInMs: 250,
}

/** What ports and the engine fail with: the message may be logged, as it holds no secrets. */
interface Failure {
  readonly _tag: string
  readonly message: string
}

/** What a worker does with one piece of work. It is written by then, or put off. */
export type Handle<C extends Leased, E extends Failure, R> = (
  claimed: C,
) => Effect.Effect<void, E, R>

/** Where due work of one kind comes from. */
export interface Source<C extends Leased> {
  readonly kind: C["hold"]["kind"]
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
/** The longest pause between two tries at one piece of work. */
export const pauseLongestInMs = 60_000

/** How long to wait after so many failures: twice as long each time, up to a minute. */
export const pauseInMs = (failures: number): number =>
  Math.min(pauseLongestInMs, pauseFirstInMs * 2 ** Math.min(failures, 10))

/** How soon money of a merchant that is frozen is looked at again. */
export const frozenPauseInMs = 600_000

/** Puts work off by a pause that grows with its failures. */
export const postpone = Effect.fnUntraced(function* ({ failures, hold }: Leased) {
  const dueAt = (yield* Clock.currentTimeMillis) + pauseInMs(failures)
  yield* (yield* DueWork).postpone(hold, dueAt)
})

/** What is on its way is looked for again after an eighth of the time that it took so far. */
const waitedPerPause = 8

/**
 * How long to wait before looking again, at least half a second and at most a minute: whatever takes some time is seen
 * at most an eighth of that time late, or half a second.
 */
export const lookAgainInMs = (waitedInMs: number): number =>
  Math.min(pauseLongestInMs, Math.max(pauseFirstInMs, Math.floor(waitedInMs / waitedPerPause)))

/** Puts work off that waits for the chain, since when it does. Nothing went wrong, so the pause follows the wait alone. */
export const wait = Effect.fnUntraced(function* ({ hold }: Leased, since: number) {
  const now = yield* Clock.currentTimeMillis
  yield* (yield* DueWork).postpone(hold, now + lookAgainInMs(now - since))
})

/** Writes one decision while the work is held, and wakes whoever waits for the payment. */
export const write = Effect.fnUntraced(function* <E>(
  { hold, payment }: Pick<Claimed, "payment" | "hold">,
  decide: (current: Payment.Payment, now: number) => Result.Result<Change.Change | null, E>,
) {
  const now = yield* Clock.currentTimeMillis
  const written = yield* (yield* PaymentStore).modifyPayment(
    payment.id,
    (current) =>
      Result.map(decide(current, now), (decided) => {
        // Nothing is left to do: the work is done, and must not come back.
        const change = decided ?? Change.make(current, now, { due: { [hold.kind]: null } })
        return { answer: change, change }
      }),
    hold,
  )
  yield* Metrics.changed([written])
  yield* (yield* Signals).changed(payment.id)
})

/**
 * The same for a decision that claims a transfer. If it was found on its own and lies in suspense as money that no payment
 * claims, the payment takes it from there.
 */
export const writeClaiming = Effect.fnUntraced(function* (
  claimed: Pick<Claimed, "payment" | "hold">,
  transfer: Transfer.Log,
  decide: (
    current: Payment.Payment,
    now: number,
  ) => Result.Result<Change.Change | null, PaymentState.StateRefused>,
) {
  const { hold, payment } = claimed
  const take = Effect.fnUntraced(function* (taken: ClaimTaken) {
    const now = yield* Clock.currentTimeMillis
    const step = (yield* OutflowStore)
      .modify(
        { outflows: [], payments: [payment.id], unclaimed: [UnclaimedId.of(transfer)] },
        ({ payments: [current], unclaimed: [unclaimed] }) =>
          current === undefined || unclaimed === undefined
            ? Result.succeed({ answer: null, write: null })
            : Result.map(decide(current, now), (change) => {
                const answer =
                  change === null ? null : Unclaimed.take(unclaimed, change, transfer, now)
                return { answer, write: answer?.write ?? null }
              }),
        hold,
      )
      .pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
    const taking = yield* Effect.repeat(step, { until: (each) => each?.isWhole !== false })
    if (taking === null) return yield* taken
    yield* Metrics.changed(taking.write.payments)
    yield* (yield* Signals).changed(payment.id)
  })
  yield* write(claimed, decide).pipe(Effect.catchTag("ClaimTaken", take))
})

/** Nothing is left to do for the payment. */
export const nothing = (claimed: Claimed) => write(claimed, () => Result.succeed(null))

/** A decision on an outflow, and on those of its payments that it is shown. */
export type OutflowDecision = (current: Outgoing.Current, now: number) => Change.Write | null

/** Writes one decision on an outflow while the work is held, and wakes whoever waits for a payment that it changes. */
export const writeOutflow = Effect.fnUntraced(function* (
  { hold, outflow }: ClaimedOutflow,
  shown: ReadonlyArray<PaymentId.PaymentId>,
  decide: OutflowDecision,
) {
  const now = yield* Clock.currentTimeMillis
  const { kind } = hold
  const changed = yield* (yield* OutflowStore).modify(
    { outflows: [outflow.id], payments: shown },
    Outgoing.deciding((current) => {
      const decided = decide(current, now) ?? Outgoing.done(current, kind, now)
      return { answer: decided.payments, write: decided }
    }, []),
    hold,
  )
  yield* Metrics.changed(changed)
  const signals = yield* Signals
  yield* Effect.forEach(changed, ({ payment }) => signals.changed(payment.id), { discard: true })
})

/** Does what is due now; returns how much that was. */
export const step = <C extends Leased, E extends Failure, R>(
  source: Source<C>,
  handle: Handle<C, E, R>,
  options: Options,
) =>
  Effect.gen(function* () {
    const claimed = yield* source.claim({
      limit: options.batch,
      leaseInMs: options.leaseInMs,
      now: yield* Clock.currentTimeMillis,
    })
    yield* Effect.forEach(claimed, (each) => attempt(each, handle, options), {
      concurrency: options.concurrency,
      discard: true,
    })
    return claimed.length
  })

/** Work is given up so early that it can be put off before its lease lapses. */
export const limitInMs = ({ leaseInMs }: Pick<Options, "leaseInMs">): number => (leaseInMs * 2) / 3

/** A piece of work took so long that somebody else will have it. */
class TookTooLong extends Schema.TaggedError<TookTooLong>()("TookTooLong", {
  message: Schema.String,
}) {}

/** Failures that tell of the chain, not of the piece of work: others would fail as well. */
const isChains = (cause: Cause.Cause<Failure>): boolean =>
  Option.exists(
    Cause.findErrorOption(cause),
    ({ _tag }) => _tag === "ChainUnavailable" || _tag === "TookTooLong",
  )

const counted = ({ hold: { kind } }: Leased, outcome: "done" | "failed") =>
  Metrics.count("florin_work_total", { kind, outcome })

/**
 * Whatever goes wrong with one piece of work is its own matter: it is put off, and the others go on. Returns whether its
 * chain does well.
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
            report("work was put off", cause, {
              work: claimed.hold.kind,
              [isOutflowHold(claimed.hold) ? "outflowId" : "paymentId"]: claimed.hold.id,
              failures: claimed.failures,
            }),
          ).pipe(Effect.andThen(Effect.ignore(postpone(claimed))), Effect.as(!isChains(cause))),
    ),
    Effect.withSpan(`Worker.${claimed.hold.kind}`, { attributes: { id: claimed.hold.id } }),
  )

/**
 * Logs why something did not go through: a failure as a warning, and a defect of our own as an error with its cause. That
 * the clock is off is logged by the storage, once and not for each piece of work.
 */
const report = (message: string, cause: Cause.Cause<Failure>, about: object = {}) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logError(message, { ...about, cause: Cause.pretty(cause) }),
    onSome: (error) =>
      isClockOff(error)
        ? Effect.void
        : Effect.logWarning(message, { ...about, reason: error._tag, message: error.message }),
  })

/** Does what is due until nothing is. */
export const drain = <C extends Leased, E extends Failure, R>(
  source: Source<C>,
  handle: Handle<C, E, R>,
  options: Options = defaults,
) =>
  Effect.gen(function* () {
    while ((yield* step(source, handle, options)) > 0);
  })

/** Looks for work, which a worker does all the time: a trace of each look would hide those of the work. */
export const untraced: <A, E, R>(look: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.withTracerEnabled(false)

/** A chain has half as many places more than one partner can take of them. */
const placesOf = ({ concurrency }: Options): Places.Options => ({
  all: Infinity,
  ofGroup: Math.ceil(concurrency * 1.5),
  ofQueue: concurrency,
  rests: "group",
  tries: 1,
})

/** Does what is due for as long as the layer lives. The host decides where it runs: nothing starts by itself. */
export const layer = <C extends Leased, E extends Failure, R>(
  source: Source<C>,
  handle: Handle<C, E, R>,
  options: Partial<Options> = {},
) => {
  const chosen = { ...defaults, ...options }
  const { batch, idleInMs, leaseInMs } = chosen
  return Layer.unwrap(
    Effect.sync(() => {
      const places = Places.make(placesOf(chosen))
      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const claimed = yield* untraced(
          source.claim({ limit: batch, leaseInMs, now, turns: places.turns(now) }),
        )
        yield* places.run(
          claimed,
          ({ queue }) => queue,
          (each) => attempt(each, handle, chosen),
        )
        if (claimed.length < batch) yield* places.rest(idleInMs, restInMs(source.kind, chosen))
      })
      return repeating(round, idleInMs)
    }),
  )
}

/**
 * Repeats a round for as long as the layer lives. Whatever goes wrong with one, a mistake of our own included, another
 * follows after a rest.
 */
export const repeating = <E extends Failure, R>(
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

const restInMs = Effect.fnUntraced(function* (kind: Leased["hold"]["kind"], options: Options) {
  const nextAt = yield* untraced((yield* DueWork).nextDueAt(kind))
  if (nextAt === null) return options.idleInMs
  return Math.max(0, Math.min(options.idleInMs, nextAt - (yield* Clock.currentTimeMillis)))
})
