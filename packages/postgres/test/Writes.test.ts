import { assert, describe, it, layer } from "@effect/vitest"
import * as Change from "@florin/core/domain/Change"
import * as Claim from "@florin/core/domain/Claim"
import * as Ledger from "@florin/core/domain/Ledger"
import type * as Payment from "@florin/core/domain/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Connection from "../src/Connection.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as DueWork from "../src/storage/DueWork.ts"
import * as Lanes from "../src/storage/Lanes.ts"
import * as Ledgers from "../src/storage/Ledgers.ts"
import { address, database } from "./databases.ts"

const { now } = Fixtures
let worlds = 0

const partsOf = (sql: SqlClient.SqlClient) => ({
  ...Decisions.make(sql),
  ...DueWork.make(sql),
  ...Lanes.make(sql),
  ...Ledgers.make(sql),
})

/** A world of its own, and a payment in it. */
const begin = Effect.gen(function* () {
  const storage = partsOf(yield* SqlClient.SqlClient)
  const world = Fixtures.make(`w${++worlds}`)
  const create = Effect.fnUntraced(function* () {
    const change = world.createPayment()
    yield* storage.createPayment(change, null, "{}", now)
    return change.payment
  })
  return { storage, world, create, payment: yield* create() }
})

type Scene = Effect.Success<typeof begin>

const changing = (effects: Change.Effects) => (current: Payment.Payment) => {
  const change = Change.make(current, now, effects)
  return Result.succeed({ answer: change.payment, change })
}

/** How many statements an effect sends, those that begin and end transactions left out. */
const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  let count = 0
  const counting: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      count += 1
      return statement
    })
  return effect.pipe(
    Effect.provideService(Statement.CurrentTransformer, counting),
    Effect.map(() => count),
  )
}

const funded = ({ world }: Scene, quantity: bigint) =>
  Ledger.funded({
    collecting: world.payTo,
    token: world.token,
    quantity: Fixtures.quantity(quantity),
  })

/** Everything that a change can hold. */
const everything = ({ world, payment }: Scene): Change.Effects => ({
  event: "payment.settled",
  claims: [Claim.ofTransfer(world.evidence(world.attempt(payment)))],
  due: { collect: now, expire: null },
  collected: world.collected(),
})

const operations: ReadonlyArray<{
  readonly name: string
  readonly count: number
  readonly run: (scene: Scene) => Effect.Effect<unknown, unknown>
}> = [
  {
    name: "a payment is created",
    count: 1,
    run: ({ storage, world }) =>
      storage.createPayment(world.createPayment(), world.once(), "{}", now),
  },
  {
    name: "a payment is read",
    count: 1,
    run: ({ storage, payment }) => storage.payment(payment.id),
  },
  {
    name: "a decision changes nothing",
    count: 1,
    run: ({ storage, payment }) =>
      storage.modifyPayment(payment.id, () => Result.succeed({ answer: null })),
  },
  {
    name: "a decision is written with everything that a change can hold",
    count: 2,
    run: (scene) =>
      scene.storage.modifyPayment(
        scene.payment.id,
        changing({ ...everything(scene), ledger: [funded(scene, 5n)] }),
      ),
  },
  {
    name: "a decision takes from an account",
    count: 2,
    run: (scene) =>
      scene.storage.modifyPayment(
        scene.payment.id,
        changing({
          ledger: [
            funded(scene, 5n),
            Ledger.lost({
              collecting: scene.world.payTo,
              token: scene.world.token,
              quantity: Fixtures.quantity(5n),
            }),
          ],
        }),
      ),
  },
  {
    name: "a decision draws on the float",
    count: 4,
    run: (scene) =>
      scene.storage.modifyPayment(
        scene.payment.id,
        changing({
          ledger: [
            funded(scene, 5n),
            Ledger.withdrawn({
              collecting: scene.world.payTo,
              token: scene.world.token,
              quantity: Fixtures.quantity(5n),
            }),
          ],
        }),
      ),
  },
  {
    name: "a transaction is kept in its lane",
    count: 2,
    run: ({ storage, payment, world }) =>
      storage.modifyPaymentInLane(
        world.lane,
        0,
        payment.id,
        (current, nonce) =>
          Effect.fromResult(changing({ relayed: Fixtures.relayed(world.lane, nonce) })(current)),
        null,
      ),
  },
  {
    name: "a transaction takes another one's place in its lane",
    count: 2,
    run: ({ storage, payment, world }) => {
      const last = Fixtures.relayed(world.lane, 0)
      const placed = { ...last, feeMax: Fixtures.quantity(5n) }
      return storage.modifyPaymentInLane(
        world.lane,
        0,
        payment.id,
        (current) => Effect.fromResult(changing({ placed, outbid: last })(current)),
        null,
      )
    },
  },
  {
    name: "due work is claimed",
    count: 1,
    run: ({ storage }) => storage.claimDue("expire", { limit: 50, leaseInMs: 1, now }),
  },
]

layer(database(), { excludeTestServices: true })("Writes", (test) => {
  describe("a write", () => {
    test.effect.each(operations)("takes $count statements where $name", ({ run, count }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* counted(run(yield* begin)), count)
      }),
    )

    test.effect("takes from an account by what it holds after everything of the change", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { storage, world, payment } = scene
        const lost = (quantity: bigint) =>
          Ledger.lost({
            collecting: world.payTo,
            token: world.token,
            quantity: Fixtures.quantity(quantity),
          })
        const failure = yield* Effect.flip(
          storage.modifyPayment(payment.id, changing({ ledger: [lost(6n), funded(scene, 5n)] })),
        )
        assert.strictEqual(failure._tag, "Overdrawn")
        yield* storage.modifyPayment(
          payment.id,
          changing({ ledger: [lost(5n), funded(scene, 5n)] }),
        )
        assert.strictEqual((yield* storage.ledgerOf(payment.id)).length, 2)
      }),
    )

    test.effect("draws on no float that is not there, not even for what it puts in itself", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { storage, world, payment } = scene
        const held = {
          collecting: world.payTo,
          token: world.token,
          quantity: Fixtures.quantity(5n),
        }
        const suspended = Ledger.suspended({ ...held, payer: Fixtures.account("payer") })
        yield* storage.post("test", Fixtures.key(world.next()), suspended)
        yield* storage.post("test", Fixtures.key(world.next()), Ledger.lost(held))
        const failure = yield* Effect.flip(
          storage.modifyPayment(
            payment.id,
            changing({ ledger: [Ledger.funded(held), Ledger.withdrawn(held)] }),
          ),
        )
        assert.strictEqual(failure._tag === "Overdrawn" && failure.account, "float")
      }),
    )

    test.effect("does not wait in a circle for what two changes claim in another order", () =>
      Effect.gen(function* () {
        const { storage, world, create, payment } = yield* begin
        const attempt = world.attempt(payment)
        for (const _ of [1, 2, 3, 4, 5]) {
          const claims = [1, 2, 3].map(() => Claim.ofTransfer(world.evidence(attempt)))
          const payments = yield* Effect.forEach(claims.concat(claims), create)
          const outcomes = yield* Effect.forEach(
            payments,
            ({ id }, index) =>
              Effect.result(
                storage.modifyPayment(
                  id,
                  changing({ claims: index % 2 === 0 ? claims : claims.toReversed() }),
                ),
              ),
            { concurrency: "unbounded" },
          )
          assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
          for (const each of outcomes) {
            if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "ClaimTaken")
          }
        }
      }),
    )

    test.effect("gives up where others always write first", () =>
      Effect.gen(function* () {
        const { storage, world, payment } = yield* begin
        const failure = yield* Effect.flip(
          storage.modifyPaymentInLane(
            world.lane,
            0,
            payment.id,
            (current, nonce) =>
              Effect.andThen(
                storage.modifyPayment(payment.id, changing({})),
                Effect.fromResult(
                  changing({ relayed: Fixtures.relayed(world.lane, nonce) })(current),
                ),
              ),
            null,
          ),
        )
        assert.strictEqual(failure._tag, "StorageUnavailable")
        assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), [])
      }),
    )
  })
})

/** Two processes on one database of their own. */
const twoProcesses = Effect.gen(function* () {
  const url = Redacted.make(yield* address("migrated"))
  const process = Effect.map(
    Layer.build(Layer.fresh(Connection.layer({ url, maxConnections: 4 }))),
    (context) => partsOf(Context.get(context, SqlClient.SqlClient)),
  )
  return [yield* process, yield* process] as const
})

describe("two processes", () => {
  it.live("are told what a lane spent, whichever of them signs or bids more meanwhile", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses
      const world = Fixtures.make("told")
      const [signing, bidding] = [world.createPayment(), world.createPayment()]
      for (const change of [signing, bidding]) {
        yield* first.createPayment(change, null, "{}", now)
      }
      let fee = 3n
      const told: Array<bigint> = []
      type Process = typeof first
      const inLane = (
        process: Process,
        { payment }: Change.Change,
        effects: (nonce: number) => Change.Effects,
        meanwhile: Effect.Effect<unknown, unknown>,
      ) =>
        process.modifyPaymentInLane(
          world.lane,
          0,
          payment.id,
          (current, nonce, { spending }) => {
            told.push(spending.quantity)
            const change = Change.make(current, now, effects(nonce))
            return Effect.as(Effect.orDie(meanwhile), { answer: null, change })
          },
          null,
        )
      const relayed = (nonce: number) =>
        Fixtures.relayed(world.lane, nonce, { feeMax: Fixtures.quantity(3n) })
      const send = (process: Process, meanwhile: Effect.Effect<unknown, unknown> = Effect.void) =>
        inLane(process, signing, (nonce) => ({ relayed: relayed(nonce) }), meanwhile)
      const bid = (process: Process, meanwhile: Effect.Effect<unknown, unknown> = Effect.void) =>
        Effect.suspend(() => {
          const outbid = { ...relayed(0), feeMax: Fixtures.quantity(fee) }
          fee += 2n
          const placed = { ...outbid, feeMax: Fixtures.quantity(fee) }
          return inLane(process, bidding, () => ({ placed, outbid }), meanwhile)
        })
      const once = (effect: Effect.Effect<unknown, unknown>) => {
        let isDone = false
        return Effect.suspend(() => {
          if (isDone) return Effect.void
          isDone = true
          return effect
        })
      }
      yield* send(first)
      yield* send(first, once(bid(second)))
      yield* bid(first, once(send(second)))
      yield* bid(first)
      // Who was first wrote; who was told something else before was told again.
      assert.deepStrictEqual(told, [0n, 3n, 3n, 5n, 8n, 8n, 11n, 13n])
    }).pipe(Effect.scoped),
  )

  it.live("take each nonce of a lane once, without gaps", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses
      const world = Fixtures.make("two")
      const changes = Array.from({ length: 40 }, () => world.createPayment())
      const nonces = yield* Effect.forEach(
        changes,
        Effect.fnUntraced(function* (change, index) {
          const storage = index % 2 === 0 ? first : second
          yield* storage.createPayment(change, null, "{}", now)
          return yield* storage.modifyPaymentInLane(
            world.lane,
            7,
            change.payment.id,
            (current, nonce) =>
              Effect.succeed({
                answer: nonce,
                change: Change.make(current, now, { relayed: Fixtures.relayed(world.lane, nonce) }),
              }),
            null,
          )
        }),
        { concurrency: "unbounded" },
      )
      const expected = Array.from({ length: 40 }, (_, index) => index + 7)
      assert.deepStrictEqual(
        nonces.toSorted((left, right) => left - right),
        expected,
      )
      const sent = yield* first.laneTransactions(world.lane, 0)
      assert.deepStrictEqual(
        sent.map(({ nonce }) => nonce),
        expected,
      )
    }).pipe(Effect.scoped),
  )
})
