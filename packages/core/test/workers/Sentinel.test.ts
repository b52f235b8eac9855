import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@florin/core/domain/books/Audit"
import * as Incoming from "@florin/core/domain/books/Incoming"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Astray from "@florin/core/engine/books/Astray"
import * as Contradictions from "@florin/core/engine/books/Contradictions"
import * as PaidOut from "@florin/core/engine/books/PaidOut"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Retry from "@florin/core/engine/books/Retry"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Stuck from "@florin/core/engine/status/Stuck"
import { Chains } from "@florin/core/ports/Chain"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Collector from "@florin/core/workers/Collector"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets, type Reorg } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import * as Wallet from "@florin/testing/Wallet"
import { Cause, Effect, Exit, Layer, Logger, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { drawing, dying, failsWith, payer, play, shuffling, stranger, tokens, treasury } = Scene

const [only = assert.fail()] = collectingWallets
/** One lane on each chain, so that what a test says of it is said of all. */
const oneLane = { collectingAccounts: () => [only.address] }
const base = tokens.eip3009
const isHalted = (chainId: Caip.ChainId) =>
  Effect.map(Lanes.listHalted("test"), (halted) => halted.some((each) => each.chainId === chainId))

/** What is logged meanwhile. */
const loggedOf = <A, E, R>(level: "Error" | "Warn", effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === level) lines.push(JSON.stringify(message))
    })
    return Effect.map(
      Effect.provide(effect, Logger.layer([logger])),
      (): ReadonlyArray<string> => lines,
    )
  })

const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => loggedOf("Error", effect)

/** What every process does in the seconds after a reorganisation, with blocks meanwhile. */
const rounds = (world: Scene.World, count: number) =>
  Effect.gen(function* () {
    for (let index = 0; index < count; index++) {
      yield* Sentinel.round
      yield* Scene.work
      yield* world.settleAll
      yield* TestClock.adjust("5 seconds")
    }
  })

/** Takes back more than the policy allows: everything since `since`, but for the blocks that came before it. */
const undo = Effect.fnUntraced(function* (
  world: Scene.World,
  chainId: Caip.ChainId,
  since: number,
  how: Reorg = {},
) {
  const head = yield* world.chain.head(chainId)
  const depth = (head?.number ?? 0) - since
  yield* world.chain.reorg(chainId, depth, how)
  return depth
})

const height = (world: Scene.World, chainId: Caip.ChainId) =>
  Effect.map(world.chain.head(chainId), (head) => head?.number ?? 0)

const lossOf = (world: Scene.World, token: Payment.Attempt["option"]["token"]) =>
  Stores.balanceOf(world.ledger, "test", { _tag: "Loss" }, token)

/** Our transactions on a chain: what nodes forget of them, we send again. */
const ours = (world: Scene.World, chainId: Caip.ChainId) =>
  Effect.gen(function* () {
    const lanes = (yield* world.chain.lanes).filter(({ lane }) => lane.chainId === chainId)
    const sent = yield* Effect.forEach(lanes, ({ lane }) => world.lanes.laneTransactions(lane, 0))
    return sent.flat().map(({ hash }) => hash)
  })

/** Another transaction of our account with a nonce that was used. */
const conflicting = Effect.fnUntraced(function* (
  { lane, nonce }: Pick<Lane.Transaction, "lane" | "nonce">,
  token: Caip.Token,
) {
  const chain = (yield* Chains).of("test")
  const quantity = Fixtures.quantity(1n)
  const movement = { token, from: lane.sender, to: lane.sender, quantity }
  return yield* chain.sign(lane, nonce, { _tag: "Send", movement })
})

/** The transaction of ours that made a transfer. */
const relayedOf = Effect.fnUntraced(function* (
  world: Scene.World,
  { movement, txNonce }: Transfer.Evidence,
) {
  const lane = { chainId: movement.token.chainId, sender: movement.from }
  const [relayed] = yield* world.lanes.laneTransactions(lane, txNonce)
  return relayed ?? assert.fail("the transaction was not stored")
})

/** Everything that we send for a payment, and what returns money that was reported for it. */
const outflowsOf = Effect.fnUntraced(function* (world: Scene.World, id: PaymentId.PaymentId) {
  const ids = [
    ...Payment.outflowIds(yield* world.get(id)),
    ...(yield* world.inflowsOf(id)).flatMap(({ state }) =>
      state._tag === "Returning" ? [state.outflowId] : [],
    ),
  ]
  return yield* Effect.forEach(ids, (each) => findOutflow(world.outflows, each))
})

/** The last transfer that a payment had us send. */
const outgoing = Effect.fnUntraced(function* (world: Scene.World, id: PaymentId.PaymentId) {
  const [outflow = assert.fail("there is none")] = (yield* outflowsOf(world, id)).slice(-1)
  const { state } = outflow
  return state._tag === "Paid" ? state.transfer : assert.fail("nothing was sent out")
})

/** Whether a transfer of a payment is looked for again: the payer's, or one of ours. */
const isAudited = Effect.fnUntraced(function* (world: Scene.World, id: PaymentId.PaymentId) {
  const payment = yield* world.get(id)
  const inflows = yield* world.inflowsOf(id)
  return (
    inflows.some(({ missedSince }) => missedSince !== undefined) ||
    [payment, ...(yield* outflowsOf(world, id))].some(
      ({ auditedSince }) => auditedSince !== undefined,
    )
  )
})

describe("Sentinel.round", () => {
  it.effect(
    "remembers a final block of every chain, and a newer one as blocks come",
    play((world) =>
      Effect.gen(function* () {
        const { chain, lanes } = world
        yield* Sentinel.round
        const { chainIds } = (yield* Chains).of("test")
        const marksOf = Effect.map(lanes.chainStates("test"), (states) =>
          states.flatMap(({ chainId, checkpoints }) =>
            chainIds.includes(chainId) ? [checkpoints.length] : [],
          ),
        )
        assert.deepStrictEqual(
          yield* marksOf,
          chainIds.map(() => 1),
        )
        yield* Sentinel.round
        assert.deepStrictEqual(
          yield* marksOf,
          chainIds.map(() => 1),
        )
        yield* chain.mine(8453, 3)
        yield* Sentinel.round
        const states = yield* lanes.chainStates("test")
        const checkpoints =
          states.find(({ chainId }) => chainId === base.chainId)?.checkpoints ?? []
        assert.strictEqual(
          checkpoints[0]?.number,
          (yield* height(world, base.chainId)) - chain.finalityDepth,
        )
        assert.strictEqual(checkpoints.length, 2)
        assert.deepStrictEqual(yield* Lanes.listHalted("test"), [])
      }),
    ),
  )

  it.effect(
    "ignores a reorganisation that the policy allows",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* world.pay(base)
          yield* world.finish
          yield* Sentinel.round
          for (let depth = 1; depth <= 3; depth++) {
            yield* world.chain.reorg(8453, depth)
            assert.deepStrictEqual(yield* errorsOf(rounds(world, 2)), [])
          }
          assert.isFalse(yield* isHalted(base.chainId))
        }),
      { finalityDepth: 3 },
    ),
  )

  for (const deeper of [1, 2, 5, 40]) {
    it.effect(
      `halts a chain after a reorganisation ${deeper} deeper than the policy, and reports it once`,
      play(
        (world) =>
          Effect.gen(function* () {
            yield* world.chain.mine(8453, 50)
            yield* Sentinel.round
            yield* world.chain.reorg(8453, 3 + deeper)
            const both = Effect.all([Sentinel.round, Sentinel.round], {
              concurrency: "unbounded",
            })
            const errors = yield* errorsOf(
              Effect.andThen(shuffling(deeper)(both), rounds(world, 3)),
            )
            // The scene's chain serves both modes, and each has lanes of its own.
            assert.strictEqual(errors.length, 2)
            assert.match(errors[0] ?? "", /chain eip155:8453 is stopped.*resume its lanes/u)
            assert.isTrue(yield* isHalted(base.chainId))
            assert.isFalse(yield* isHalted(Eip155.chainId(10)))
            assert.isTrue(yield* Lanes.resume("test", base.chainId))
            assert.isFalse(yield* Lanes.resume("test", base.chainId))
            assert.deepStrictEqual(yield* errorsOf(rounds(world, 3)), [])
            assert.isFalse(yield* isHalted(base.chainId))
          }),
        { finalityDepth: 3 },
      ),
    )
  }

  it.effect(
    "decides nothing if a node is behind or does not respond",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        yield* chain.mine(8453, 20)
        yield* world.pay(base)
        yield* world.finish
        yield* Sentinel.round
        yield* chain.lag(8453, 10)
        assert.deepStrictEqual(yield* errorsOf(Sentinel.round), [])
        yield* chain.heal
        for (const kind of ["finalCheckpoint", "stands"] as const) {
          yield* chain.fail({ calls: 2, kinds: [kind], chainId: base.chainId })
          assert.deepStrictEqual(yield* errorsOf(Sentinel.round), [])
        }
        assert.deepStrictEqual(yield* Lanes.listHalted("test"), [])
      }),
    ),
  )

  it.effect(
    "checks other chains while one does not respond",
    play((world) =>
      Effect.gen(function* () {
        yield* world.chain.mine(8453, 5)
        yield* Sentinel.round
        yield* world.chain.reorg(8453, 3)
        for (const kind of ["finalCheckpoint", "stands"] as const) {
          yield* world.chain.fail({ calls: 2, kinds: [kind], chainId: Eip155.chainId(1) })
        }
        yield* Sentinel.round
        assert.isTrue(yield* isHalted(base.chainId))
      }),
    ),
  )

  it.effect(
    "finds a missing transfer that is newer than the newest checkpoint, which still exists",
    play((world) =>
      Effect.gen(function* () {
        yield* world.settleAll
        yield* Sentinel.round
        const since = yield* height(world, base.chainId)
        const { id } = yield* world.pay(base)
        yield* world.finish
        const { transfer } = yield* world.succeeded(id)
        yield* undo(world, base.chainId, since)
        yield* Sentinel.round
        assert.isTrue(yield* isHalted(base.chainId))
        yield* rounds(world, 3)
        assert.notStrictEqual((yield* world.succeeded(id)).transfer.blockHash, transfer.blockHash)
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "finds more missing transfers than fit on a page",
    play((world) =>
      Effect.gen(function* () {
        yield* world.settleAll
        const since = yield* height(world, base.chainId)
        yield* world.chain.mine(8453, 5)
        const { option } = yield* world.pay(base)
        // In form only: each rests on a block of its own that is not there.
        const many = yield* Effect.forEach(Array.from({ length: 450 }), (_, index) =>
          Effect.gen(function* () {
            const transfer: Transfer.Log = {
              movement: Scene.movementOf(option),
              txHash: Fixtures.hash(`transaction ${index}`),
              logIndex: 0,
              blockNumber: since + (index % 5),
              blockHash: Fixtures.hash(`block ${index}`),
            }
            yield* world.outflows.modify(
              { outflows: [], payments: [] },
              () =>
                Result.succeed({
                  result: null,
                  write: Incoming.suspend("test", transfer, Scene.now),
                }),
              null,
            )
            return InflowId.of(transfer)
          }),
        )
        yield* Sentinel.round
        const store = yield* InflowStore
        const { chainId } = base
        const missed = yield* store.inflows({ _tag: "Missed", mode: "test", chainId })
        assert.sameMembers(
          missed.map(({ id }) => id),
          many,
        )
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "runs every few seconds while its scope is open, whatever the result of a round",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(Sentinel.layer, scope)
        yield* TestClock.adjust(1)
        const first = yield* chain.calls("finalCheckpoint")
        assert.isAbove(first, 0)
        yield* chain.fail({ calls: 3, kinds: ["finalCheckpoint"] })
        yield* TestClock.adjust("5 seconds")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* chain.calls("finalCheckpoint"), 3 * first)
        yield* Scope.close(scope, Exit.void)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* chain.calls("finalCheckpoint"), 3 * first)
      }),
    ),
  )

  it.effect(
    "S9: watches other chains while one never responds",
    play(() =>
      Effect.gen(function* () {
        const chains = yield* Chains
        const hung = base.chainId
        const looks: Array<Caip.ChainId> = []
        const layer = Sentinel.layer.pipe(
          Layer.provide(
            Layer.succeed(Chains, {
              of: (mode) => ({
                ...chains.of(mode),
                finalCheckpoint: (chainId) => {
                  looks.push(chainId)
                  return chainId === hung ? Effect.never : chains.of(mode).finalCheckpoint(chainId)
                },
              }),
            }),
          ),
        )
        yield* Layer.build(layer)
        yield* TestClock.adjust(1)
        const { length } = looks
        yield* TestClock.adjust("5 seconds")
        yield* TestClock.adjust("5 seconds")
        const later = looks.slice(length)
        assert.notInclude(later, hung)
        const others = new Set(looks.filter((chainId) => chainId !== hung))
        for (const chainId of others) assert.include(later, chainId)
      }).pipe(Effect.scoped),
    ),
  )
})

/** How far a payment came before the reorganisation. */
const points = ["settled", "refunded", "refunded after settlement", "given back"] as const

/** Brings payments of one chain to a point, and answers what was there before. */
const reach = Effect.fnUntraced(function* (world: Scene.World, point: (typeof points)[number]) {
  const token = point === "given back" ? tokens.transfer : base
  yield* world.fund(token, only.address, 10n ** 12n)
  yield* world.settleAll
  yield* Sentinel.round
  const since = yield* height(world, token.chainId)
  if (point === "given back") {
    const signed = yield* world.sign(token)
    yield* Gateway.cancel(world.caller, signed.id)
    yield* failsWith("StateRefused", world.confirm(signed.chosen, signed.outputs))
    yield* world.finish
    yield* world.giveBack(signed.id)
    yield* world.finish
    return { id: signed.id, option: signed.option, since, token }
  }
  const { id, option } = yield* world.pay(token)
  if (point === "refunded") {
    yield* world.finishUntil(({ state }) => state._tag === "Succeeded", id)
  } else yield* world.finish
  if (point !== "settled") yield* world.refund(id)
  yield* world.finish
  return { id, option, since, token }
})

describe("a reorganisation deeper than the policy", () => {
  for (const point of points) {
    it.effect(
      `of a payment that is ${point}: records its new block if its transfer is mined again`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { id, since, token } = yield* reach(world, point)
            const status = yield* world.statusOf(id)
            const before = yield* world.get(id)
            const inflows = yield* world.inflowsOf(id)
            const events = yield* world.typesOf(id)
            yield* undo(world, token.chainId, since)
            yield* rounds(world, 8)
            const after = yield* world.get(id)
            assert.isFalse(yield* isAudited(world, id))
            assert.strictEqual(yield* world.statusOf(id), status)
            assert.deepStrictEqual(yield* world.typesOf(id), events)
            assert.strictEqual(after.stateVersion, before.stateVersion)
            assert.strictEqual(after.state._tag, before.state._tag)
            assert.notDeepEqual(
              [after.state, yield* world.inflowsOf(id)],
              [before.state, inflows],
              "the blocks are others",
            )
            assert.strictEqual(yield* lossOf(world, token), 0n)
            yield* world.audit
            assert.isTrue(yield* isHalted(token.chainId))
          }),
        oneLane,
      ),
    )

    it.effect(
      `of a payment that is ${point}: sends our transactions again that nodes forgot, although the chain is halted`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { id, since, token } = yield* reach(world, point)
            const sent = yield* ours(world, token.chainId)
            yield* undo(world, token.chainId, since, { drop: sent })
            yield* rounds(world, 8)
            assert.isFalse(yield* isAudited(world, id))
            assert.strictEqual(yield* lossOf(world, token), 0n)
            assert.sameMembers([...(yield* ours(world, token.chainId))], [...sent])
            yield* world.audit
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "of a payout that is mined in another version: contradicts no event, as nothing is announced",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, since, token } = yield* reach(world, "settled")
          const mined = yield* relayedOf(world, yield* outgoing(world, id))
          yield* TestClock.adjust("1 hour")
          const bid = yield* (yield* Chains).of("test").outbid(mined)
          if (bid === null) return assert.fail("it is not outbid")
          const state = yield* world.lanes.laneState("test", mined.lane)
          assert.isTrue(yield* world.lanes.placeInLane({ transaction: bid, state }, mined))
          const lane = yield* world.lanes.laneTransactions(mined.lane, 0)
          yield* undo(world, token.chainId, since, {
            drop: [mined.hash],
            conflicting: [...lane.filter(({ nonce }) => nonce < mined.nonce), bid],
          })
          yield* rounds(world, 8)
          const payment = yield* world.get(id)
          assert.strictEqual(Payment.payoutOf(payment)?.txId, bid.hash)
          assert.deepStrictEqual(yield* Contradictions.ofPayment(payment), [])
        }),
      { ...oneLane, outbidAfterInMs: 3_600_000 },
    ),
  )

  it.effect(
    "books a payment whose transfer can never return as a loss, once, and still pays the merchant",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, ledger } = world
          yield* world.fund(base, only.address, 10n ** 12n)
          yield* world.settleAll
          yield* Sentinel.round
          const since = yield* height(world, base.chainId)
          const { id, option } = yield* world.pay(base)
          yield* world.live(
            Collector.drain,
            Effect.map(Effect.orDie(world.statusOf(id)), (status) => status === "succeeded"),
          )
          yield* undo(world, base.chainId, since, { drop: "all" })
          // By now the authorization ran out.
          yield* chain.skew(8453, 3_600_000)
          yield* chain.settle(8453)
          yield* rounds(world, 4)
          const after = yield* world.succeeded(id)
          assert.isDefined(after.lost)
          assert.strictEqual(yield* world.statusOf(id), "succeeded")
          assert.strictEqual(yield* lossOf(world, base), option.quantity + 0n)
          assert.strictEqual(yield* chain.balanceOf(base, payer.address), 1_000_000_000_000n)
          yield* world.auditBooks
          assert.strictEqual((yield* world.succeeded(id)).share.status, "processing")
          assert.strictEqual((yield* world.outflows.openOutflows("test"))[0]?.state._tag, "Waiting")
          assert.isTrue(yield* Lanes.resume("test", base.chainId))
          yield* world.finish
          assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          yield* rounds(world, 3)
          assert.strictEqual(yield* lossOf(world, base), option.quantity + 0n)
          const kinds = (yield* ledger.ledgerOf(id)).map(({ kind }) => kind)
          assert.deepStrictEqual(kinds, ["collect", "lose", "settle"])
          assert.deepStrictEqual(yield* world.typesOf(id), [
            "payment.created",
            "payment.processing",
            "payment.succeeded",
            "payment.settled",
          ])
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "books losses in an order that the ledger allows if the account holds nothing else",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* chain.mine(8453, 5)
          yield* Sentinel.round
          const since = yield* height(world, base.chainId)
          const paid = [yield* world.pay(base), yield* world.pay(base)]
          yield* world.finish
          yield* undo(world, base.chainId, since, { drop: "all" })
          yield* chain.skew(8453, 3_600_000)
          yield* chain.settle(8453)
          const warnings = yield* loggedOf("Warn", rounds(world, 12))
          // A loss that comes too early waits in its own words, and not as a failure of the worker.
          assert.isTrue(warnings.some((line) => line.includes("until the ledger and the chain")))
          assert.isFalse(warnings.some((line) => line.includes("Overdrawn")))
          let lost = 0n
          for (const { id, option } of paid) {
            lost += option.quantity
            const { share } = yield* world.succeeded(id)
            assert.strictEqual(share.status, "held")
            assert.isDefined((yield* world.succeeded(id)).lost)
            assert.isFalse(yield* isAudited(world, id))
          }
          assert.strictEqual(yield* lossOf(world, base), lost)
          assert.strictEqual(yield* chain.balanceOf(base, only.address), 0n)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "books the loss of a payment, and keeps for its lost refund what its merchant paid back of the debt",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, lanes } = world
          const token = tokens.transfer
          yield* world.fund(token, only.address, 10n ** 12n)
          yield* chain.mine(token.chainId, 5)
          yield* Sentinel.round
          const since = yield* height(world, token.chainId)
          const { id, outputs } = yield* world.pay(token)
          yield* world.finish
          yield* world.refund(id)
          yield* world.finish
          const relayed = yield* relayedOf(world, yield* outgoing(world, id))
          // The share of the next payment pays the debt off.
          yield* world.pay(token, stranger)
          yield* world.finish
          const lane = yield* lanes.laneTransactions(relayed.lane, 0)
          yield* undo(world, token.chainId, since, {
            drop: [relayed.hash, outputs[0] ?? ""],
            conflicting: [
              ...lane.filter(({ nonce }) => nonce < relayed.nonce),
              yield* conflicting(relayed, token),
            ],
          })
          yield* chain.transfer(payer.address, token, stranger.address, Fixtures.quantity(1n))
          yield* rounds(world, 8)
          const { charge, lost, refund } = yield* world.succeeded(id)
          assert.isDefined(lost)
          if (refund === null) return assert.fail("there is no refund")
          assert.deepInclude(refund.state, { _tag: "Held", code: "lost" })
          assert.strictEqual(Refund.keptOf(refund), charge.net)
          assert.isFalse(yield* isAudited(world, id))
          assert.deepStrictEqual((yield* Reconciler.check("test")).differences, [])
        }),
      oneLane,
    ),
  )

  for (const [name, decide] of [
    ["accepts", Astray.accept],
    ["releases", Astray.release],
  ] as const) {
    it.effect(
      `S24: books back a payout that moved something else and is gone when an operator ${name} it`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { chain, lanes } = world
            yield* world.fund(base, only.address, 10n ** 12n)
            yield* chain.mine(base.chainId, 5)
            yield* Sentinel.round
            const since = yield* height(world, base.chainId)
            const { id } = yield* world.pay(base)
            yield* world.finishUntil(({ state }) => state._tag === "Succeeded", id)
            yield* chain.setTransferFee(base, 100)
            yield* world.finish
            yield* chain.setTransferFee(base, 0)
            const [held = assert.fail()] = yield* world.outflows.openOutflows("test")
            const { transfer } = Outflow.astrayOf(held) ?? assert.fail("it is not astray")
            const relayed = yield* relayedOf(world, transfer)
            const lane = yield* lanes.laneTransactions(relayed.lane, 0)
            yield* undo(world, base.chainId, since, {
              drop: [relayed.hash],
              conflicting: [
                ...lane.filter(({ nonce }) => nonce < relayed.nonce),
                yield* conflicting(relayed, base),
              ],
            })
            yield* rounds(world, 4)
            yield* decide(held.id)
            yield* rounds(world, 4)
            assert.strictEqual(yield* lossOf(world, base), 0n)
            assert.deepStrictEqual((yield* Reconciler.check("test")).differences, [])
            assert.isFalse(yield* isAudited(world, id))
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "holds a recorded payout that is gone, although its merchant paid the advance in it back",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* world.fund(base, only.address, 10n ** 12n)
          yield* chain.mine(base.chainId, 5)
          yield* Sentinel.round
          const since = yield* height(world, base.chainId)
          const ends = [only.address, base, treasury.address] as const
          const hash = yield* chain.transfer(...ends, Fixtures.quantity(5_000_000n))
          yield* world.settleAll
          const { outflow, transfer } = yield* PaidOut.recordPayout(hash)
          const { id } = yield* world.pay(base)
          yield* world.finish
          assert.strictEqual((yield* world.succeeded(id)).share.netted, 5_000_000n)
          const lane = { chainId: base.chainId, sender: only.address }
          const other = yield* conflicting({ lane, nonce: transfer.txNonce }, base)
          yield* undo(world, base.chainId, since, { drop: [hash], conflicting: [other] })
          yield* rounds(world, 8)
          const { auditedSince, state } = yield* findOutflow(world.outflows, outflow.id)
          assert.isUndefined(auditedSince)
          assert(state._tag === "Held")
          assert.include(state.reason, "pay that by hand")
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "S24: does not pay again what a recorded payout moved in another amount after the reorganisation",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* world.fund(base, only.address, 10n ** 12n)
          yield* chain.mine(base.chainId, 5)
          yield* Sentinel.round
          const { id } = yield* world.pay(base)
          const isSucceeded = ({ state }: Payment.Payment) => state._tag === "Succeeded"
          yield* world.live(Collector.drain, Effect.map(Effect.orDie(world.get(id)), isSucceeded))
          const since = yield* height(world, base.chainId)
          const before = yield* chain.balanceOf(base, treasury.address)
          const { net } = (yield* world.succeeded(id)).charge
          const ends = [only.address, base, treasury.address] as const
          const hash = yield* chain.transfer(...ends, net)
          yield* world.settleAll
          const { outflow } = yield* PaidOut.recordPayout(hash)
          yield* chain.setTransferFee(base, 100)
          yield* undo(world, base.chainId, since)
          yield* world.settleAll
          yield* chain.setTransferFee(base, 0)
          yield* rounds(world, 4)
          yield* failsWith("Conflict", Retry.held(outflow.id))
          const held = yield* findOutflow(world.outflows, outflow.id)
          const arrived = (yield* chain.balanceOf(base, treasury.address)) - before
          assert.strictEqual(Outflow.astrayOf(held)?.transfer.movement.quantity, arrived)
          // Its claim is free, so an operator can decide.
          yield* Astray.release(outflow.id)
          // The fee is a log of its own: the operator puts back what the account has less than the ledger.
          yield* chain.mint(base, only.address, net / 100n)
          yield* Lanes.resume("test", base.chainId)
          yield* Lanes.resumeToken("test", base)
          yield* rounds(world, 4)
          // Its transaction is not in the lane.
          yield* Lanes.resume("test", base.chainId)
          yield* rounds(world, 8)
          assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          assert.strictEqual((yield* chain.balanceOf(base, treasury.address)) - before, net)
        }),
      oneLane,
    ),
  )

  it.effect(
    "books late money with the amount that it has after the reorganisation",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const token = tokens.transfer
          yield* chain.mine(token.chainId, 5)
          yield* Sentinel.round
          const since = yield* height(world, token.chainId)
          const signed = yield* world.sign(token)
          yield* Gateway.cancel(world.caller, signed.id)
          yield* failsWith("StateRefused", world.confirm(signed.chosen, signed.outputs))
          yield* world.finish
          yield* chain.setTransferFee(token, 100)
          yield* undo(world, token.chainId, since)
          yield* rounds(world, 4)
          assert.deepStrictEqual(yield* world.lateOf(signed.id), ["Suspended"])
          assert.deepStrictEqual((yield* Reconciler.check("test")).differences, [])
        }),
      oneLane,
    ),
  )

  it.effect(
    "waits a day for a transfer that only the payer's wallet can send again, then books the loss",
    play(
      (world) =>
        Effect.gen(function* () {
          const token = tokens.transfer
          yield* world.fund(token, only.address, 10n ** 12n)
          yield* world.settleAll
          yield* Sentinel.round
          const since = yield* height(world, token.chainId)
          const { id, option } = yield* world.pay(token)
          yield* world.finishUntil(({ state }) => state._tag === "Succeeded", id)
          yield* undo(world, token.chainId, since, { drop: "all" })
          yield* rounds(world, 3)
          const began = (yield* world.get(id)).auditedSince ?? assert.fail("it is not audited")
          yield* TestClock.setTime(began + Limits.goneAwaitedInMs - 1)
          yield* Auditor.drain
          assert.isUndefined((yield* world.succeeded(id)).lost)
          yield* TestClock.setTime(began + Limits.goneAwaitedInMs + 60_000)
          yield* Auditor.drain
          assert.isDefined((yield* world.succeeded(id)).lost)
          assert.isFalse(yield* isAudited(world, id))
          assert.strictEqual(yield* lossOf(world, token), option.quantity + 0n)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "does not take our transaction for a stranger's with the same nonce",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const { token } = yield* reach(world, "settled")
          yield* Sentinel.round
          const since = yield* height(world, token.chainId)
          const { id, option, outputs } = yield* world.pay(token)
          const handIn = chain.submitAuthorization(option, outputs[0] ?? "", stranger.address)
          yield* handIn
          yield* chain.settle(token.chainId)
          yield* world.finish
          const { transfer } = yield* world.succeeded(id)
          assert.strictEqual(transfer.txNonce, 0)
          assert.notInclude(yield* ours(world, token.chainId), transfer.txHash)
          yield* undo(world, token.chainId, since, { drop: "all" })
          yield* rounds(world, 4)
          assert.isUndefined((yield* world.succeeded(id)).lost)
          assert.isTrue(yield* isAudited(world, id))
          yield* handIn
          yield* rounds(world, 4)
          assert.isFalse(yield* isAudited(world, id))
          assert.strictEqual(yield* lossOf(world, token), 0n)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  for (const [name, isNonceTaken] of [
    ["that the operator recorded", false],
    ["that the operator recorded, and that used the nonce of one of ours", true],
  ] as const) {
    it.effect(
      `finds a payout ${name} in its other block`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { chain } = world
            const { token } = yield* reach(world, "settled")
            const { chainId } = token
            yield* Sentinel.round
            const since = yield* height(world, chainId)
            const { id } = yield* world.pay(token)
            const isThere = Effect.map(world.statusOf(id), (status) => status === "succeeded")
            yield* world.live(Collector.drain, Effect.orDie(isThere))
            const { charge } = yield* world.succeeded(id)
            const to = treasury.address
            const quantity = Fixtures.quantity(charge.net + 1n)
            const dropped: Array<string> = []
            let txHash = ""
            if (isNonceTaken) {
              yield* Scene.payOut
              const lane = { chainId, sender: only.address }
              const [signed = assert.fail()] = (yield* world.lanes.laneTransactions(lane, 0)).slice(
                -1,
              )
              const movement = { token, from: only.address, to, quantity }
              const order = { _tag: "Send", movement } as const
              const other = yield* (yield* Chains).of("test").sign(lane, signed.nonce, order)
              yield* chain.mine(chainId)
              yield* chain.reorg(chainId, 1, { conflicting: [other] })
              dropped.push(signed.hash)
              txHash = other.hash
            } else txHash = yield* chain.transfer(only.address, token, to, quantity)
            yield* world.settleAll
            const { outflow, transfer } = yield* PaidOut.recordPayout(txHash)
            yield* undo(world, chainId, since, { drop: dropped })
            yield* rounds(world, 4)
            const { auditedSince, state } = yield* findOutflow(world.outflows, outflow.id)
            assert.isUndefined(auditedSince)
            if (state._tag !== "Paid") return assert.fail(state._tag)
            assert.strictEqual(state.transfer.txHash, txHash)
            assert.notStrictEqual(state.transfer.blockHash, transfer.blockHash)
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "lets the operator record a payout that reverted, was paid by another, and succeeds on the branch that remained",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const { token } = yield* reach(world, "settled")
          const { id } = yield* world.pay(token)
          const isThere = Effect.map(world.statusOf(id), (status) => status === "succeeded")
          yield* world.live(Collector.drain, Effect.orDie(isThere))
          yield* Sentinel.round
          const since = yield* height(world, token.chainId)
          const lane = { chainId: token.chainId, sender: only.address }
          const lastOf = Effect.map(world.lanes.laneTransactions(lane, 0), (all) => all.at(-1))
          yield* Scene.payOut
          const { hash = "" } = (yield* lastOf) ?? {}
          // It is sent already when the destination is blocked.
          yield* chain.block(treasury.address)
          yield* world.settleAll
          yield* world.finish
          yield* chain.unblock(treasury.address)
          const [held = assert.fail()] = yield* outflowsOf(world, id)
          assert.strictEqual(held.state._tag, "Held")
          yield* Retry.outflow(held.id)
          yield* world.finish
          const before = yield* world.succeeded(id)
          assert.strictEqual(before.share.status, "paid")
          assert.notStrictEqual((yield* lastOf)?.hash, hash)

          yield* undo(world, token.chainId, since)
          yield* rounds(world, 4)
          const { merchant, outflow, paid } = yield* PaidOut.recordPayout(hash)
          assert.deepStrictEqual(paid, [])
          assert.strictEqual(outflow.movement.quantity, before.charge.net)
          assert.strictEqual(
            yield* Stores.balanceOf(
              world.ledger,
              "test",
              { _tag: "Debt", merchantId: merchant.id },
              token,
            ),
            before.charge.net,
          )
          const { message } = yield* Scene.failsWith("Conflict", PaidOut.recordPayout(hash))
          assert.include(message, "already")
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "waits while nodes disagree whether a block exists",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, token } = yield* reach(world, "settled")
          const before = yield* world.get(id)
          const { transfer } = yield* world.succeeded(id)
          const { blockHash, blockNumber } = transfer
          const checkpoint = { number: blockNumber, hash: blockHash }
          yield* Stores.modifyPayment(world.outflows)(id, (current) =>
            Result.succeed({ result: null, change: Audit.request(current, checkpoint, Scene.now) }),
          )
          const chain = (yield* Chains).of("test")
          const denying = { ...chain, stands: () => Effect.succeed(false) }
          yield* Effect.provideService(Auditor.drain, Chains, { of: () => denying })
          const after = yield* world.get(id)
          assert.deepStrictEqual(after.state, before.state)
          assert.isDefined(after.auditedSince)
          yield* world.finish
          assert.isFalse(yield* isAudited(world, id))
          assert.strictEqual(yield* lossOf(world, token), 0n)
        }),
      oneLane,
    ),
  )

  it.effect(
    "finds results of a removed branch that were written after the check",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* world.chain.mine(8453, 10)
          yield* Sentinel.round
          const since = yield* height(world, base.chainId)
          const { id } = yield* world.pay(base)
          yield* world.finishUntil(({ state }) => state._tag === "Processing", id)
          yield* world.settleAll
          yield* world.settleAll
          // A process looks, and the chain is another before it writes.
          const { state } = yield* world.get(id)
          if (state._tag !== "Processing") return assert.fail(`it is ${state._tag}`)
          const { attempt, slot } = state
          const relayed = yield* Relayer.transactionAt(slot ?? assert.fail("it was not signed"))
          const movement = Scene.movementOf(attempt.option)
          const chain = (yield* Chains).of("test")
          const observation = yield* chain.look({ movement, relayed, attempt })
          if (observation._tag !== "Final") return assert.fail(`it is ${observation._tag}`)
          yield* undo(world, base.chainId, since - 5)
          yield* Sentinel.round
          yield* world.chain.mine(8453, 20)
          yield* Stores.modifyPayment(world.outflows)(id, (current) =>
            Result.map(
              PaymentTransition.succeed(current, observation.evidence, null, Scene.now),
              (change) => ({
                result: null,
                change,
              }),
            ),
          )
          yield* Sentinel.round
          assert.isTrue(yield* isAudited(world, id))
          yield* rounds(world, 4)
          assert.isFalse(yield* isAudited(world, id))
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "never gives up one of our transactions that may still be mined, however long it takes",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const { id, since, token } = yield* reach(world, "settled")
          yield* undo(world, token.chainId, since, { drop: "all" })
          yield* chain.halt(token.chainId)
          yield* rounds(world, 3)
          yield* TestClock.adjust(3 * Limits.goneAwaitedInMs)
          yield* Auditor.drain
          assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          assert.isTrue(yield* isAudited(world, id))
        }),
      oneLane,
    ),
  )

  for (const point of points) {
    it.effect(
      `of a payment that is ${point}: holds outgoing money whose nonce another transaction used`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { lanes } = world
            const { id, since, token } = yield* reach(world, point)
            const status = yield* world.statusOf(id)
            const out = yield* outgoing(world, id)
            const relayed = yield* relayedOf(world, out)
            const lane = yield* lanes.laneTransactions(relayed.lane, 0)
            yield* undo(world, token.chainId, since, {
              drop: [relayed.hash],
              conflicting: [
                ...lane.filter(({ nonce }) => nonce < relayed.nonce),
                yield* conflicting(relayed, token),
              ],
            })
            yield* rounds(world, 8)
            const held = yield* world.get(id)
            assert.strictEqual(yield* world.statusOf(id), status)
            if (held.state._tag === "Succeeded") {
              const { entry, refunds } = held.state
              assert.deepInclude(refunds[0]?.state ?? Entry.heldOf(entry), {
                _tag: "Held",
                reason: "after a reorganisation its transaction can never be mined",
              })
            }
            assert.deepStrictEqual(
              (yield* Stuck.list("test")).flatMap(({ paymentIds }) => paymentIds),
              [id],
            )
            yield* world.auditBooks
            yield* Lanes.resume("test", token.chainId)
            if (point === "settled") yield* Settlements.retry(id)
            else if (point === "given back") {
              assert.deepStrictEqual(yield* world.lateOf(id), ["ReturnHeld"])
              yield* world.giveBack(id)
            } else yield* Refunds.retryHeld(id)
            yield* world.finish
            yield* world.auditBooks
            assert.deepStrictEqual(yield* Stuck.list("test"), [])
            assert.strictEqual(yield* world.transfers(out.movement), 1)
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "halts new transactions on the chain until an operator resumes it, and then sends all that waited",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const { since } = yield* reach(world, "settled")
          const late = yield* world.sign(tokens.transfer)
          yield* Gateway.cancel(world.caller, late.id)
          yield* failsWith("StateRefused", world.confirm(late.chosen, late.outputs))
          const waiting = yield* world.sign(base)
          const elsewhere = yield* world.sign(tokens.permit2)
          yield* chain.settle(1)
          yield* undo(world, base.chainId, since)
          yield* rounds(world, 4)
          const sent = yield* ours(world, base.chainId)
          yield* world.confirm(waiting.chosen, waiting.outputs)
          yield* world.confirm(elsewhere.chosen, elsewhere.outputs)
          yield* rounds(world, 4)
          assert.deepStrictEqual(yield* ours(world, base.chainId), sent)
          assert.strictEqual(yield* world.statusOf(waiting.id), "processing")
          // Other chains go on, and only they are offered.
          assert.strictEqual(yield* world.statusOf(elsewhere.id), "succeeded")
          const { id } = yield* world.create()
          const accounts = [8453, 10].map((chainId) => `eip155:${chainId}:${payer.address}`)
          const offered = (yield* world.options(id, accounts)).options ?? []
          assert.isAbove(offered.length, 0)
          assert.isTrue(offered.every(({ option }) => option.token.chainId === Eip155.chainId(10)))
          // A live chain of the same number is another one.
          yield* Lanes.resume("live", base.chainId)
          assert.isTrue(yield* isHalted(base.chainId))
          yield* Lanes.resume("test", base.chainId)
          const again = (yield* world.options(id, accounts)).options ?? []
          assert.isTrue(again.some(({ option }) => option.token.chainId === base.chainId))
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(waiting.id), "succeeded")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "returns nothing from suspense while the chain is halted",
    play(
      (world) =>
        Effect.gen(function* () {
          const token = tokens.transfer
          const signed = yield* world.sign(token)
          yield* Gateway.cancel(world.caller, signed.id)
          yield* failsWith("StateRefused", world.confirm(signed.chosen, signed.outputs))
          yield* world.finish
          yield* world.chain.mine(token.chainId, 3)
          yield* Sentinel.round
          yield* world.chain.reorg(token.chainId, 2)
          yield* Sentinel.round
          const sent = yield* ours(world, token.chainId)
          yield* world.giveBack(signed.id)
          yield* rounds(world, 4)
          assert.deepStrictEqual(yield* ours(world, token.chainId), sent)
          yield* Lanes.resume("test", token.chainId)
          yield* world.finish
          assert.deepStrictEqual(yield* world.lateOf(signed.id), ["ReturnPaid"])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "removes suspended money that never came again, and books a loss if it had been returned",
    play(
      (world) =>
        Effect.gen(function* () {
          const token = tokens.transfer
          for (const isReturned of [false, true]) {
            yield* world.fund(token, only.address, 10n ** 12n)
            yield* world.settleAll
            yield* Sentinel.round
            const since = yield* height(world, token.chainId)
            const signed = yield* world.sign(token)
            const [txHash = ""] = signed.outputs
            yield* Gateway.cancel(world.caller, signed.id)
            yield* failsWith("StateRefused", world.confirm(signed.chosen, signed.outputs))
            yield* world.finish
            if (isReturned) yield* world.giveBack(signed.id)
            yield* world.finish
            yield* undo(world, token.chainId, since, { drop: [txHash] })
            // The wallet sends something else with that nonce.
            yield* world.chain.transfer(
              payer.address,
              token,
              stranger.address,
              Fixtures.quantity(1n),
            )
            yield* rounds(world, 8)
            yield* TestClock.adjust(Limits.goneAwaitedInMs)
            yield* rounds(world, 2)
            assert.deepStrictEqual(yield* world.lateOf(signed.id), ["Gone"])
            assert.strictEqual(
              yield* lossOf(world, token),
              isReturned ? signed.option.quantity + 0n : 0n,
            )
            yield* world.auditBooks
            yield* Lanes.resume("test", token.chainId)
          }
        }),
      oneLane,
    ),
  )
})

const seeds = Counts.of({ usual: 5, full: 2000 })

/** Payments at every point of their lives, a deep reorganisation or several, processes that die, and two of everything. */
const ordeal = (seed: number) =>
  play(
    (world) =>
      Effect.gen(function* () {
        const { chain, payments } = world
        const draw = drawing(seed)
        const chains = [base, tokens.transfer]
        for (const token of chains) yield* world.fund(token, only.address, 10n ** 12n)
        yield* world.settleAll
        yield* Sentinel.round
        const since = yield* Effect.forEach(chains, ({ chainId }) => height(world, chainId))
        const wallets = [Wallet.make(21), Wallet.make(22)]
        const ids: Array<Payment.Payment["id"]> = []
        for (let index = 0; index < 8; index++) {
          const token = chains[draw(2)] ?? base
          const signed = yield* world.sign(token, wallets[draw(2)])
          ids.push(signed.id)
          if (token !== base && draw(3) === 0) yield* Gateway.cancel(world.caller, signed.id)
          yield* Effect.result(world.confirm(signed.chosen, signed.outputs))
          yield* rounds(world, draw(4))
          if (draw(3) === 0) yield* Effect.result(world.refund(signed.id))
          if (draw(2) === 0) {
            yield* Effect.result(world.giveBack(signed.id))
          }
        }
        const before = yield* Effect.forEach(ids, world.statusOf)
        let process = dying(Number.MAX_SAFE_INTEGER, "before")
        for (let times = 1 + draw(3); times > 0; times--) {
          const which = draw(2)
          const { chainId } = chains[which] ?? base
          const deepest = (yield* height(world, chainId)) - (since[which] ?? 0)
          const sent = yield* ours(world, chainId)
          const drop = [[], sent, "all" as const][draw(3)] ?? []
          yield* chain.reorg(chainId, 1 + draw(Math.max(1, deepest)), { drop })
          for (let count = draw(6); count >= 0; count--) {
            if (process.isDead() || draw(3) === 0) {
              process = dying(draw(60), draw(2) === 0 ? "before" : "after")
            }
            const both = Effect.all(
              [Sentinel.round, Sentinel.round, Auditor.drain, Auditor.drain, Scene.work],
              { concurrency: "unbounded", discard: true },
            )
            yield* process.run(shuffling(draw(1000))(both))
            if (draw(2) === 0) yield* world.settleAll
            yield* TestClock.adjust("5 seconds")
          }
        }
        // Time passes, everything is decided, and the operator does what is its to do.
        yield* rounds(world, 12)
        for (const awaitedInMs of [Limits.goneAwaitedInMs, Limits.lateWatchedInMs]) {
          yield* TestClock.adjust(awaitedInMs + 60_000)
          yield* world.settleAll
          yield* rounds(world, 6)
        }
        yield* Effect.forEach(chains, ({ chainId }) => Lanes.resume("test", chainId))
        yield* world.finish
        for (const id of ids) {
          yield* Effect.result(Settlements.retry(id))
          yield* Effect.result(Refunds.retryHeld(id))
        }
        yield* world.finish
        yield* TestClock.adjust("10 minutes")
        yield* world.finish
        yield* world.auditBooks
        let lost = 0
        for (const [index, id] of ids.entries()) {
          const payment = yield* world.get(id)
          assert.isUndefined(payment.auditedSince)
          const status = yield* world.statusOf(id)
          const was = before[index]
          if (was !== "processing" && was !== "requires_action") assert.strictEqual(status, was)
          if (payment.state._tag === "Succeeded" && payment.state.lost !== undefined) {
            lost += 1
          }
        }
        // What rests on a block rests on one that is there.
        for (const { chainId } of chains) {
          const history = yield* chain.history(chainId)
          const page = { fromBlock: 0, after: null, limit: 1000 }
          for (const { checkpoint } of yield* payments.resting("test", chainId, page)) {
            assert.isTrue(history.some(({ blockHash }) => blockHash === checkpoint.hash))
          }
        }
        return lost
      }),
    { ...oneLane, finalityDepth: 1 + (seed % 3) },
  )()

describe("deep reorganisations at any time, with processes that die", () => {
  it.effect(
    "leave books that match the chain, and change no status",
    () =>
      Effect.gen(function* () {
        let lost = 0
        for (let seed = 0; seed < seeds; seed++) {
          lost += yield* ordeal(seed).pipe(
            Effect.catchCause((cause) =>
              Effect.die(new Error(`the ordeal of seed ${seed} failed: ${Cause.pretty(cause)}`)),
            ),
          )
        }
        assert.isAbove(lost, 0, "some are lost")
      }),
    Scene.timeout,
  )
})
