/**
 * The contract of the signals port as tests: every adapter runs the same ones.
 *
 * @module
 */
import { assert, describe, layer, type Vitest } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Counts from "./Counts.ts"

/** Long enough for a layer that is a real database. */
const timeout = 240_000

const [first, second] = [PaymentId.PaymentId.make("pay_1"), PaymentId.PaymentId.make("pay_2")]

/** Lets all other fibers run as far as they can. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

/** Whether an effect is still waiting after enough time. */
export const isWaiting = Effect.fnUntraced(function* (waiting: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(waiting)
  yield* settle
  const exit = fiber.pollUnsafe()
  yield* Fiber.interrupt(fiber)
  return exit === undefined
})

/** What starts with each process, on a layer that all processes share. */
type Process<R> = Layer.Layer<Signals, unknown, R>

/** The signals of a new process. */
export const start = <R>(process: Process<R>) =>
  Effect.map(Layer.build(Layer.fresh(process)), (built) => Context.get(built, Signals))

/** Waits until all signals that one process has sent so far have reached the other. */
export const awaitArrival = Effect.fnUntraced(function* (
  from: Signals["Service"],
  to: Signals["Service"],
) {
  const last = PaymentId.PaymentId.make("pay_last")
  const changed = yield* to.watch(last)
  yield* from.changed(last)
  yield* changed
})

const withinProcess = <R>(it: Vitest.MethodsNonLive<R>, process: Process<R>): void => {
  it.effect("wakes a waiting caller", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      const fiber = yield* Effect.forkChild(yield* signals.watch(first))
      yield* settle
      assert.isUndefined(fiber.pollUnsafe())
      yield* signals.changed(first)
      yield* Fiber.join(fiber)
    }),
  )

  it.effect("misses no change between the start of the watch and the wait", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      const changed = yield* signals.watch(first)
      yield* signals.changed(first)
      yield* changed
    }),
  )

  it.effect("ignores changes before the start of the watch", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      yield* signals.changed(first)
      assert.isTrue(yield* isWaiting(yield* signals.watch(first)))
    }),
  )

  it.effect("combines several changes into one signal, and signals each later change again", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      const changed = yield* signals.watch(first)
      for (const _ of [1, 2, 3]) {
        yield* signals.changed(first)
        yield* signals.changed(first)
        yield* changed
        assert.isTrue(yield* isWaiting(changed))
      }
    }),
  )

  it.effect("wakes all watchers of a payment, and no watcher of another", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      const here = yield* Effect.forEach(Array.from({ length: 5 }), () => signals.watch(first))
      const elsewhere = yield* signals.watch(second)
      yield* signals.changed(first)
      yield* Effect.all(here, { concurrency: "unbounded" })
      assert.isTrue(yield* isWaiting(elsewhere))
    }),
  )

  it.effect("accepts changes of a payment that nobody watches", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      yield* signals.changed(PaymentId.PaymentId.make("pay_unwatched"))
    }),
  )

  it.effect("counts places, and frees them at the end of the scope", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
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
      // Neither a wake-up nor an interruption while waiting releases the place.
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

  it.effect("frees the place when a watcher is stopped", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      const fiber = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(signals.watch(second), (changed) => changed)),
      )
      yield* settle
      assert.deepStrictEqual(signals.watching(second), { all: 1, here: 1 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(signals.watching(second), { all: 0, here: 0 })
    }),
  )

  it.effect("wakes all followers at a change of any payment, and counts them by name", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const followed = [yield* signals.follow("one"), yield* signals.follow("other")]
          assert.deepStrictEqual(signals.following("one"), { all: 2, here: 1 })
          assert.deepStrictEqual(signals.watching(first), { all: 0, here: 0 })
          for (const id of [first, second]) {
            yield* signals.changed(id)
            yield* Effect.all(followed)
          }
          const [waiting] = followed
          assert.isTrue(yield* isWaiting(waiting ?? Effect.void))
          yield* signals.close
          yield* Effect.all(followed)
        }),
      )
      assert.deepStrictEqual(signals.following("one"), { all: 0, here: 0 })
    }),
  )

  it.effect("wakes everybody when it closes, and reports this from then on", () =>
    Effect.gen(function* () {
      const signals = yield* start(process)
      const watched = [yield* signals.watch(first), yield* signals.watch(second)]
      assert.isFalse(signals.isClosed())
      yield* signals.close
      assert.isTrue(signals.isClosed())
      yield* Effect.all(watched)
      // Work in progress may still change payments.
      yield* signals.changed(first)
      yield* signals.close
      assert.isTrue(signals.isClosed())
    }),
  )
}

const betweenProcesses = <R>(it: Vitest.MethodsNonLive<R>, process: Process<R>): void => {
  it.effect("wakes a caller that waits in another process, in both directions", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* start(process), yield* start(process)]
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        const fiber = yield* Effect.forkChild(yield* to.watch(first))
        yield* settle
        assert.isUndefined(fiber.pollUnsafe())
        yield* from.changed(first)
        yield* Fiber.join(fiber)
      }
    }),
  )

  it.effect("wakes in every process", () =>
    Effect.gen(function* () {
      const from = yield* start(process)
      const others = yield* Effect.forEach([1, 2, 3], () => start(process))
      const watched = yield* Effect.forEach(others, (other) => other.watch(first))
      yield* from.changed(first)
      yield* Effect.all(watched)
    }),
  )

  it.effect("wakes a follower in another process", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* start(process), yield* start(process)]
      const changed = yield* to.follow("one")
      yield* from.changed(first)
      yield* changed
    }),
  )

  it.effect("does not wake watchers of another payment in other processes", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* start(process), yield* start(process)]
      const elsewhere = yield* to.watch(second)
      yield* from.changed(first)
      yield* awaitArrival(from, to)
      assert.isTrue(yield* isWaiting(elsewhere))
    }),
  )

  it.effect("signals each later change again", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* start(process), yield* start(process)]
      const changed = yield* to.watch(first)
      for (const _ of [1, 2, 3]) {
        yield* from.changed(first)
        yield* changed
        yield* awaitArrival(from, to)
        assert.isTrue(yield* isWaiting(changed))
      }
    }),
  )

  it.effect(
    "wakes its own watchers once for a change, and not again when other processes are signalled",
    () =>
      Effect.gen(function* () {
        const [from, to] = [yield* start(process), yield* start(process)]
        const changed = yield* from.watch(first)
        yield* from.changed(first)
        yield* changed
        yield* awaitArrival(from, to)
        // Signals that come back from the other process arrive after those that came back from here.
        yield* awaitArrival(to, from)
        assert.isTrue(yield* isWaiting(changed))
      }),
  )

  it.effect("loses none of many changes", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* start(process), yield* start(process)]
      const count = Counts.of({ usual: 1000, full: 9000 })
      const ids = Array.from({ length: count }, (_, index) =>
        PaymentId.PaymentId.make(`pay_${String(index).padStart(64, "0")}`),
      )
      const watched = yield* Effect.forEach(ids, (id) => to.watch(id))
      yield* Effect.forEach(ids, (id) => from.changed(id), { discard: true })
      yield* Effect.all(watched, { discard: true })
    }),
  )

  it.effect("counts and closes each process for itself", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* start(process), yield* start(process)]
      const changed = yield* other.watch(first)
      assert.deepStrictEqual(one.watching(first), { all: 0, here: 0 })
      assert.deepStrictEqual(other.watching(first), { all: 1, here: 1 })
      yield* one.close
      yield* awaitArrival(one, other)
      assert.isFalse(other.isClosed())
      assert.isTrue(yield* isWaiting(changed))
    }),
  )
}

/**
 * Registers the suite for an adapter that reaches only its own process. Every rule starts a new process, on a shared
 * layer that is built once.
 *
 * @example
 * SignalsSuite.suite("memory", Signals.layerMemory, Layer.empty)
 */
export const suite = <R>(
  name: string,
  process: Process<R>,
  ground: Layer.Layer<R, unknown>,
): void =>
  // Adapters that wait on a real machine need the real clock.
  layer(ground, { excludeTestServices: true, timeout })(`Signals: ${name}`, (it) => {
    withinProcess(it, process)
  })

/**
 * Registers the suite for an adapter that reaches all processes on the same shared layer.
 *
 * @example
 * SignalsSuite.suiteOfMany("PostgreSQL", SignalsPostgres.layer, database)
 */
export const suiteOfMany = <R>(
  name: string,
  process: Process<R>,
  ground: Layer.Layer<R, unknown>,
): void =>
  layer(ground, { excludeTestServices: true, timeout })(`Signals: ${name}`, (it) => {
    describe("within a process", () => {
      withinProcess(it, process)
    })
    describe("between processes", () => {
      betweenProcesses(it, process)
    })
  })
