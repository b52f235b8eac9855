import { assert, describe, it, layer } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Claim from "@florin/core/domain/chain/Claim"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import { inTurn } from "@florin/core/ports/LaneStore"
import { type OutflowStore, type Shown, findOutflow } from "@florin/core/ports/OutflowStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Stores from "@florin/testing/Stores"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Connection from "../src/Connection.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as DueWork from "../src/storage/DueWork.ts"
import * as Lanes from "../src/storage/Lanes.ts"
import * as Latest from "../src/storage/Latest.ts"
import * as Ledgers from "../src/storage/Ledgers.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import * as Write from "../src/storage/Write.ts"
import { address, anyTime, database } from "../test-support/databases.ts"

const { now } = Fixtures
let worlds = 0

const partsOf = (sql: SqlClient.SqlClient) => {
  // A busy machine takes longer than moments to prepare a scene.
  const latest = Latest.make(sql, Infinity)
  const outflows = Outflows.make(sql, anyTime(sql), latest)
  return {
    ...Decisions.make(sql, anyTime(sql), sql, latest),
    ...DueWork.make(sql, anyTime(sql)),
    ...Lanes.make(sql, anyTime(sql)),
    ...Ledgers.make(sql),
    ...outflows,
    modifyPayment: Stores.modifyPayment(outflows),
  }
}

/** A world of its own, and a payment in it. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const storage = partsOf(sql)
  const world = Fixtures.make(`w${++worlds}`)
  const create = Effect.fnUntraced(function* () {
    const change = world.createPayment()
    yield* storage.createPayment(change, null, "{}", now)
    return change.payment
  })
  return { storage, sql, world, create, payment: yield* create() }
})

type Scene = Effect.Success<typeof begin>

const changing = (effects: Change.Effects) => (current: Payment.Payment) => {
  const change = Change.make(current, now, effects)
  return Result.succeed({ result: change.payment, change })
}

/** Writes a signed transaction into its lane, and a payment with it. */
const inLane = (
  storage: Pick<OutflowStore["Service"], "modify">,
  id: PaymentId.PaymentId,
  signed: Lane.Signed,
) =>
  storage.modify(
    { outflows: [], payments: [id] },
    ({ payments }) =>
      Result.succeed({
        result: null,
        write: { payments: payments.map((each) => Change.make(each, now, {})), outflows: [] },
      }),
    null,
    signed,
  )

/** A lane that nothing was sent on. */
const unusedLane: Lane.State = {
  spending: Spending.none,
  nextNonce: null,
  acceptedNonce: 0,
  haltedBecause: null,
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
  Ledger.funding({
    collecting: world.payTo,
    token: world.token,
    quantity: Fixtures.quantity(quantity),
  })

/** Payments whose shares wait, and the group that they are gathered in. */
const waiting = Effect.fnUntraced(function* ({ storage, world }: Scene, count: number) {
  const paths = Array.from({ length: count }, () => world.path("settlementPending"))
  for (const path of paths) {
    for (const write of path) yield* Fixtures.store(storage, write)
  }
  const payments = paths.map(Fixtures.paymentAfter)
  const [first] = payments
  const group = first === undefined ? null : Balance.groupOf(first)
  return { payments, group: group ?? assert.fail("no share waits") }
})

/** Gathers shares, whatever they are shown as. */
const gathering =
  ({ world }: Scene, group: Balance.Group) =>
  ({ payments }: Pick<Shown, "payments">) => {
    const id = world.outflowId()
    const write = Payouts.gather(payments, group, { debts: new Map(), lasts: [] }, id, now)
    return write ?? assert.fail("no share waits")
  }

const idsIn = (payments: ReadonlyArray<Payment.Payment>) => payments.map(({ id }) => id)

/** A gathered outflow with its payments. */
const gathered = Effect.fnUntraced(function* (scene: Scene, count: number) {
  const { group, payments } = yield* waiting(scene, count)
  const write = gathering(scene, group)({ payments })
  yield* Fixtures.store(scene.storage, write)
  const [change] = write.outflows
  return {
    outflow: change?.outflow ?? assert.fail("nothing was gathered"),
    payments: write.payments.map(({ payment }) => payment),
  }
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
      storage.modifyPayment(payment.id, () => Result.succeed({ result: null })),
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
            Ledger.disappearance({
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
            Ledger.withdrawal({
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
    run: Effect.fnUntraced(function* ({ storage, payment, world }) {
      const transaction = Fixtures.laneTransaction(world.lane, 0)
      return yield* inLane(storage, payment.id, { transaction, state: unusedLane })
    }),
  },
  {
    name: "a lane is read for its next signer",
    count: 1,
    run: ({ storage, world }) => storage.laneState("test", world.lane),
  },
  {
    name: "a transaction takes another one's place in its lane",
    count: 1,
    run: ({ storage, world }) => {
      const last = Fixtures.laneTransaction(world.lane, 0)
      const transaction = { ...last, feeMax: Fixtures.quantity(5n) }
      return storage.placeInLane({ transaction, state: unusedLane }, last)
    },
  },
  {
    name: "due work is claimed",
    count: 1,
    run: ({ storage }) => storage.claimDue("expire", { limit: 50, leaseInMs: 1, now }),
  },
  {
    name: "due work of outflows is claimed",
    count: 1,
    run: ({ storage }) => storage.claimDueOutflows("send", { limit: 50, leaseInMs: 1, now }),
  },
  {
    name: "a decision on several records changes nothing",
    count: 1,
    run: ({ payment, storage }) =>
      storage.modify(
        { outflows: [], payments: [payment.id] },
        () => Result.succeed({ result: null, write: null }),
        null,
      ),
  },
]

layer(database(), { excludeTestServices: true })("Writes", (test) => {
  describe("a write", () => {
    test.effect.each(operations)("uses $count SQL statements if $name", ({ run, count }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* counted(run(yield* begin)), count)
      }),
    )

    test.effect("checks an account's balance after everything in the change", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { storage, world, payment } = scene
        const lost = (quantity: bigint) =>
          Ledger.disappearance({
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

    test.effect("does not draw on a float that it deposits itself", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { storage, world, payment } = scene
        const held = {
          collecting: world.payTo,
          token: world.token,
          quantity: Fixtures.quantity(5n),
        }
        const suspended = Ledger.suspension({ ...held, payer: Fixtures.account("payer") })
        yield* storage.post("test", Fixtures.key(world.next()), suspended)
        yield* storage.post("test", Fixtures.key(world.next()), Ledger.disappearance(held))
        const failure = yield* Effect.flip(
          storage.modifyPayment(
            payment.id,
            changing({ ledger: [Ledger.funding(held), Ledger.withdrawal(held)] }),
          ),
        )
        assert.strictEqual(failure._tag === "Overdrawn" && failure.account, "float")
      }),
    )

    test.effect("cannot deadlock if two changes claim the same things in different order", () =>
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

    test.effect("fails if others always write first", () =>
      Effect.gen(function* () {
        const { storage, sql, payment } = yield* begin
        // Each attempt finds that the payment is at another revision than it was read at, which is that of an entry.
        yield* sql`INSERT INTO florin.entries (id, tenant, merchant, created_at, chain, asset, revision, is_stuck,
            is_owed, net_quantity, succeeded_at, updated_at, state_version, document)
          SELECT id, tenant, merchant, created_at, 1, 1, revision + 1, false, false, 0, 0, updated_at, state_version, '{}'
          FROM florin.payments WHERE id = ${payment.id}`
        const failure = yield* Effect.flip(storage.modifyPayment(payment.id, changing({})))
        assert.strictEqual(failure._tag, "StorageUnavailable")
      }),
    )
  })
})

/** Two processes on one database of their own. */
const twoProcesses = Effect.gen(function* () {
  const url = Redacted.make(yield* address("migrated"))
  const process = Effect.map(
    Layer.build(Layer.fresh(Connection.layer({ url, maxConnections: 4 }))),
    (context) => {
      const sql = Context.get(context, SqlClient.SqlClient)
      return { ...partsOf(sql), sql }
    },
  )
  return [yield* process, yield* process] as const
})

/** What is done to many payments at once, and how often it asks the database, however many they are. */
const batches: ReadonlyArray<{
  readonly name: string
  readonly count: number
  readonly run: (scene: Scene, payments: number) => Effect.Effect<number, unknown>
}> = [
  {
    name: "are gathered",
    count: 1,
    run: Effect.fnUntraced(function* (scene, count) {
      const { group, payments } = yield* waiting(scene, count)
      const gather = gathering(scene, group)
      return yield* counted(
        scene.storage.modify(
          { outflows: [], payments: idsIn(payments) },
          (shown) => Result.succeed({ result: null, write: gather(shown) }),
          null,
        ),
      )
    }),
  },
  {
    name: "are sent, by who holds the work",
    count: 2,
    run: Effect.fnUntraced(function* (scene, count) {
      const { storage, world } = scene
      const { outflow } = yield* gathered(scene, count)
      const claimed = yield* storage.claimDueOutflows("send", { limit: 999, leaseInMs: 1, now })
      const own = claimed.find((each) => each.outflow.id === outflow.id)
      const transaction = Fixtures.laneTransaction(world.lane, 0)
      return yield* counted(
        storage.modify(
          { outflows: [outflow.id], payments: [] },
          Fixtures.decideOn((current) => Outgoing.send(current, Lane.slotOf(transaction), now)),
          own?.lease ?? assert.fail("nothing was due"),
          { transaction, state: unusedLane },
        ),
      )
    }),
  },
  {
    name: "are paid",
    count: 2,
    run: Effect.fnUntraced(function* (scene, count) {
      const { storage, world } = scene
      const { outflow, payments } = yield* gathered(scene, count)
      const transfer = world.evidenceOf(outflow.movement)
      return yield* counted(
        storage.modify(
          { outflows: [outflow.id], payments: idsIn(payments) },
          Fixtures.decideOn((current) => Outgoing.pay(current, transfer, now)),
          null,
        ),
      )
    }),
  },
]

layer(database(), { excludeTestServices: true })("Writes of many", (test) => {
  const cases = batches.flatMap(({ count, name, run }) =>
    [1, 2, 30].map((payments) => ({ count, name, run, payments })),
  )

  test.effect.each(cases)("use $count SQL statements if $payments payments $name", (batch) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* batch.run(yield* begin, batch.payments), batch.count)
    }),
  )

  test.effect("write nothing if one of the records changed since it was read", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { sql, storage, world } = scene
      const { outflow, payments } = yield* gathered(scene, 3)
      const claimed = yield* storage.claimDueOutflows("send", { limit: 999, leaseInMs: 1, now })
      const own = claimed.find((each) => each.outflow.id === outflow.id)
      const lease = own?.lease ?? assert.fail("nothing was due")
      const current = { outflow, payments }
      const write = Outgoing.pay(current, world.evidenceOf(outflow.movement), now)
      if (write === null) return assert.fail("it can be paid")
      const earlier = <A extends { readonly revision: number }>(record: A): A => ({
        ...record,
        revision: record.revision - 1,
      })
      const [first, ...rest] = payments
      if (first === undefined) return assert.fail("no payments")
      const stale: ReadonlyArray<Shown> = [
        {
          outflows: [outflow],
          payments: [earlier(first), ...rest],
          inflows: [],
          destinations: [],
        },
        {
          outflows: [outflow],
          payments: [...rest, earlier(first)],
          inflows: [],
          destinations: [],
        },
        { outflows: [earlier(outflow)], payments, inflows: [], destinations: [] },
      ]
      const signed = { transaction: Fixtures.laneTransaction(world.lane, 0), state: unusedLane }
      const changed = (shown: Shown, held: typeof lease | null, lane: Lane.Signed | null) =>
        Write.change(sql, anyTime(sql), {
          changes: write,
          shown,
          lease: held,
          signed: lane,
          standing: null,
        })
      for (const shown of stale) {
        for (const held of [null, lease]) {
          assert.isFalse(yield* changed(shown, held, null))
          assert.isFalse(yield* changed(shown, held, signed))
        }
      }
      assert.deepStrictEqual(yield* Effect.forEach(idsIn(payments), storage.payment), payments)
      assert.deepStrictEqual(yield* findOutflow(storage, outflow.id), outflow)
      for (const id of idsIn(payments)) {
        assert.strictEqual((yield* storage.ledgerOf(id)).length, 1)
      }
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), [])
      const shown = { outflows: [outflow], payments, inflows: [], destinations: [] }
      assert.isTrue(yield* changed(shown, lease, signed))
    }),
  )

  test.effect("refuse a decision that writes a record that it did not read", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world } = scene
      const change = Change.make(world.createPayment().payment, now, {})
      const exit = yield* Effect.exit(
        storage.modify(
          { outflows: [], payments: [scene.payment.id] },
          () => Result.succeed({ result: null, write: { payments: [change], outflows: [] } }),
          null,
        ),
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }),
  )

  test.effect("cannot deadlock if they name records in different order", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { sql, storage } = scene
      const created = yield* Effect.forEach(Array.from({ length: 20 }), scene.create)
      for (const _ of [1, 2, 3, 4, 5]) {
        const payments = yield* Effect.forEach(idsIn(created), storage.payment)
        // As the database does it: what it refuses is not tried again.
        const written = yield* Effect.forEach(
          Array.from({ length: 20 }, (_each, index) =>
            index % 2 === 0 ? payments : payments.toReversed(),
          ),
          (order) => {
            const changes = order.map((payment) => Change.make(payment, now, {}))
            const write = Write.change(sql, anyTime(sql), {
              changes: { payments: changes, outflows: [] },
              shown: { payments: order, outflows: [], inflows: [], destinations: [] },
              lease: null,
              signed: null,
              standing: null,
            })
            // As it reads a long table: each row by its id.
            return sql.withTransaction(
              Effect.andThen(
                sql`SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                  set_config('enable_seqscan', 'off', true)`,
                write,
              ),
            )
          },
          { concurrency: "unbounded" },
        )
        assert.strictEqual(written.filter(Boolean).length, 1)
      }
    }),
  )
})

describe("two processes", () => {
  /** Signs for the lane as it was read, and tries again while the other process was first. */
  const signing = (
    process: Effect.Success<typeof twoProcesses>[0],
    lane: Lane.Lane,
    floor: number,
    id: PaymentId.PaymentId,
    meanwhile: Effect.Effect<unknown, unknown> = Effect.void,
  ) =>
    Effect.gen(function* () {
      const state = yield* process.laneState("test", lane)
      yield* Effect.orDie(meanwhile)
      const transaction = Fixtures.laneTransaction(lane, Lane.nextNonce(state, floor), {
        feeMax: Fixtures.quantity(3n),
      })
      yield* inLane(process, id, { transaction, state })
      return transaction
    }).pipe(Effect.retry({ while: ({ _tag }) => _tag === "LaneMoved" }))

  it.live("decide again on what is stored, if what one of them knows is outdated", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses
      const change = Fixtures.make("outdated").createPayment()
      const { id } = change.payment
      yield* first.createPayment(change, null, "{}", now)
      for (const kind of ["refuses", "changes nothing", "changes it"]) {
        const known = yield* first.payment(id)
        yield* second.modifyPayment(id, changing({}))
        const seen = yield* first.modifyPayment(id, (current) => {
          if (kind === "changes it") return changing({})(current)
          if (kind === "changes nothing") return Result.succeed({ result: current })
          return current.revision === known.revision
            ? Result.fail("refused")
            : Result.succeed({ result: current })
        })
        assert.isAbove(seen.revision, known.revision, kind)
      }
      const known = yield* first.payment(id)
      yield* second.modifyPayment(id, changing({}))
      const subjects = { outflows: [], payments: [id], inflows: [] }
      const shown = yield* first.modify(
        subjects,
        ({ payments }) => Result.succeed({ result: payments, write: null }),
        null,
      )
      assert.strictEqual(shown[0]?.revision, known.revision + 1)
    }).pipe(Effect.scoped),
  )

  it.live("decide on what is stored, and not on a change that was rolled back", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses
      const change = Fixtures.make("undone").createPayment()
      const { id } = change.payment
      yield* first.createPayment(change, null, "{}", now)
      const audited = (since: number) => (current: Payment.Payment) => {
        const next = Change.make({ ...current, auditedSince: since }, now, {})
        return Result.succeed({ change: next, result: next.payment })
      }
      const undone = first.sql.withTransaction(
        Effect.andThen(first.modifyPayment(id, audited(1)), Effect.fail("undone")),
      )
      assert.strictEqual(yield* Effect.flip(undone), "undone")
      // The same revision, with another content.
      yield* second.modifyPayment(id, audited(2))
      const seen = yield* first.modifyPayment(id, (current) =>
        Result.succeed({ change: Change.make(current, now, {}), result: current }),
      )
      assert.strictEqual(seen.auditedSince, 2)
    }).pipe(Effect.scoped),
  )

  it.live("sign again with the lane's new spending, if the other one signed or bid meanwhile", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses
      const world = Fixtures.make("seen")
      const { lane } = world
      const change = world.createPayment()
      const { id } = change.payment
      yield* first.createPayment(change, null, "{}", now)
      const spent = Effect.map(first.laneState("test", lane), ({ spending }) => spending.quantity)
      const once = (effect: Effect.Effect<unknown, unknown>) => {
        let isDone = false
        return Effect.suspend(() => {
          if (isDone) return Effect.void
          isDone = true
          return effect
        })
      }
      const head = yield* signing(first, lane, 0, id)
      const higher = { ...head, hash: Fixtures.hash("higher"), feeMax: Fixtures.quantity(5n) }
      const bid = (process: typeof first, state: Lane.State) =>
        process.placeInLane({ transaction: higher, state }, head)
      const stale = yield* first.laneState("test", lane)
      yield* signing(first, lane, 0, id, once(signing(second, lane, 0, id)))
      assert.strictEqual(yield* spent, 9n)
      // It would bid on what it saw before the two others signed.
      assert.isFalse(yield* bid(second, stale))
      assert.strictEqual(yield* spent, 9n)
      assert.isTrue(yield* bid(second, yield* second.laneState("test", lane)))
      assert.isFalse(yield* bid(first, yield* first.laneState("test", lane)))
      assert.strictEqual(yield* spent, 11n)
      assert.deepStrictEqual(yield* first.laneTransactions(lane, 0, 0), [higher])
      assert.strictEqual((yield* first.laneTransactions(lane, 0)).length, 3)
    }).pipe(Effect.scoped),
  )

  it.live("use each nonce of a lane once, without gaps", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses
      const world = Fixtures.make("two")
      const changes = Array.from({ length: 40 }, () => world.createPayment())
      const sent = yield* Effect.forEach(
        changes,
        Effect.fnUntraced(function* (change, index) {
          const storage = index % 2 === 0 ? first : second
          yield* storage.createPayment(change, null, "{}", now)
          return yield* inTurn(
            storage,
            world.lane,
            signing(storage, world.lane, 7, change.payment.id),
          )
        }),
        { concurrency: "unbounded" },
      )
      const expected = Array.from({ length: 40 }, (_, index) => index + 7)
      assert.deepStrictEqual(
        sent.map(({ nonce }) => nonce).toSorted((left, right) => left - right),
        expected,
      )
      const stored = yield* first.laneTransactions(world.lane, 0)
      assert.deepStrictEqual(
        stored.map(({ nonce }) => nonce),
        expected,
      )
    }).pipe(Effect.scoped),
  )
})
