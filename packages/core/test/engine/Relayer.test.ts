import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Change from "@florin/core/domain/payment/Change"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import { Chains, ChainUnavailable, SendingHalted, SigningFailed } from "@florin/core/ports/Chain"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Worker from "@florin/core/workers/Worker"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import { Clock, Deferred, Effect, Exit, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { onChains, versionOf } from "../../test-support/bidding.ts"
import * as Scene from "../workers/scene.ts"

const { play, stranger, tokens } = Scene

/** One collecting account, so that every payment shares its lane. */
const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const token = tokens.eip3009
const { chainId } = token
const lane: Lane.Lane = { chainId, sender: only.address }

const made = <A>(of: A | null | undefined): A => of ?? assert.fail("there is none")

/** Where a payment waits: for its collection or its settlement. */
const slotOf = Effect.fnUntraced(function* (world: Scene.World, id: PaymentId.PaymentId) {
  const { state } = yield* world.get(id)
  if (state._tag === "Processing") return state.slot
  const part = state._tag === "Succeeded" ? Entry.going(state.entry) : undefined
  if (part?._tag !== "Carried") return null
  const outflow = yield* findOutflow(world.outflows, part.outflowId)
  return outflow.state._tag === "Sent" ? outflow.state.slot : null
})

/** The transaction that a payment waits for. */
const awaitedBy = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.flatMap(slotOf(world, id), (slot) => Relayer.transactionAt(made(slot)))

/** A payment whose collection is signed and broadcast. */
const collecting = Effect.fnUntraced(function* (world: Scene.World) {
  const { id, option, outputs } = yield* world.pay(token)
  yield* Collector.drain
  return { id, option, outputs, relayed: yield* awaitedBy(world, id) }
})

/** A payment whose settlement is signed and broadcast. */
const settling = Effect.fnUntraced(function* (world: Scene.World) {
  const { id, option } = yield* world.pay(token)
  // The round that finds the payer's money signs the settlement, too.
  yield* world.finishUntil(({ state }) => state._tag === "Succeeded", id)
  return { id, option, relayed: yield* awaitedBy(world, id) }
})

const sendAgain = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.flatMap(awaitedBy(world, id), (transaction) => Relayer.sendAgain("test", transaction))

/** Signs the collection of a payment, and commits to nothing. */
const signOnly = (payment: Payment.Payment) =>
  Relayer.send({
    mode: payment.mode,
    order: { _tag: "Collect", attempt: made(Payment.attemptOf(payment)) },
    subjects: { outflows: [], payments: [payment.id] },
    commit: () => null,
    lease: null,
  })

/** Bids more for every transaction that it is asked for; `sent` is what goes out, in order. */
const bidding = (bids: Iterable<number> = [1]) => {
  const left = [...bids]
  const asked: Array<number> = []
  const sent: Array<string> = []
  return {
    asked,
    sent,
    run: onChains((chain) => ({
      outbid: (last) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          asked.push(last.nonce)
          const bid = left.shift()
          return bid === undefined ? null : versionOf(last, now, bid)
        }),
      broadcast: (relayed) =>
        Effect.suspend(() => {
          sent.push(relayed.hash)
          return chain.broadcast(relayed)
        }),
    })),
  }
}

/** Dies wherever it would send something. */
const dyingAtBroadcast = onChains(() => ({ broadcast: () => Effect.interrupt }))

/** The first transaction that the lane committed to from a nonce on. */
const firstFrom = (world: Scene.World, nonce: number) =>
  Effect.map(world.lanes.laneTransactions(lane, nonce), ([first]) => made(first))

/** Which transactions of the lane are on the chain, by their nonces. */
const minedOf = (world: Scene.World) =>
  Effect.map(world.chain.history(chainId), (history) =>
    history.filter(({ transaction }) => transaction.sender === lane.sender),
  )

describe("Relayer.send", () => {
  it.effect(
    "logs a warning if no node accepts a transaction, and the payment keeps waiting for it",
    play(
      (world) =>
        Effect.gen(function* () {
          const message = "insufficient funds for gas"
          const refusing = onChains(() => ({
            broadcast: () => new ChainUnavailable({ chainId, message }),
          }))
          const warnings: Array<unknown> = []
          const logger = Logger.make((entry) => {
            if (entry.logLevel === "Warn") warnings.push(entry.message)
          })
          const { id } = yield* world.pay(token)
          yield* refusing(Collector.drain).pipe(Effect.provide(Logger.layer([logger])))
          const { hash, nonce } = yield* awaitedBy(world, id)
          assert.deepStrictEqual(warnings[0], [
            "a transaction was not accepted",
            { ...lane, nonce, hash, message },
          ])
          yield* world.finish
          assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
        }),
      oneLane,
    ),
  )
})

describe("Relayer.send, from an account that delegates", () => {
  it.effect(
    "M15: collects and pays out every payment, with one transaction per block",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* world.chain.delegate(chainId, lane.sender, true)
          const payments = yield* Effect.forEach(Array.from({ length: 5 }), () => world.pay(token))
          yield* Collector.drain
          assert.strictEqual((yield* world.lanes.laneTransactions(lane, 0)).length, 5)
          assert.strictEqual((yield* world.chain.pending(chainId)).length, 1)
          yield* world.finish
          for (const { id } of payments) {
            assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          }
          const blocks = (yield* minedOf(world)).map(({ blockNumber }) => blockNumber)
          assert.strictEqual(new Set(blocks).size, blocks.length)
          assert.deepStrictEqual(yield* Lanes.listHalted("test"), [])
          yield* world.audit
        }),
      oneLane,
    ),
  )
})

/** Nodes that tell nonces too high, `times` times. */
const lying = (by: number, times = Number.MAX_SAFE_INTEGER) => {
  let left = times
  return onChains((chain) => ({
    nonceFloor: (of) =>
      Effect.map(chain.nonceFloor(of), (floor) => {
        const told = (floor ?? 0) + (left > 0 ? by : 0)
        left -= 1
        return told
      }),
  }))
}

/** The lane's account sends something that the ledger is not told of: each moves nothing, and takes a nonce. */
const sendElsewhere = Effect.fnUntraced(function* (world: Scene.World, count: number) {
  for (let sent = 0; sent < count; sent++) {
    yield* world.chain.transfer(
      lane.sender,
      token,
      stranger.address,
      Fixtures.quantity(10n ** 30n + BigInt(sent)),
    )
    yield* world.chain.mine(chainId)
  }
})

describe("Relayer.send, if the account sent transactions that the ledger does not know", () => {
  it.effect(
    "reports them even while the chain is halted for another reason",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* settling(world)
          yield* world.finish
          yield* sendElsewhere(world, 1)
          yield* world.pay(token)
          yield* Lanes.stop("test", chainId, "blocks are gone")
          yield* Collector.drain
          const [halt] = yield* Lanes.listHalted("test")
          assert.strictEqual(
            halt?.reason,
            `blocks are gone; ${ChainState.foreignReason({ ...lane, fromNonce: 2 })}`,
          )
        }),
      oneLane,
    ),
  )

  it.effect(
    "does not believe a single response of a node while another process sends",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* collecting(world)
          yield* world.settleAll
          const [{ id }, other] = [yield* world.pay(token), yield* world.pay(token)]
          let asked = 0
          /** Another process takes the next nonce, and its transaction is mined before the node answers again. */
          const sendMeanwhile = Effect.gen(function* () {
            const chain = (yield* Chains).of("test")
            const movement = { token, from: lane.sender, to: stranger.address }
            const transaction = yield* chain.sign(lane, (yield* chain.nonceFloor(lane)) ?? 0, {
              _tag: "Send",
              movement: { ...movement, quantity: Fixtures.quantity(10n ** 30n) },
            })
            const now = yield* Clock.currentTimeMillis
            const state = yield* world.lanes.laneState("test", lane)
            yield* world.outflows.modify(
              { outflows: [], payments: [other.id] },
              ({ payments }) => {
                const changes = payments.map((current) => Change.make(current, now, {}))
                return Result.succeed({
                  result: undefined,
                  write: { payments: changes, outflows: [] },
                })
              },
              null,
              { transaction, state },
            )
            yield* chain.broadcast(transaction)
            yield* world.chain.mine(chainId)
          })
          const context = yield* Effect.context<Chains>()
          const node = onChains((chain) => ({
            nonceFloor: (of) =>
              Effect.gen(function* () {
                asked += 1
                if (asked === 1) return ((yield* chain.nonceFloor(of)) ?? 0) + 3
                if (asked === 2) {
                  yield* Effect.orDie(Effect.provideContext(sendMeanwhile, context))
                }
                return yield* chain.nonceFloor(of)
              }),
          }))
          const send = signOnly(yield* world.get(id))
          yield* Scene.failsWith("ChainUnavailable", node(send))
          assert.strictEqual(asked, 2)
          assert.deepStrictEqual(yield* Lanes.listHalted("test"), [])
        }),
      oneLane,
    ),
  )
})

describe("Relayer.sendAgain, if the fee bid is raised", () => {
  for (const [name, begin] of [
    ["collection", collecting],
    ["settlement", settling],
  ] as const) {
    it.effect(
      `stores the next version of a ${name}, waits for it, sends it and completes with it`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { id, relayed } = yield* begin(world)
            yield* world.chain.forget(chainId, relayed.hash)
            yield* TestClock.adjust("10 seconds")
            const node = bidding()
            const before = yield* world.get(id)
            yield* node.run(sendAgain(world, id))
            const next = versionOf(relayed, yield* Clock.currentTimeMillis)
            // A higher bid is the lane's own matter.
            assert.deepStrictEqual(yield* world.get(id), before)
            assert.deepStrictEqual(yield* awaitedBy(world, id), next)
            assert.deepStrictEqual(yield* firstFrom(world, next.nonce), next)
            assert.deepStrictEqual(node.sent, [next.hash])
            assert.deepStrictEqual(yield* world.chain.pending(chainId), [next.hash])
            yield* world.finish
            const mined = (yield* minedOf(world)).find((each) => each.hash === next.hash)
            assert.strictEqual(mined?.succeeded, true)
            assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
            yield* world.audit
          }),
        oneLane,
      ),
    )

    it.effect(
      `completes a ${name} if an earlier version of it is mined`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { id, relayed } = yield* begin(world)
            const node = bidding([1, 1])
            for (const _ of [1, 2]) {
              yield* TestClock.adjust("10 seconds")
              yield* node.run(sendAgain(world, id))
            }
            const newest = yield* awaitedBy(world, id)
            assert.deepStrictEqual(Lane.hashes(newest), [...node.sent.toReversed(), relayed.hash])
            for (const hash of node.sent) yield* world.chain.forget(chainId, hash)
            yield* world.chain.settle(chainId)
            yield* world.finish
            const { share, transfer } = yield* world.succeeded(id)
            if (share.status !== "paid") return assert.fail(`it is ${share.status}`)
            const { txHash } = name === "collection" ? transfer : share
            assert.strictEqual(txHash, relayed.hash)
            yield* world.audit
          }),
        oneLane,
      ),
    )

    it.effect(
      `loses nothing in a crash between storing the next version of a ${name} and sending it`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { id, relayed } = yield* begin(world)
            yield* world.chain.forget(chainId, relayed.hash)
            yield* TestClock.adjust("10 seconds")
            const exit = yield* Effect.exit(bidding().run(dyingAtBroadcast(sendAgain(world, id))))
            assert.isTrue(Exit.isFailure(exit))
            const next = yield* awaitedBy(world, id)
            assert.deepStrictEqual(next.earlierHashes, [relayed.hash])
            assert.deepStrictEqual(yield* world.chain.pending(chainId), [])
            yield* TestClock.adjust(Worker.defaults.leaseInMs)
            yield* world.finish
            const hashes = (yield* minedOf(world)).map(({ hash }) => hash)
            assert.include(hashes, next.hash)
            assert.notInclude(hashes, relayed.hash)
            yield* world.audit
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "raises the bid of the first transaction of the lane, whichever payment it belongs to",
    play(
      (world) =>
        Effect.gen(function* () {
          const first = yield* collecting(world)
          const second = yield* collecting(world)
          yield* world.chain.forget(chainId, first.relayed.hash)
          const node = bidding()
          yield* node.run(sendAgain(world, second.id))
          const next = yield* awaitedBy(world, first.id)
          assert.deepStrictEqual(next.earlierHashes, [first.relayed.hash])
          assert.deepStrictEqual(yield* awaitedBy(world, second.id), second.relayed)
          assert.deepStrictEqual(node.asked, [0])
          assert.deepStrictEqual(node.sent, [next.hash, second.relayed.hash])
          yield* world.chain.settle(chainId)
          const mined = (yield* minedOf(world)).map(({ hash }) => hash)
          assert.deepStrictEqual(mined, [next.hash, second.relayed.hash])
          yield* world.finish
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "raises that bid even if the payment of the first transaction has ended without it",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const first = yield* collecting(world)
          const second = yield* collecting(world)
          yield* chain.forget(chainId, first.relayed.hash)
          // A stranger hands in the first authorization: nobody waits for our own transaction any more.
          const [signature = ""] = first.outputs
          yield* chain.submitAuthorization(first.option, signature, stranger.address)
          yield* chain.settle(chainId)
          yield* TestClock.adjust("1 second")
          yield* Collector.drain
          const ended = yield* world.succeeded(first.id)
          const node = bidding()
          yield* node.run(sendAgain(world, second.id))
          const head = yield* firstFrom(world, 0)
          assert.deepStrictEqual(head.earlierHashes, [first.relayed.hash])
          assert.deepStrictEqual(yield* world.succeeded(first.id), ended)
          assert.deepStrictEqual(node.sent, [head.hash, second.relayed.hash])
          yield* world.finish
          for (const { id } of [first, second]) {
            assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          }
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "raises the bid once if two workers try at the same time, and sends only the stored version",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, relayed } = yield* collecting(world)
          yield* world.chain.forget(chainId, relayed.hash)
          const node = bidding([1, 2])
          const both = yield* Deferred.make<void>()
          const together = onChains((chain) => ({
            outbid: (last) =>
              Effect.tap(chain.outbid(last), () =>
                node.asked.length < 2 ? Deferred.await(both) : Deferred.succeed(both, undefined),
              ),
          }))
          const once = node.run(together(sendAgain(world, id)))
          yield* Effect.all([once, once], { concurrency: "unbounded" })
          assert.deepStrictEqual(node.asked, [0, 0])
          const next = yield* awaitedBy(world, id)
          assert.deepStrictEqual(yield* firstFrom(world, 0), next)
          // Who came second sends the version that both began with, which is out anyway.
          assert.sameMembers(node.sent, [next.hash, relayed.hash])
          yield* world.finish
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "sends the stored transactions of the lane up to its own, in order, if the bid stays",
    play(
      (world) =>
        Effect.gen(function* () {
          const all = [
            yield* collecting(world),
            yield* collecting(world),
            yield* collecting(world),
            yield* collecting(world),
          ] as const
          const before = yield* Effect.forEach(all, ({ id }) => world.get(id))
          const node = bidding([])
          yield* node.run(sendAgain(world, all[2].id))
          assert.deepStrictEqual(node.asked, [0])
          assert.deepStrictEqual(
            node.sent,
            all.slice(0, 3).map(({ relayed }) => relayed.hash),
          )
          assert.deepStrictEqual(yield* Effect.forEach(all, ({ id }) => world.get(id)), before)
        }),
      oneLane,
    ),
  )

  it.effect(
    "raises no bid for a transaction that waits behind a gap, or is mined already",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* lying(1)(collecting(world))
          const node = bidding()
          yield* node.run(sendAgain(world, id))
          assert.deepStrictEqual(node.asked, [])
          yield* world.chain.mine(chainId)
          assert.strictEqual((yield* minedOf(world)).length, 2)
          yield* node.run(sendAgain(world, id))
          assert.deepStrictEqual(node.asked, [])
          yield* world.finish
          yield* world.audit
        }),
      oneLane,
    ),
  )
})

/** A collection on a lane that is in use, with a nonce that nodes told too high, and an operator let pass. */
const believed = Effect.fnUntraced(function* (world: Scene.World, by: number) {
  const { id } = yield* world.pay(token)
  yield* lying(by)(
    Effect.gen(function* () {
      yield* Collector.drain
      assert.isTrue(yield* Lanes.resume("test", chainId))
      yield* world.toNextWork
      yield* Collector.drain
    }),
  )
  return yield* awaitedBy(world, id)
})

/** Counts what is signed to fill gaps, by nonce. */
const filling = () => {
  const filled: Array<number> = []
  return {
    filled,
    run: onChains((chain) => ({
      fill: (of, nonce) =>
        Effect.suspend(() => {
          filled.push(nonce)
          return chain.fill(of, nonce)
        }),
    })),
  }
}

describe("Relayer.sendAgain, after a node reported too high a nonce", () => {
  it.effect(
    "stores the transaction that fills a gap before it is sent: after a crash the same bytes are sent",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* lying(1)(collecting(world))
          const node = filling()
          const exit = yield* Effect.exit(node.run(dyingAtBroadcast(sendAgain(world, id))))
          assert.isTrue(Exit.isFailure(exit))
          const filler = yield* firstFrom(world, 0)
          assert.strictEqual(filler.nonce, 0)
          assert.notInclude(yield* world.chain.pending(chainId), filler.hash)
          yield* node.run(world.finish)
          assert.deepStrictEqual(node.filled, [0])
          assert.strictEqual((yield* minedOf(world))[0]?.hash, filler.hash)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "fills no gap if the lane has none before the transaction that waits",
    play(
      (world) =>
        Effect.gen(function* () {
          const first = yield* collecting(world)
          yield* believed(world, 3)
          const node = filling()
          yield* node.run(sendAgain(world, first.id))
          yield* world.chain.settle(chainId)
          yield* node.run(sendAgain(world, first.id))
          assert.deepStrictEqual(node.filled, [])
        }),
      oneLane,
    ),
  )
})

describe("Relayer.send, with an account's spending limit", () => {
  const feeMax = Fixtures.quantity(10n)
  const limited = (limit: bigint) =>
    onChains((chain) => ({
      sign: (...args) => Effect.map(chain.sign(...args), (signed) => ({ ...signed, feeMax })),
      spendPerHour: () => limit,
    }))
  const hourInMs = 3_600_000
  /** Payments whose refund is due now: each of them is a transfer of its own. */
  const owed = Effect.fnUntraced(function* (world: Scene.World, paid: ReadonlyArray<Caip.Token>) {
    const payments = yield* Effect.forEach(paid, (each) => world.pay(each))
    yield* Collector.drain
    yield* world.settleAll
    yield* TestClock.adjust("1 second")
    yield* Collector.drain
    yield* Effect.forEach(payments, ({ id }) => world.refund(id))
    return payments.map(({ id }) => id)
  })
  /** How many refunds are signed. */
  const countOf = (world: Scene.World, ids: ReadonlyArray<PaymentId.PaymentId>) =>
    Effect.map(
      Effect.forEach(ids, world.succeeded),
      (states) => states.filter(({ refund }) => refund?.state._tag !== "Pending").length,
    )

  it.effect(
    "stores and sends nothing over the limit: the work waits until the next hour",
    play(
      (world) =>
        Effect.gen(function* () {
          const { lanes } = world
          const ids = yield* owed(world, [token, token, token, token, token])
          const drain = limited(20n)(Scene.payOut)
          const sent = (yield* lanes.laneTransactions(lane, 0)).length
          yield* drain
          assert.strictEqual(yield* countOf(world, ids), 2)
          const isWaiting = (payment: Payment.Payment) =>
            Payment.refundOf(payment)?.state._tag === "Pending"
          const waiting = (yield* Effect.forEach(ids, world.get)).filter(isWaiting)
          assert.strictEqual(waiting.length, 3)
          assert.strictEqual((yield* lanes.laneTransactions(lane, 0)).length, sent + 2)
          assert.strictEqual((yield* world.chain.lanes)[0]?.broadcast, sent + 2)

          const untilNextHourInMs = hourInMs - ((yield* Clock.currentTimeMillis) % hourInMs)
          yield* TestClock.adjust(untilNextHourInMs - 1)
          yield* drain
          assert.deepStrictEqual((yield* Effect.forEach(ids, world.get)).filter(isWaiting), waiting)
          for (const expected of [4, 5]) {
            yield* TestClock.adjust(1 + Worker.pauseLongestInMs)
            yield* drain
            assert.strictEqual(yield* countOf(world, ids), expected)
            yield* TestClock.adjust(hourInMs)
          }
          yield* world.finish
          for (const id of ids) {
            assert.strictEqual((yield* world.succeeded(id)).refund?.state._tag, "Succeeded")
          }
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "applies the limit to each account separately, and sends nothing from one without a budget",
    play((world) =>
      Effect.gen(function* () {
        const ids = yield* owed(world, [tokens.eip3009, tokens.permit2])
        yield* limited(9n)(Scene.payOut)
        assert.strictEqual(yield* countOf(world, ids), 0)
        yield* TestClock.adjust("1 minute")
        yield* limited(10n)(Scene.payOut)
        assert.strictEqual(yield* countOf(world, ids), 2)
      }),
    ),
  )

  it.effect(
    "names the chain whose limit was reached",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, option } = yield* world.pay(token)
          const { message } = yield* Scene.failsWith(
            "SendingHalted",
            limited(9n)(signOnly(yield* world.get(id))),
          )
          assert.include(message, `chain ${option.token.chainId}`)
        }),
      oneLane,
    ),
  )
})

describe("Relayer.sendAgain, with an account's spending limit", () => {
  /** Ten for each transaction, four more for each next version of it, and three to fill a gap. */
  const priced = (limit: bigint) => {
    const sent: Array<string> = []
    const warnings: Array<unknown> = []
    const logger = Logger.make((entry) => {
      if (entry.logLevel === "Warn") warnings.push(entry.message)
    })
    const chains = onChains((chain) => ({
      sign: (...args) =>
        Effect.map(chain.sign(...args), (signed) => ({ ...signed, feeMax: quantity(10n) })),
      outbid: (last) =>
        Effect.map(Clock.currentTimeMillis, (now) => ({
          ...versionOf(last, now),
          feeMax: quantity((last.feeMax ?? 0n) + 4n),
        })),
      fill: (...args) =>
        Effect.map(chain.fill(...args), (signed) => ({ ...signed, feeMax: quantity(3n) })),
      broadcast: (relayed) =>
        Effect.suspend(() => {
          sent.push(relayed.hash)
          return chain.broadcast(relayed)
        }),
      spendPerHour: () => limit,
    }))
    return {
      sent,
      warnings,
      run: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        chains(effect).pipe(Effect.provide(Logger.layer([logger]))),
    }
  }
  const { quantity } = Fixtures
  const hourInMs = 3_600_000

  it.effect(
    "S16: raises no bid without the account's key, logs a warning, and sends the signed transaction again",
    play(
      (world) =>
        Effect.gen(function* () {
          const node = priced(1000n)
          const { id } = yield* node.run(collecting(world))
          const signed = yield* awaitedBy(world, id)
          const message = "the account has no key in this process"
          const keyless = onChains(() => ({
            outbid: () => new SendingHalted({ chainId, message }),
          }))
          const before = node.sent.length
          yield* node.run(keyless(sendAgain(world, id)))
          assert.deepStrictEqual(node.sent.slice(before), [signed.hash])
          assert.deepStrictEqual(yield* awaitedBy(world, id), signed)
          assert.include(JSON.stringify(node.warnings), message)
        }),
      oneLane,
    ),
  )

  it.effect(
    "S16: sends a signed transaction again although the signer is down or lies",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, relayed } = yield* collecting(world)
          for (const reason of ["unavailable", "untrusted"] as const) {
            const sent: Array<string> = []
            const failing = onChains((chain) => ({
              outbid: () => new SigningFailed({ chainId, reason, message: "the signer failed" }),
              broadcast: (again) =>
                Effect.suspend(() => {
                  sent.push(again.hash)
                  return chain.broadcast(again)
                }),
            }))
            yield* failing(sendAgain(world, id))
            assert.deepStrictEqual(sent, [relayed.hash])
          }
        }),
      oneLane,
    ),
  )

  it.effect(
    "S16: postpones work while the signer is down or lies, stores nothing, and completes it later",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* world.pay(token)
          for (const reason of ["unavailable", "untrusted"] as const) {
            const failing = onChains(() => ({
              sign: () => new SigningFailed({ chainId, reason, message: "the signer failed" }),
            }))
            yield* failing(Collector.drain)
            assert.isNull(yield* slotOf(world, id))
            assert.isEmpty(yield* world.lanes.laneTransactions(lane, 0))
            yield* TestClock.adjust(Worker.pauseLongestInMs)
          }
          yield* world.finish
          assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
        }),
      oneLane,
    ),
  )

  it.effect(
    "raises no bid over the limit: it sends the last version again, and raises it in the next hour",
    play(
      (world) =>
        Effect.gen(function* () {
          const node = priced(14n)
          const { id } = yield* node.run(collecting(world))
          yield* node.run(sendAgain(world, id))
          const second = yield* awaitedBy(world, id)
          assert.strictEqual(second.feeMax, 14n)
          assert.deepStrictEqual(node.warnings, [])
          const before = yield* world.get(id)
          yield* node.run(sendAgain(world, id))
          assert.deepStrictEqual(yield* world.get(id), before)
          assert.deepStrictEqual(yield* firstFrom(world, 0), second)
          assert.strictEqual(node.sent.at(-1), second.hash)
          assert.strictEqual(node.warnings.length, 1)
          assert.include(JSON.stringify(node.warnings), `chain ${chainId}`)
          const untilNextHourInMs = hourInMs - ((yield* Clock.currentTimeMillis) % hourInMs)
          yield* TestClock.adjust(untilNextHourInMs)
          for (const expected of [18n, 22n, 26n, 26n]) {
            yield* node.run(sendAgain(world, id))
            assert.strictEqual((yield* awaitedBy(world, id)).feeMax, expected)
          }
          assert.strictEqual(node.warnings.length, 2)
        }),
      oneLane,
    ),
  )

  it.effect(
    "counts raised bids against the limit of later transactions",
    play(
      (world) =>
        Effect.gen(function* () {
          const node = priced(25n)
          const first = yield* node.run(collecting(world))
          for (const _ of [1, 2]) yield* node.run(sendAgain(world, first.id))
          const { id } = yield* world.pay(token)
          const send = Effect.flatMap(world.get(id), signOnly)
          yield* Scene.failsWith("SendingHalted", node.run(send))
          // 10 for the first, twice 4 more, and 10 for this one.
          yield* priced(28n).run(send)
        }),
      oneLane,
    ),
  )

  it.effect(
    "fills no gap over the limit",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, relayed } = yield* priced(12n).run(lying(1)(collecting(world)))
          assert.strictEqual(relayed.nonce, 1)
          yield* Scene.failsWith("SendingHalted", priced(12n).run(sendAgain(world, id)))
          assert.deepStrictEqual(yield* world.lanes.laneTransactions(lane, 0), [relayed])
          yield* priced(13n).run(sendAgain(world, id))
          assert.strictEqual((yield* firstFrom(world, 0)).feeMax, 3n)
        }),
      oneLane,
    ),
  )
})
