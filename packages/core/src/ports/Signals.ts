/**
 * Notifies callers that wait for a payment, and callers that follow a feed, that a payment changed.
 *
 * A signal carries no data: the woken caller reads the storage. Without signals everything still works, but later.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as PaymentId from "../domain/ground/PaymentId.ts"

/** Waiting places, by name. */
const places = <Name>() => {
  const waiting = new Map<Name, Set<Latch.Latch>>()
  let all = 0
  const enter = (name: Name) =>
    Effect.sync(() => {
      const latch = Latch.makeUnsafe(false)
      const here = waiting.get(name) ?? new Set()
      waiting.set(name, here.add(latch))
      all += 1
      return latch
    })
  const leave = (name: Name, latch: Latch.Latch) =>
    Effect.sync(() => {
      const here = waiting.get(name)
      here?.delete(latch)
      all -= 1
      if (here?.size === 0) waiting.delete(name)
    })
  return {
    take: (name: Name) =>
      Effect.map(
        Effect.acquireRelease(enter(name), (latch) => leave(name, latch)),
        (latch) => Effect.andThen(latch.await, latch.close),
      ),
    taken: (name: Name) => ({ all, here: waiting.get(name)?.size ?? 0 }),
    wake: (name: Name) => {
      for (const latch of waiting.get(name) ?? []) latch.openUnsafe()
    },
    wakeAll: () => {
      for (const here of waiting.values()) for (const latch of here) latch.openUnsafe()
    },
  }
}

/**
 * The signals port.
 *
 * - `changed` is called after the change is stored, and never fails the caller.
 * - Watching begins when `watch` returns: watch first, then read, and no change is missed. The effect that it returns
 *   runs until the payment has changed since it last ran: immediately in this process, and soon after in others.
 * - A wake-up may come without a change, and several changes may come as one.
 * - `follow` does the same for every payment: a change of any payment wakes it. Events in a feed that are not about
 *   payments send no signal.
 * - The place is released when its scope closes.
 * - `close` is for the end of a process: it wakes all waiting callers of this process. After that, nobody should wait.
 */
export class Signals extends Context.Service<
  Signals,
  {
    readonly changed: (id: PaymentId.PaymentId) => Effect.Effect<void>
    readonly watch: (
      id: PaymentId.PaymentId,
    ) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** How many callers watch in this process: any payment, and this payment. */
    readonly watching: (id: PaymentId.PaymentId) => {
      readonly all: number
      readonly here: number
    }
    /** Starts to wait for a change of any payment. `follower` names the owner of the place. */
    readonly follow: (follower: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** How many callers follow in this process: in total, and under this name. */
    readonly following: (follower: string) => {
      readonly all: number
      readonly here: number
    }
    readonly close: Effect.Effect<void>
    readonly isClosed: () => boolean
  }
>()("@florin/core/ports/Signals") {
  /**
   * Signals within one process: maps from a payment to its watchers, and from a name to its followers. Adapters that
   * reach other processes build on it, and wake everybody if they may have missed something.
   */
  static readonly makeMemory = () => {
    const ofPayments = places<PaymentId.PaymentId>()
    const ofFeeds = places<string>()
    let isClosed = false
    const wakeAll = Effect.sync(() => {
      ofPayments.wakeAll()
      ofFeeds.wakeAll()
    })
    const signals = Signals.of({
      changed: (id) =>
        Effect.sync(() => {
          ofPayments.wake(id)
          ofFeeds.wakeAll()
        }),
      watch: ofPayments.take,
      watching: ofPayments.taken,
      follow: ofFeeds.take,
      following: ofFeeds.taken,
      isClosed: () => isClosed,
      close: Effect.suspend(() => {
        isClosed = true
        return wakeAll
      }),
    })
    return { signals, wakeAll }
  }

  static readonly layerMemory = Layer.sync(Signals, () => Signals.makeMemory().signals)
}
