import { assert, describe, it } from "@effect/vitest"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect } from "effect"
import { floatOf } from "../../src/ports/LedgerStore.ts"
import { findOutflow } from "../../src/ports/OutflowStore.ts"
import * as Scene from "./scene.ts"

const { play, tokens, treasury } = Scene

const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const token = tokens.eip3009
const here = { collecting: only.address, token }

/** A few rounds of everything that is due: a refund that waits for money is due for ever. */
const rounds = Effect.fnUntraced(function* (world: Scene.World, count = 6) {
  for (let round = 0; round < count; round++) {
    yield* Scene.work
    yield* world.settleAll
    yield* world.toNextWork
  }
})

const granting = (world: Scene.World, credit: Credit.Credit) =>
  Stores.putPartner(world.accounts, { ...world.partner, credit: { test: credit } })

/** Plays on one lane of ours, with so much credit granted to the partner. */
const lending = <A, E>(
  credit: Credit.Credit,
  script: (world: Scene.World) => Effect.Effect<A, E, Scene.Ports>,
) => play((world) => Effect.andThen(granting(world, credit), script(world)), oneLane)

/** What the merchant received so far. */
const received = (world: Scene.World) => world.chain.balanceOf(token, treasury.address)

const dollars = (cents: bigint): Credit.Credit => ({
  _tag: "Limited",
  amounts: [{ currency: "USD", quantity: Fixtures.quantity(cents) }],
})

const refundOf = (world: Scene.World, id: Payment.Payment["id"]) =>
  Effect.map(world.succeeded(id), ({ refund }) => refund ?? assert.fail("no refund"))

const debtOf = (world: Scene.World, merchantId = world.merchant.id) =>
  Stores.balanceOf(world.ledger, "test", { _tag: "Debt", merchantId }, token)

/** A payment that was paid out. */
const paidOut = Effect.fnUntraced(function* (world: Scene.World) {
  const paid = yield* world.pay(token)
  yield* world.finishUntil(
    ({ state }) => state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "paid",
    paid.id,
  )
  return paid
})

describe("a partner's credit", () => {
  it.effect(
    "S3: of zero keeps refunds after a payout from using the operator's float",
    lending(Credit.none, (world) =>
      Effect.gen(function* () {
        yield* world.fund(token, only.address, 50_000_000n)
        const before = yield* floatOf(world.ledger, "test", here)
        for (let round = 0; round < 3; round++) {
          const { id } = yield* paidOut(world)
          yield* world.refund(id)
          yield* rounds(world)
          const { state } = yield* refundOf(world, id)
          assert.deepInclude(state, { _tag: "Pending", waitsForCredit: true })
        }
        assert.isAtLeast(Number(yield* floatOf(world.ledger, "test", here)), Number(before))
        assert.strictEqual(yield* debtOf(world), 0n)
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "S3: limits refunds after payouts, over all merchants of the partner",
    lending(dollars(2500n), (world) =>
      Effect.gen(function* () {
        // Two payments of about 10 USD, and not three.
        yield* world.fund(token, only.address, 50_000_000n)
        const paid = [yield* paidOut(world), yield* paidOut(world), yield* paidOut(world)]
        for (const [index, { id }] of paid.entries()) {
          yield* world.refund(id)
          if (index === 1) yield* Merchants.remove(world.tenant, world.merchant.id)
        }
        yield* rounds(world)
        const states = yield* Effect.forEach(paid, ({ id }) => refundOf(world, id))
        assert.deepStrictEqual(states.map(({ state }) => state._tag).toSorted(), [
          "Pending",
          "Succeeded",
          "Succeeded",
        ])
        assert.isAtMost(Number(yield* debtOf(world)), 25_000_000)
        // The operator grants more: what waited goes on.
        yield* granting(world, dollars(3100n))
        yield* world.finish
        for (const { id } of paid) {
          assert.strictEqual((yield* refundOf(world, id)).state._tag, "Succeeded")
        }
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S5: keeps the merchant's later shares for a refund that waits, until they pay it",
    lending(Credit.none, (world) =>
      Effect.gen(function* () {
        const { id } = yield* paidOut(world)
        const before = yield* received(world)
        yield* world.refund(id)
        yield* rounds(world)
        assert.strictEqual((yield* refundOf(world, id)).state._tag, "Pending")
        const small = { amount: { unit: "iso4217/USD", value: "400" } }
        const first = yield* world.pay(token, Scene.payer, small)
        yield* rounds(world, 3)
        assert.strictEqual((yield* world.succeeded(first.id)).share.status, "netted")
        // Its transfer is not even sent.
        assert.isNull(Payment.payoutOf(yield* world.get(first.id)))
        assert.notInclude(yield* world.typesOf(first.id), "payment.settled")
        assert.strictEqual(yield* received(world), before)
        const more = [yield* world.pay(token), yield* world.pay(token)]
        yield* world.finish
        const refund = yield* refundOf(world, id)
        if (refund.state._tag !== "Succeeded") return assert.fail(`it is ${refund.state._tag}`)
        const payout = Payment.payoutOf(yield* world.get(first.id))
        assert.strictEqual(payout?.txId, refund.state.txHash)
        assert.isAtLeast(payout?.settledAt ?? 0, refund.state.succeededAt)
        assert.deepStrictEqual(
          (yield* world.typesOf(first.id)).filter((type) => type === "payment.settled"),
          ["payment.settled"],
        )
        const refunded = yield* world.succeeded(id)
        assert.deepStrictEqual(refund.kept, [
          { collecting: only.address, quantity: refunded.charge.net },
        ])
        // The merchant gets all that it is owed, less what was given back.
        const nets = yield* Effect.forEach([first, ...more], (each) =>
          Effect.map(world.succeeded(each.id), ({ charge }) => charge.net),
        )
        assert.strictEqual(
          (yield* received(world)) - before,
          nets.reduce((sum, net) => sum + net, 0n) - refunded.charge.net,
        )
        assert.strictEqual(yield* debtOf(world), 0n)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S5: gathers a payout again that was gathered before the refund was asked for",
    lending(Credit.none, (world) =>
      Effect.gen(function* () {
        const { id } = yield* paidOut(world)
        const before = yield* received(world)
        const later = yield* world.pay(token)
        yield* world.live(
          Effect.andThen(Collector.drain, Payer.drain),
          Effect.map(
            Effect.orDie(world.get(later.id)),
            ({ state }) =>
              state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "processing",
          ),
        )
        yield* world.refund(id)
        yield* world.finish
        assert.strictEqual((yield* refundOf(world, id)).state._tag, "Succeeded")
        const [{ charge }, refunded] = [
          yield* world.succeeded(later.id),
          yield* world.succeeded(id),
        ]
        assert.strictEqual((yield* received(world)) - before, charge.net - refunded.charge.net)
        yield* world.audit
      }),
    ),
  )
})

describe("a refund before the payout, by terms that do not return the fee", () => {
  /** A payment of which all is to be refunded, and its fee. */
  const refunded = Effect.fnUntraced(function* (world: Scene.World) {
    yield* Merchants.changeAsOperator(world.tenant, world.merchant.id, {
      fees: { returned: "never" },
    })
    const { id } = yield* world.pay(token)
    yield* world.live(
      Collector.drain,
      Effect.map(Effect.orDie(world.get(id)), ({ state }) => state._tag === "Succeeded"),
    )
    yield* world.refund(id)
    const { charge } = yield* world.succeeded(id)
    assert.isAbove(Number(charge.total), 0)
    return { id, fee: charge.total }
  })

  const feesOf = (world: Scene.World) =>
    Stores.balanceOf(world.ledger, "test", { _tag: "Fees", ...world.tenant }, token)

  it.effect(
    "is sent by itself on credit, from the money that the service holds as its fee",
    lending(Credit.unlimited, (world) =>
      Effect.gen(function* () {
        const { fee, id } = yield* refunded(world)
        yield* world.finish
        const { own, quantity, state } = yield* refundOf(world, id)
        assert.strictEqual(state._tag, "Succeeded")
        assert.strictEqual(own + fee, BigInt(quantity))
        assert.strictEqual(yield* debtOf(world), BigInt(fee))
        assert.strictEqual(yield* feesOf(world), -fee)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S3: waits without credit for as much as the fee, until the merchant sells more",
    lending(Credit.none, (world) =>
      Effect.gen(function* () {
        const { fee, id } = yield* refunded(world)
        yield* rounds(world)
        const { outflowId, state } = yield* refundOf(world, id)
        assert.deepInclude(state, { _tag: "Pending", waitsForCredit: true })
        const outflow = yield* findOutflow(world.outflows, outflowId)
        assert.include(Outflow.obstacleOf(outflow)?.reason, "more sales of the merchant")
        const before = yield* received(world)
        const later = yield* world.pay(token)
        yield* world.finish
        assert.strictEqual((yield* refundOf(world, id)).state._tag, "Succeeded")
        const { charge } = yield* world.succeeded(later.id)
        assert.strictEqual((yield* received(world)) - before, charge.net - fee)
        assert.strictEqual(yield* feesOf(world), -(fee + charge.total))
        assert.strictEqual(yield* debtOf(world), 0n)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "takes it from shares that wait for a destination, too",
    lending(Credit.none, (world) =>
      Effect.gen(function* () {
        for (const { id } of yield* Settlements.list(world.tenant, world.merchant.id)) {
          yield* Settlements.remove(world.tenant, world.merchant.id, id)
        }
        const { fee, id } = yield* refunded(world)
        yield* rounds(world)
        assert.strictEqual((yield* refundOf(world, id)).state._tag, "Pending")
        const later = yield* world.pay(token)
        yield* rounds(world)
        assert.strictEqual((yield* refundOf(world, id)).state._tag, "Succeeded")
        const { charge, entry } = yield* world.succeeded(later.id)
        assert.deepInclude(Shares.ofEntry(entry), { status: "waiting" })
        assert.strictEqual(Entry.left(entry), charge.net - fee)
        yield* world.auditBooks
      }),
    ),
  )
})
