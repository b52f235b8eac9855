/**
 * Nonce lanes: every nonce once, none left out, and none taken by what was not stored.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as ChainState from "@florin/core/domain/ChainState"
import * as Change from "@florin/core/domain/Change"
import type * as Mode from "@florin/core/domain/Mode"
import * as Payment from "@florin/core/domain/Payment"
import * as Spending from "@florin/core/domain/Spending"
import * as Transfer from "@florin/core/domain/Transfer"
import type { LaneState } from "@florin/core/ports/Storage"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { unusedChain } from "./Chains.ts"
import { atOnce, begin, changing, failsWith, type It, range, type Scene, timeout } from "./Scene.ts"

const { now } = Fixtures

class Signer extends Context.Service<Signer, { readonly name: string }>()(
  "@florin/testing/storage/Lanes/Signer",
) {}

/** Makes the transaction of a nonce, and answers the nonce. */
const signing =
  (lane: Transfer.Lane, effects: Change.Effects = {}) =>
  (current: Payment.Payment, nonce: number) =>
    Effect.succeed({
      answer: nonce,
      change: Change.make(current, now, { ...effects, relayed: Fixtures.relayed(lane, nonce) }),
    })

const send = ({ storage }: Scene, lane: Transfer.Lane, floor: number, payment: Payment.Payment) =>
  storage.modifyPaymentInLane(lane, floor, payment.id, signing(lane), null)

/** Puts a transaction where its nonce stands in its lane, in the place of the version that it outbids. */
const place = (
  { storage }: Scene,
  payment: Payment.Payment,
  placed: Transfer.Relayed,
  outbid?: Transfer.Relayed,
) =>
  storage.modifyPayment(payment.id, changing({ placed, ...(outbid !== undefined && { outbid }) }))

/** What the next signer of a lane is told; nothing is signed. */
const stateOf = ({ storage }: Scene, lane: Transfer.Lane, payment: Payment.Payment, floor = 0) =>
  storage.modifyPaymentInLane(
    lane,
    floor,
    payment.id,
    (_, __, state) => Effect.succeed({ answer: state }),
    null,
  )

/** What a lane committed to spend, as its next signer is told. */
const spendingOf = (scene: Scene, lane: Transfer.Lane, payment: Payment.Payment) =>
  Effect.map(stateOf(scene, lane, payment), ({ spending }) => spending)

/** Signs a transaction that may cost so much, and answers what its signer was told. */
const spend = (
  { storage }: Scene,
  lane: Transfer.Lane,
  payment: Payment.Payment,
  fee: Pick<Transfer.Relayed, "signedAt" | "feeMax">,
) =>
  storage.modifyPaymentInLane(
    lane,
    0,
    payment.id,
    (current, nonce, { spending }: LaneState) =>
      Effect.succeed({
        answer: spending,
        change: Change.make(current, now, { relayed: Fixtures.relayed(lane, nonce, fee) }),
      }),
    null,
  )

const hourInMs = 3_600_000

const noncesOf = (sent: ReadonlyArray<Transfer.Relayed>): ReadonlyArray<number> =>
  sent.map((each) => each.nonce)

const ascending = (numbers: ReadonlyArray<number>): ReadonlyArray<number> =>
  numbers.toSorted((left, right) => left - right)

/** The numbers of a range that begins at `from`. */
const counting = (from: number, length: number): ReadonlyArray<number> =>
  range(length).map((index) => from + index)

export const lanes = (it: It): void => {
  it.effect("begins at the floor, and is empty before", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), [])
      const payment = yield* create()
      assert.strictEqual(yield* send(scene, world.lane, 7, payment), 7)
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), [
        Fixtures.relayed(world.lane, 7),
      ])
    }),
  )

  it.effect("raises the next nonce to the floor, and never lowers it", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      const nonces: Array<number> = []
      for (const floor of [0, 0, 1, 3, 10, 10, 4, 0, 13]) {
        nonces.push(yield* send(scene, world.lane, floor, payment))
      }
      assert.deepStrictEqual(nonces, [0, 1, 2, 3, 10, 11, 12, 13, 14])
      const sent = yield* storage.laneTransactions(world.lane, 0)
      assert.deepStrictEqual(noncesOf(sent), nonces)
    }),
  )

  it.effect("tells its signer what it gives out next by itself, whatever the floor", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      const nextNonce = (lane: Transfer.Lane) =>
        Effect.map(stateOf(scene, lane, payment, 50), (state) => state.nextNonce)
      assert.isNull(yield* nextNonce(world.lane))
      yield* send(scene, world.lane, 7, payment)
      assert.strictEqual(yield* nextNonce(world.lane), 8)
      yield* send(scene, world.lane, 0, payment)
      assert.strictEqual(yield* nextNonce(world.lane), 9)
      // What takes the place of another one, or fills a gap, gives out nothing.
      yield* place(scene, payment, Fixtures.relayed(world.lane, 3))
      assert.strictEqual(yield* nextNonce(world.lane), 9)
      assert.isNull(yield* nextNonce({ ...world.lane, sender: Fixtures.address(world.next()) }))
      // Where signing fails or is not written, nothing was given out.
      yield* Effect.exit(
        storage.modifyPaymentInLane(world.lane, 20, payment.id, () => Effect.fail("no"), null),
      )
      assert.strictEqual(yield* nextNonce(world.lane), 9)
    }),
  )

  it.effect(
    "tells its signer what an operator let pass of its account, on its chain and mode",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { storage, world, create } = scene
        const payment = yield* create()
        const [chainId, sender] = [yield* unusedChain(storage), world.lane.sender]
        const lane = { chainId, sender }
        const acceptedNonce = (of: Transfer.Lane) =>
          Effect.map(stateOf(scene, of, payment), (state) => state.acceptedNonce)
        const stop = (mode: Mode.Mode, untilNonce: number) =>
          storage.modifyChainState(mode, chainId, (current) =>
            ChainState.haltForeign(current, { sender, fromNonce: 3, untilNonce }, now),
          )
        const resume = (mode: Mode.Mode) =>
          storage.modifyChainState(mode, chainId, ChainState.resume)
        assert.strictEqual(yield* acceptedNonce(lane), 0)
        yield* stop("live", 9)
        yield* resume("live")
        yield* stop("test", 5)
        assert.strictEqual(yield* acceptedNonce(lane), 0)
        yield* resume("test")
        assert.strictEqual(yield* acceptedNonce(lane), 5)
        const others = [
          { ...lane, chainId: yield* unusedChain(storage) },
          { ...lane, sender: Fixtures.address(world.next()) },
        ]
        for (const other of others) assert.strictEqual(yield* acceptedNonce(other), 0)
      }),
  )

  it.effect("reads what was sent from a nonce on, in order", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      for (const _ of range(12)) yield* send(scene, world.lane, 5, payment)
      const expected = counting(5, 12).map((nonce) => Fixtures.relayed(world.lane, nonce))
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), expected)
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 5), expected)
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 6), expected.slice(1))
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 16), expected.slice(-1))
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 17), [])
    }),
  )

  it.effect(
    "M15: gives each of many transactions at once a nonce of its own, without gaps",
    () =>
      Effect.gen(function* () {
        for (const _ of range(Counts.of({ usual: 2, full: 50 }))) {
          const scene = yield* begin
          const { storage, world, createMany } = scene
          const payments = yield* createMany(20)
          const nonces = yield* atOnce(range(100), (index) => {
            const payment = payments[index % 20]
            return payment === undefined
              ? Effect.die("no payment")
              : send(scene, world.lane, 3, payment)
          })
          assert.deepStrictEqual(ascending(nonces), counting(3, 100))
          assert.deepStrictEqual(
            yield* storage.laneTransactions(world.lane, 0),
            counting(3, 100).map((nonce) => Fixtures.relayed(world.lane, nonce)),
          )
          for (const { id } of payments) {
            assert.strictEqual((yield* storage.payment(id)).revision, 6)
          }
        }
      }),
    timeout,
  )

  it.effect("counts each lane by itself: by its account, and by its chain", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
      const payments = yield* createMany(10)
      const ways: ReadonlyArray<Transfer.Lane> = [
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
          noncesOf(yield* storage.laneTransactions(lane, 0)),
          counting(which * 100, 20),
        )
      }
    }),
  )

  it.effect("lets one lane go on while another one signs", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
      const [slow, quick] = yield* createMany(2)
      if (slow === undefined || quick === undefined) return assert.fail("no payments")
      const began = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        storage.modifyPaymentInLane(
          world.lane,
          0,
          slow.id,
          Effect.fnUntraced(function* (current, nonce) {
            yield* Deferred.succeed(began, undefined)
            yield* Deferred.await(release)
            return yield* signing(world.lane)(current, nonce)
          }),
          null,
        ),
      )
      yield* Deferred.await(began)
      assert.strictEqual(yield* send(scene, Fixtures.lane(world.next()), 0, quick), 0)
      yield* Deferred.succeed(release, undefined)
      assert.strictEqual(yield* Fiber.join(fiber), 0)
    }),
  )

  it.effect.each([
    { name: "fails", sign: Effect.fail({ _tag: "Refused" as const }) },
    { name: "dies", sign: Effect.die("a defect") },
    { name: "is interrupted", sign: Effect.interrupt },
    { name: "changes nothing", sign: Effect.succeed({ answer: 0, change: null }) },
    { name: "has no change", sign: Effect.succeed({ answer: 0 }) },
  ])("takes no nonce for a signing that $name", ({ sign }) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 0)
      const before = yield* storage.payment(payment.id)
      const exit = yield* Effect.exit(
        storage.modifyPaymentInLane(world.lane, 0, payment.id, () => sign, null),
      )
      const expected = yield* Effect.exit(sign)
      assert.strictEqual(Exit.isSuccess(exit), Exit.isSuccess(expected))
      assert.deepStrictEqual(yield* storage.payment(payment.id), before)
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 1)
      assert.deepStrictEqual(noncesOf(yield* storage.laneTransactions(world.lane, 0)), [0, 1])
    }),
  )

  it.effect("takes no nonce for a change without a transaction", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      const changed = yield* storage.modifyPaymentInLane(
        world.lane,
        0,
        payment.id,
        (current) => Effect.fromResult(changing({})(current)),
        null,
      )
      assert.deepStrictEqual(yield* storage.payment(payment.id), changed)
      assert.strictEqual(changed.revision, payment.revision + 1)
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 0)
    }),
  )

  it.effect("leaves the lane to others when a signer is stopped", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      const began = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        storage.modifyPaymentInLane(
          world.lane,
          0,
          payment.id,
          () => Effect.andThen(Deferred.succeed(began, undefined), Effect.never),
          null,
        ),
      )
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 0)
      assert.deepStrictEqual(noncesOf(yield* storage.laneTransactions(world.lane, 0)), [0])
    }),
  )

  it.effect("has no gaps where some of many fail", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
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
      const outcomes = yield* atOnce(payments, (payment, index) =>
        Effect.result(
          storage.modifyPaymentInLane(
            world.lane,
            0,
            payment.id,
            (
              current,
              nonce,
            ):
              | ReturnType<ReturnType<typeof signing>>
              | Effect.Effect<never, { readonly _tag: "Refused" }> =>
              index % 3 === 0
                ? Effect.fail({ _tag: "Refused" as const })
                : signing(world.lane, index % 3 === 1 ? { claims: claim } : {})(current, nonce),
            null,
          ),
        ),
      )
      const nonces = outcomes.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
      // All those of the third kind, and one of the 33 that claim the same transfer.
      assert.strictEqual(nonces.length, 34)
      assert.deepStrictEqual(ascending(nonces), counting(0, 34))
      assert.deepStrictEqual(
        noncesOf(yield* storage.laneTransactions(world.lane, 0)),
        counting(0, 34),
      )
    }),
  )

  it.effect("signs for the payment as it is when that is stored", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
      const payments = yield* createMany(10)
      yield* Effect.all(
        [
          atOnce(range(50), (index) => {
            const payment = payments[index % 10]
            return payment === undefined
              ? Effect.die("no payment")
              : storage.modifyPaymentInLane(
                  world.lane,
                  0,
                  payment.id,
                  Effect.fnUntraced(function* (current, nonce) {
                    // Others may write meanwhile.
                    yield* Effect.yieldNow
                    yield* Effect.yieldNow
                    return yield* signing(world.lane)(current, nonce)
                  }),
                  null,
                )
          }),
          atOnce(range(50), (index) => {
            const payment = payments[index % 10]
            return payment === undefined
              ? Effect.die("no payment")
              : Effect.andThen(
                  Effect.yieldNow,
                  storage.modifyPayment(payment.id, (current) =>
                    Result.succeed({
                      answer: null,
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
        const payment = yield* storage.payment(id)
        // Created, and ten writes of which none undid another.
        assert.strictEqual(payment.revision, 11)
        assert.strictEqual(payment.referenceId, `${referenceId}+++++`)
      }
      assert.deepStrictEqual(
        noncesOf(yield* storage.laneTransactions(world.lane, 0)),
        counting(0, 50),
      )
    }),
  )

  it.effect("signs with what the caller provides, and answers its failure", () =>
    Effect.gen(function* () {
      const { storage, world, create } = yield* begin
      const { id } = yield* create()
      const failure = yield* Effect.flip(
        storage.modifyPaymentInLane(
          world.lane,
          0,
          id,
          () => Effect.flatMap(Signer, ({ name }) => Effect.fail({ _tag: "Refused", name })),
          null,
        ),
      ).pipe(Effect.provideService(Signer, { name: "a signer" }))
      assert.deepStrictEqual(failure, { _tag: "Refused", name: "a signer" })
    }),
  )

  it.effect("writes with a hold, and only while it is good", () =>
    Effect.gen(function* () {
      const { storage, world, create, makeDue, claimOne, clearDue } = yield* begin
      yield* clearDue("settle")
      const { id } = yield* create()
      yield* makeDue({ id }, { settle: now })
      const stale = yield* claimOne("settle", now, 10)
      const good = yield* claimOne("settle", now + 10, 10)
      const sign = signing(world.lane, { due: { settle: now + 100 } })
      yield* failsWith("LeaseLost", storage.modifyPaymentInLane(world.lane, 0, id, sign, stale))
      assert.strictEqual(yield* storage.modifyPaymentInLane(world.lane, 0, id, sign, good), 0)
      yield* failsWith("LeaseLost", storage.modifyPaymentInLane(world.lane, 0, id, sign, good))
      assert.deepStrictEqual(noncesOf(yield* storage.laneTransactions(world.lane, 0)), [0])
    }),
  )

  it.effect("keeps a transaction's fee and earlier hashes, in its lane and in its payment", () =>
    Effect.gen(function* () {
      const { storage, world, reach } = yield* begin
      const payment = yield* reach("confirmed")
      const relayed = Fixtures.relayed(world.lane, 0, {
        feeMax: Fixtures.quantity(2n ** 200n + 1n),
        earlierHashes: [Fixtures.hash("second"), Fixtures.hash("first")],
      })
      yield* storage.modifyPaymentInLane(
        world.lane,
        0,
        payment.id,
        (current) =>
          Effect.succeed({ answer: null, change: Payment.relay(current, relayed, now, now) }),
        null,
      )
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), [relayed])
      const { state } = yield* storage.payment(payment.id)
      assert.deepStrictEqual(state._tag === "Processing" && state.relayed, relayed)
    }),
  )

  it.effect(
    "a placed transaction replaces the one with its nonce, and takes no other's place",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { storage, world, createMany } = scene
        const [owner, other] = yield* createMany(2)
        if (owner === undefined || other === undefined) return assert.fail("no payments")
        const otherLane = { ...world.lane, chainId: Fixtures.otherChainId }
        for (const lane of [world.lane, otherLane]) {
          for (const _ of range(3)) yield* send(scene, lane, 5, owner)
        }
        const last = Fixtures.relayed(world.lane, 6)
        const next = {
          ...last,
          hash: Fixtures.hash(world.next()),
          feeMax: Fixtures.quantity(7n),
          earlierHashes: Transfer.hashes(last),
        }
        const before = yield* storage.payment(owner.id)
        yield* place(scene, owner, next)
        assert.strictEqual((yield* storage.payment(owner.id)).revision, before.revision + 1)
        const expected = [Fixtures.relayed(world.lane, 5), next, Fixtures.relayed(world.lane, 7)]
        assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), expected)
        assert.deepStrictEqual(
          yield* storage.laneTransactions(otherLane, 0),
          counting(5, 3).map((nonce) => Fixtures.relayed(otherLane, nonce)),
        )
        // Whoever places it, the nonce stays its owner's; and the lane goes on behind its last.
        const third = { ...next, hash: Fixtures.hash(world.next()) }
        yield* place(scene, other, third)
        assert.strictEqual(yield* storage.laneOwner(world.lane, 6), owner.id)
        assert.deepStrictEqual((yield* storage.laneTransactions(world.lane, 6))[0], third)
        assert.deepStrictEqual(yield* storage.laneTransaction(world.lane, 6), third)
        assert.isNull(yield* storage.laneTransaction(world.lane, 4))
        assert.isNull(
          yield* storage.laneTransaction(
            { ...world.lane, sender: Fixtures.address(world.next()) },
            6,
          ),
        )
        assert.strictEqual(yield* send(scene, world.lane, 0, owner), 8)
      }),
  )

  it.effect("a placed transaction fills a gap in order, and is its payment's", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
      const [early, late, filling] = yield* createMany(3)
      if (early === undefined || late === undefined || filling === undefined) {
        return assert.fail("no payments")
      }
      assert.strictEqual(yield* send(scene, world.lane, 2, early), 2)
      assert.strictEqual(yield* send(scene, world.lane, 6, late), 6)
      for (const nonce of [5, 3, 4, 0]) {
        yield* place(scene, filling, Fixtures.relayed(world.lane, nonce))
      }
      assert.deepStrictEqual(
        yield* storage.laneTransactions(world.lane, 0),
        [0, 2, 3, 4, 5, 6].map((nonce) => Fixtures.relayed(world.lane, nonce)),
      )
      const owners = yield* Effect.forEach(range(7), (nonce) =>
        storage.laneOwner(world.lane, nonce),
      )
      assert.deepStrictEqual(owners, [
        filling.id,
        null,
        early.id,
        filling.id,
        filling.id,
        filling.id,
        late.id,
      ])
      assert.strictEqual(yield* send(scene, world.lane, 0, early), 7)
    }),
  )

  it.effect("a placed transaction is written with its change, or not at all", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create, clearDue, makeDue, claimOne } = scene
      yield* clearDue("settle")
      const payment = yield* create()
      assert.strictEqual(yield* send(scene, world.lane, 0, payment), 0)
      const before = yield* spendingOf(scene, world.lane, payment)
      yield* makeDue(payment, { settle: now })
      const stale = yield* claimOne("settle", now, 10)
      yield* claimOne("settle", now + 10, 10)
      const next = Fixtures.relayed(world.lane, 0, {
        hash: Fixtures.hash(world.next()),
        feeMax: Fixtures.quantity(9n),
      })
      const change = changing({ placed: next, due: { settle: null } })
      yield* failsWith("LeaseLost", storage.modifyPayment(payment.id, change, stale))
      assert.deepStrictEqual(yield* storage.laneTransactions(world.lane, 0), [
        Fixtures.relayed(world.lane, 0),
      ])
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), before)
    }),
  )

  it.effect("knows the payment of each nonce, by the lane's account and chain", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
      const payments = yield* createMany(3)
      for (const payment of payments) yield* send(scene, world.lane, 4, payment)
      const owners = yield* Effect.forEach(counting(3, 5), (nonce) =>
        storage.laneOwner(world.lane, nonce),
      )
      assert.deepStrictEqual(owners, [null, ...payments.map(({ id }) => id), null])
      const others = [
        { ...world.lane, chainId: Fixtures.otherChainId },
        { ...world.lane, sender: Fixtures.address(world.next()) },
      ]
      for (const lane of others) assert.isNull(yield* storage.laneOwner(lane, 4))
    }),
  )

  it.effect("adds up what a lane commits to spend in an hour, and begins anew in the next", () =>
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
      // What the hour before came to is told until something is signed: the signer knows what hour it is.
      assert.deepStrictEqual(yield* spent(7n, at + hourInMs), { hour, quantity: big + 8n })
      const next = hour + 1
      assert.deepStrictEqual(yield* spent(1n, at + hourInMs + 1), { hour: next, quantity: 7n })
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), {
        hour: next,
        quantity: 8n,
      })
    }),
  )

  it.effect("counts an outbid by what it may cost more, in the hour in which it is signed", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world, create } = scene
      const payment = yield* create()
      const hour = Spending.hourOf(now) + 1
      const version = (name: string, signedAt: number, fee?: bigint) =>
        Fixtures.relayed(world.lane, 0, {
          hash: Fixtures.hash(`${name} of ${world.lane.sender}`),
          signedAt,
          ...(fee !== undefined && { feeMax: Fixtures.quantity(fee) }),
        })
      const at = hour * hourInMs
      const first = version("first", at, 5n)
      const second = version("second", at + 1, 2n ** 130n)
      const third = version("third", at + hourInMs, 2n ** 130n + 3n)
      const cheaper = version("cheaper", at + hourInMs + 1, 1n)
      const free = version("free", at + hourInMs + 2)
      const steps = [
        [second, first, { hour, quantity: 2n ** 130n }],
        [third, second, { hour: hour + 1, quantity: 3n }],
        // Any version may be the one that is mined, so what was counted stays.
        [cheaper, third, { hour: hour + 1, quantity: 3n }],
        [free, cheaper, { hour: hour + 1, quantity: 3n }],
      ] as const
      yield* spend(scene, world.lane, payment, { signedAt: at, feeMax: Fixtures.quantity(5n) })
      for (const [next, last, spent] of steps) {
        yield* place(scene, payment, next, last)
        assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), spent)
      }
    }),
  )

  it.effect(
    "counts what was signed before the hour changed and written after it, and forgets nothing",
    () =>
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
        const first = Fixtures.relayed(world.lane, 0, fee(at - 9, 5n))
        const hash = Fixtures.hash(`second of ${world.lane.sender}`)
        const second = Fixtures.relayed(world.lane, 0, { hash, ...fee(at - 1, 8n) })
        yield* spend(scene, world.lane, payment, fee(at - 9, 5n))
        yield* spend(scene, world.lane, payment, fee(at + 1, 100n))
        yield* place(scene, payment, second, first)
        assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), {
          hour,
          quantity: 103n,
        })
        yield* spend(scene, world.lane, payment, fee(at - 1, 20n))
        assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), {
          hour,
          quantity: 123n,
        })
      }),
  )

  it.effect("gives out no nonce that a placed transaction took on an empty lane", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      yield* place(scene, payment, Fixtures.relayed(world.lane, 7))
      assert.strictEqual(yield* send(scene, world.lane, 7, payment), 8)
      assert.deepStrictEqual(noncesOf(yield* storage.laneTransactions(world.lane, 0)), [7, 8])
    }),
  )

  it.effect("counts all that may be spent on filling a gap", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create } = scene
      const payment = yield* create()
      yield* storage.modifyPaymentInLane(world.lane, 2, payment.id, signing(world.lane), null)
      for (const nonce of [0, 1]) {
        const feeMax = Fixtures.quantity(4n)
        yield* place(scene, payment, Fixtures.relayed(world.lane, nonce, { signedAt: now, feeMax }))
      }
      assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), {
        hour: Spending.hourOf(now),
        quantity: 8n,
      })
    }),
  )

  it.effect("counts what each lane spends by itself", () =>
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
        assert.deepStrictEqual(yield* spendingOf(scene, lane, payment), {
          hour: Spending.hourOf(now),
          quantity: 2n * BigInt(index + 1),
        })
      }
    }),
  )

  it.effect("spends nothing for a signing that fails, changes nothing or is not written", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, create, clearDue, makeDue, claimOne } = scene
      yield* clearDue("settle")
      const payment = yield* create()
      yield* makeDue(payment, { settle: now })
      const stale = yield* claimOne("settle", now, 10)
      yield* claimOne("settle", now + 10, 10)
      const feeMax = Fixtures.quantity(5n)
      yield* spend(scene, world.lane, payment, { signedAt: now, feeMax })
      const spent = { hour: Spending.hourOf(now), quantity: 5n }
      const attempts = [
        [() => Effect.fail({ _tag: "Refused" as const }), null],
        [() => Effect.succeed({ answer: null, change: null }), null],
        [
          (current: Payment.Payment, nonce: number) =>
            Effect.succeed({
              answer: null,
              change: Change.make(current, now, {
                due: { settle: null },
                relayed: Fixtures.relayed(world.lane, nonce, { feeMax }),
              }),
            }),
          stale,
        ],
      ] as const
      for (const [sign, hold] of attempts) {
        yield* Effect.exit(storage.modifyPaymentInLane(world.lane, 0, payment.id, sign, hold))
        assert.deepStrictEqual(yield* spendingOf(scene, world.lane, payment), spent)
      }
      assert.deepStrictEqual(noncesOf(yield* storage.laneTransactions(world.lane, 0)), [0])
    }),
  )

  it.effect("adds up what many sign and bid more for at once", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { storage, world, createMany } = scene
      const [owner, ...payments] = yield* createMany(21)
      if (owner === undefined) return assert.fail("no payments")
      const [feeMax, higher] = [Fixtures.quantity(3n), Fixtures.quantity(6n)]
      yield* spend(scene, world.lane, owner, { signedAt: now, feeMax })
      const last = Fixtures.relayed(world.lane, 0, { signedAt: now, feeMax })
      const bid = (payment: Payment.Payment) =>
        storage.modifyPaymentInLane(
          world.lane,
          0,
          payment.id,
          (current, _, { spending }) =>
            Effect.as(Effect.yieldNow, {
              answer: spending,
              change: Change.make(current, now, {
                placed: { ...last, feeMax: higher },
                outbid: last,
              }),
            }),
          null,
        )
      const told = yield* atOnce(payments, (payment, index) =>
        index % 2 === 0
          ? bid(payment)
          : spend(scene, world.lane, payment, { signedAt: now, feeMax }),
      )
      // Each was told what the ones before it came to, so that a limit holds.
      const sums = told.map(({ quantity }) => Number(quantity))
      assert.deepStrictEqual(
        ascending(sums),
        range(20).map((index) => 3 + 3 * index),
      )
    }),
  )
}
