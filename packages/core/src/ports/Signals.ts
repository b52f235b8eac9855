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

/** A caller that waits. */
export interface Waiting {
  readonly wake: () => void
}

/** Waiting places, by name. */
const places = <Name>() => {
  const waiting = new Map<Name, Set<Waiting>>()
  let all = 0
  const enter = (name: Name, caller: Waiting): void => {
    const here = waiting.get(name) ?? new Set()
    waiting.set(name, here.add(caller))
    all += 1
  }
  const leave = (name: Name, caller: Waiting): void => {
    const here = waiting.get(name)
    if (here?.delete(caller) === true) all -= 1
    if (here?.size === 0) waiting.delete(name)
  }
  const take = (name: Name) =>
    Effect.sync(() => {
      const latch = Latch.makeUnsafe(false)
      const caller: Waiting = { wake: () => latch.openUnsafe() }
      enter(name, caller)
      return { caller, latch }
    })
  return {
    enter,
    leave,
    take: (name: Name) =>
      Effect.map(
        Effect.acquireRelease(take(name), ({ caller }) => Effect.sync(() => leave(name, caller))),
        ({ latch }) => Effect.andThen(latch.await, latch.close),
      ),
    taken: (name: Name) => ({ all, here: waiting.get(name)?.size ?? 0 }),
    wake: (name: Name) => {
      for (const caller of waiting.get(name) ?? []) caller.wake()
    },
    wakeAll: () => {
      for (const here of waiting.values()) for (const caller of here) caller.wake()
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
 * - `enter` is the same for callers that have no fiber for it: `wake` is called for each change, until `leave`.
 * - `isReliable` is whether signals of other processes arrive now. If not, the storage must be read again now and then.
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
    readonly enter: (id: PaymentId.PaymentId, caller: Waiting) => void
    readonly leave: (id: PaymentId.PaymentId, caller: Waiting) => void
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
    readonly isReliable: () => boolean
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
      enter: ofPayments.enter,
      leave: ofPayments.leave,
      watching: ofPayments.taken,
      follow: ofFeeds.take,
      following: ofFeeds.taken,
      isReliable: () => true,
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
