import { assert, describe, it } from "@effect/vitest"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as PaidOut from "@florin/core/engine/books/PaidOut"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as LongPoll from "@florin/core/engine/payment/LongPoll"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import { LaneStore } from "@florin/core/ports/LaneStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Ledger from "../../src/domain/money/Ledger.ts"
import * as Scene from "../workers/scene.ts"

const { failsWith, payer, play, stranger, tokens, treasury } = Scene

/** One collecting account, so that every payment shares its lane. */
const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const token = tokens.eip3009
const { chainId } = token
const lane: Lane.Lane = { chainId, sender: only.address }

/** A payment that succeeded, whose share nobody sent yet. */
const collected = Effect.fnUntraced(function* (world: Scene.World) {
  const paid = yield* world.pay(token, payer, { amount: { unit: "iso4217/USD", value: "1250" } })
  const isSucceeded = ({ state }: Payment.Payment) => state._tag === "Succeeded"
  // What nobody does meanwhile is due already: time goes on by itself.
  const round = Effect.andThen(Collector.drain, TestClock.adjust("1 second"))
  yield* world.live(round, Effect.map(Effect.orDie(world.get(paid.id)), isSucceeded))
  return paid
})

const netOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.succeeded(id), ({ charge }) => charge.net)

/** Waits for a change of the payment; `woken` is what it became, at once. */
const waitFor = Effect.fnUntraced(function* (world: Scene.World, id: PaymentId.PaymentId) {
  const before = yield* world.get(id)
  const waiting = yield* Effect.forkChild(
    LongPoll.hold(before, 4000, (each) => each.revision > before.revision),
  )
  yield* TestClock.adjust(1)
  const woken = Effect.gen(function* () {
    yield* TestClock.adjust(1)
    assert.isDefined(waiting.pollUnsafe(), "nobody was woken")
    return yield* Fiber.join(waiting)
  })
  return { woken }
})

/** Sends from the collecting account, of which the ledger is not told; answers the hash. */
const sendElsewhere = (world: Scene.World, to: Transfer.Movement["to"], quantity: bigint) =>
  world.chain.transfer(only.address, token, to, Fixtures.quantity(quantity))

/** Refuses, and leaves the payment as it is. */
const refused = Effect.fnUntraced(function* (
  world: Scene.World,
  id: PaymentId.PaymentId,
  txHash: string,
  why: string,
) {
  const before = yield* world.get(id)
  const { message } = yield* failsWith("Conflict", PaidOut.record(id, txHash))
  assert.include(message, why)
  assert.deepStrictEqual(yield* world.get(id), before)
})

/** Workers find nothing more to send, and ledger and chain agree. */
const sendsNoMore = Effect.fnUntraced(function* (world: Scene.World) {
  const signed = yield* world.lanes.laneTransactions(lane, 0)
  yield* Sender.drain
  yield* world.finish
  assert.deepStrictEqual(yield* world.lanes.laneTransactions(lane, 0), signed)
  yield* world.auditBooks
})

describe("PaidOut.record", () => {
  it.effect(
    "records a payout that only the chain shows, so that it is not sent again, and wakes requests that wait",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          const net = yield* netOf(world, id)
          const before = yield* world.chain.balanceOf(token, treasury.address)
          const hash = yield* sendElsewhere(world, treasury.address, net)
          yield* world.settleAll
          const { woken } = yield* waitFor(world, id)
          const recorded = yield* PaidOut.record(id, hash)
          assert.deepStrictEqual(yield* world.get(id), recorded)
          assert.deepStrictEqual(yield* woken, recorded)
          const { share } = yield* world.succeeded(id)
          if (share.status !== "paid") return assert.fail(share.status)
          assert.strictEqual(share.txHash, hash)
          assert.deepStrictEqual([share.quantity, share.netted], [net, Money.zero])
          assert.include(yield* world.typesOf(id), "payment.settled")
          yield* world.finish
          const after = yield* world.chain.balanceOf(token, treasury.address)
          assert.strictEqual(after, before + net)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "records a refund that only the chain shows",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, option } = yield* collected(world)
          yield* world.refund(id)
          const hash = yield* sendElsewhere(world, payer.address, option.quantity)
          yield* world.settleAll
          yield* PaidOut.record(id, hash)
          const { refund } = yield* world.succeeded(id)
          assert.strictEqual(refund?.state._tag, "Succeeded")
          assert.deepStrictEqual(
            (yield* world.typesOf(id)).filter((type) => type.startsWith("refund")),
            ["refund.pending", "refund.succeeded"],
          )
          yield* sendsNoMore(world)
        }),
      oneLane,
    ),
  )

  it.effect(
    "records a refund to another account by its transfer to that one, and none to the payer",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, option } = yield* collected(world)
          const { mode, partnerId } = yield* world.get(id)
          const tenant = { mode, partnerId }
          const of = {
            paymentId: id,
            destination: Caip.accountKey(stranger.account(chainId)),
          }
          const { statement } = yield* Refunds.statement(tenant, of)
          const proof = payer.signMessage(statement)
          yield* Refunds.request(tenant, { ...of, statement, proof })
          yield* world.chain.mint(token, only.address, option.quantity)
          const back = yield* sendElsewhere(world, payer.address, option.quantity)
          const hash = yield* sendElsewhere(world, stranger.address, option.quantity)
          yield* world.settleAll
          yield* refused(world, id, back, "does not move the money")
          yield* PaidOut.record(id, hash)
          const { refund } = yield* world.succeeded(id)
          assert.strictEqual(refund?.state._tag, "Succeeded")
          const signed = yield* world.lanes.laneTransactions(lane, 0)
          yield* Sender.drain
          assert.deepStrictEqual(yield* world.lanes.laneTransactions(lane, 0), signed)
        }),
      oneLane,
    ),
  )

  it.effect(
    "records only a final transfer of exactly this quantity from our account to this destination",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          const net = yield* netOf(world, id)
          yield* refused(world, id, Fixtures.hash("nothing"), "does not show")
          const less = yield* sendElsewhere(world, treasury.address, net - 1n)
          yield* world.settleAll
          yield* refused(world, id, less, "another amount")
          yield* world.chain.mint(token, only.address, 3n * net)
          const astray = yield* sendElsewhere(world, stranger.address, net)
          yield* world.settleAll
          yield* refused(world, id, astray, "does not move the money")
          const young = yield* sendElsewhere(world, treasury.address, net)
          yield* world.chain.mine(chainId)
          yield* refused(world, id, young, "not final yet")
          yield* world.chain.mint(token, stranger.address, net)
          const foreign = yield* world.chain.transfer(
            stranger.address,
            token,
            treasury.address,
            net,
          )
          yield* world.settleAll
          yield* refused(world, id, foreign, "does not move the money")
          yield* PaidOut.record(id, young)
          yield* refused(world, id, young, "no payout or refund")
        }),
      oneLane,
    ),
  )

  it.effect(
    "refuses a transaction for a second payment, or one that the ledger has",
    play(
      (world) =>
        Effect.gen(function* () {
          const [first, second] = [yield* collected(world), yield* collected(world)]
          const net = yield* netOf(world, first.id)
          const hash = yield* sendElsewhere(world, treasury.address, net)
          yield* world.settleAll
          yield* PaidOut.record(first.id, hash)
          yield* refused(world, second.id, hash, "another payment")

          yield* world.letGoOn(chainId)
          const isSettling = ({ state }: Payment.Payment) =>
            state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "processing"
          const isSent = Effect.map(world.outflows.openOutflows("test"), (open) =>
            open.some(({ state }) => state._tag === "Sent"),
          )
          yield* world.live(Scene.work, Effect.orDie(isSent))
          yield* world.settleAll
          const known = (yield* world.lanes.laneTransactions(lane, 0)).at(-1)
          // Its worker has not looked yet, so nothing claims it.
          const third = yield* collected(world)
          assert.isTrue(isSettling(yield* world.get(second.id)))
          assert.strictEqual(yield* netOf(world, third.id), net)
          yield* refused(
            world,
            third.id,
            known?.hash ?? "",
            "the ledger has the transaction already",
          )
          yield* world.finish
          for (const { id } of [first, second, third]) {
            assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          }
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "refuses a transaction or a nonce that the ledger has, even if a node that is behind does not show it",
    play(
      (world) =>
        Effect.gen(function* () {
          const second = yield* collected(world)
          yield* Scene.payOut
          const third = yield* collected(world)
          // It is final, and its worker has not looked yet.
          yield* world.settleAll
          const [known = assert.fail()] = yield* world.lanes.laneTransactions(lane, 1)
          const port = (yield* Chains).of("test")
          /** Nodes of which one is behind; the ledger may know of the nonce, and not of the very transaction. */
          const asked = (lanes: LaneStore["Service"]) =>
            PaidOut.record(third.id, known.hash).pipe(
              Effect.provideService(Chains, {
                of: () => ({ ...port, look: () => Effect.succeed({ _tag: "Unseen" }) }),
              }),
              Effect.provideService(LaneStore, lanes),
            )
          const knowing = yield* failsWith("Conflict", asked(world.lanes))
          assert.include(knowing.message, "the ledger has the transaction already")
          const other = { ...known, hash: Fixtures.hash("other") }
          const guessing = yield* failsWith(
            "Conflict",
            asked({ ...world.lanes, laneTransactions: () => Effect.succeed([other]) }),
          )
          assert.include(guessing.message, "may still be mined: try again")
          yield* world.finish
          for (const { id } of [second, third]) {
            assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          }
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  for (const [order, first, second] of [
    ["before its refund is asked for", "payout", "request"],
    ["after its refund was asked for", "request", "payout"],
  ] as const) {
    it.effect(
      `records a payout ${order}: the merchant then owes its share`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { id, option } = yield* collected(world)
            const { merchantId, mode } = yield* world.get(id)
            const net = yield* netOf(world, id)
            // What was sent and is not known of: the share to the merchant, and all of it back out of the float.
            const payout = yield* sendElsewhere(world, treasury.address, net)
            yield* world.fund(token, only.address, option.quantity)
            const back = yield* sendElsewhere(world, payer.address, option.quantity)
            yield* world.settleAll
            const steps = {
              payout: PaidOut.record(id, payout),
              request: world.refund(id),
            }
            yield* steps[first]
            yield* steps[second]
            const { refund, share } = yield* world.succeeded(id)
            assert.strictEqual(share.status, "paid")
            assert.isTrue(Refund.drawsOnFloat(refund ?? assert.fail("no refund")))
            assert.strictEqual(refund?.state._tag, "Pending")
            yield* PaidOut.record(id, back)
            assert.strictEqual((yield* world.succeeded(id)).refund?.state._tag, "Succeeded")
            const debtor = { _tag: "Debt", merchantId } as const
            assert.strictEqual(yield* Stores.balanceOf(world.ledger, mode, debtor, token), net)
            yield* sendsNoMore(world)
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "records the transaction of each of two refunds of a payment, in any order",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, option } = yield* collected(world)
          yield* world.refundPart(id, 250n)
          yield* world.refundPart(id, 500n)
          const second = yield* sendElsewhere(world, payer.address, (option.quantity * 2n) / 5n)
          const first = yield* sendElsewhere(world, payer.address, option.quantity / 5n)
          yield* world.settleAll
          yield* PaidOut.record(id, second)
          const statuses = Effect.map(world.succeeded(id), ({ refunds }) =>
            refunds.map(Refund.status),
          )
          assert.deepStrictEqual(yield* statuses, ["pending", "succeeded"])
          yield* PaidOut.record(id, first)
          assert.deepStrictEqual(yield* statuses, ["succeeded", "succeeded"])
        }),
      oneLane,
    ),
  )

  it.effect(
    "records a payout of a whole share after a refund of a part of it was asked for",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          const net = yield* netOf(world, id)
          const payout = yield* sendElsewhere(world, treasury.address, net)
          yield* world.settleAll
          yield* world.refundPart(id, 250n)
          yield* PaidOut.record(id, payout)
          const { refund, share } = yield* world.succeeded(id)
          assert.deepInclude(share, { status: "paid", quantity: net })
          assert.isTrue(Refund.drawsOnFloat(refund ?? assert.fail("no refund")))
        }),
      oneLane,
    ),
  )

  it.effect(
    "records a payout of what a refund left of a share",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* world.refundPart(id, 250n)
          const { charge, refund } = yield* world.succeeded(id)
          const rest = charge.net - (refund?.own ?? 0n)
          const payout = yield* sendElsewhere(world, treasury.address, rest)
          yield* world.settleAll
          yield* PaidOut.record(id, payout)
          // Its account sent what the ledger did not know.
          yield* Sender.drain
          assert.isTrue(yield* Lanes.resume("test", chainId))
          yield* world.finish
          const { refunds, share } = yield* world.succeeded(id)
          assert.deepInclude(share, { status: "paid", quantity: rest })
          assert.deepStrictEqual(refunds.map(Refund.status), ["succeeded"])
          const debtor = { _tag: "Debt", merchantId: world.merchant.id } as const
          const balances = yield* world.ledger.balances("test", token, [debtor])
          assert.strictEqual(Ledger.balanceOf(balances, debtor, token), 0n)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "refuses a payout, and says why, after its refund was recorded as taken from the merchant's share",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, option } = yield* collected(world)
          const payout = yield* sendElsewhere(world, treasury.address, yield* netOf(world, id))
          yield* world.fund(token, only.address, option.quantity)
          const back = yield* sendElsewhere(world, payer.address, option.quantity)
          yield* world.settleAll
          yield* world.refund(id)
          yield* PaidOut.record(id, back)
          yield* refused(world, id, payout, "its refund took the merchant's share back")
        }),
      oneLane,
    ),
  )

  it.effect(
    "replaces a signed transaction with another one only if the signed one can never be mined",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          const net = yield* netOf(world, id)
          const port = (yield* Chains).of("test")
          yield* Scene.payOut
          const ours = (yield* world.lanes.laneTransactions(lane, 0)).at(-1)
          assert.isDefined(ours)
          yield* refused(world, id, Fixtures.hash("nothing"), "may still be mined")
          yield* world.chain.mine(chainId)
          const movement = { token, from: only.address, to: stranger.address }
          const other = yield* port.sign(lane, ours.nonce, {
            _tag: "Send",
            movement: { ...movement, quantity: Fixtures.quantity(10n ** 30n) },
          })
          yield* world.chain.reorg(chainId, 1, { conflicting: [other] })
          yield* world.settleAll
          const hash = yield* sendElsewhere(world, treasury.address, net)
          yield* world.settleAll
          yield* PaidOut.record(id, hash)
          assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
          yield* failsWith("Conflict", PaidOut.record(id, hash))
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "records nothing if a worker signs a transaction again while the chain is asked",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          const net = yield* netOf(world, id)
          const port = (yield* Chains).of("test")
          yield* Scene.payOut
          yield* world.chain.mint(token, only.address, net)
          const hash = yield* sendElsewhere(world, treasury.address, net)
          yield* world.settleAll
          const sent = yield* world.lanes.laneTransactions(lane, 0)
          const movement = { token, from: only.address, to: treasury.address, quantity: net }
          const anew = yield* port.sign(lane, sent.length + 1, { _tag: "Send", movement })
          const [carrying = assert.fail()] = Payment.outflowIds(yield* world.get(id))
          const signAnew = world.outflows.modify(
            { outflows: [carrying], payments: [] },
            Fixtures.decideOn((current) => Outgoing.resend(current, Lane.slotOf(anew), Scene.now)),
            null,
          )
          const busy: Chain["Service"] = {
            ...port,
            look: () => Effect.succeed({ _tag: "Replaced" }),
            lookLate: (late) => Effect.tap(port.lookLate(late), Effect.orDie(signAnew)),
          }
          const { message } = yield* failsWith(
            "Conflict",
            PaidOut.record(id, hash).pipe(Effect.provideService(Chains, { of: () => busy })),
          )
          assert.include(message, "try again")
          assert.strictEqual((yield* world.succeeded(id)).share.status, "processing")
        }),
      oneLane,
    ),
  )
})

describe("PaidOut.recordPayout", () => {
  const treasuryOf = (world: Scene.World) => world.chain.balanceOf(token, treasury.address)
  const debtOf = (world: Scene.World) =>
    Stores.balanceOf(world.ledger, "test", { _tag: "Debt", merchantId: world.merchant.id }, token)

  it.effect(
    "books a batch against the shares that its destination is owed, so that none is sent again, and wakes requests that wait",
    play(
      (world) =>
        Effect.gen(function* () {
          const paid = [yield* collected(world), yield* collected(world), yield* collected(world)]
          const nets = yield* Effect.forEach(paid, ({ id }) => netOf(world, id))
          const before = yield* treasuryOf(world)
          const sum = nets.reduce((all, each) => all + each, 0n)
          const hash = yield* sendElsewhere(world, treasury.address, sum)
          yield* world.settleAll
          const waiting = yield* Effect.forEach(paid, ({ id }) => waitFor(world, id))
          const { paid: recorded, transfer } = yield* PaidOut.recordPayout(hash)
          yield* Effect.forEach(waiting, ({ woken }) => woken)
          assert.strictEqual(transfer.txHash, hash)
          assert.sameMembers(
            recorded.map(({ id }) => id),
            paid.map(({ id }) => id),
          )
          for (const [index, { id }] of paid.entries()) {
            const { share } = yield* world.succeeded(id)
            assert.deepInclude(share, { status: "paid", txHash: hash })
            assert.strictEqual(share.quantity, nets[index])
          }
          assert.strictEqual(yield* debtOf(world), 0n)
          yield* failsWith("Conflict", PaidOut.recordPayout(hash))
          yield* sendsNoMore(world)
          assert.strictEqual((yield* treasuryOf(world)) - before, sum)
        }),
      oneLane,
    ),
  )

  it.effect(
    "pays the oldest shares first, and treats the rest as an advance that the next payout deducts",
    play(
      (world) =>
        Effect.gen(function* () {
          const paid = [yield* collected(world), yield* collected(world), yield* collected(world)]
          const nets = yield* Effect.forEach(paid, ({ id }) => netOf(world, id))
          const sum = nets.reduce((all, each) => all + each, 0n)
          const before = yield* treasuryOf(world)
          const rest = 1_000_000n
          const hash = yield* sendElsewhere(
            world,
            treasury.address,
            (nets[0] ?? 0n) + (nets[1] ?? 0n) + rest,
          )
          yield* world.settleAll
          const { merchant, paid: recorded } = yield* PaidOut.recordPayout(hash)
          assert.sameMembers(
            recorded.map(({ id }) => id),
            paid.slice(0, 2).map(({ id }) => id),
          )
          assert.strictEqual(merchant.id, world.merchant.id)
          assert.strictEqual(yield* debtOf(world), rest)
          yield* world.letGoOn(chainId)
          yield* world.finish
          const { share } = yield* world.succeeded(paid[2]?.id ?? assert.fail())
          assert.deepInclude(share, { status: "paid", netted: Fixtures.quantity(rest) })
          assert.strictEqual(yield* debtOf(world), 0n)
          assert.strictEqual((yield* treasuryOf(world)) - before, sum)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "books a batch that was gathered and not sent, and frees the shares that it did not pay",
    play(
      (world) =>
        Effect.gen(function* () {
          const [first, second] = [yield* collected(world), yield* collected(world)]
          yield* Payer.drain
          const nets = yield* Effect.forEach([first, second], ({ id }) => netOf(world, id))
          const hash = yield* sendElsewhere(world, treasury.address, nets[0] ?? 0n)
          yield* world.settleAll
          yield* PaidOut.recordPayout(hash)
          assert.strictEqual((yield* world.succeeded(first.id)).share.status, "paid")
          assert.strictEqual((yield* world.succeeded(second.id)).share.status, "waiting")
          yield* world.letGoOn(chainId)
          yield* world.finish
          assert.strictEqual((yield* world.succeeded(second.id)).share.status, "paid")
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "S24: records what moved something else only once it moved the amount, as the payout that it is of",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const { id } = yield* collected(world)
          yield* Scene.payOut
          yield* chain.setTransferFee(token, 100)
          yield* world.finish
          yield* chain.setTransferFee(token, 0)
          const [held = assert.fail()] = yield* world.outflows.openOutflows("test")
          const { blockNumber, txHash } = Outflow.astrayOf(held)?.transfer ?? assert.fail()
          // The fee of another token would not be a transfer of its own.
          const chains = yield* Chains
          const of = (mode: Mode.Mode): Chain["Service"] => {
            const outgoing = (hash: string) =>
              Effect.map(chains.of(mode).outgoing(hash), (all) =>
                all.filter(({ to }) => to === treasury.address),
              )
            return { ...chains.of(mode), outgoing }
          }
          yield* world.fund(token, only.address, 10n ** 9n)
          const recording = Effect.provideService(PaidOut.recordPayout(txHash), Chains, { of })
          const { message } = yield* failsWith("Conflict", recording)
          assert.include(message, "another amount")
          yield* world.audit
          // On the branch that remains, it moves what it was to move.
          const head = yield* chain.head(chainId)
          yield* chain.reorg(chainId, (head?.number ?? 0) - blockNumber + 1)
          yield* world.settleAll
          yield* PaidOut.recordPayout(txHash)
          assert.deepInclude((yield* world.succeeded(id)).share, { status: "paid", txHash })
          assert.strictEqual(yield* debtOf(world), 0n)
          yield* sendsNoMore(world)
        }),
      oneLane,
    ),
  )

  it.effect(
    "refuses a transaction that is not one of our payouts, not final, or recorded already",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* Scene.payOut
          const known = (yield* world.lanes.laneTransactions(lane, 0)).at(-1)
          yield* world.settleAll
          const refusedFor = Effect.fnUntraced(function* (hash: string, why: string) {
            const { message } = yield* failsWith("Conflict", PaidOut.recordPayout(hash))
            assert.include(message, why)
          })
          yield* refusedFor(known?.hash ?? "", "the ledger has the transaction already")
          yield* refusedFor(Fixtures.hash("nothing"), "no chain shows a transfer")
          const elsewhere = yield* sendElsewhere(world, stranger.address, 5n)
          yield* world.settleAll
          yield* refusedFor(elsewhere, "no merchant is paid at")
          yield* world.fund(token, only.address, 10n ** 9n)
          const early = yield* sendElsewhere(world, treasury.address, yield* netOf(world, id))
          yield* world.chain.mine(chainId, 1)
          yield* refusedFor(early, "not final yet")
        }),
      oneLane,
    ),
  )
})
