/**
 * Inflows: written once, taken by one payment, and counted exactly.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Incoming from "@florin/core/domain/books/Incoming"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Ledger from "@florin/core/domain/money/Ledger"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Inflows from "@florin/core/ports/InflowStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import { restingOn, unusedChain } from "./Chains.ts"
import { atOnce, begin, failsWith, type It, range, type Scene } from "./Scene.ts"

const { now } = Fixtures

/** Transfers to us in the world's token, on a chain that no other test used. */
const arriving = Effect.fnUntraced(function* (scene: Scene) {
  const { world } = scene
  const chainId = yield* unusedChain(scene)
  const token = { ...world.token, chainId }
  const arrive = (quantity: bigint): Transfer.Log => {
    const name = world.next()
    return {
      movement: {
        token,
        from: Fixtures.address(name),
        to: world.payTo,
        quantity: Fixtures.quantity(quantity),
      },
      txHash: Fixtures.hash(name),
      logIndex: 3,
      blockNumber: 7,
      blockHash: Fixtures.hash(`block ${chainId}`),
    }
  }
  return { arrive, chainId, token }
})

const suspend = ({ put }: Scene, log: Transfer.Log) => put(Incoming.suspend("test", log, now))

const modify = (
  { outflows }: Scene,
  log: Transfer.Log,
  decide: (current: Inflow.Inflow) => Change.Write | null,
) =>
  outflows.modify(
    { outflows: [], payments: [], inflows: [InflowId.of(log)] },
    ({ inflows: [current] }) => {
      const write = current === undefined ? assert.fail("it was not shown") : decide(current)
      return Result.succeed({ result: write !== null, write })
    },
    null,
  )

/** Makes a payment take it, with a change that claims its transfer. */
const take = ({ outflows }: Scene, log: Transfer.Log, { id }: Pick<Payment.Payment, "id">) =>
  outflows.modify(
    { outflows: [], payments: [id], inflows: [InflowId.of(log)] },
    ({ payments: [payment], inflows: [inflow] }) => {
      if (payment === undefined || inflow === undefined) return assert.fail("it was not shown")
      const change = Change.make(payment, now, { claims: [Claim.ofTransfer(log)] })
      const taking = Incoming.take(inflow, change, log, now)
      return Result.succeed({ result: taking !== null, write: taking?.write ?? null })
    },
    null,
  )

const suspense = ({ ledger, world }: Scene, { movement: { token } }: Transfer.Log) =>
  Stores.balanceOf(ledger, "test", { _tag: "Suspense", address: world.payTo }, token)

export const inflowRules = (it: It): void => {
  it.effect("S17: a transfer is booked and claimed once, even if it is found again", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const store = yield* Inflows.InflowStore
      const log = (yield* arriving(scene)).arrive(5n)
      const outcomes = yield* atOnce(range(5), () => Effect.result(suspend(scene, log)))
      assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
      for (const outcome of outcomes) {
        if (Result.isFailure(outcome)) assert.strictEqual(outcome.failure._tag, "ClaimTaken")
      }
      const found = yield* Inflows.inflow(InflowId.of(log))
      assert.deepStrictEqual([found.transfer, found.state._tag], [log, "Suspended"])
      assert.deepStrictEqual(yield* store.inflows({ _tag: "Transaction", txHash: log.txHash }), [
        found,
      ])
      assert.strictEqual(yield* suspense(scene, log), -5n)
      // A payment cannot claim it without the record.
      const payment = yield* scene.create()
      const claiming = Change.make(payment, now, { claims: [Claim.ofTransfer(log)] })
      yield* failsWith("ClaimTaken", scene.put({ payments: [claiming], outflows: [] }))
      yield* failsWith("NotFound", Inflows.inflow(InflowId.of({ ...log, logIndex: 4 })))
    }),
  )

  it.effect("S17: a transfer that a payment already claimed is not booked", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const store = yield* Inflows.InflowStore
      const { arrive } = yield* arriving(scene)
      const [paid, free] = [arrive(5n), arrive(6n)]
      const payment = yield* scene.create()
      const claims = [Claim.ofTransfer(paid)]
      yield* scene.put({ payments: [Change.make(payment, now, { claims })], outflows: [] })
      yield* failsWith("ClaimTaken", suspend(scene, paid))
      const asked = [paid, free].map(Claim.ofTransfer)
      assert.deepStrictEqual(yield* store.unmade(asked), [Claim.ofTransfer(free)])
      assert.deepStrictEqual(yield* store.unmade([]), [])
    }),
  )

  it.effect(
    "S17: one payment takes it over, with its claim and everything that depends on it",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const store = yield* Inflows.InflowStore
        const { arrive, chainId } = yield* arriving(scene)
        const log = arrive(5n)
        yield* suspend(scene, log)
        const resting = Effect.map(restingOn(scene, chainId), (all) => all.map(({ id }) => id))
        assert.deepStrictEqual(yield* resting, [InflowId.of(log)])
        const payments = yield* scene.createMany(4)
        const outcomes = yield* atOnce(payments, (payment) => take(scene, log, payment))
        assert.strictEqual(outcomes.filter(Boolean).length, 1)
        const taker = payments[outcomes.indexOf(true)] ?? assert.fail("nobody took it")
        const { state } = yield* Inflows.inflow(InflowId.of(log))
        assert.deepStrictEqual(state, { _tag: "Taken", paymentId: taker.id })
        assert.deepStrictEqual(yield* resting, [taker.id])
        assert.deepStrictEqual(yield* store.unmade([Claim.ofTransfer(log)]), [])
        assert.strictEqual(yield* suspense(scene, log), 0n)
      }),
  )

  it.effect(
    "an inflow that was reported for a payment is found by it, and no other payment takes it",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const store = yield* Inflows.InflowStore
        const payment = yield* scene.reach("lateSuspended")
        const other = yield* scene.create()
        const [found, ...others] = yield* store.inflows({ _tag: "Payment", paymentId: payment.id })
        if (found === undefined) return assert.fail("it was not found")
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(found.hint, { paymentId: payment.id, partnerId: payment.partnerId })
        assert.isFalse(yield* take(scene, found.transfer, other))
        assert.deepStrictEqual(yield* store.inflows({ _tag: "Payment", paymentId: other.id }), [])
        assert.deepStrictEqual(payment.reports, [])
      }),
  )

  it.effect("lists money in suspense by token and value, with its sum", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const store = yield* Inflows.InflowStore
      const { arrive, chainId, token } = yield* arriving(scene)
      for (const quantity of [1n, 900n, 20n, 3n, 1000n]) yield* suspend(scene, arrive(quantity))
      const worth = (least: bigint, limit = 10) =>
        Effect.map(
          store.inflows({ _tag: "Suspended", mode: "test", token, least, limit }),
          (found) => found.map(({ transfer }) => transfer.movement.quantity),
        )
      assert.sameMembers([...(yield* worth(20n))], [900n, 20n, 1000n].map(Fixtures.quantity))
      assert.strictEqual((yield* worth(0n)).length, 5)
      assert.strictEqual((yield* worth(0n, 2)).length, 2)
      const sums = (yield* store.sums("test")).filter((each) => each.token.chainId === chainId)
      assert.deepStrictEqual(sums, [{ token, count: 5, quantity: 1924n }])
      assert.deepStrictEqual(
        yield* store.inflows({ _tag: "Suspended", mode: "live", token, least: 0n, limit: 9 }),
        [],
      )
    }),
  )

  it.effect(
    "a transfer that is missing after a reorganisation is listed until it is found, or given up",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const store = yield* Inflows.InflowStore
        const { arrive, chainId } = yield* arriving(scene)
        const log = arrive(5n)
        yield* suspend(scene, log)
        const missed = Effect.map(store.inflows({ _tag: "Missed", mode: "test", chainId }), (all) =>
          all.map(({ missedSince }) => missedSince),
        )
        yield* modify(scene, log, (current) => Incoming.miss(current, log.blockHash, now + 1))
        assert.deepStrictEqual(yield* missed, [now + 1])
        const elsewhere = { ...log, blockNumber: 9, blockHash: Fixtures.hash("another block") }
        yield* modify(scene, log, (current) => Incoming.find(current, elsewhere, now + 2))
        assert.deepStrictEqual(yield* missed, [])
        const [resting] = yield* restingOn(scene, chainId)
        assert.deepStrictEqual(resting?.checkpoint, { number: 9, hash: elsewhere.blockHash })
        yield* modify(scene, log, (current) => Incoming.miss(current, elsewhere.blockHash, now + 3))
        yield* modify(scene, log, (current) => Incoming.vanish(current, undefined, now + 4))
        assert.strictEqual((yield* Inflows.inflow(InflowId.of(log))).state._tag, "Gone")
        assert.deepStrictEqual(yield* restingOn(scene, chainId), [])
        assert.deepStrictEqual(yield* missed, [])
        assert.strictEqual(yield* suspense(scene, log), 0n)
      }),
  )

  it.effect("a transfer that was mined again elsewhere counts as it is now", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const store = yield* Inflows.InflowStore
      const { arrive, chainId, token } = yield* arriving(scene)
      const log = arrive(5n)
      yield* suspend(scene, log)
      yield* modify(scene, log, (current) => Incoming.miss(current, log.blockHash, now + 1))
      const again: Transfer.Log = {
        ...log,
        logIndex: 9,
        blockNumber: 9,
        blockHash: Fixtures.hash(`again ${chainId}`),
        movement: { ...log.movement, quantity: Fixtures.quantity(8n) },
      }
      yield* modify(scene, log, (current) => Incoming.find(current, again, now + 2))
      const sums = (yield* store.sums("test")).filter((each) => each.token.chainId === chainId)
      assert.deepStrictEqual(sums, [{ token, count: 1, quantity: 8n }])
      const worth = { _tag: "Suspended", mode: "test", token, least: 6n, limit: 9 } as const
      assert.lengthOf(yield* store.inflows(worth), 1)
      assert.strictEqual(yield* suspense(scene, log), -8n)
      // Another transfer of the transaction is now where this one was.
      const other = { ...log, blockNumber: 9, blockHash: again.blockHash }
      yield* suspend(scene, other)
      const both = yield* store.inflows({ _tag: "Transaction", txHash: log.txHash })
      assert.deepStrictEqual(
        both.map(({ transfer }) => transfer),
        [other, again],
      )
      assert.strictEqual(yield* suspense(scene, log), -13n)
    }),
  )

  it.effect("S17: an operator's record is found by its key, in each mode", () =>
    Effect.gen(function* () {
      const { ledger, world } = yield* begin
      const key = Fixtures.key(world.next())
      assert.deepStrictEqual(yield* ledger.ledgerOf({ key }), [])
      const transaction = Ledger.funding({
        collecting: world.payTo,
        token: world.token,
        quantity: Fixtures.quantity(4n),
      })
      yield* ledger.post("live", key, transaction)
      assert.deepStrictEqual(yield* ledger.ledgerOf({ key }), [transaction])
    }),
  )
}
