/**
 * Tells those who wait for a payment that it changed, and those who follow a feed that some payment did.
 *
 * A signal wakes, it tells nothing: who was woken reads the storage. Without signals everything still works, later.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as PaymentId from "../domain/PaymentId.ts"

/** Places in which somebody waits, by name. */
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
 * - Watching begins when `watch` returns: watch first, then read, and no change is missed. The effect it gives runs until
 *   the payment changed since it last ran, in this process at once and in others soon.
 * - A wake-up may come without a change, and several changes may come as one.
 * - `follow` is the same for every payment: a change of any wakes. What a feed tells beside payments sends no signal.
 * - The end of the scope gives the place back.
 * - `close` is for the end of a process: it wakes everybody here, and from then on nobody should be parked.
 */
export class Signals extends Context.Service<
  Signals,
  {
    readonly changed: (id: PaymentId.PaymentId) => Effect.Effect<void>
    readonly watch: (
      id: PaymentId.PaymentId,
    ) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** How many watch in this process, in all and this payment. */
    readonly watching: (id: PaymentId.PaymentId) => {
      readonly all: number
      readonly here: number
    }
    /** Begins to wait for a change of any payment; `follower` names whose place it is. */
    readonly follow: (follower: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** How many follow in this process, in all and of this name. */
    readonly following: (follower: string) => {
      readonly all: number
      readonly here: number
    }
    readonly close: Effect.Effect<void>
    readonly isClosed: () => boolean
  }
>()("@florin/core/ports/Signals") {
  /**
   * Within one process: maps from a payment to those who watch it, and from a name to who follows. Adapters that reach further stand on it, and wake
   * everybody when they may have missed something.
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
