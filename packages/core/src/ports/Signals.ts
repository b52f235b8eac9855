/**
 * Tells those who wait for a payment that it changed.
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

/**
 * The signals port.
 *
 * - `changed` is called after the change is stored, and never fails the caller.
 * - Watching begins when `watch` returns: watch first, then read, and no change is missed. The effect it gives runs until
 *   the payment changed since it last ran, in this process at once and in others soon.
 * - A wake-up may come without a change, and several changes may come as one.
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
    readonly close: Effect.Effect<void>
    readonly isClosed: () => boolean
  }
>()("@florin/core/ports/Signals") {
  /**
   * Within one process: a map from a payment to those who watch it. Adapters that reach further stand on it, and wake
   * everybody when they may have missed something.
   */
  static readonly makeMemory = () => {
    const watchers = new Map<PaymentId.PaymentId, Set<Latch.Latch>>()
    let all = 0
    let isClosed = false
    const enter = (id: PaymentId.PaymentId) =>
      Effect.sync(() => {
        const latch = Latch.makeUnsafe(false)
        const here = watchers.get(id) ?? new Set()
        watchers.set(id, here.add(latch))
        all += 1
        return latch
      })
    const leave = (id: PaymentId.PaymentId, latch: Latch.Latch) =>
      Effect.sync(() => {
        const here = watchers.get(id)
        here?.delete(latch)
        all -= 1
        if (here?.size === 0) watchers.delete(id)
      })
    const wakeAll = Effect.sync(() => {
      for (const here of watchers.values()) for (const latch of here) latch.openUnsafe()
    })
    const signals = Signals.of({
      changed: (id) =>
        Effect.sync(() => {
          for (const latch of watchers.get(id) ?? []) latch.openUnsafe()
        }),
      watch: (id) =>
        Effect.map(
          Effect.acquireRelease(enter(id), (latch) => leave(id, latch)),
          (latch) => Effect.andThen(latch.await, latch.close),
        ),
      watching: (id) => ({ all, here: watchers.get(id)?.size ?? 0 }),
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
