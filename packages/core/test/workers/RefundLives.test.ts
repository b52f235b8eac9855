/**
 * Random lives of two merchants who refund, with and without destinations, credit, limits and obstacles.
 *
 * @module
 */
import { env, stderr } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Retry from "@florin/core/engine/books/Retry"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Evidence from "@florin/core/engine/status/Evidence"
import * as Stuck from "@florin/core/engine/status/Stuck"
import * as Verdict from "@florin/core/engine/status/Verdict"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { play, tokens, treasury } = Scene
const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const token = tokens.eip3009
const lives = Counts.of({ usual: 40, full: 10_000 })
const first = Number(env["FLORIN_SEED"] ?? 1)

const limits: ReadonlyArray<PartnerLimits.PartnerLimits> = [
  {},
  { reserve: Result.getOrThrow(PartnerLimits.parseReserve("50% 7d")) },
  { payoutDelayInMs: 3_600_000 },
]

/** The account of a shop's destination: each has two. */
const accountOf = (shop: number, which: number) => Fixtures.address("qrsu".charAt(shop * 2 + which))

const dollars = (minor: number) => ({
  unit: "iso4217/USD" as const,
  value: String(minor),
})

const live = Effect.fnUntraced(function* (world: Scene.World, seed: number) {
  const draw = Scene.drawing(seed * 7919)
  // What a small seed draws first is the same for most.
  for (let skipped = 0; skipped < 5; skipped++) draw(10)
  const any = <A>(values: ReadonlyArray<A>): A =>
    values[draw(values.length)] ?? assert.fail("there is nothing to choose from")
  const hasDust = draw(3) === 0
  const netsMerchants = draw(3) === 0
  let { partner } = world
  const set = (credit: Credit.Credit, its: PartnerLimits.PartnerLimits = {}) => {
    partner = {
      ...partner,
      credit: { test: credit },
      limits: { test: { ...its, netsMerchants } },
    }
    return Stores.putPartner(world.accounts, partner)
  }
  yield* set(Credit.none)
  const shops = [world.fixtures.merchant(), world.fixtures.merchant()]
  for (const each of shops) {
    yield* world.accounts.addMerchant(each)
    yield* Merchants.changeAsOperator(world.tenant, each.id, {
      fees: {
        returned: any(["withRefund", "never", "never", "never"]),
        fixed: [{ currency: "USD", quantity: Fixtures.quantity(any([0n, 50n])) }],
      },
    })
  }
  const merchantOf = (shop: number) => shops[shop] ?? assert.fail("there is no such shop")
  const ids: Array<PaymentId.PaymentId> = []
  const pay = Effect.fnUntraced(function* (shop: number, minor: number) {
    world.denied.delete(Scene.payer.address)
    const amount = dollars(minor)
    const { id } = yield* world.pay(token, Scene.payer, { amount }, merchantOf(shop).id)
    ids.push(id)
  })
  let keys = 0
  const register = (shop: number) => {
    const address = accountOf(shop, draw(2))
    const destination = Eip155.formatAccount({ ...treasury.account(token.chainId), address })
    keys += 1
    return Effect.ignore(
      Settlements.create({
        tenant: world.tenant,
        merchantId: merchantOf(shop).id,
        settlements: [{ asset: Eip155.formatToken(token), destination }],
        idempotencyKey: `k${keys}`,
      }),
    )
  }
  const remove = Effect.fnUntraced(function* (shop: number) {
    const { id: merchantId } = merchantOf(shop)
    for (const { id } of yield* Settlements.list(world.tenant, merchantId)) {
      yield* Effect.ignore(Settlements.remove(world.tenant, merchantId, id))
    }
  })
  const retry = Effect.gen(function* () {
    for (const { id, state } of yield* world.outflows.openOutflows("test")) {
      if (state._tag === "Held") yield* Effect.ignore(Retry.outflow(id))
    }
  })
  const pass = Effect.gen(function* () {
    yield* Scene.work
    yield* world.settleAll
    const isMore = yield* world.toNextWork
    yield* TestClock.adjust("1 second")
    return isMore
  })

  const sell = Effect.fnUntraced(function* (shop: number) {
    yield* pay(shop, hasDust && draw(4) === 0 ? 40 : 60 + draw(2000))
    if (draw(2) === 0) return
    yield* Collector.drain
    yield* world.settleAll
    yield* Collector.drain
  })
  const refund = Effect.suspend(() =>
    ids.length === 0 ? Effect.void : Effect.ignore(world.refund(any(ids))),
  )
  const refundPart = Effect.suspend(() =>
    ids.length === 0
      ? Effect.void
      : Effect.ignore(world.refundPart(any(ids), BigInt(1 + draw(1000)))),
  )
  const lend = Effect.suspend(() => {
    const quantity = Fixtures.quantity(BigInt(1 + draw(500)))
    const some: Credit.Credit = { _tag: "Limited", amounts: [{ currency: "USD", quantity }] }
    return set(any([Credit.none, Credit.unlimited, some]))
  })
  const deny = Effect.sync(() => {
    const address = any([accountOf(draw(2), draw(2)), Scene.payer.address])
    if (draw(2) === 0) world.denied.add(address)
    else world.denied.delete(address)
  })
  /** Nobody looks for final blocks that are gone, so only what is not final yet is replaced. */
  const reorganise = Effect.gen(function* () {
    yield* world.chain.mine(token.chainId)
    yield* world.chain.reorg(token.chainId, 1, draw(2) === 0 ? { drop: "all" } : {})
  })
  const shopping = <A, E, R>(act: (shop: number) => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => act(draw(2)))
  const steps = [
    ...Array.from({ length: 3 }, () => shopping(sell)),
    refund,
    refund,
    refundPart,
    refundPart,
    Payer.drain,
    Sender.drain,
    shopping(register),
    shopping(remove),
    lend,
    Effect.suspend(() => set(partner.credit?.test ?? Credit.none, any(limits))),
    deny,
    retry,
    reorganise,
    ...Array.from({ length: 4 }, () => pass),
  ]

  for (let count = 0; count < 40; count++) {
    yield* any(steps)
    if (count % 8 === 0) yield* check(world, ids, shops)
  }
  // At the end nothing is in the way: there is credit, or enough is sold.
  world.denied.clear()
  const isPoor = seed % 2 === 1
  yield* set(isPoor ? Credit.none : Credit.unlimited)
  yield* world.fund(token, only.address, 1_000_000_000n)
  yield* Effect.forEach([0, 1], register)
  for (const shop of isPoor ? [0, 1, 0, 1, 0, 1] : []) yield* pay(shop, 9000 + draw(900))
  for (let isMore = true, count = 0; isMore && count < 90; count++) {
    yield* retry
    yield* Effect.ignore(Lanes.resume("test", token.chainId))
    isMore = yield* pass
  }
  yield* check(world, ids, shops)
  yield* world.auditBooks
  for (const id of ids) {
    const payment = yield* world.get(id)
    if (payment.state._tag !== "Succeeded") continue
    for (const { state } of payment.state.refunds) assert.strictEqual(state._tag, "Succeeded", id)
    assert.isNull(Balance.tokenOfWaiting(payment), id)
    assert.include(Verdict.judge(yield* Evidence.gather(id)).text, "nothing open", id)
  }
  assert.deepStrictEqual(yield* Stuck.list(world.tenant.mode), [])
})

/** Nothing is lost, doubled or given back twice, and what the payments say is what the ledger says. */
const check = Effect.fnUntraced(function* (
  world: Scene.World,
  ids: ReadonlyArray<PaymentId.PaymentId>,
  shops: ReadonlyArray<{ readonly id: Payment.Payment["merchantId"] }>,
) {
  const balances = yield* world.ledger.balances("test", null)
  assert.deepStrictEqual(Ledger.unsound(balances), [])
  const payments = yield* Effect.forEach(ids, world.get)
  for (const { id: merchantId } of shops) {
    let owed = 0n
    for (const payment of payments.filter((each) => each.merchantId === merchantId)) {
      const found = yield* world.outflows.outflowsById([...Payment.outflowIds(payment)])
      owed += Balance.owed(payment, (id) =>
        found.some((each) => each.id === id && OutflowState.isBooked[Outflow.status(each)]),
      )
    }
    const account = { _tag: "Owed", merchantId, address: only.address } as const
    assert.strictEqual(owed, -Ledger.balanceOf(balances, account, token))
  }
  for (const { feeTerms, state } of payments) {
    if (state._tag !== "Succeeded") continue
    const given = state.refunds.reduce((sum, { quantity }) => sum + quantity, 0n)
    assert.isAtMost(Number(given), Number(state.attempt.option.quantity))
    for (const { fee } of state.refunds) {
      if (feeTerms.returned === undefined) assert.strictEqual<bigint>(fee, 0n)
    }
  }
})

describe("lives with refunds", () => {
  it.effect(
    "end with every refund sent, every share paid, and entries, ledger and chain equal",
    () =>
      Effect.gen(function* () {
        for (let seed = first; seed < first + lives; seed++) {
          yield* play((world) => live(world, seed), oneLane)().pipe(
            Effect.onError(() => Effect.sync(() => stderr.write(`the life of seed ${seed}\n`))),
          )
        }
      }),
    Scene.timeout,
  )
})
