import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Payment from "@florin/core/domain/payment/Payment"
import type * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Astray from "@florin/core/engine/books/Astray"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { failsWith, payer, play, shuffling, stranger, tokens, traces, treasury } = Scene

const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const token = tokens.eip3009

const isSucceeded = ({ state }: Payment.Payment) => state._tag === "Succeeded"

/** A payment that succeeded, and whose share nobody looked at yet. */
const collected = Effect.fnUntraced(function* (
  world: Scene.World,
  request: Partial<PaymentRequest.Request> = {},
) {
  const paid = yield* world.pay(token, payer, request)
  yield* world.live(Collector.drain, Effect.map(Effect.orDie(world.get(paid.id)), isSucceeded))
  return paid
})

const shareOf = (world: Scene.World, id: Payment.Payment["id"]) =>
  Effect.map(world.succeeded(id), ({ share }) => share)

const stuckIds = (world: Scene.World) =>
  Effect.map(world.payments.stuckPayments("test"), (stuck) => stuck.map(({ id }) => id))

/** Runs an effect while no node can say what moved without a log. */
const withoutMoved = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Chains, (chains) => {
    const of = (mode: Mode.Mode): Chain["Service"] => {
      const chain = chains.of(mode)
      const look: Chain["Service"]["look"] = (sought) =>
        Effect.map(chain.look(sought), (observation) => {
          if (observation._tag !== "Impossible") return observation
          const { moved: _, ...rest } = observation
          return rest
        })
      return { ...chain, look }
    }
    return Effect.provideService(effect, Chains, { of })
  })

/** A destination of the merchant's, moved. */
const moveDestination = Effect.fnUntraced(function* (world: Scene.World, to: Caip.Address) {
  const { merchant, accounts, tenant } = world
  const destinations = yield* Stores.destinationsOf(accounts, merchant.id)
  const own = destinations.find((each) => Caip.sameToken(each.token, token))
  const account = Eip155.formatAccount({ chainId: token.chainId, address: to })
  yield* Settlements.changeDestination(tenant, merchant.id, own?.id ?? "", account)
  return own?.id ?? ""
})

describe("Payer", () => {
  it.effect(
    "M19: pays the net to the destination in effect when the share is gathered",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* collected(world)
        yield* world.finish
        yield* moveDestination(world, stranger.address)
        const { charge, share } = yield* world.succeeded(id)
        assert.deepInclude(share, {
          status: "paid",
          quantity: charge.net,
          netted: 0n,
        })
        assert.strictEqual(
          yield* world.chain.balanceOf(token, treasury.address),
          1_000_000_000_000n + charge.net,
        )
        const later = yield* collected(world)
        yield* world.finish
        const next = (yield* world.succeeded(later.id)).charge.net
        assert.strictEqual(
          yield* world.chain.balanceOf(token, stranger.address),
          1_000_000_000_000n + next,
        )
        yield* world.audit
      }),
    ),
  )

  /** Works on what never ends while it is frozen. */
  const someRounds = (world: Scene.World) => {
    let rounds = 0
    return world.live(
      Scene.work,
      Effect.sync(() => ++rounds > 20),
    )
  }

  for (const who of ["merchant", "partner"] as const) {
    const take = (world: Scene.World, measure: "freeze" | "unfreeze") =>
      who === "merchant"
        ? Effect.asVoid(Merchants.take(world.tenant, world.merchant.id, measure))
        : Effect.asVoid(Merchants.takeOfPartner(world.tenant.partnerId, measure))

    /** What money out is after some rounds while it is frozen, and what it becomes afterwards. */
    const frozenAndThen = Effect.fnUntraced(function* <E, R>(
      world: Scene.World,
      stateOf: Effect.Effect<string | undefined, E, R>,
    ) {
      yield* someRounds(world)
      const frozen = yield* stateOf
      yield* world.audit
      yield* take(world, "unfreeze")
      yield* TestClock.adjust("10 minutes")
      yield* world.finish
      const after = yield* stateOf
      yield* world.audit
      return { frozen, after }
    })
    const statusOf = (world: Scene.World, id: Payment.Payment["id"]) =>
      Effect.map(shareOf(world, id), ({ status }) => status)
    const refundTag = (world: Scene.World, id: Payment.Payment["id"]) =>
      Effect.map(world.get(id), (payment) => Payment.refundOf(payment)?.state._tag)

    it.effect(
      `S18: gathers nothing for a frozen ${who}, and pays the share out once that is over`,
      play((world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* take(world, "freeze")
          assert.deepStrictEqual(yield* frozenAndThen(world, statusOf(world, id)), {
            frozen: "waiting",
            after: "paid",
          })
        }),
      ),
    )

    it.effect(
      `S18: sends no payout that was gathered before its ${who} was frozen`,
      play((world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* Payer.drain
          assert.strictEqual(yield* statusOf(world, id), "processing")
          yield* take(world, "freeze")
          assert.deepStrictEqual(yield* frozenAndThen(world, statusOf(world, id)), {
            frozen: "waiting",
            after: "paid",
          })
        }),
      ),
    )

    it.effect(
      `S18: sends no refund of a frozen ${who}`,
      play((world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* take(world, "freeze")
          yield* world.refund(id)
          assert.deepStrictEqual(yield* frozenAndThen(world, refundTag(world, id)), {
            frozen: "Pending",
            after: "Succeeded",
          })
        }),
      ),
    )
  }

  it.effect(
    "S18: still sends a transaction that was signed before the merchant was frozen",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* collected(world)
        yield* Payer.drain
        yield* Sender.drain
        yield* Merchants.take(world.tenant, world.merchant.id, "freeze")
        yield* world.finish
        assert.strictEqual((yield* shareOf(world, id)).status, "paid")
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "M19: pays what it owes to a deleted merchant",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* collected(world)
        yield* Merchants.remove(world.tenant, world.merchant.id)
        yield* world.finish
        assert.strictEqual((yield* shareOf(world, id)).status, "paid")
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "leaves a share without a destination owed, until the operator retries it with one",
    play((world) =>
      Effect.gen(function* () {
        const { merchant, accounts, tenant } = world
        const destinations = yield* Stores.destinationsOf(accounts, merchant.id)
        for (const each of destinations) yield* Settlements.remove(tenant, merchant.id, each.id)
        const { id } = yield* collected(world)
        yield* world.finish
        assert.deepInclude(yield* shareOf(world, id), { status: "waiting", destination: null })
        yield* world.audit
        const before = yield* traces(id)
        yield* failsWith("Conflict", Settlements.retry(id))
        assert.deepStrictEqual(yield* traces(id), before)
        yield* Settlements.create({
          tenant,
          merchantId: merchant.id,
          settlements: [
            {
              asset: Eip155.formatToken(token),
              destination: Eip155.formatAccount(treasury.account(token.chainId)),
            },
          ],
          idempotencyKey: "late",
        })
        yield* Settlements.retry(id)
        yield* world.finish
        assert.strictEqual((yield* shareOf(world, id)).status, "paid")
        yield* failsWith("Conflict", Settlements.retry(id))
        yield* world.audit
      }),
    ),
  )

  for (const moment of ["before it is sent", "while it waits for its block"] as const) {
    it.effect(
      `M19: holds a payout if its destination is blocked ${moment}, and retries it only on request`,
      play((world) =>
        Effect.gen(function* () {
          const { chain } = world
          const { id } = yield* collected(world)
          if (moment === "while it waits for its block") yield* Scene.payOut
          yield* chain.block(treasury.address, token)
          yield* world.finish
          const held = yield* shareOf(world, id)
          assert.deepInclude(held, { status: "held", code: "payee" })
          assert.include(yield* world.typesOf(id), "settlement.held")
          assert.deepStrictEqual(yield* stuckIds(world), [id])
          // The share is still owed: ledger and chain agree while it is held.
          yield* world.audit
          yield* chain.unblock(treasury.address, token)
          yield* world.finish
          assert.strictEqual((yield* shareOf(world, id)).status, "held")
          yield* Settlements.retry(id)
          yield* world.finish
          const { attempt, charge, share } = yield* world.succeeded(id)
          assert.strictEqual(share.status, "paid")
          const movement = {
            token,
            from: attempt.option.payTo,
            to: treasury.address,
            quantity: charge.net,
          }
          assert.strictEqual(yield* world.transfers(movement), 1)
          assert.deepStrictEqual(yield* stuckIds(world), [])
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "S24: neither sends a payout again that moved another amount, nor refunds it as if it was never sent",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* Scene.payOut
          yield* world.chain.setTransferFee(token, 100)
          yield* world.finish
          const { attempt, charge, share } = yield* world.succeeded(id)
          const sent = (yield* world.lanes.laneTransactions(
            { chainId: token.chainId, sender: attempt.option.payTo },
            1,
          )).at(-1)
          assert.deepInclude(share, { status: "held", movedOtherwise: true })
          assert.include(share.reason ?? "", `(${sent?.hash})`)
          assert.deepStrictEqual(yield* stuckIds(world), [id])
          yield* world.chain.setTransferFee(token, 0)
          const refused = yield* failsWith("Conflict", Settlements.retry(id))
          assert.include(refused.message, `(${sent?.hash}), so look at what it moved`)
          // What moved is lost until somebody says what it was: the books are what the chain is.
          yield* world.audit
          // The merchant has most of it: the payer's comes from the float, and becomes the merchant's debt.
          yield* world.refund(id)
          yield* world.fund(token, attempt.option.payTo, attempt.option.quantity)
          yield* someRounds(world)
          const open = yield* world.outflows.openOutflows("test")
          assert.deepStrictEqual(
            open.map((each) => Outflow.obstacleOf(each)?.code),
            ["moved", "stopped"],
          )
          const [held = assert.fail()] = open
          assert.deepStrictEqual(Outflow.astrayOf(held)?.left, charge.net)
          yield* Astray.accept(held.id)
          assert.isTrue(yield* Lanes.resumeToken("test", token))
          yield* TestClock.adjust("10 minutes")
          yield* world.finish
          const { refund, share: after } = yield* world.succeeded(id)
          assert.isTrue(Refund.drawsOnFloat(refund ?? assert.fail("no refund")))
          assert.deepInclude(after, { status: "paid", quantity: charge.net })
          assert.strictEqual(
            yield* world.chain.balanceOf(token, treasury.address),
            1_000_000_000_000n + charge.net - charge.net / 100n,
          )
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S24: stops the token's payouts after one moved another amount, until an operator resumes them",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* Scene.payOut
          yield* world.chain.setTransferFee(token, 100)
          yield* world.finish
          yield* world.chain.setTransferFee(token, 0)
          const second = yield* collected(world)
          yield* someRounds(world)
          const waiting = yield* world.outflows.openOutflows("test")
          assert.deepStrictEqual(
            waiting.map((each) => Outflow.obstacleOf(each)?.code),
            ["moved", "stopped"],
          )
          const [stop, ...others] = yield* Lanes.stoppedTokens("test")
          assert.deepStrictEqual(others, [])
          assert.deepStrictEqual(stop?.token, token)
          assert.include(stop?.reason, waiting[0]?.id)
          // Another token goes on meanwhile.
          const other = yield* world.pay(tokens.permit2)
          yield* someRounds(world)
          assert.strictEqual((yield* shareOf(world, other.id)).status, "paid")
          yield* world.audit
          // What arrived is a part of what was owed. The rest goes out with the next payout.
          yield* Astray.release(waiting[0]?.id ?? assert.fail())
          yield* world.audit
          yield* someRounds(world)
          assert.strictEqual((yield* shareOf(world, second.id)).status, "processing")
          assert.isTrue(yield* Lanes.resumeToken("test", token))
          assert.isFalse(yield* Lanes.resumeToken("test", token))
          yield* TestClock.adjust("10 minutes")
          yield* world.finish
          let owed = 0n
          for (const each of [id, second.id]) {
            const { charge, share } = yield* world.succeeded(each)
            assert.strictEqual(share.status, "paid")
            owed += charge.net
          }
          assert.strictEqual(
            yield* world.chain.balanceOf(token, treasury.address),
            1_000_000_000_000n + owed,
          )
          const loss = yield* Stores.balanceOf(world.ledger, "test", { _tag: "Loss" }, token)
          assert.strictEqual(loss, (yield* world.succeeded(id)).charge.net / 100n)
          yield* world.audit
          yield* failsWith("Conflict", Astray.accept(waiting[0]?.id ?? assert.fail()))
        }),
      oneLane,
    ),
  )

  it.effect(
    "S24: holds a payout that moved something else once a node knows what, and stops its token before",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* Scene.payOut
          yield* world.chain.setTransferFee(token, 100)
          yield* withoutMoved(someRounds(world))
          yield* world.chain.setTransferFee(token, 0)
          const [sent = assert.fail()] = yield* world.outflows.openOutflows("test")
          assert.strictEqual(Outflow.status(sent), "sent")
          const [stop] = yield* Lanes.stoppedTokens("test")
          assert.include(stop?.reason, `${sent.id}: `)
          assert.include(stop?.reason, "old states")
          yield* world.finish
          const { charge } = yield* world.succeeded(id)
          const held = yield* findOutflow(world.outflows, sent.id)
          assert.deepStrictEqual(Outflow.astrayOf(held)?.left, charge.net)
          yield* Astray.accept(sent.id)
          assert.strictEqual((yield* shareOf(world, id)).status, "paid")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S24: says to release a payout that is no longer owed less a debt, because another share paid that",
    play(
      (world) =>
        Effect.gen(function* () {
          const first = yield* collected(world)
          yield* world.finish
          yield* world.fund(token, only.address, 2_000_000n)
          yield* world.refundPart(first.id, 200n)
          yield* world.finish
          const second = yield* collected(world)
          yield* Scene.payOut
          yield* world.chain.setTransferFee(token, 100)
          yield* world.finish
          yield* world.chain.setTransferFee(token, 0)
          const [held = assert.fail()] = yield* world.outflows.openOutflows("test")
          yield* Lanes.resumeToken("test", token)
          const third = yield* collected(world)
          yield* world.finish
          assert.isAbove(Number((yield* shareOf(world, third.id)).netted), 0)
          const refused = yield* failsWith("Conflict", Astray.accept(held.id))
          assert.include(refused.message, "release it")
          yield* Astray.release(held.id)
          yield* world.finish
          assert.strictEqual((yield* shareOf(world, second.id)).status, "paid")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "sends a held share to the merchant's current destination when it is retried",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* collected(world)
        yield* world.chain.block(treasury.address, token)
        yield* world.finish
        yield* moveDestination(world, stranger.address)
        yield* Settlements.retry(id)
        yield* world.finish
        const { attempt, charge } = yield* world.succeeded(id)
        const movement = {
          token,
          from: attempt.option.payTo,
          to: stranger.address,
          quantity: charge.net,
        }
        assert.strictEqual(yield* world.transfers(movement), 1)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "waits while the account holds too little, and continues when it holds enough",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        const { id, option } = yield* collected(world)
        // Somebody takes a unit that is ours, and gives it back later.
        const payTo = collectingWallets.find(({ address }) => address === option.payTo)
        const fee = option.quantity - (yield* world.succeeded(id)).charge.net
        yield* chain.transfer(option.payTo, token, stranger.address, Fixtures.quantity(fee + 1n))
        yield* chain.settle(token.chainId)
        for (let round = 0; round < 10; round++) {
          yield* Scene.payOut
          yield* world.toNextWork
        }
        const waiting = yield* shareOf(world, id)
        assert.strictEqual(waiting.status, "processing")
        const [outflow] = yield* world.outflows.openOutflows("test")
        assert.strictEqual(outflow?.state._tag, "Waiting")
        assert.strictEqual(
          (yield* world.lanes.laneTransactions({ chainId: token.chainId, sender: option.payTo }, 0))
            .length,
          1,
        )
        yield* chain.mint(token, payTo?.address ?? option.payTo, fee + 1n)
        // Who took it used the account's key.
        yield* world.letGoOn(token.chainId)
        yield* world.finish
        assert.strictEqual((yield* shareOf(world, id)).status, "paid")
      }),
    ),
  )

  it.effect(
    "S2: sends nothing from an account that holds a unit less than the ledger says, until it does",
    play((world) =>
      Effect.gen(function* () {
        const { id, option } = yield* collected(world)
        const { chainId } = token
        const collecting = option.payTo
        // What two nodes that lie would have had written, they tell balances truly.
        yield* world.ledger.post(
          "test",
          Idempotency.IdempotencyKey.make("made up"),
          Ledger.funding({ token, collecting, quantity: Fixtures.quantity(1n) }),
        )
        const lane = { chainId, sender: collecting }
        const before = yield* world.lanes.laneTransactions(lane, 0)
        let read = 0
        const counted = LedgerStore.of({
          ...world.ledger,
          balances: (mode, of, accounts) =>
            Effect.suspend(() => {
              if (Array.isArray(accounts) && accounts.some(({ _tag }) => _tag === "Collecting"))
                read++
              return world.ledger.balances(mode, of, accounts)
            }),
        })
        for (let round = 0; round < 5; round++) {
          yield* Effect.provideService(Scene.payOut, LedgerStore, counted)
          yield* world.toNextWork
        }
        assert.isAbove(read, 0)
        assert.deepStrictEqual(yield* world.lanes.laneTransactions(lane, 0), before)
        const [outflow] = yield* world.outflows.openOutflows("test")
        assert.strictEqual(outflow?.state._tag, "Waiting")
        yield* world.chain.mint(token, collecting, 1n)
        read = 0
        for (let round = 0; round < 5; round++) {
          yield* Effect.provideService(Scene.payOut, LedgerStore, counted)
          yield* world.toNextWork
        }
        yield* world.finish
        assert.strictEqual((yield* shareOf(world, id)).status, "paid")
        assert.strictEqual(read, 1, "one statement more for each payout")
      }),
    ),
  )

  it.effect(
    "M19: sends each share once if several workers run",
    play((world) =>
      Effect.gen(function* () {
        for (let seed = 0; seed < Counts.of({ usual: 5, full: 200 }); seed++) {
          const before = yield* world.chain.balanceOf(token, treasury.address)
          const paid = yield* Effect.forEach(Array.from({ length: 4 }), () => world.pay(token))
          const workers = Effect.all([Scene.work, Scene.work, Scene.work], {
            concurrency: "unbounded",
            discard: true,
          })
          yield* world.live(shuffling(seed)(workers), Effect.succeed(false))
          const outflows = new Set<OutflowId.OutflowId>()
          let owed = 0n
          for (const { id, option } of paid) {
            const { charge, share } = yield* world.succeeded(id)
            const { collect } = Scene.movementsOf(option, charge.net)
            assert.strictEqual(yield* world.transfers(collect), 1)
            owed += charge.net
            if (share.outflowId !== null) outflows.add(share.outflowId)
          }
          const sent = yield* Effect.forEach([...outflows], (each) =>
            findOutflow(world.outflows, each),
          )
          const sum = sent.reduce((all, { movement }) => all + movement.quantity, 0n)
          assert.strictEqual(sum, owed)
          const received = (yield* world.chain.balanceOf(token, treasury.address)) - before
          assert.strictEqual(received, owed)
          yield* world.audit
        }
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "M19: sends nothing if the worker's lease expired while it worked",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, lanes, work } = world
          const { id, option } = yield* collected(world)
          yield* Payer.drain
          const at = yield* Effect.map(work.nextDueAt("send"), (due) => due ?? 0)
          const options = { limit: 1, leaseInMs: 1000 }
          const [slow] = yield* work.claimDueOutflows("send", { ...options, now: at })
          assert.deepStrictEqual(slow?.outflow && Outflow.paymentIds(slow.outflow), [id])
          yield* Effect.sleep(0)
          const claimed = slow ?? assert.fail()
          const [fast] = yield* work.claimDueOutflows("send", { ...options, now: at + 1000 })
          yield* failsWith("LeaseLost", Sender.handle(claimed))
          const lane = { chainId: token.chainId, sender: option.payTo }
          assert.strictEqual((yield* lanes.laneTransactions(lane, 0)).length, 1)
          yield* Sender.handle(fast ?? assert.fail())
          assert.strictEqual((yield* lanes.laneTransactions(lane, 0)).length, 2)
          yield* world.finish
          assert.deepInclude((yield* chain.lanes)[0], { broadcast: 2, mined: 2, reverted: 0 })
          yield* world.audit
        }),
      oneLane,
    ),
  )

  interface Netting {
    readonly name: string
    /** What later payments ask for, in cents, after one of 1000 was refunded that the merchant already had. */
    readonly later: ReadonlyArray<string>
    readonly tags: ReadonlyArray<string>
  }
  const nettings: ReadonlyArray<Netting> = [
    {
      name: "in part, where the share is more than the debt",
      later: ["1500"],
      tags: ["paid"],
    },
    { name: "in whole, where the share is less", later: ["400"], tags: ["netted"] },
    { name: "in whole, where they are equal", later: ["1000"], tags: ["netted"] },
    {
      name: "from one payment after the other",
      later: ["400", "400", "400"],
      tags: ["netted", "netted", "paid"],
    },
  ]
  for (const { later, name, tags } of nettings) {
    it.effect(
      `deducts what the merchant owes after a refund: ${name}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const dollars = (value: string) => ({ amount: { unit: "iso4217/USD", value } })
            const first = yield* world.pay(token, payer, dollars("1000"))
            yield* world.finish
            yield* world.fund(token, first.option.payTo, first.option.quantity)
            yield* world.refund(first.id)
            yield* world.finish
            const debtor = { _tag: "Debt", merchantId: world.merchant.id } as const
            let debt = yield* Stores.balanceOf(world.ledger, "test", debtor, token)
            assert.strictEqual(debt, (yield* world.succeeded(first.id)).charge.net + 0n)
            for (const [index, value] of later.entries()) {
              const wallet = Wallet.make(50 + index)
              const { id } = yield* world.pay(token, wallet, dollars(value))
              yield* world.finish
              const { charge, share } = yield* world.succeeded(id)
              assert.strictEqual(share.status, tags[index])
              const netted = charge.net < debt ? charge.net : debt
              debt -= netted
              assert.strictEqual(share.netted, netted)
              if (share.status === "paid") {
                assert.strictEqual(share.quantity + share.netted, charge.net)
              } else {
                const refund = Payment.refundOf(yield* world.get(first.id))
                const txId = refund?.state._tag === "Succeeded" ? refund.state.txHash : null
                const payout = Payment.payoutOf(yield* world.get(id))
                assert.strictEqual(payout?.txId, txId)
                assert.strictEqual(payout?.amount.quantity, charge.net)
              }
              assert.deepStrictEqual((yield* world.typesOf(id)).at(-1), "payment.settled")
              assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", debtor, token), debt)
              yield* world.audit
            }
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "M19: deducts a debt once from payments that settle at the same time",
    play(
      (world) =>
        Effect.gen(function* () {
          for (let seed = 0; seed < Counts.of({ usual: 5, full: 100 }); seed++) {
            const first = yield* world.pay(token)
            yield* world.finish
            yield* world.fund(token, first.option.payTo, first.option.quantity)
            yield* world.refund(first.id)
            yield* world.finish
            yield* Effect.forEach(Array.from({ length: 4 }), () => world.pay(token))
            yield* world.live(shuffling(seed)(Scene.work), Effect.succeed(false))
            const debtor = { _tag: "Debt", merchantId: world.merchant.id } as const
            assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", debtor, token), 0n)
            yield* world.audit
          }
        }),
      oneLane,
    ),
    Scene.timeout,
  )
})
