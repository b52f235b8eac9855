import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Cancellation from "@florin/core/engine/payment/Cancellation"
import * as StatusStream from "@florin/core/engine/payment/StatusStream"
import { Chains } from "@florin/core/ports/Chain"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Signals } from "@florin/core/ports/Signals"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../workers/scene.ts"

const { play, tokens } = Scene

/** Streams, and what they ask for. */
const start = Effect.gen(function* () {
  const chains = yield* Chains
  const payments = yield* PaymentStore
  const counts = { chain: 0, payment: 0 }
  let hangs = false
  let fails = false
  const shared = chains.of("test")
  const counted = {
    ...shared,
    progress: (...asked: Parameters<typeof shared.progress>) => {
      counts.chain += 1
      return hangs ? Effect.never : shared.progress(...asked)
    },
  }
  const streams = yield* StatusStream.make.pipe(
    Effect.provideService(Chains, { of: () => counted }),
    Effect.provideService(PaymentStore, {
      ...payments,
      payment: (id) => {
        counts.payment += 1
        return fails
          ? Effect.fail(new StorageUnavailable({ message: "away" }))
          : payments.payment(id)
      },
    }),
  )
  /** Watches until its scope closes; answers what came so far. */
  const watch = Effect.fnUntraced(function* (
    world: Scene.World,
    id: PaymentId.PaymentId,
    address: string | null = null,
  ) {
    const came: Array<readonly [status: string, progress: string | null]> = []
    const states = yield* streams.from(world.caller, id, address)
    const reading = states.pipe(
      Stream.runForEach(({ at, payment, progress }) =>
        Effect.sync(() => {
          const of = progress?.blocks
          const blocks = of ? ` ${of.confirmed}/${of.needed}` : ""
          const shown = progress && `${progress.hash}${blocks}`
          came.push([Payment.status(payment, at), shown])
        }),
      ),
    )
    const fiber = yield* Effect.forkScoped(reading)
    yield* Effect.yieldNow
    yield* TestClock.adjust(0)
    return { came, fiber }
  })
  return {
    watch,
    counts,
    streams,
    hang: (isSo: boolean) => {
      hangs = isSo
    },
    fail: (isSo: boolean) => {
      fails = isSo
    },
  }
})

const second = TestClock.adjust("1 second")

const watching = (id: PaymentId.PaymentId) =>
  Effect.map(Signals, (signals) => signals.watching(id).here)

describe("a stream of a payment's status", () => {
  it.effect(
    "names the transaction that the wallet sent as soon as it is confirmed",
    play((world) =>
      Effect.gen(function* () {
        const { watch } = yield* start
        const { chosen, id, outputs } = yield* world.sign(tokens.transfer)
        yield* world.confirm(chosen, outputs)
        const { came } = yield* watch(world, id)
        assert.deepStrictEqual(came, [["processing", outputs[0] ?? ""]])
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "reads storage once for all its readers, the chain once a second, and nothing without readers",
    play((world) =>
      Effect.gen(function* () {
        const { counts, watch } = yield* start
        const { chosen, id, outputs } = yield* world.sign(tokens.transfer)
        yield* world.confirm(chosen, outputs)
        const scope = yield* Scope.make()
        const watchers = yield* Effect.forEach(Array.from({ length: 10 }), () =>
          Scope.provide(watch(world, id), scope),
        )
        assert.strictEqual(yield* watching(id), 1)
        // Each stream reads the payment once to let its caller in; the shared look reads it every 5 s.
        assert.deepStrictEqual(counts, { chain: 1, payment: 11 })
        for (let time = 0; time < 20; time += 1) yield* second
        assert.isAtMost(counts.chain, 21)
        assert.isAtLeast(counts.chain, 16)
        assert.strictEqual(counts.payment, 15)
        for (const { came } of watchers) assert.strictEqual(came.length, 1)
        yield* Scope.close(scope, Exit.void)
        const before = { ...counts }
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(counts, before)
        assert.strictEqual(yield* watching(id), 0)
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "makes no chain request while no transaction is known",
    play((world) =>
      Effect.gen(function* () {
        const { counts, watch } = yield* start
        const { chosen, id, outputs } = yield* world.sign(tokens.eip3009)
        yield* watch(world, id)
        yield* TestClock.adjust("20 seconds")
        yield* world.confirm(chosen, outputs)
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(counts.chain, 0)
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "makes no more chain requests if signals arrive all the time",
    play((world) =>
      Effect.gen(function* () {
        const { counts, watch } = yield* start
        const { chosen, id, outputs } = yield* world.sign(tokens.transfer)
        yield* world.confirm(chosen, outputs)
        yield* watch(world, id)
        const signals = yield* Signals
        for (let time = 0; time < 100; time += 1) {
          yield* signals.changed(id)
          yield* TestClock.adjust("50 millis")
        }
        assert.isAtMost(counts.chain, 6)
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "A10: limits the requests to one chain, however many payments are watched, and gets to all of them",
    play(
      (world) =>
        Effect.gen(function* () {
          const { counts, watch } = yield* start
          const perSecond = 1000 / Limits.progressPauseOfChainInMs
          const watched = yield* Effect.forEach(
            Array.from({ length: 2 * perSecond }),
            Effect.fnUntraced(function* () {
              const { chosen, id, outputs } = yield* world.sign(tokens.transfer)
              yield* world.confirm(chosen, outputs)
              return { id, chainId: chosen.option.token.chainId }
            }),
          )
          const [first] = watched
          if (first === undefined) return assert.fail()
          const streams = yield* Effect.forEach(watched, ({ id }) => watch(world, id))
          for (let time = 0; time < 20; time += 1) yield* second
          assert.isAtMost(counts.chain, 21 * perSecond)
          assert.isAtLeast(counts.chain, 10 * perSecond)
          yield* world.chain.mine(first.chainId)
          for (let time = 0; time < 20; time += 1) yield* second
          for (const { came } of streams) assert.match(came.at(-1)?.[1] ?? "", / 0\/2$/u)
        }).pipe(Effect.scoped),
      { finalityDepth: 2 },
    ),
  )

  it.effect(
    "sends a change although the chain does not respond",
    play((world) =>
      Effect.gen(function* () {
        const { hang, watch } = yield* start
        hang(true)
        const { chosen, id, outputs } = yield* world.sign(tokens.transfer)
        yield* world.confirm(chosen, outputs)
        const { came, fiber } = yield* watch(world, id)
        yield* world.chain.settle(chosen.option.token.chainId)
        yield* TestClock.adjust("30 seconds")
        yield* Scene.work
        yield* TestClock.adjust(0)
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(
          came.map(([status]) => status),
          ["processing", "succeeded"],
        )
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "recovers after an outage of the storage, even while a slow reader still holds the failed read",
    play((world) =>
      Effect.gen(function* () {
        const { fail, streams, watch } = yield* start
        const { id } = yield* world.create({ expiresAt: Scene.now / 1000 + 3600 })
        const slow = yield* streams.from(world.caller, id, null)
        yield* Effect.forkScoped(Stream.runForEach(slow, () => Effect.never))
        yield* TestClock.adjust(0)
        fail(true)
        yield* TestClock.adjust("6 seconds")
        fail(false)
        const { came, fiber } = yield* watch(world, id)
        assert.isUndefined(fiber.pollUnsafe())
        assert.deepStrictEqual(came, [["requires_action", null]])
        yield* Cancellation.cancel(id, "cancelled_by_user")
        yield* TestClock.adjust("6 seconds")
        assert.deepStrictEqual(came.at(-1), ["cancelled", null])
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "reports that the payment expired when its time is up, without a signal",
    play((world) =>
      Effect.gen(function* () {
        const { watch } = yield* start
        const { expiresAt, id } = yield* world.create()
        const { came, fiber } = yield* watch(world, id)
        yield* TestClock.setTime(expiresAt * 1000)
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(came, [
          ["requires_action", null],
          ["expired", null],
        ])
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "sends the final state of a payment that is over, and ends",
    play((world) =>
      Effect.gen(function* () {
        const { watch } = yield* start
        const { id } = yield* world.create()
        yield* Cancellation.cancel(id, "cancelled_by_user")
        const { came, fiber } = yield* watch(world, id)
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(came, [["cancelled", null]])
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "ends after 10 minutes, and its reader can connect again",
    play((world) =>
      Effect.gen(function* () {
        const { watch } = yield* start
        const { id } = yield* world.create({ expiresAt: Scene.now / 1000 + 3600 })
        const { fiber } = yield* watch(world, id)
        yield* TestClock.adjust(Limits.eventStreamMaxInMs - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        yield* Fiber.join(fiber)
        assert.strictEqual(yield* watching(id), 0)
      }).pipe(Effect.scoped),
    ),
  )

  it.effect(
    "A10: beyond the limit for a payment or an IP address, sends the state once and ends, until readers leave",
    play((world) =>
      Effect.gen(function* () {
        const { watch } = yield* start
        const later = { expiresAt: Scene.now / 1000 + 3600 }
        const ids = yield* Effect.forEach([1, 2, 3], () =>
          Effect.map(world.create(later), ({ id }) => id),
        )
        const [one, two, three] = ids
        if (one === undefined || two === undefined || three === undefined) return assert.fail()
        const many = (id: PaymentId.PaymentId, count: number, address: string | null) =>
          Effect.forEach(Array.from({ length: count }), () => watch(world, id, address))
        const scope = yield* Scope.make()
        const perPayment = Limits.statusStreamsPerPaymentMax
        const open = yield* Scope.provide(many(one, perPayment, null), scope)
        assert.isTrue(open.every(({ fiber }) => fiber.pollUnsafe() === undefined))
        const full = yield* watch(world, one)
        yield* Fiber.join(full.fiber)
        assert.deepStrictEqual(full.came, [["requires_action", null]])

        const halves = Limits.statusStreamsPerAddressMax / 2
        yield* many(two, halves, "192.0.2.1")
        yield* many(three, halves, "192.0.2.1")
        const fourth = (yield* world.create(later)).id
        yield* Fiber.join((yield* watch(world, fourth, "192.0.2.1")).fiber)
        const elsewhere = yield* watch(world, fourth, "192.0.2.2")
        assert.isUndefined(elsewhere.fiber.pollUnsafe())

        yield* Scope.close(scope, Exit.void)
        assert.isUndefined((yield* watch(world, one)).fiber.pollUnsafe())
      }).pipe(Effect.scoped),
    ),
  )
})
