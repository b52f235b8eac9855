/**
 * Nonce lanes: every nonce is used once, none is skipped, and a failed write takes none.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { unusedChain } from "./Chains.ts"
import {
  atOnce,
  begin,
  changeInLane,
  applyEffects,
  failsWith,
  type It,
  lookalikes,
  modifyInLane,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures

/** A decision that returns the nonce that is signed with it. */
const taking =
  (effects: Change.Effects = {}) =>
  (current: Payment.Payment, { transaction }: Lane.Signed) =>
    Result.succeed({ result: transaction.nonce, change: Change.make(current, now, effects) })

/** Signs and stores a transaction of a payment; returns its nonce. */
const send = (scene: Scene, lane: Lane.Lane, floor: number, payment: Payment.Payment) =>
  modifyInLane(scene, { lane, floor }, payment.id, taking())

/** Places a transaction into its slot, for the current lane. */
const place = Effect.fnUntraced(function* (
  { lanes }: Scene,
  transaction: Lane.Transaction,
  replaces: Lane.Transaction | null = null,
) {
  const state = yield* lanes.laneState("test", transaction.lane)
  return yield* lanes.placeInLane({ transaction, state }, replaces)
})

/** What a lane committed to spend, as its next signer sees it. */
const spendingOf = ({ lanes }: Scene, lane: Lane.Lane) =>
  Effect.map(lanes.laneState("test", lane), ({ spending }) => spending)

/** Signs and stores a transaction that may cost this much; returns the lane that its signer read. */
const spend = (
  scene: Scene,
  lane: Lane.Lane,
  payment: Payment.Payment,
  fee: Pick<Lane.Transaction, "signedAt" | "feeMax">,
) =>
  modifyInLane(scene, { lane, fee }, payment.id, (current, { state }) =>
    Result.succeed({ result: state.spending, change: Change.make(current, now, {}) }),
  )

const hourInMs = 3_600_000

const noncesOf = (sent: ReadonlyArray<Lane.Transaction>): ReadonlyArray<number> =>
  sent.map((each) => each.nonce)

const ascending = (numbers: ReadonlyArray<number>): ReadonlyArray<number> =>
  numbers.toSorted((left, right) => left - right)

/** The numbers of a range that begins at `from`. */
const counting = (from: number, length: number): ReadonlyArray<number> =>
  range(length).map((index) => from + index)

/** A transaction with the same nonce and another hash. */
const versionOf = (
  last: Lane.Transaction,
  name: string,
  fee: Partial<Pick<Lane.Transaction, "signedAt" | "feeMax">> = {},
): Lane.Transaction => ({
  ...last,
  hash: Fixtures.hash(`${name} of ${last.hash}`),
  earlierHashes: Lane.hashes(last),
  ...fee,
})

export const laneRules = (it: It): void => {
  it.effect("starts at the floor, and is empty before", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, create } = scene
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [])
      const payment = yield* create()
      assert.strictEqual(yield* send(scene, world.lane, 7, payment), 7)
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [
        Fixtures.laneTransaction(world.lane, 7),
      ])
    }),
  )

  it.effect("reports its next nonce, independent of the floor", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, create } = scene
      const payment = yield* create()
      const nextNonce = (lane: Lane.Lane) =>
        Effect.map(lanes.laneState("test", lane), (state) => state.nextNonce)
      assert.isNull(yield* nextNonce(world.lane))
      const nonces: Array<number> = []
      for (const floor of [7, 0, 1, 3, 20, 20, 4, 0, 23]) {
        nonces.push(yield* send(scene, world.lane, floor, payment))
        assert.strictEqual(yield* nextNonce(world.lane), (nonces.at(-1) ?? 0) + 1)
      }
      assert.deepStrictEqual(nonces, [7, 8, 9, 10, 20, 21, 22, 23, 24])
      assert.deepStrictEqual(noncesOf(yield* lanes.laneTransactions(world.lane, 0)), nonces)
      // A transaction that fills a gap gives out no nonce.
      assert.isTrue(yield* place(scene, Fixtures.laneTransaction(world.lane, 3)))
      assert.strictEqual(yield* nextNonce(world.lane), 25)
      assert.isNull(yield* nextNonce({ ...world.lane, sender: Fixtures.address(world.next()) }))
    }),
  )

  it.effect("reports what an operator accepted of its account, and why its chain is halted", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world } = scene
      const [chainId, sender] = [yield* unusedChain(scene), world.lane.sender]
      const lane = { chainId, sender }
      const read = (mode: Mode.Mode, of: Lane.Lane) =>
        Effect.map(lanes.laneState(mode, of), ({ acceptedNonce, haltedBecause }) => [
          acceptedNonce,
          haltedBecause !== null,
        ])
      const stop = (mode: Mode.Mode, untilNonce: number) =>
        lanes.modifyChainState(mode, chainId, (current) =>
          ChainState.haltForeign(current, { sender, fromNonce: 3, untilNonce }, now),
        )
      const resume = (mode: Mode.Mode) => lanes.modifyChainState(mode, chainId, ChainState.resume)
      assert.deepStrictEqual(yield* read("test", lane), [0, false])
      yield* stop("live", 9)
      yield* resume("live")
      yield* stop("test", 5)
      assert.deepStrictEqual(yield* read("test", lane), [0, true])
      assert.deepStrictEqual(yield* read("live", lane), [9, false])
      yield* resume("test")
      assert.deepStrictEqual(yield* read("test", lane), [5, false])
      const others = [
        { ...lane, chainId: yield* unusedChain(scene) },
        { ...lane, sender: Fixtures.address(world.next()) },
      ]
      for (const other of others) assert.deepStrictEqual(yield* read("test", other), [0, false])
    }),
  )

  it.effect("returns the transactions from a nonce on, or up to another, in order", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, create } = scene
      const payment = yield* create()
      for (const _ of range(12)) yield* send(scene, world.lane, 5, payment)
      const expected = counting(5, 12).map((nonce) => Fixtures.laneTransaction(world.lane, nonce))
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), expected)
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 5), expected)
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 6), expected.slice(1))
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 16), expected.slice(-1))
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 17), [])
      const within = (from: number, to: number) => lanes.laneTransactions(world.lane, from, to)
      assert.deepStrictEqual(yield* within(4, 7), expected.slice(0, 3))
      for (const each of expected) {
        assert.deepStrictEqual(yield* within(each.nonce, each.nonce), [each])
      }
      assert.deepStrictEqual(yield* within(4, 4), [])
      assert.deepStrictEqual(yield* within(17, 17), [])
      const other = { ...world.lane, sender: Fixtures.address(world.next()) }
      assert.deepStrictEqual(yield* lanes.laneTransactions(other, 6, 6), [])
    }),
  )

  it.effect(
    "M15: gives each of many concurrent transactions its own nonce, without gaps",
    () =>
      Effect.gen(function* () {
        for (const _ of range(Counts.of({ usual: 2, full: 50 }))) {
          const scene = yield* begin
          const { payments: paymentStore, lanes, world, createMany } = scene
          const payments = yield* createMany(20)
          const nonces = yield* atOnce(range(100), (index) => {
            const payment = payments[index % 20]
            return payment === undefined
              ? Effect.die("no payment")
              : send(scene, world.lane, 3, payment)
          })
          assert.deepStrictEqual(ascending(nonces), counting(3, 100))
          assert.deepStrictEqual(
            yield* lanes.laneTransactions(world.lane, 0),
            counting(3, 100).map((nonce) => Fixtures.laneTransaction(world.lane, nonce)),
          )
          for (const { id } of payments) {
            assert.strictEqual((yield* paymentStore.payment(id)).revision, 6)
          }
        }
      }),
    timeout,
  )

  it.effect(
    "M15: accepts exactly one of many writers that signed for the same state of the lane, and stores nothing of the others",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { payments: paymentStore, lanes, world, createMany } = scene
        const payments = yield* createMany(20)
        const feeMax = Fixtures.quantity(5n)
        for (const round of range(3)) {
          // Several processes read the lane before any of them writes: lane turns exist only within one process.
          const state = yield* lanes.laneState("test", world.lane)
          const transaction = Fixtures.laneTransaction(world.lane, Lane.nextNonce(state, 0), {
            feeMax,
          })
          const outcomes = yield* atOnce(payments, ({ id }) =>
            Effect.result(changeInLane(scene, id, { state, transaction }, applyEffects({}))),
          )
          const written = outcomes.flatMap((each) =>
            Result.isSuccess(each) ? [each.success.id] : [],
          )
          const failures = outcomes.flatMap((each) =>
            Result.isFailure(each) ? [each.failure._tag] : [],
          )
          assert.strictEqual(written.length, 1)
          assert.deepStrictEqual(new Set(failures), new Set(["LaneMoved"]))
          assert.deepStrictEqual(
            noncesOf(yield* lanes.laneTransactions(world.lane, 0)),
            counting(0, round + 1),
          )
          const spending = yield* spendingOf(scene, world.lane)
          assert.strictEqual(spending.quantity, 5n * BigInt(round + 1))
        }
        const revisions = yield* Effect.forEach(payments, ({ id }) => paymentStore.payment(id))
        assert.strictEqual(
          revisions.reduce((sum, { revision }) => sum + revision, 0),
          20 + 3,
        )
      }),
    timeout,
  )

  it.effect("counts each lane separately: by its account, and by its chain", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, createMany } = scene
      const payments = yield* createMany(10)
      const ways: ReadonlyArray<Lane.Lane> = [
        world.lane,
        { ...world.lane, sender: Fixtures.address(world.next()) },
        { ...world.lane, chainId: Fixtures.otherChainId },
      ]
      const sent = yield* atOnce(range(60), (index) => {
        const [lane, payment] = [ways[index % 3], payments[index % 10]]
        return lane === undefined || payment === undefined
          ? Effect.die("no lane")
          : Effect.map(send(scene, lane, (index % 3) * 100, payment), (nonce) => ({
              which: index % 3,
              nonce,
            }))
      })
      for (const [which, lane] of ways.entries()) {
        const nonces = sent.flatMap((each) => (each.which === which ? [each.nonce] : []))
        assert.deepStrictEqual(ascending(nonces), counting(which * 100, 20))
        assert.deepStrictEqual(
          noncesOf(yield* lanes.laneTransactions(lane, 0)),
          counting(which * 100, 20),
        )
      }
    }),
  )

  it.effect("takes no nonce, and spends nothing, for a decision that changes nothing", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, lanes, world, create } = scene
      const payment = yield* create()
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 0)
      const before = [
        yield* payments.payment(payment.id),
        yield* lanes.laneState("test", world.lane),
      ]
      const fee = { feeMax: Fixtures.quantity(5n) }
      const signing = { lane: world.lane, fee }
      for (const decision of [{ result: "a" }, { result: "b", change: null }]) {
        const decide = () => Result.succeed(decision)
        assert.strictEqual(yield* modifyInLane(scene, signing, payment.id, decide), decision.result)
      }
      const refuse = () => Result.fail({ _tag: "Refused" as const })
      yield* failsWith("Refused", modifyInLane(scene, signing, payment.id, refuse))
      assert.deepStrictEqual(
        [yield* payments.payment(payment.id), yield* lanes.laneState("test", world.lane)],
        before,
      )
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 1)
    }),
  )

  it.effect("has no gaps if some of many fail", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, createMany } = scene
      const payments = yield* createMany(100)
      const claim = [
        {
          _tag: "Transfer",
          chainId: Fixtures.chainId,
          txHash: Fixtures.hash(world.next()),
          logIndex: 0,
          blockNumber: 1,
          blockHash: Fixtures.hash("block"),
        },
      ] as const
      const outcomes = yield* atOnce(payments, ({ id }, index) =>
        Effect.result(
          modifyInLane(
            scene,
            { lane: world.lane },
            id,
            (
              current,
              signed,
            ): Result.Result<
              { readonly result: number; readonly change: Change.Change },
              { readonly _tag: "Refused" }
            > =>
              index % 3 === 0
                ? Result.fail({ _tag: "Refused" })
                : taking(index % 3 === 1 ? { claims: claim } : {})(current, signed),
          ),
        ),
      )
      const nonces = outcomes.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
      // All transactions of the third kind, and one of the 33 that claim the same transfer.
      assert.strictEqual(nonces.length, 34)
      assert.deepStrictEqual(ascending(nonces), counting(0, 34))
      assert.deepStrictEqual(
        noncesOf(yield* lanes.laneTransactions(world.lane, 0)),
        counting(0, 34),
      )
    }),
  )

  it.effect("is written with the current payment, even if another process changed it", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments: paymentStore, lanes, world, createMany } = scene
      const payments = yield* createMany(10)
      yield* Effect.all(
        [
          atOnce(range(50), (index) => {
            const payment = payments[index % 10]
            return payment === undefined
              ? Effect.die("no payment")
              : Effect.andThen(Effect.yieldNow, send(scene, world.lane, 0, payment))
          }),
          atOnce(range(50), (index) => {
            const payment = payments[index % 10]
            return payment === undefined
              ? Effect.die("no payment")
              : Effect.andThen(
                  Effect.yieldNow,
                  paymentStore.modifyPayment(payment.id, (current) =>
                    Result.succeed({
                      result: null,
                      change: Change.make(
                        { ...current, referenceId: `${current.referenceId}+` },
                        now,
                        {},
                      ),
                    }),
                  ),
                )
          }),
        ],
        { concurrency: "unbounded" },
      )
      for (const { id, referenceId } of payments) {
        const payment = yield* paymentStore.payment(id)
        // Its creation, and ten writes of which none undid another.
        assert.strictEqual(payment.revision, 11)
        assert.strictEqual(payment.referenceId, `${referenceId}+++++`)
      }
      assert.deepStrictEqual(
        noncesOf(yield* lanes.laneTransactions(world.lane, 0)),
        counting(0, 50),
      )
    }),
  )

  it.effect("is written with a lease only while the lease is valid", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, create, makeDue, claimOne, clearDue } = scene
      yield* clearDue("settle")
      const { id } = yield* create()
      yield* makeDue({ id }, { settle: now })
      const stale = yield* claimOne("settle", now, 10)
      const good = yield* claimOne("settle", now + 10, 10)
      const decide = taking({ due: { settle: now + 100 } })
      const fee = { signedAt: now, feeMax: Fixtures.quantity(5n) }
      const write = (lease: typeof good) =>
        modifyInLane(scene, { lane: world.lane, lease, fee }, id, decide)
      yield* failsWith("LeaseLost", write(stale))
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane), Spending.none)
      assert.strictEqual(yield* write(good), 0)
      yield* failsWith("LeaseLost", write(good))
      assert.deepStrictEqual(noncesOf(yield* lanes.laneTransactions(world.lane, 0)), [0])
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane), {
        hour: Spending.hourOf(now),
        quantity: 5n,
      })
    }),
  )

  it.effect("stores a transaction completely, and the payment only in its own record", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, lanes, world, reach } = scene
      const payment = yield* reach("confirmed")
      const transaction = Fixtures.laneTransaction(world.lane, 0, {
        feeMax: Fixtures.quantity(2n ** 200n + 1n),
        earlierHashes: [Fixtures.hash("second"), Fixtures.hash("first")],
      })
      const state = yield* lanes.laneState("test", world.lane)
      const slot = Lane.slotOf(transaction)
      yield* changeInLane(scene, payment.id, { transaction, state }, (current) =>
        Result.succeed({
          result: null,
          change: PaymentTransition.relay(current, slot, now, now),
        }),
      )
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [transaction])
      const { state: written } = yield* payments.payment(payment.id)
      assert.deepStrictEqual(written._tag === "Processing" && written.slot, {
        lane: world.lane,
        nonce: 0,
        takenAt: now,
      })
    }),
  )

  it.effect("replaces one version by the next in its own slot, and writes no payment", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, lanes, world, create } = scene
      const owner = yield* create()
      const otherLane = { ...world.lane, chainId: Fixtures.otherChainId }
      for (const lane of [world.lane, otherLane]) {
        for (const _ of range(3)) yield* send(scene, lane, 5, owner)
      }
      const before = yield* payments.payment(owner.id)
      const last = Fixtures.laneTransaction(world.lane, 6)
      const next = versionOf(last, "second", { feeMax: Fixtures.quantity(7n) })
      assert.isTrue(yield* place(scene, next, last))
      assert.deepStrictEqual(yield* payments.payment(owner.id), before)
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [
        Fixtures.laneTransaction(world.lane, 5),
        next,
        Fixtures.laneTransaction(world.lane, 7),
      ])
      assert.deepStrictEqual(
        yield* lanes.laneTransactions(otherLane, 0),
        counting(5, 3).map((nonce) => Fixtures.laneTransaction(otherLane, nonce)),
      )
      // The lane continues after its last nonce.
      assert.strictEqual(yield* send(scene, world.lane, 0, owner), 8)
    }),
  )

  it.effect(
    "replaces only the version that its signer saw, and fills only a slot that is free",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { lanes, world, create } = scene
        yield* send(scene, world.lane, 4, yield* create())
        const first = Fixtures.laneTransaction(world.lane, 4)
        const second = versionOf(first, "second", { feeMax: Fixtures.quantity(9n) })
        const third = versionOf(second, "third", { feeMax: Fixtures.quantity(12n) })
        assert.isFalse(yield* place(scene, third, second))
        assert.isFalse(yield* place(scene, second))
        assert.isFalse(yield* place(scene, Fixtures.laneTransaction(world.lane, 3), first))
        assert.deepStrictEqual(yield* spendingOf(scene, world.lane), {
          hour: Spending.hourOf(now),
          quantity: 0n,
        })
        assert.isTrue(yield* place(scene, second, first))
        assert.isFalse(yield* place(scene, third, first))
        assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [second])
        const { spending } = yield* lanes.laneState("test", world.lane)
        assert.strictEqual(spending.quantity, 9n)
      }),
  )

  it.effect(
    "accepts exactly one of many replacements that were signed for the same state of the lane",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { lanes, world, create } = scene
        yield* send(scene, world.lane, 0, yield* create())
        let last = Fixtures.laneTransaction(world.lane, 0)
        for (const round of range(3)) {
          const state = yield* lanes.laneState("test", world.lane)
          const feeMax = Fixtures.quantity(BigInt(round + 1))
          const versions = range(10).map((index) =>
            versionOf(last, `${round}/${index}`, { feeMax }),
          )
          const placed = yield* atOnce(versions, (transaction) =>
            lanes.placeInLane({ transaction, state }, last),
          )
          assert.strictEqual(placed.filter(Boolean).length, 1)
          last = versions[placed.indexOf(true)] ?? assert.fail("none was placed")
          assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [last])
          assert.strictEqual((yield* spendingOf(scene, world.lane)).quantity, feeMax)
        }
      }),
  )

  it.effect("fills gaps in order, also before its first transaction and on an empty lane", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world, create } = scene
      const payment = yield* create()
      assert.strictEqual(yield* send(scene, world.lane, 2, payment), 2)
      assert.strictEqual(yield* send(scene, world.lane, 6, payment), 6)
      const feeMax = Fixtures.quantity(4n)
      for (const nonce of [5, 3, 4, 0]) {
        assert.isTrue(yield* place(scene, Fixtures.laneTransaction(world.lane, nonce, { feeMax })))
      }
      assert.deepStrictEqual(
        noncesOf(yield* lanes.laneTransactions(world.lane, 0)),
        [0, 2, 3, 4, 5, 6],
      )
      assert.strictEqual((yield* spendingOf(scene, world.lane)).quantity, 16n)
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 7)
      const empty = Fixtures.lane(world.next())
      assert.isTrue(yield* place(scene, Fixtures.laneTransaction(empty, 7)))
      assert.strictEqual(yield* send(scene, empty, 7, payment), 8)
      assert.deepStrictEqual(noncesOf(yield* lanes.laneTransactions(empty, 0)), [7, 8])
    }),
  )

  it.effect("sums what a lane commits to spend in an hour, and starts at zero in the next", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world, create } = scene
      const payment = yield* create()
      const hour = Spending.hourOf(now) + 1
      const at = hour * hourInMs
      const big = Fixtures.quantity(2n ** 130n)
      const spent = (feeMax: bigint | undefined, signedAt: number) =>
        spend(scene, world.lane, payment, {
          signedAt,
          ...(feeMax !== undefined && { feeMax: Fixtures.quantity(feeMax) }),
        })
      assert.deepStrictEqual(yield* spent(big, at), Spending.none)
      assert.deepStrictEqual(yield* spent(5n, at + 1), { hour, quantity: big })
      assert.deepStrictEqual(yield* spent(undefined, at + 2), { hour, quantity: big + 5n })
      assert.deepStrictEqual(yield* spent(3n, at + hourInMs - 1), { hour, quantity: big + 5n })
      // The sum of the previous hour stays until something is signed: the signer knows the current hour.
      assert.deepStrictEqual(yield* spent(7n, at + hourInMs), { hour, quantity: big + 8n })
      const next = hour + 1
      assert.deepStrictEqual(yield* spent(1n, at + hourInMs + 1), { hour: next, quantity: 7n })
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane), { hour: next, quantity: 8n })
    }),
  )

  it.effect("counts a higher bid by its additional cost, in the hour in which it is signed", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world, create } = scene
      const payment = yield* create()
      const hour = Spending.hourOf(now) + 1
      const at = hour * hourInMs
      const big = 2n ** 130n
      const fee = (signedAt: number, feeMax?: bigint) => ({
        signedAt,
        ...(feeMax !== undefined && { feeMax: Fixtures.quantity(feeMax) }),
      })
      yield* spend(scene, world.lane, payment, fee(at, 5n))
      const first = Fixtures.laneTransaction(world.lane, 0, fee(at, 5n))
      const second = versionOf(first, "second", fee(at + 1, big))
      const third = versionOf(second, "third", fee(at + hourInMs, big + 3n))
      // Any version may be mined, so what was counted stays.
      const cheaper = versionOf(third, "cheaper", fee(at + hourInMs + 1, 1n))
      const steps = [
        [second, first, { hour, quantity: big }],
        [third, second, { hour: hour + 1, quantity: 3n }],
        [cheaper, third, { hour: hour + 1, quantity: 3n }],
      ] as const
      for (const [next, last, spent] of steps) {
        assert.isTrue(yield* place(scene, next, last))
        assert.deepStrictEqual(yield* spendingOf(scene, world.lane), spent)
      }
    }),
  )

  it.effect("counts what was signed before the hour changed and written after it", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world, create } = scene
      const payment = yield* create()
      const hour = Spending.hourOf(now) + 1
      const at = hour * hourInMs
      const fee = (signedAt: number, quantity: bigint) => ({
        signedAt,
        feeMax: Fixtures.quantity(quantity),
      })
      const first = Fixtures.laneTransaction(world.lane, 0, fee(at - 9, 5n))
      yield* spend(scene, world.lane, payment, fee(at - 9, 5n))
      yield* spend(scene, world.lane, payment, fee(at + 1, 100n))
      assert.isTrue(yield* place(scene, versionOf(first, "second", fee(at - 1, 8n)), first))
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane), { hour, quantity: 103n })
      yield* spend(scene, world.lane, payment, fee(at - 1, 20n))
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane), { hour, quantity: 123n })
    }),
  )

  it.effect("is not written if the lane's spending differs from what its signer saw", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, payments, world, create } = scene
      const payment = yield* create()
      const fee = (quantity: bigint) => ({ feeMax: Fixtures.quantity(quantity) })
      yield* spend(scene, world.lane, payment, { signedAt: now, ...fee(5n) })
      const first = Fixtures.laneTransaction(world.lane, 0, fee(5n))
      const stale = yield* lanes.laneState("test", world.lane)
      // A higher bid: the lane gives out the same nonce as before, and has spent more.
      assert.isTrue(yield* place(scene, versionOf(first, "second", fee(8n)), first))
      const seen = yield* lanes.laneState("test", world.lane)
      assert.strictEqual(seen.nextNonce, stale.nextNonce)
      const before = yield* payments.payment(payment.id)
      const next = Fixtures.laneTransaction(world.lane, 1, fee(3n))
      const hourBefore = { ...seen, spending: { ...seen.spending, hour: seen.spending.hour - 1 } }
      for (const state of [stale, hourBefore]) {
        yield* failsWith(
          "LaneMoved",
          changeInLane(scene, payment.id, { state, transaction: next }, applyEffects({})),
        )
        const gap = Fixtures.laneTransaction(world.lane, 4, fee(3n))
        assert.isFalse(yield* lanes.placeInLane({ state, transaction: gap }, null))
      }
      assert.deepStrictEqual(yield* payments.payment(payment.id), before)
      assert.deepStrictEqual(noncesOf(yield* lanes.laneTransactions(world.lane, 0)), [0])
      assert.deepStrictEqual(yield* lanes.laneState("test", world.lane), seen)
      yield* changeInLane(scene, payment.id, { state: seen, transaction: next }, applyEffects({}))
      assert.strictEqual((yield* spendingOf(scene, world.lane)).quantity, 11n)
    }),
  )

  it.effect("counts the spending of each lane separately", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world, create } = scene
      const payment = yield* create()
      const ways = [
        world.lane,
        { ...world.lane, sender: Fixtures.address(world.next()) },
        { ...world.lane, chainId: Fixtures.otherChainId },
      ]
      for (const [index, lane] of ways.entries()) {
        for (const _ of range(2)) {
          const feeMax = Fixtures.quantity(BigInt(index + 1))
          yield* spend(scene, lane, payment, { signedAt: now, feeMax })
        }
      }
      for (const [index, lane] of ways.entries()) {
        assert.deepStrictEqual(yield* spendingOf(scene, lane), {
          hour: Spending.hourOf(now),
          quantity: 2n * BigInt(index + 1),
        })
      }
    }),
  )

  it.effect("shows each of many signers the total of the earlier ones, so that a limit holds", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world, createMany } = scene
      const payments = yield* createMany(20)
      const feeMax = Fixtures.quantity(3n)
      const seen = yield* atOnce(payments, (payment) =>
        spend(scene, world.lane, payment, { signedAt: now, feeMax }),
      )
      assert.deepStrictEqual(
        ascending(seen.map(({ quantity }) => Number(quantity))),
        range(20).map((index) => 3 * index),
      )
    }),
  )

  it.effect("is separate for two chains of two families with the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, create } = scene
      const { id } = yield* create()
      const ways = lookalikes(scene, yield* unusedChain(scene)).map(
        ({ address, chainId }, index) => ({
          lane: { chainId, sender: address },
          floor: index * 100,
          fee: { signedAt: now, feeMax: Fixtures.quantity(BigInt(index + 1)) },
        }),
      )
      yield* atOnce(range(9), (index) => {
        const way = ways[index % 3] ?? assert.fail("no lane")
        return modifyInLane(scene, way, id, taking())
      })
      const observed = Effect.forEach(ways, ({ lane }) =>
        Effect.all({
          state: lanes.laneState("test", lane),
          sent: lanes.laneTransactions(lane, 0),
          strange: lanes.laneTransactions(lane, 50, 50),
        }),
      )
      const expected = ways.map(({ fee, floor, lane }) => ({
        state: {
          nextNonce: floor + 3,
          acceptedNonce: 0,
          haltedBecause: null,
          spending: { hour: Math.floor(now / hourInMs), quantity: 3n * fee.feeMax },
        },
        sent: counting(floor, 3).map((nonce) => Fixtures.laneTransaction(lane, nonce, fee)),
        strange: [],
      }))
      assert.deepStrictEqual(yield* observed, expected)
      const last = expected[1]?.sent.at(-1)
      if (last === undefined) return assert.fail("nothing was sent")
      const [next, gap] = [versionOf(last, "second"), Fixtures.laneTransaction(last.lane, 50)]
      assert.isTrue(yield* place(scene, next, last))
      assert.isTrue(yield* place(scene, gap))
      assert.deepStrictEqual(
        yield* observed,
        expected.map(({ sent, state, strange }, index) =>
          index === 1
            ? { state, sent: [gap, ...sent.slice(0, -1), next], strange: [gap] }
            : { state, sent, strange },
        ),
      )
    }),
  )
}
