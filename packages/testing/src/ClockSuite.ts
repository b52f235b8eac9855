/**
 * The rules for a storage with its own time when a caller's clock is off: every such adapter runs them.
 *
 * They run with the real time, because a test cannot set a database's time.
 *
 * @module
 */
import { assert, describe, layer, type Vitest } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Lane from "@florin/core/domain/outflow/Lane"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { AuditStore } from "@florin/core/ports/AuditStore"
import { DueWork } from "@florin/core/ports/DueWork"
import { Outbox } from "@florin/core/ports/Outbox"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import type { Storage } from "@florin/core/ports/Storage"
import { isClockOff, StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Fixtures from "./Fixtures.ts"
import { begin, changeInLane, applyEffects, timeout } from "./storage/Scene.ts"
import * as Stores from "./Stores.ts"

/** The storage of each process, on a layer that all processes share. */
type Process<R> = Layer.Layer<Storage, unknown, R>

const realClock = Clock.Clock.defaultValue()

/** A clock that differs from the real one by an adjustable amount. */
const makeClock = () => {
  let byInMs = 0
  const millis = () => realClock.currentTimeMillisUnsafe() + byInMs
  const nanos = () => realClock.currentTimeNanosUnsafe() + BigInt(byInMs) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => realClock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: realClock.monotonicTimeNanos,
    sleep: (duration) => realClock.sleep(duration),
  }
  return {
    clock,
    set: (next: number) => {
      byInMs = next
    },
  }
}

/** Starts a process with its own clock, which may be off from the start. */
const start = Effect.fnUntraced(function* <R>(process: Process<R>, byInMs = 0) {
  const { clock, set } = makeClock()
  set(byInMs)
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => {
    said.push(String(Array.isArray(message) ? message[0] : message))
  })
  const atItsTime = <A, E, S>(effect: Effect.Effect<A, E, S>) =>
    effect.pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(Clock.Clock, clock))
  const storage = yield* atItsTime(Layer.build(Layer.fresh(process)))
  return {
    said: (): ReadonlyArray<string> => said,
    set,
    run: <A, E, S>(effect: Effect.Effect<A, E, S>) =>
      atItsTime(Effect.provideContext(effect, storage)),
  }
})

const [minutes10, minutes20, hour] = [600_000, 1_200_000, 3_600_000]

const clocks = [
  { byInMs: minutes20, clock: "20 minutes ahead" },
  { byInMs: -minutes20, clock: "20 minutes behind" },
]

/**
 * The due times of everything here: an hour ago, and in ten minutes, which a clock that is ahead has already reached.
 */
const times = (now: number): ReadonlyArray<number> => [now - hour, now + minutes10]

/** Payments that have expired or soon will, and everything else that depends on time. */
const prepare = Effect.gen(function* () {
  const scene = yield* begin
  const { accounts, create, fanOut, outbox, payments, work, world } = scene
  const audit = yield* AuditStore
  const now = yield* Clock.currentTimeMillis
  const merchant = world.merchant({ id: world.merchantId })
  const endpoint = world.endpoint()
  const key = world.apiKey()
  for (const kind of ["collect", "expire"] as const) {
    const due = { limit: 1000, leaseInMs: 1000 * hour, now }
    yield* Effect.repeat(work.claimDue(kind, due), { until: (claimed) => claimed.length === 0 })
  }
  yield* accounts.putKeys([key])
  yield* accounts.addMerchant(merchant)
  yield* outbox.putEndpoint(endpoint)
  const ids = yield* Effect.forEach(times(now), (at) =>
    Effect.gen(function* () {
      const { id } = yield* create()
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: at } }))
      yield* payments.putCollected(id, world.collected({ deleteAt: at }))
      yield* payments.createPayment(
        world.createPayment(),
        world.once(`of ${at}`),
        "{}",
        at - Limits.idempotencyKeptInMs,
      )
      return id
    }),
  )
  const [id = assert.fail("there is a payment")] = ids
  yield* fanOut
  yield* audit.record(Effect.void, () => ({
    id: `aud_${world.next()}`,
    at: 1,
    action: "merchant.changed",
    ...world.tenant,
    subject: merchant.id,
    actor: { _tag: "Key", keyId: key.id },
    requestId: "req_1",
    changes: [],
  }))
  const { id: held } = yield* create()
  yield* payments.modifyPayment(held, applyEffects({ due: { expire: now - hour } }))
  // What came before took time, and a storage refuses a time that is long over.
  const due = { limit: 1, leaseInMs: hour, now: yield* Clock.currentTimeMillis }
  const claimed = yield* work.claimDue("expire", due)
  const [{ lease } = assert.fail("its time is over")] = claimed
  /** Everything that a call could have changed. */
  const state = Effect.gen(function* () {
    return {
      collectAt: yield* work.nextDueAt("collect"),
      expireAt: yield* work.nextDueAt("expire"),
      payments: yield* Effect.forEach([...ids, held], payments.payment),
      collected: yield* Effect.forEach(ids, payments.collected),
      deliveries: yield* outbox.deliveries(endpoint.id, 10),
      destinations: yield* Stores.destinationsOf(accounts, merchant.id),
      keys: yield* accounts.keys(world.tenant.partnerId, null),
      merchants: yield* accounts.merchants(world.tenant, {}, { after: null, limit: 10 }),
      audited: yield* audit.entries(world.tenant, { after: null, limit: 10 }),
      lane: yield* scene.lanes.laneState("test", world.lane),
    }
  })
  return { ...scene, audit, endpoint, held, lease, id, key, merchant, state }
})

type Prepared = Effect.Success<typeof prepare>

const signedOf = (state: Lane.State, lane: Lane.Lane): Lane.Signed => ({
  state,
  transaction: Fixtures.laneTransaction(lane, Lane.nextNonce(state, 0)),
})

/** Every call that depends on time, each made at the time of its caller's clock. */
const calls: {
  readonly [name: string]: (
    prepared: Prepared,
    now: number,
  ) => Effect.Effect<unknown, { readonly _tag: string }>
} = {
  "claims no work of payments": ({ work }, now) =>
    work.claimDue("collect", { limit: 10, leaseInMs: hour, now }),
  "claims no work of outflows": ({ work }, now) =>
    work.claimDueOutflows("send", { limit: 10, leaseInMs: hour, now }),
  "claims no delivery": ({ outbox }, now) =>
    outbox.claimDeliveries({ limit: 10, leaseInMs: hour, now }),
  "puts no work off": ({ lease, work }, now) => work.postpone(lease, now + hour, 0),
  "expires nothing": ({ held, lease, payments }, now) =>
    payments.modifyPayment(held, applyEffects({ due: { expire: null } }, now), lease),
  "writes nothing of many records": ({ id, outflows }, now) =>
    outflows.modify(
      { outflows: [], payments: [id] },
      ({ payments: [payment = assert.fail("it is there")] }) =>
        Result.map(applyEffects({ due: { collect: now } }, now)(payment), ({ result, change }) => ({
          result,
          write: change === null || change === undefined ? null : Fixtures.writeOf(change),
        })),
      null,
    ),
  "signs nothing": (prepared, now) =>
    Effect.flatMap(prepared.lanes.laneState("test", prepared.world.lane), (state) =>
      changeInLane(
        prepared,
        prepared.id,
        signedOf(state, prepared.world.lane),
        applyEffects({}, now),
      ),
    ),
  "takes no place in a lane": ({ lanes, world }) =>
    Effect.flatMap(lanes.laneState("test", world.lane), (state) =>
      lanes.placeInLane(signedOf(state, world.lane), null),
    ),
  "creates no payment": ({ payments, world }, now) =>
    payments.createPayment(world.createPayment(), world.once(), "{}", now),
  "adds no destination": ({ accounts, merchant, world }, now) =>
    accounts.addDestinations(
      merchant.id,
      () => Result.succeed({ added: [world.destination({ merchantId: merchant.id })] }),
      now,
    ),
  "issues no key": ({ accounts, world }) => accounts.putKeys([world.apiKey()]),
  "ends no key": ({ accounts, key }, now) =>
    accounts.modifyKey(key.id, (current) =>
      Result.succeed({ result: null, keys: [{ ...current, expiresAt: now }] }),
    ),
  "keeps no data of payers": ({ id, payments, world }, now) =>
    payments.putCollected(id, world.collected({ deleteAt: now, session: world.session("late") })),
  "deletes no data of payers": ({ payments }, now) => payments.deleteCollected(now, 100),
  "forgets no key of a request": ({ responses }, now) => responses.deleteResponses(now, 100),
  "deletes nothing of the audit log": ({ audit }, now) => audit.deleteEntries(now - hour, 100),
}

/** Claims what is due at the caller's time, or this long after it. */
const claim = (afterInMs = 0) =>
  Effect.gen(function* () {
    const work = yield* DueWork
    const now = (yield* Clock.currentTimeMillis) + afterInMs
    return yield* work.claimDue("collect", { limit: 10, leaseInMs: hour, now })
  })

const rules = <R>(it: Vitest.MethodsNonLive<R>, process: Process<R>): void => {
  for (const { byInMs, clock } of clocks) {
    for (const [name, call] of Object.entries(calls)) {
      it.effect(`S8: a caller whose clock is ${clock} ${name}`, () =>
        Effect.gen(function* () {
          const caller = yield* start(process)
          const prepared = yield* caller.run(prepare)
          const before = yield* prepared.state
          caller.set(byInMs)
          const refused = yield* caller.run(
            Effect.flip(Effect.flatMap(Clock.currentTimeMillis, (now) => call(prepared, now))),
          )
          assert.isTrue(isClockOff(refused), JSON.stringify(refused))
          assert.deepStrictEqual(yield* prepared.state, before)
        }),
      )
    }

    it.effect(
      `S8: a process that starts with a clock ${clock} detects this, and works once the clock is right`,
      () =>
        Effect.gen(function* () {
          const right = yield* start(process)
          const { id, key, state, world } = yield* right.run(prepare)
          const before = yield* state
          const wrong = yield* start(process, byInMs)
          const known = [
            claim(),
            Effect.flatMap(AccountStore, ({ keyByHash }) => keyByHash(key.hash)),
            Effect.flatMap(ResponseStore, ({ storedResponse }) => storedResponse(world.once(), 0)),
            Effect.flatMap(Outbox, ({ fanOut }) => fanOut(1, Webhook.deliveryOf)),
          ]
          for (const call of known) {
            const refused = yield* Effect.flip(wrong.run<unknown, unknown, Storage>(call))
            if (!isClockOff(refused)) assert.fail(JSON.stringify(refused))
            assert.instanceOf(refused, StorageUnavailable)
            assert.strictEqual(Math.sign(refused.clockDriftInMs ?? 0), Math.sign(byInMs))
            assert.match(refused.message, /(?:ahead of|behind) the storage's: set both by NTP/u)
          }
          assert.deepStrictEqual(yield* state, before)
          assert.lengthOf(wrong.said(), 1)
          assert.match(wrong.said()[0] ?? "", /^the clock of this process is \d+\.\d s /u)
          wrong.set(0)
          const claimed = yield* Effect.retry(wrong.run(claim()), {
            while: isClockOff,
            schedule: Schedule.spaced("100 millis"),
          })
          assert.deepStrictEqual(wrong.said().slice(1), [
            "the clock of this process is right again: work resumes",
          ])
          assert.deepStrictEqual(
            claimed.map(({ payment }) => payment.id),
            [id],
          )
        }),
    )
  }

  for (const byInMs of [900, -900]) {
    it.effect(`S8: a process whose clock differs by ${byInMs} ms works`, () =>
      Effect.gen(function* () {
        const caller = yield* start(process, byInMs)
        const { id, work } = yield* caller.run(prepare)
        yield* caller.run(work.time)
        const claimed = yield* caller.run(claim())
        assert.deepStrictEqual(
          claimed.map(({ payment }) => payment.id),
          [id],
        )
      }),
    )
  }

  it.effect(
    "S8: a clock that is behind by less than the timeout of a call is found by a check",
    () =>
      Effect.gen(function* () {
        const caller = yield* start(process)
        const { work } = yield* caller.run(prepare)
        caller.set(-5000)
        yield* caller.run(work.time)
        assert.isTrue(isClockOff(yield* Effect.flip(caller.run(claim()))))
      }),
  )

  it.effect("S8: a call that waited for its turn is not refused as a wrong clock", () =>
    Effect.gen(function* () {
      const caller = yield* start(process)
      const { id } = yield* caller.run(prepare)
      const claimed = yield* caller.run(claim(-5000))
      assert.deepStrictEqual(
        claimed.map(({ payment }) => payment.id),
        [id],
      )
    }),
  )

  for (const { byInMs, what } of [
    { byInMs: minutes20, what: "the storage has not reached, as before a clock was set back," },
    { byInMs: -60_000, what: "that a process took before it was stopped for a minute" },
  ]) {
    it.effect(`S8: a time ${what} is refused, and the process continues`, () =>
      Effect.gen(function* () {
        const caller = yield* start(process)
        const { id, state } = yield* caller.run(prepare)
        const before = yield* state
        const refused = yield* Effect.flip(caller.run(claim(byInMs)))
        assert.strictEqual(refused._tag, "StorageUnavailable")
        assert.isFalse(isClockOff(refused))
        assert.deepStrictEqual(yield* state, before)
        const claimed = yield* caller.run(claim())
        assert.deepStrictEqual(
          claimed.map(({ payment }) => payment.id),
          [id],
        )
      }),
    )
  }
}

/**
 * Registers the suite for an adapter. The shared layer is built once, and each process that a rule starts builds the
 * adapter.
 *
 * @example
 * ClockSuite.suite("PostgreSQL", database, StoragePostgres.layer)
 */
export const suite = <R>(name: string, ground: Layer.Layer<R, unknown>, process: Process<R>) =>
  layer(ground, { excludeTestServices: true, timeout })(`Clocks: ${name}`, (it) => {
    describe("a storage with a time of its own", () => {
      rules(it, process)
    })
  })
