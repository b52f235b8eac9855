import { assert, layer } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/PaymentId"
import * as Signals from "@florin/core/ports/Signals"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

const [first, second] = [PaymentId.PaymentId.make("pay_1"), PaymentId.PaymentId.make("pay_2")]

/** Lets every other fiber come as far as it can. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

/** Whether something runs on, given time enough. */
const isWaiting = Effect.fnUntraced(function* (waiting: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(waiting)
  yield* settle
  const exit = fiber.pollUnsafe()
  yield* Fiber.interrupt(fiber)
  return exit === undefined
})

layer(Signals.Signals.layerMemory)("Signals.layerMemory", (it) => {
  it.effect("wakes whoever waits", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      const changed = yield* signals.watch(first)
      const fiber = yield* Effect.forkChild(changed)
      yield* settle
      assert.isUndefined(fiber.pollUnsafe())
      yield* signals.changed(first)
      yield* Fiber.join(fiber)
    }),
  )

  it.effect("misses no change between the beginning and the wait", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      const changed = yield* signals.watch(first)
      yield* signals.changed(first)
      yield* changed
    }),
  )

  it.effect("tells nothing of changes before the beginning", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      yield* signals.changed(first)
      assert.isTrue(yield* isWaiting(yield* signals.watch(first)))
    }),
  )

  it.effect("tells several changes as one, and each later one again", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      const changed = yield* signals.watch(first)
      for (const _ of [1, 2, 3]) {
        yield* signals.changed(first)
        yield* signals.changed(first)
        yield* changed
        assert.isTrue(yield* isWaiting(changed))
      }
    }),
  )

  it.effect("wakes all who watch a payment, and nobody who watches another", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      const here = yield* Effect.forEach(Array.from({ length: 5 }), () => signals.watch(first))
      const elsewhere = yield* signals.watch(second)
      yield* signals.changed(first)
      yield* Effect.all(here, { concurrency: "unbounded" })
      assert.isTrue(yield* isWaiting(elsewhere))
    }),
  )

  it.effect("lets anybody change what nobody watches", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      yield* signals.changed(PaymentId.PaymentId.make("pay_unwatched"))
    }),
  )

  it.effect("counts places, and gives them back at the end of the scope", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      const counts = () => [signals.watching(first), signals.watching(second)]
      assert.deepStrictEqual(counts(), [
        { all: 0, here: 0 },
        { all: 0, here: 0 },
      ])
      const scopes = yield* Effect.forEach([first, first, second], (id) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const changed = yield* Scope.provide(signals.watch(id), scope)
          return { scope, changed }
        }),
      )
      assert.deepStrictEqual(counts(), [
        { all: 3, here: 2 },
        { all: 3, here: 1 },
      ])
      // Being woken, and being interrupted while waiting, give nothing back.
      yield* signals.changed(first)
      const [one, two, three] = scopes
      if (one === undefined || two === undefined || three === undefined) {
        return assert.fail("no scopes")
      }
      yield* one.changed
      assert.isTrue(yield* isWaiting(three.changed))
      assert.deepStrictEqual(signals.watching(first), { all: 3, here: 2 })
      yield* Scope.close(one.scope, Exit.void)
      assert.deepStrictEqual(counts(), [
        { all: 2, here: 1 },
        { all: 2, here: 1 },
      ])
      yield* signals.changed(first)
      yield* two.changed
      yield* Scope.close(two.scope, Exit.void)
      yield* Scope.close(three.scope, Exit.void)
      assert.deepStrictEqual(counts(), [
        { all: 0, here: 0 },
        { all: 0, here: 0 },
      ])
    }),
  )

  it.effect("gives the place back when a watcher is stopped", () =>
    Effect.gen(function* () {
      const signals = yield* Signals.Signals
      const fiber = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(signals.watch(second), (changed) => changed)),
      )
      yield* settle
      assert.deepStrictEqual(signals.watching(second), { all: 1, here: 1 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(signals.watching(second), { all: 0, here: 0 })
    }),
  )
})
