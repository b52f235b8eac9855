import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as Change from "@florin/core/domain/payment/Change"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import { type Claimed, DueWork } from "@florin/core/ports/DueWork"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Collector from "@florin/core/workers/Collector"
import * as Expirer from "@florin/core/workers/Expirer"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Worker from "@florin/core/workers/Worker"
import * as Stores from "@florin/testing/Stores"
import { Clock, Effect, Exit, Layer, Logger, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { failsWith, now, play, tokens } = Scene

/** Payments with work of one kind that is due now; on the chain of their token, if they are asked for in one. */
const due = Effect.fnUntraced(function* (world: Scene.World, count: number, token?: Caip.Token) {
  const amount = token && { unit: `caip19/${Eip155.formatToken(token)}`, value: "1000" }
  const payments = yield* Effect.forEach(Array.from({ length: count }), () =>
    world.create({ ...(amount && { amount }) }),
  )
  yield* Effect.forEach(payments, ({ id }) =>
    Stores.modifyPayment(world.outflows)(id, (current) =>
      Result.succeed({
        result: undefined,
        change: Change.make(current, now, { due: { audit: now } }),
      }),
    ),
  )
  return payments.map(({ id }) => id)
})

const watch = Worker.payments("audit")

const done = (claimed: Claimed) => Worker.write(claimed, () => Result.succeed(null))

describe("Worker.pauseInMs", () => {
  it("doubles from half a second up to a minute", () => {
    const pauses = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 1000].map(Worker.pauseInMs)
    assert.deepStrictEqual(
      pauses,
      [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000],
    )
  })
})

describe("Worker.lookAgainInMs", () => {
  it("is an eighth of the time waited so far, at least half a second and at most a minute", () => {
    const pauses = [0, 1, 4000, 4008, 8000, 100_007, 480_000, 480_008, 10 ** 9].map(
      Worker.lookAgainInMs,
    )
    assert.deepStrictEqual(pauses, [500, 500, 500, 501, 1000, 12_500, 60_000, 60_000, 60_000])
  })

  it("finds a change at most an eighth of the time waited late, or half a second", () => {
    const looks: Array<number> = []
    for (let at = 0; at < 3_600_000; at += Worker.lookAgainInMs(at)) looks.push(at)
    for (const [index, look] of looks.entries()) {
      // The worst is to be final right after a look.
      const finalAt = look + 1
      const seenAt = looks[index + 1] ?? finalAt
      assert.isAtMost(seenAt, Math.max(1.125 * finalAt, finalAt + 500))
      assert.isAtMost(seenAt, finalAt + Worker.pauseLongestInMs)
    }
    assert.isBelow(looks.length, 120)
  })
})

describe("Worker.wait", () => {
  it.effect(
    "postpones work by the time that it waits, however often it was looked at",
    play((world) =>
      Effect.gen(function* () {
        const [id = assert.fail()] = yield* due(world, 1)
        const since = now - 80_000
        const waits: Array<number> = []
        const waiting = Worker.drain(watch, (claimed) => {
          waits.push(claimed.failures)
          return Worker.wait(claimed, since)
        })
        let at = now
        for (let count = 0; count < 6; count++) {
          yield* waiting
          const next = (yield* world.work.nextDueAt("audit")) ?? assert.fail("it is gone")
          assert.strictEqual(next, at + Worker.lookAgainInMs(at - since))
          at = next
          yield* TestClock.setTime(at)
        }
        assert.strictEqual(waits.length, 6)
        // Nothing about the payment changed, and nobody was told.
        assert.strictEqual((yield* world.get(id)).revision, 2)
      }),
    ),
  )

  it.effect(
    "does not count as a failure: the first fault after it postpones the work by half a second",
    play((world) =>
      Effect.gen(function* () {
        yield* due(world, 1)
        const failures: Array<number> = []
        const attempt = (handle: typeof Worker.postpone) =>
          Effect.gen(function* () {
            yield* Worker.drain(watch, (claimed) => {
              failures.push(claimed.failures)
              return handle(claimed)
            })
            const at = yield* Clock.currentTimeMillis
            const next = (yield* world.work.nextDueAt("audit")) ?? assert.fail("it is gone")
            yield* TestClock.setTime(next)
            return next - at
          })
        for (let count = 0; count < 8; count++) yield* attempt((each) => Worker.wait(each, now))
        assert.strictEqual(yield* attempt(Worker.postpone), 500)
        assert.strictEqual(yield* attempt(Worker.postpone), 1000)
        yield* attempt((each) => Worker.wait(each, now))
        assert.strictEqual(yield* attempt(Worker.postpone), 500)
        assert.deepStrictEqual(failures, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0])
      }),
    ),
  )

  it.effect(
    "writes nothing once another worker holds the work",
    play((world) =>
      Effect.gen(function* () {
        yield* due(world, 1)
        const claim = (at: number) =>
          Effect.map(
            world.work.claimDue("audit", { limit: 1, leaseInMs: 10, now: at }),
            ([first]) => first ?? assert.fail("nothing was due"),
          )
        const slow = yield* claim(now)
        yield* claim(now + 10)
        yield* failsWith("LeaseLost", Worker.wait(slow, now))
      }),
    ),
  )
})

describe("Worker.drain", () => {
  it.effect(
    "postpones work that fails, a little longer each time, and never gives up",
    play((world) =>
      Effect.gen(function* () {
        yield* due(world, 1)
        const failures: Array<number> = []
        const failing = Worker.drain(watch, (claimed) => {
          failures.push(claimed.failures)
          return new StorageUnavailable({ message: "not now" })
        })
        let at = now
        for (let count = 0; count < 12; count++) {
          yield* failing
          const next = yield* world.work.nextDueAt("audit")
          assert.strictEqual(next, at + Worker.pauseInMs(count))
          at = next ?? 0
          yield* TestClock.setTime(at - 1)
          yield* failing
          assert.strictEqual(failures.length, count + 1)
          yield* TestClock.setTime(at)
        }
        assert.deepStrictEqual(
          failures,
          failures.map((_, index) => index),
        )
        yield* Worker.drain(watch, done)
        assert.isNull(yield* world.work.nextDueAt("audit"))
      }),
    ),
  )

  it.effect(
    "logs why work was postponed: what failed, and every cause",
    play((world) =>
      Effect.gen(function* () {
        const logged: Array<{ readonly message: unknown; readonly level: string }> = []
        const logger = Logger.make(({ logLevel, message }) => {
          logged.push({ message, level: logLevel })
        })
        const [id] = yield* due(world, 1)
        const told = (failures: number) => ({ work: "audit", paymentId: id, failures })
        yield* Effect.gen(function* () {
          yield* Worker.drain(watch, () => new StorageUnavailable({ message: "not now" }))
          yield* TestClock.adjust("1 second")
          yield* Worker.drain(watch, () => Effect.die(new Error("a mistake")))
        }).pipe(Effect.provide(Logger.layer([logger])))
        assert.deepStrictEqual(logged[0], {
          message: [
            "work was postponed",
            { ...told(0), reason: "StorageUnavailable", message: "not now" },
          ],
          level: "Warn",
        })
        assert.strictEqual(logged.length, 2)
        assert.strictEqual(logged[1]?.level, "Error")
        assert.match(
          JSON.stringify(logged[1]?.message),
          /"failures":1,"cause":"Error: a mistake\\n/u,
        )
      }),
    ),
  )

  it.effect("S8: retries while the clock is off, and leaves it to the storage to log that", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => {
        logged.push(JSON.stringify(message))
      })
      let round = 0
      const next = Effect.suspend(() => {
        round += 1
        return new StorageUnavailable({ message: "the clock is off", clockDriftInMs: 1_200_000 })
      })
      yield* Layer.build(Worker.layerRepeating(next, 1000)).pipe(
        Effect.provide(Logger.layer([logger])),
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(round, 11)
      assert.deepStrictEqual(logged, [])
    }),
  )

  it.effect("continues after a round that failed or died, and logs why it did", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => {
        logged.push(JSON.stringify(message))
      })
      const rounds = [
        new StorageUnavailable({ message: "not now" }),
        Effect.die(new Error("a mistake")),
        Effect.never,
      ]
      let round = 0
      const next = Effect.suspend(() => rounds[round++] ?? Effect.never)
      yield* Layer.build(Worker.layerRepeating(next, 1000)).pipe(
        Effect.provide(Logger.layer([logger])),
      )
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(round, 3)
      assert.deepStrictEqual(
        logged[0],
        '["a round of work failed",{"reason":"StorageUnavailable","message":"not now"}]',
      )
      assert.match(logged[1] ?? "", /"a round of work failed",\{"cause":"Error: a mistake\\n/u)
    }).pipe(Effect.scoped),
  )

  it.effect(
    "continues with other work if one piece fails or dies",
    play((world) =>
      Effect.gen(function* () {
        const ids = yield* due(world, 100)
        const finished = new Set<PaymentId.PaymentId>()
        yield* Worker.drain(watch, (claimed) => {
          const { id } = claimed.payment
          if (id === ids[3]) return new StorageUnavailable({ message: "not now" })
          if (id === ids[50]) return Effect.die("a mistake")
          if (id === ids[70]) throw new Error("a mistake, too")
          finished.add(id)
          return done(claimed)
        })
        assert.strictEqual(finished.size, 97)
        yield* TestClock.adjust("1 second")
        const again: Array<PaymentId.PaymentId> = []
        yield* Worker.drain(watch, (claimed) => {
          again.push(claimed.payment.id)
          return done(claimed)
        })
        assert.deepStrictEqual(again.toSorted(), [3, 50, 70].map((index) => ids[index]).toSorted())
      }),
    ),
  )

  it.effect(
    "does each piece once, for any batch size and concurrency",
    play((world) =>
      Effect.gen(function* () {
        for (const [batch, concurrency] of [
          [1, 1],
          [3, 2],
          [64, 16],
        ] as const) {
          const ids = yield* due(world, 20)
          const seen: Array<PaymentId.PaymentId> = []
          let most = 0
          let running = 0
          const options = { ...Worker.defaults, batch, concurrency }
          const handle = (claimed: Claimed) =>
            Effect.gen(function* () {
              running += 1
              most = Math.max(most, running)
              seen.push(claimed.payment.id)
              yield* Effect.yieldNow
              running -= 1
              yield* done(claimed)
            })
          yield* Worker.drain(watch, handle, options)
          assert.deepStrictEqual(seen.toSorted(), ids.toSorted())
          assert.isAtMost(most, Math.min(batch, concurrency))
        }
      }),
    ),
  )

  it.effect(
    "repeats interrupted work when its lease expires, and not earlier",
    play((world) =>
      Effect.gen(function* () {
        yield* due(world, 1)
        const exit = yield* Effect.exit(Worker.drain(watch, () => Effect.interrupt))
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual(yield* world.work.nextDueAt("audit"), now + Worker.defaults.leaseInMs)
        let count = 0
        const counting = Worker.drain(watch, (claimed) => {
          count += 1
          return done(claimed)
        })
        yield* TestClock.adjust(Worker.defaults.leaseInMs - 1)
        yield* counting
        assert.strictEqual(count, 0)
        yield* TestClock.adjust(1)
        yield* counting
        assert.strictEqual(count, 1)
      }),
    ),
  )
})

describe("Worker.write", () => {
  it.effect(
    "M19: writes nothing once another worker holds the work",
    play((world) =>
      Effect.gen(function* () {
        const [id = assert.fail()] = yield* due(world, 1)
        const claim = Effect.map(
          world.work.claimDue("audit", { limit: 1, leaseInMs: 10, now }),
          ([first]) => first ?? assert.fail("nothing was due"),
        )
        const slow = yield* claim
        const before = yield* world.get(id)
        const [fast = assert.fail()] = yield* world.work.claimDue("audit", {
          limit: 1,
          leaseInMs: 10,
          now: now + 10,
        })
        yield* failsWith("LeaseLost", done(slow))
        yield* failsWith("LeaseLost", Worker.postpone(slow))
        assert.deepStrictEqual(yield* world.get(id), before)
        yield* done(fast)
        yield* failsWith("LeaseLost", done(fast))
        assert.isNull(yield* world.work.nextDueAt("audit"))
      }),
    ),
  )
})

/** All workers of payments, as a service runs them. */
const workers = Layer.mergeAll(
  Collector.layer(),
  Payer.layer(),
  Sender.layer(),
  Expirer.layer(),
  LateWatcher.layer(),
)

describe("Worker.layer", () => {
  it.effect(
    "runs exactly while its scope is open",
    play(
      (world) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          yield* Layer.buildWithScope(workers, scope)
          const first = yield* world.pay(tokens.eip3009)
          yield* TestClock.adjust("1 minute")
          const { share } = yield* world.succeeded(first.id)
          assert.strictEqual(share.status, "paid")
          const open = yield* world.create()
          yield* TestClock.adjust("6 minutes")
          assert.strictEqual((yield* world.get(open.id)).state._tag, "Expired")
          yield* Scope.close(scope, Exit.void)
          const second = yield* world.pay(tokens.eip3009)
          yield* TestClock.adjust("1 minute")
          assert.strictEqual((yield* world.get(second.id)).state._tag, "Processing")
          yield* world.audit
        }),
      { blocks: { everyInMs: 1000 } },
    ),
  )

  it.effect(
    "continues after the storage did not respond, and after it broke",
    play((world) =>
      Effect.gen(function* () {
        const trouble = [
          Effect.die("a mistake"),
          new StorageUnavailable({ message: "not now" }),
        ] as const
        for (const name of ["claimDue", "nextDueAt"] as const) {
          for (const each of trouble) {
            let left = 3
            const work = DueWork.of({
              ...world.work,
              [name]: (kind: never, options: never) =>
                left-- > 0 ? each : world.work[name](kind, options),
            })
            const handled: Array<PaymentId.PaymentId> = []
            const layer = Worker.layer(watch, (claimed) => {
              handled.push(claimed.payment.id)
              return done(claimed)
            })
            yield* Effect.scoped(
              Effect.gen(function* () {
                yield* Layer.build(layer)
                const ids = yield* due(world, 1)
                yield* TestClock.adjust("10 seconds")
                assert.deepStrictEqual(handled, ids, name)
                assert.isAtMost(left, 0)
              }),
            ).pipe(Effect.provideService(DueWork, work))
          }
        }
      }),
    ),
  )

  it.effect(
    "sleeps until the next work is due, and finds work of others while it sleeps",
    play((world) =>
      Effect.gen(function* () {
        let claims = 0
        const work = DueWork.of({
          ...world.work,
          claimDue: (kind, options) => {
            claims += 1
            return world.work.claimDue(kind, options)
          },
        })
        const handled: Array<number> = []
        const layer = Worker.layer(watch, (claimed) => {
          handled.push(claimed.failures)
          return done(claimed)
        })
        yield* Layer.build(layer).pipe(Effect.provideService(DueWork, work))
        yield* TestClock.adjust(Worker.defaults.idleInMs * 4)
        const idle = claims
        assert.isAtMost(idle, 6)
        yield* due(world, 1)
        yield* TestClock.adjust(Worker.defaults.idleInMs)
        assert.deepStrictEqual(handled, [0])
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(handled, [0])
      }).pipe(Effect.scoped),
    ),
  )

  /** What a worker did on the chain that hangs, and on the other one. */
  const hanging = Effect.fnUntraced(function* (
    hang: Effect.Effect<never, ChainUnavailable | StorageUnavailable>,
  ) {
    const hung = tokens.eip3009.chainId
    const tries: Array<number> = []
    const elsewhere: Array<PaymentId.PaymentId> = []
    let isMended = false
    yield* Layer.build(
      Worker.layer(watch, (claimed) =>
        Effect.gen(function* () {
          if (PaymentFilter.tokenOf(claimed.payment)?.chainId !== hung) {
            elsewhere.push(claimed.payment.id)
          } else if (!isMended) {
            tries.push(yield* Clock.currentTimeMillis)
            return yield* hang
          }
          yield* done(claimed)
        }),
      ),
    )
    const mend = Effect.sync(() => {
      isMended = true
    })
    return { tries, elsewhere, mend }
  })

  const outOfReach = new ChainUnavailable({
    chainId: tokens.eip3009.chainId,
    message: "the node does not answer",
  })

  it.effect.each([
    { what: "never answers", hang: Effect.never },
    { what: "times out", hang: Effect.andThen(Effect.sleep("8 seconds"), outOfReach) },
    { what: "is out of reach", hang: outOfReach },
  ])(
    "S9: works on other chains while one $what, and pauses that one longer each time",
    ({ hang }) =>
      play((world) =>
        Effect.gen(function* () {
          yield* due(world, 150, tokens.eip3009)
          const { elsewhere, mend, tries } = yield* hanging(hang)
          yield* TestClock.adjust(Worker.defaults.idleInMs)
          assert.isAtLeast(tries.length, 1)
          assert.isAtMost(tries.length, 24)
          for (const _ of [1, 2, 3]) {
            const ids = yield* due(world, 100, tokens.transfer)
            const before = elsewhere.length
            for (let turn = 0; turn < 10; turn++) yield* TestClock.adjust(Worker.defaults.idleInMs)
            assert.deepStrictEqual(elsewhere.slice(before).toSorted(), ids.toSorted())
          }
          for (let second = 0; second < 60; second++) yield* TestClock.adjust("1 second")
          const before = tries.length
          for (let second = 0; second < 600; second++) yield* TestClock.adjust("1 second")
          // One piece of work at a time asks whether the chain is back; most of the 150 were never tried.
          const later = tries.slice(before)
          assert.isAtLeast(later.length, 10)
          assert.isAtMost(later.length, 60)
          assert.isAtMost(before, 40)
          yield* mend
          for (let second = 0; second < 120; second++) yield* TestClock.adjust("1 second")
          assert.isNull(yield* world.work.nextDueAt("audit"))
        }).pipe(Effect.scoped),
      )(),
  )

  it.effect(
    "S9: does not pause a chain for the failure of one piece of work",
    play((world) =>
      Effect.gen(function* () {
        const ids = yield* due(world, 30, tokens.eip3009)
        const { tries } = yield* hanging(new StorageUnavailable({ message: "not now" }))
        yield* TestClock.adjust(Worker.defaults.idleInMs)
        assert.strictEqual(tries.length, ids.length)
      }).pipe(Effect.scoped),
    ),
  )
})
