/** Lanes on a chain that does not number an account's transactions: `nonceFloor` answers null there. */
import { assert, describe, it } from "@effect/vitest"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaidOut from "@florin/core/engine/books/PaidOut"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import { Chains } from "@florin/core/ports/Chain"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as HarbourKit from "@florin/testing/harbour/HarbourKit"
import * as Shares from "@florin/testing/Shares"
import { Clock, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { onChains, versionOf } from "../../test-support/bidding.ts"
import * as Scene from "../workers/scene.ts"

const { chainId } = Harbour
const [token = assert.fail()] = Harbour.catalog.assets
  .filter((asset) => asset.token.chainId === chainId && asset.flow === "pledge")
  .map((asset) => asset.token)

const [only, payer, treasury, stranger] = [1, 2, 3, 4].map((seed) => HarbourKit.kit.wallet(seed))
assert(only !== undefined && payer !== undefined)
assert(treasury !== undefined && stranger !== undefined)
const lane: Lane.Lane = { chainId, sender: only.address }

/** One collecting account, so that every payment shares its lane. */
const play = <A, E>(body: (world: Scene.World) => Effect.Effect<A, E, Scene.Ports>) =>
  Scene.play(
    (world) =>
      Effect.gen(function* () {
        yield* Settlements.create({
          tenant: world.tenant,
          merchantId: world.merchant.id,
          settlements: [
            {
              asset: `${chainId}/coin:${token.address}`,
              destination: `${chainId}:${treasury.address}`,
            },
          ],
          idempotencyKey: "harbour",
        })
        yield* body(world)
      }),
    {
      catalog: Harbour.catalog,
      kits: [HarbourKit.kit],
      collectingAccounts: () => [only.address],
      flow: (asset) => asset.flow,
    },
  )

const made = <A>(of: A | null | undefined): A => of ?? assert.fail("there is none")

/** Where the collection of a payment is. */
const slotOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.get(id), ({ state }) =>
    state._tag === "Processing" ? state.slot : assert.fail(`the payment is ${state._tag}`),
  )

const awaitedBy = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.flatMap(slotOf(world, id), (slot) => Relayer.transactionAt(made(slot)))

/** A payment whose collection is signed and broadcast. */
const collecting = Effect.fnUntraced(function* (world: Scene.World) {
  const { id, option } = yield* world.pay(token, payer)
  yield* Collector.drain
  return { id, option, relayed: yield* awaitedBy(world, id) }
})

const noncesOf = (world: Scene.World) =>
  Effect.map(world.lanes.laneTransactions(lane, 0), (stored) => stored.map(({ nonce }) => nonce))

const settled = (world: Scene.World, ids: Iterable<PaymentId.PaymentId>) =>
  Effect.forEach(ids, (id) =>
    Effect.map(world.succeeded(id), ({ share }) => {
      assert.strictEqual(share.status, "paid")
    }),
  )

/** Says what is asked of a node: which transactions are broadcast, outbid and filled. */
const watching = (bid: number | null = null) => {
  const sent: Array<string> = []
  const asked: Array<number> = []
  const filled: Array<number> = []
  return {
    sent,
    asked,
    filled,
    run: onChains((chain) => ({
      broadcast: (relayed) =>
        Effect.suspend(() => {
          sent.push(relayed.hash)
          return chain.broadcast(relayed)
        }),
      outbid: (last) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          asked.push(last.nonce)
          return bid === null ? null : versionOf(last, now, bid, HarbourKit.kit)
        }),
      fill: (of, nonce) =>
        Effect.suspend(() => {
          filled.push(nonce)
          return chain.fill(of, nonce)
        }),
    })),
  }
}

describe("Relayer.send, on a chain without nonces", () => {
  it.effect(
    "numbers the transactions of the lane itself, from 0 on, and signs the number",
    play((world) =>
      Effect.gen(function* () {
        assert.isNull(yield* (yield* Chains).of("test").nonceFloor(lane))
        const first = yield* collecting(world)
        assert.strictEqual(first.relayed.nonce, 0)
        // What is mined counts no more than what waits.
        yield* world.chain.settle(chainId)
        const second = yield* collecting(world)
        const third = yield* world.pay(token, payer)
        yield* world.finish
        yield* settled(world, [first.id, second.id, third.id])
        const nonces = yield* noncesOf(world)
        assert.deepStrictEqual(
          nonces,
          nonces.map((_, index) => index),
        )
        const history = yield* world.chain.history(chainId)
        const mined = history.filter(({ transaction }) => transaction.sender === lane.sender)
        assert.sameMembers(
          mined.map(({ transaction }) => transaction.nonce),
          nonces,
        )
        const { transfer } = yield* world.succeeded(second.id)
        assert.strictEqual(transfer.txNonce, second.relayed.nonce)
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "signs nothing while the chain is halted, and continues with the next number",
    play((world) =>
      Effect.gen(function* () {
        const first = yield* collecting(world)
        // Nothing is offered on a chain that is stopped.
        const { id } = yield* world.pay(token, payer)
        yield* Lanes.stop("test", chainId, "blocks are gone")
        yield* Collector.drain
        assert.isNull(yield* slotOf(world, id))
        const attempt = made(Payment.attemptOf(yield* world.get(id)))
        const send = Relayer.send({
          mode: "test",
          order: { _tag: "Collect", attempt },
          subjects: { outflows: [], payments: [id] },
          commit: () => null,
          lease: null,
        })
        const { message } = yield* Scene.failsWith("SendingHalted", send)
        assert.strictEqual(message, `chain ${chainId}: blocks are gone`)
        assert.deepStrictEqual(yield* noncesOf(world), [0])
        assert.isTrue(yield* Lanes.resume("test", chainId))
        yield* world.finish
        yield* settled(world, [first.id, id])
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "signs an expired transaction again under the next number, and it pays once",
    play((world) =>
      Effect.gen(function* () {
        const [first, second] = [yield* collecting(world), yield* collecting(world)]
        const { hash, nonce } = first.relayed
        assert.strictEqual(nonce, 0)
        yield* world.chain.forget(chainId, hash)
        const ranOut = onChains((chain) => ({
          look: (sought) =>
            sought.relayed?.hash === hash
              ? Effect.succeed({ _tag: "Replaced" as const })
              : chain.look(sought),
        }))
        yield* TestClock.adjust("1 minute")
        yield* ranOut(Collector.drain)
        const again = yield* awaitedBy(world, first.id)
        assert.strictEqual(again.nonce, 2)
        assert.notStrictEqual(again.hash, hash)
        assert.deepStrictEqual(again.earlierHashes ?? [], [])
        assert.include(yield* world.chain.pending(chainId), again.hash)
        // Nobody else is to blame, and the lane keeps what it gave out.
        assert.deepStrictEqual(yield* Lanes.listHalted("test"), [])
        const stored = yield* world.lanes.laneTransactions(lane, 0)
        assert.deepStrictEqual(
          stored.map((each) => each.hash),
          [hash, second.relayed.hash, again.hash],
        )
        yield* world.finish
        yield* settled(world, [first.id, second.id])
        assert.strictEqual(yield* world.transfers(Scene.movementOf(first.option)), 1)
        const { transfer } = yield* world.succeeded(first.id)
        assert.deepStrictEqual([transfer.txHash, transfer.txNonce], [again.hash, 2])
        yield* world.auditBooks
      }),
    ),
  )
})

describe("Relayer.sendAgain, on a chain without nonces", () => {
  const three = Effect.fnUntraced(function* (world: Scene.World) {
    const all = [yield* collecting(world), yield* collecting(world), yield* collecting(world)]
    for (const { relayed } of all) yield* world.chain.forget(chainId, relayed.hash)
    assert.deepStrictEqual(yield* world.chain.pending(chainId), [])
    return all
  })

  it.effect(
    "broadcasts only the given transaction, and fills no gap",
    play((world) =>
      Effect.gen(function* () {
        const all = yield* three(world)
        const [first, second, third] = all.map(({ relayed }) => made(relayed))
        for (const relayed of [third, first, second]) {
          const node = watching()
          yield* node.run(Relayer.sendAgain("test", made(relayed)))
          assert.deepStrictEqual(node.sent, [relayed?.hash])
          assert.deepStrictEqual(node.asked, [])
          assert.deepStrictEqual(node.filled, [])
          // None waits for another.
          yield* world.chain.mine(chainId)
          assert.deepStrictEqual(yield* world.chain.pending(chainId), [])
        }
        assert.deepStrictEqual(yield* noncesOf(world), [0, 1, 2])
        const before = yield* world.lanes.laneTransactions(lane, 0)
        assert.deepStrictEqual(
          before,
          all.map(({ relayed }) => relayed),
        )
        yield* world.finish
        yield* settled(
          world,
          all.map(({ id }) => id),
        )
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "never raises a bid, because two versions of a payout could both be mined",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.pay(token, payer)
        const isSettling = ({ state }: Payment.Payment) =>
          state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "processing"
        const round = Effect.all([Collector.drain, Payer.drain, Sender.drain], { discard: true })
        yield* world.live(
          Effect.andThen(round, TestClock.adjust("1 second")),
          Effect.map(Effect.orDie(world.get(id)), isSettling),
        )
        yield* Sender.drain
        const [, payout] = yield* world.lanes.laneTransactions(lane, 0)
        assert.include(yield* world.chain.pending(chainId), made(payout).hash)
        const node = watching(1)
        yield* TestClock.adjust("1 minute")
        yield* node.run(Relayer.sendAgain("test", made(payout)))
        yield* world.finish
        yield* settled(world, [id])
        const { charge } = yield* world.succeeded(id)
        const moved = {
          token,
          from: lane.sender,
          to: treasury.address,
          quantity: charge.net,
        }
        assert.strictEqual(yield* world.transfers(moved), 1)
        assert.deepStrictEqual(node.asked, [])
        assert.deepStrictEqual(node.sent, [made(payout).hash])
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "sends the same bytes again after a crash, even while the chain is halted",
    play((world) =>
      Effect.gen(function* () {
        const dying = onChains(() => ({ broadcast: () => Effect.interrupt }))
        const { id } = yield* world.pay(token, payer)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(dying(Collector.drain))))
        assert.deepStrictEqual(yield* world.chain.pending(chainId), [])
        const relayed = yield* awaitedBy(world, id)
        yield* Lanes.stop("test", chainId, "blocks are gone")
        const node = watching()
        yield* node.run(Relayer.sendAgain("test", relayed))
        assert.deepStrictEqual(node.sent, [relayed.hash])
        assert.deepStrictEqual(yield* world.chain.pending(chainId), [relayed.hash])
        yield* Lanes.resume("test", chainId)
        yield* world.finish
        yield* settled(world, [id])
        yield* world.auditBooks
      }),
    ),
  )
})

describe("PaidOut.record, on a chain without nonces", () => {
  it.effect(
    "records a payout that was sent by hand, whatever number it has",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.pay(token, payer)
        const isSucceeded = ({ state }: Payment.Payment) => state._tag === "Succeeded"
        yield* world.live(
          Effect.andThen(Collector.drain, TestClock.adjust("1 second")),
          Effect.map(Effect.orDie(world.get(id)), isSucceeded),
        )
        const { charge } = yield* world.succeeded(id)
        const byHand = yield* world.chain.transfer(lane.sender, token, treasury.address, charge.net)
        yield* world.settleAll
        assert.deepStrictEqual(yield* noncesOf(world), [0])
        // Whoever sends by hand need not know what the lane counts: the memo may be that of a collection.
        const numbered = onChains((chain) => ({
          lookLate: (late) =>
            Effect.map(chain.lookLate(late), (observation) =>
              observation._tag === "Final"
                ? { ...observation, evidence: { ...observation.evidence, txNonce: 0 } }
                : observation,
            ),
        }))
        const own = made((yield* world.lanes.laneTransactions(lane, 0))[0])
        const known = yield* Scene.failsWith(
          "Conflict",
          onChains((chain) => ({
            lookLate: (late) =>
              Effect.map(chain.lookLate(late), (observation) =>
                observation._tag === "Final"
                  ? {
                      ...observation,
                      evidence: { ...observation.evidence, txHash: own.hash, txNonce: 0 },
                    }
                  : observation,
              ),
          }))(PaidOut.record(id, byHand)),
        )
        assert.include(known.message, "belongs to another payment")
        yield* numbered(PaidOut.record(id, byHand))
        yield* world.finish
        const { share } = yield* world.succeeded(id)
        assert.strictEqual(share.status === "paid" && share.txHash, byHand)
        yield* world.auditBooks
      }),
    ),
  )
})
