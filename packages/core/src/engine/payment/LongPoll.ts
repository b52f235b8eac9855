/**
 * Waits for a payment to change: signals wake the callers, and the storage has the data.
 *
 * A waiting caller is one small record. Callers that wait for the same payment share each reading of it, and all callers
 * share one timer. While signals arrive, nothing is read until there is a reason.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Remembered from "../../domain/ground/Remembered.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentState from "../../domain/payment/PaymentState.ts"
import type { OutflowStore } from "../../ports/OutflowStore.ts"
import type { PaymentStore } from "../../ports/PaymentStore.ts"
import { Signals, type Waiting } from "../../ports/Signals.ts"
import type { NotFound, StorageUnavailable } from "../../ports/StorageError.ts"
import * as Expiry from "./Expiry.ts"

/** While signals of other processes are lost, the storage is read again after this time. */
const rereadInMs = 5000
/** Callers whose time ends so soon after another's are responded to together. */
const togetherInMs = 250
/** So many responses are sent before other work has its turn. */
const responsesPerTurn = 32

type Read = Exit.Exit<Payment.Payment, NotFound | StorageUnavailable>

/** One caller that waits. */
interface Caller extends Waiting {
  readonly endsAt: number
  readonly isDone: (payment: Payment.Payment) => boolean
  readonly resume: (read: Read) => void
}

type Ports = OutflowStore | PaymentStore | Signals

/** The callers that wait for one payment. */
class Group {
  readonly id: PaymentId.PaymentId
  readonly #context: Context.Context<Ports>
  readonly callers = new Set<Caller>()
  /** Callers that came after the payment was last read. */
  fresh: Array<Caller> = []
  revision = -1
  /** When the payment expires, by time alone and without a signal. */
  expiresAt = Infinity
  isLooking = false
  /** Whether there is a reason to read the payment. */
  isWanted = false
  /** Whether the time of a caller is over. */
  isDue = false
  constructor(id: PaymentId.PaymentId, context: Context.Context<Ports>) {
    this.id = id
    // It works for many requests: its log lines have the id of none, and its spans belong to none.
    this.#context = Context.add(
      Context.omit(Tracer.ParentSpan)(context),
      References.CurrentLogAnnotations,
      {},
    )
  }

  fork(effect: Effect.Effect<void, never, Ports>): void {
    Effect.runForkWith(this.#context)(effect)
  }

  readonly look = (): void => {
    this.isWanted = true
    if (this.isLooking) return
    this.isLooking = true
    this.fork(look(this))
  }

  /** When the payment must be read, if no signal comes before. */
  dueAt(): number {
    let at = this.expiresAt
    for (const { endsAt } of this.callers) if (endsAt < at) at = endsAt
    return at
  }
}

/** All callers that wait in a process. */
const parkingOf = Remembered.memoize((signals: Signals["Service"]) => ({
  signals,
  groups: new Map<PaymentId.PaymentId, Group>(),
  /** Opens when there is something before the time that the timer waits for, or nothing any more. */
  sooner: Latch.makeUnsafe(false),
  timerAt: -Infinity,
  isTimed: false,
}))

const toTime = (payment: Payment.Payment): number =>
  Payment.isOpen(payment) ? payment.expiresAt * 1000 : Infinity

/** Responds to the callers that a reading concerns, some at a time. */
const respond = Effect.fnUntraced(function* (group: Group, read: Read) {
  const signals = yield* Signals
  const now = yield* Clock.currentTimeMillis
  const payment = Exit.isSuccess(read) ? read.value : null
  const isNews = payment?.revision !== group.revision || group.isDue || signals.isClosed()
  const concerned = isNews ? [...group.callers] : group.fresh
  const until = group.isDue ? now + togetherInMs : now
  group.fresh = []
  group.isDue = false
  if (payment !== null) {
    group.revision = payment.revision
    group.expiresAt = toTime(payment)
  }
  let left = responsesPerTurn
  for (const caller of concerned) {
    const isOver = payment === null || caller.endsAt <= until || signals.isClosed()
    if (!group.callers.has(caller) || !(isOver || caller.isDone(payment))) continue
    caller.resume(read)
    left -= 1
    if (left === 0) {
      yield* Effect.yieldNow
      left = responsesPerTurn
    }
  }
})

/** Reads a payment for its callers, as long as there is a reason. */
const look = Effect.fnUntraced(function* (group: Group) {
  while (group.isWanted) {
    // Those that come in this turn share the reading.
    yield* Effect.yieldNow
    group.isWanted = false
    yield* respond(group, yield* Effect.exit(Expiry.read(group.id)))
  }
  group.isLooking = false
})

/** Wakes the groups whose time has come, until nobody waits. */
const keepTime = Effect.fnUntraced(function* (parking: ReturnType<typeof parkingOf>) {
  const { signals } = parking
  let readAt = yield* Clock.currentTimeMillis
  while (parking.groups.size > 0) {
    parking.sooner.closeUnsafe()
    const now = yield* Clock.currentTimeMillis
    const isReread = !signals.isReliable() && now - readAt >= rereadInMs
    if (isReread || signals.isReliable()) readAt = now
    let next = now + rereadInMs
    for (const group of parking.groups.values()) {
      const at = group.dueAt()
      if (at <= now) group.isDue = true
      if (at <= now || isReread) group.look()
      next = Math.min(next, at <= now ? now + togetherInMs : at)
    }
    parking.timerAt = next
    yield* Effect.timeoutOption(parking.sooner.await, next - now)
  }
  parking.isTimed = false
})

/** Waits in a place of its own. Nothing here holds the payment, which is large and may be out of date. */
const park = (
  signals: Signals["Service"],
  context: Context.Context<Ports>,
  id: PaymentId.PaymentId,
  expiresAt: number,
  endsAt: number,
  isDone: Caller["isDone"],
) =>
  Effect.callback<Payment.Payment, NotFound | StorageUnavailable>((resume) => {
    const parking = parkingOf(signals)
    const { groups } = parking
    const group = groups.get(id) ?? new Group(id, context)
    const resumed = (read: Read) => {
      leave()
      resume(read)
    }
    const caller: Caller = { endsAt, isDone, resume: resumed, wake: group.look }
    const leave = () => {
      signals.leave(id, caller)
      group.callers.delete(caller)
      if (group.callers.size === 0) groups.delete(id)
      if (groups.size === 0) parking.sooner.openUnsafe()
    }
    groups.set(id, group)
    group.callers.add(caller)
    group.fresh.push(caller)
    group.expiresAt = Math.min(group.expiresAt, expiresAt)
    signals.enter(id, caller)
    // It may have changed since it was read.
    group.look()
    if (!parking.isTimed) {
      parking.isTimed = true
      group.fork(keepTime(parking))
    } else if (Math.min(endsAt, expiresAt) < parking.timerAt) {
      parking.sooner.openUnsafe()
    }
    return Effect.sync(leave)
  })

/**
 * Holds until `isDone` returns true or the time is up, and returns the payment as it is then. At capacity, and while
 * the process ends, it returns immediately instead of refusing. Interrupting it releases its place, even within an
 * uninterruptible call.
 */
export const hold = (
  payment: Payment.Payment,
  maxPollInMs: number,
  isDone: (payment: Payment.Payment) => boolean,
): Effect.Effect<Payment.Payment, NotFound | StorageUnavailable, Ports> => {
  if (maxPollInMs <= 0 || isDone(payment)) return Effect.succeed(payment)
  const { id } = payment
  return Effect.contextWith((context: Context.Context<Ports>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const signals = Context.get(context, Signals)
      const { all, here } = signals.watching(id)
      const isFull =
        signals.isClosed() ||
        all >= Limits.longPollParkedMax ||
        here >= Limits.longPollParkedPerPaymentMax
      const endsAt = now + Math.min(maxPollInMs, Limits.longPollMaxInMs)
      return isFull
        ? Effect.succeed(payment)
        : Effect.interruptible(park(signals, context, id, toTime(payment), endsAt, isDone))
    }),
  )
}

/** Holds until the status is final. */
export const untilFinal = (payment: Payment.Payment, maxPollInMs: number) =>
  hold(payment, maxPollInMs, (each) => PaymentState.isFinal(Payment.stored(each)))

/** Holds until the status changes or is final. */
export const untilChange = (payment: Payment.Payment, maxPollInMs: number) => {
  const before = Payment.stored(payment)
  return hold(payment, maxPollInMs, (each) => {
    const current = Payment.stored(each)
    return current !== before || PaymentState.isFinal(current)
  })
}
