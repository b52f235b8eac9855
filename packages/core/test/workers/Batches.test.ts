import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { findPartner } from "@florin/core/ports/AccountStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { failsWith, payer, play, shuffling, stranger, tokens, treasury } = Scene
const token = tokens.eip3009
const [only = assert.fail()] = collectingWallets
/** One account collects, so that all shares of a destination can go out together. */
const oneLane = { collectingAccounts: () => [only.address] }

const quarterHourInMs = 15 * 60_000
const everyQuarter: PayoutPolicy.PayoutPolicy = { _tag: "Batched", everyInMs: quarterHourInMs }

const isSucceeded = ({ state }: Payment.Payment) => state._tag === "Succeeded"

/** The partner of the world, with a policy for all of its merchants. */
const withPolicy = (world: Scene.World, payouts: PayoutPolicy.PayoutPolicy) =>
  Effect.flatMap(findPartner(world.accounts, world.tenant.partnerId), (partner) =>
    Stores.putPartner(world.accounts, { ...partner, payouts }),
  )

/** Collects until the money of all of them is there, and does nothing else that is due. */
const bringIn = Effect.fnUntraced(function* (
  world: Scene.World,
  ids: ReadonlyArray<PaymentId.PaymentId>,
) {
  for (let round = 0; round < 20; round++) {
    yield* Collector.drain
    if ((yield* Effect.forEach(ids, world.get)).every(isSucceeded)) return
    yield* world.settleAll
    yield* TestClock.adjust("1 second")
  }
  return assert.fail("the money does not come")
})

/** A payment whose money is there; its share waits. */
const collected = Effect.fnUntraced(function* (
  world: Scene.World,
  merchantId: MerchantId.MerchantId = world.merchant.id,
) {
  const paid = yield* world.pay(token, payer, {}, merchantId)
  yield* bringIn(world, [paid.id])
  return paid
})

const collectedMany = (world: Scene.World, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => collected(world))

const shareOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.succeeded(id), ({ share }) => share)

const netOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.succeeded(id), ({ charge }) => charge.net)

const sum = (quantities: ReadonlyArray<bigint>) => quantities.reduce((all, each) => all + each, 0n)

const debtOf = (world: Scene.World) =>
  Stores.balanceOf(world.ledger, "test", { _tag: "Debt", merchantId: world.merchant.id }, token)

/** Has the merchant owe the share of a payment that was refunded after it was paid out; returns how much that is. */
const indebted = Effect.fnUntraced(function* (world: Scene.World) {
  const first = yield* world.pay(token)
  yield* world.finish
  yield* world.fund(token, only.address, first.option.quantity)
  yield* world.refund(first.id)
  yield* world.finish
  return yield* debtOf(world)
})

/** What of each share is kept against the debt. */
const nettedOf = (world: Scene.World, paid: ReadonlyArray<Pick<Payment.Payment, "id">>) =>
  Effect.map(
    Effect.forEach(paid, ({ id }) => shareOf(world, id)),
    (shares) => shares.map(({ netted }) => netted),
  )

/** Transfers that our account sent to the treasury. */
const sentCount = (world: Scene.World) =>
  Effect.map(
    world.lanes.laneTransactions({ chainId: token.chainId, sender: only.address }, 0),
    (all) => all.length,
  )

/** Another merchant of the partner, which is paid out to `to`; it takes a payment. */
const anotherMerchant = Effect.fnUntraced(function* (
  world: Scene.World,
  name: string,
  to: Wallet.Wallet,
) {
  const merchant = world.fixtures.merchant({ name })
  yield* world.accounts.addMerchant(merchant)
  yield* world.accounts.addDestinations(
    merchant.id,
    () =>
      Result.succeed({
        added: [
          world.fixtures.destination({
            merchantId: merchant.id,
            token,
            destination: to.account(token.chainId),
          }),
        ],
      }),
    Scene.now,
  )
  return merchant.id
})

describe("payouts in batches", () => {
  it.effect(
    "pay all shares of one destination in one transfer, a set time after the first of them",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* withPolicy(world, everyQuarter)
          const first = yield* collected(world)
          const since = yield* Effect.map(world.succeeded(first.id), (each) => each.succeededAt)
          yield* TestClock.adjust("5 minutes")
          const others = yield* collectedMany(world, 3)
          const ids = [first.id, ...others.map(({ id }) => id)]
          const before = yield* sentCount(world)
          yield* TestClock.setTime(since + quarterHourInMs - 1)
          yield* Scene.payOut
          assert.strictEqual(yield* sentCount(world), before)
          for (const id of ids) {
            assert.strictEqual((yield* shareOf(world, id)).status, "waiting")
          }
          assert.strictEqual(yield* world.work.nextDueAt("settle"), since + quarterHourInMs)
          yield* TestClock.setTime(since + quarterHourInMs)
          yield* world.finish
          assert.strictEqual(yield* sentCount(world), before + 1)
          const nets = yield* Effect.forEach(ids, (id) => netOf(world, id))
          const hashes = new Set<string>()
          for (const [index, id] of ids.entries()) {
            const share = yield* shareOf(world, id)
            if (share.status !== "paid") return assert.fail(share.status)
            assert.strictEqual(share.quantity, nets[index])
            hashes.add(share.txHash ?? "none")
            assert.strictEqual((yield* world.typesOf(id)).at(-1), "payment.settled")
            const [collect, settle] = yield* world.ledger.ledgerOf(id)
            assert.deepStrictEqual([collect?.kind, settle?.kind], ["collect", "settle"])
          }
          assert.strictEqual(hashes.size, 1)
          const movement = { token, from: only.address, to: treasury.address }
          const quantity = Fixtures.quantity(sum(nets))
          assert.strictEqual(yield* world.transfers({ ...movement, quantity }), 1)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "are sent early once shares of a set amount wait",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* withPolicy(world, { ...everyQuarter, atUnits: 25 })
          const [first, second] = [yield* collected(world), yield* collected(world)]
          yield* Scene.payOut
          assert.strictEqual((yield* shareOf(world, first.id)).status, "waiting")
          // About ten units each: the third makes it enough.
          const third = yield* collected(world)
          yield* Scene.payOut
          const outflows = new Set<string>()
          for (const { id } of [first, second, third]) {
            const share = yield* shareOf(world, id)
            if (share.status !== "processing") return assert.fail(share.status)
            outflows.add(share.outflowId ?? "none")
          }
          assert.strictEqual(outflows.size, 1)
          yield* world.finish
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "follow the merchant's policy, else its partner's, else the service's",
    play(
      (world) =>
        Effect.gen(function* () {
          const { accounts, merchant, tenant } = world
          const isWaiting = Effect.gen(function* () {
            const { id } = yield* collected(world)
            yield* Scene.payOut
            return (yield* shareOf(world, id)).status === "waiting"
          })
          // The service of this test pays out immediately.
          assert.isFalse(yield* isWaiting)
          yield* withPolicy(world, everyQuarter)
          assert.isTrue(yield* isWaiting)
          yield* accounts.modifyMerchant(tenant, merchant.id, (current) =>
            Result.succeed({ ...current, payouts: PayoutPolicy.immediate }),
          )
          assert.isFalse(yield* isWaiting)
          yield* world.finish
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "combine merchants of one partner with the same destination, but never those of different partners",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* withPolicy(world, everyQuarter)
          const shared = yield* anotherMerchant(world, "Branch", treasury)
          const own = yield* anotherMerchant(world, "Franchise", stranger)
          const first = yield* collected(world)
          const second = yield* collected(world, shared)
          const third = yield* collected(world, own)
          yield* TestClock.adjust("16 minutes")
          yield* world.finish
          const outflows = yield* Effect.forEach([first, second, third], ({ id }) =>
            Effect.map(shareOf(world, id), (share) =>
              share.status === "paid" ? share.outflowId : share.status,
            ),
          )
          assert.strictEqual(outflows[0], outflows[1])
          assert.notStrictEqual(outflows[0], outflows[2])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  for (const [read, limit] of [
    ["next to others", Limits.sharesPerOutflowMax],
    ["even if no others are read", 1],
  ] as const) {
    it.effect(
      `leave out the shares of a frozen merchant, ${read}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const frozen = yield* anotherMerchant(world, "Branch", treasury)
            const oldest = yield* collected(world, frozen)
            const own = yield* collected(world)
            yield* Merchants.take(world.tenant, frozen, "freeze")
            const store = world.outflows
            yield* Effect.provideService(Payer.drain, OutflowStore, {
              ...store,
              waitingShares: (which) => store.waitingShares(which, limit),
            })
            assert.strictEqual((yield* shareOf(world, oldest.id)).status, "waiting")
            const payouts = yield* store.openOutflows("test")
            assert.deepStrictEqual(payouts.map(Outflow.paymentIds), [[own.id]])
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "to a blocked destination delay no other merchant, and are retried with all their shares",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* withPolicy(world, everyQuarter)
          const own = yield* anotherMerchant(world, "Franchise", stranger)
          const blocked = yield* collectedMany(world, 3)
          const other = yield* collected(world, own)
          yield* chain.block(treasury.address, token)
          yield* TestClock.adjust("16 minutes")
          yield* world.finish
          assert.strictEqual((yield* shareOf(world, other.id)).status, "paid")
          for (const { id } of blocked) {
            assert.strictEqual((yield* shareOf(world, id)).status, "held")
          }
          const [held] = yield* world.outflows.openOutflows("test")
          assert.deepStrictEqual(
            held && Outflow.paymentIds(held).toSorted(),
            blocked.map(({ id }) => id).toSorted(),
          )
          yield* world.audit
          yield* chain.unblock(treasury.address, token)
          yield* Settlements.retry(blocked[0]?.id ?? assert.fail())
          yield* world.finish
          for (const { id } of blocked) {
            assert.strictEqual((yield* shareOf(world, id)).status, "paid")
          }
          assert.deepStrictEqual(yield* world.outflows.openOutflows("test"), [])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "leave every share owed, and book nothing, if they revert",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* withPolicy(world, everyQuarter)
          const paid = yield* collectedMany(world, 3)
          yield* TestClock.adjust("16 minutes")
          yield* Scene.payOut
          yield* chain.block(treasury.address, token)
          yield* world.finish
          const owed = {
            _tag: "Owed",
            merchantId: world.merchant.id,
            address: only.address,
          } as const
          const nets = yield* Effect.forEach(paid, ({ id }) => netOf(world, id))
          assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", owed, token), -sum(nets))
          for (const { id } of paid) {
            const kinds = (yield* world.ledger.ledgerOf(id)).map(({ kind }) => kind)
            assert.deepStrictEqual(kinds, ["collect", "settle", "reverse"])
          }
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "pay the other shares if one is refunded before they are sent",
    play(
      (world) =>
        Effect.gen(function* () {
          const paid = yield* collectedMany(world, 3)
          const [first = assert.fail(), ...others] = paid
          yield* Payer.drain
          assert.strictEqual((yield* shareOf(world, first.id)).status, "processing")
          yield* world.refund(first.id)
          const { refund, share } = yield* world.succeeded(first.id)
          assert.strictEqual(share.status, "cancelled")
          assert.isFalse(Refund.drawsOnFloat(refund ?? assert.fail("no refund")))
          for (const { id } of others) {
            assert.strictEqual((yield* shareOf(world, id)).status, "waiting")
          }
          yield* world.finish
          for (const { id } of others) {
            assert.strictEqual((yield* shareOf(world, id)).status, "paid")
          }
          assert.strictEqual((yield* world.succeeded(first.id)).refund?.state._tag, "Succeeded")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "release a share that is refunded while they are held, because its money never left",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const paid = yield* collectedMany(world, 2)
          const [first = assert.fail(), second = assert.fail()] = paid
          yield* chain.block(treasury.address, token)
          yield* world.finish
          yield* chain.unblock(treasury.address, token)
          yield* world.refund(first.id)
          yield* world.finish
          assert.strictEqual((yield* shareOf(world, first.id)).status, "cancelled")
          assert.strictEqual((yield* shareOf(world, second.id)).status, "paid")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "either pay or refund each share if they race with refunds",
    play(
      (world) =>
        Effect.gen(function* () {
          const ends = new Set<string>()
          for (let seed = 0; seed < Counts.of({ usual: 20, full: 500 }); seed++) {
            const paid = yield* collectedMany(world, 4)
            yield* world.fund(token, only.address, 10n ** 9n)
            const later = Effect.forEach(Array.from({ length: seed * 4 }), () => Effect.yieldNow)
            yield* shuffling(seed)(
              Effect.all(
                [
                  Scene.payOut,
                  Scene.payOut,
                  Effect.andThen(
                    later,
                    Effect.forEach(paid.slice(0, 2), ({ id }) => Effect.result(world.refund(id))),
                  ),
                ],
                { concurrency: "unbounded", discard: true },
              ),
            )
            yield* world.finish
            for (const { id } of paid) {
              const { refund, share } = yield* world.succeeded(id)
              assert.oneOf(share.status, ["paid", "netted", "cancelled"])
              if (refund === null) assert.notStrictEqual(share.status, "cancelled")
              else {
                ends.add(share.status)
                assert.strictEqual(Refund.drawsOnFloat(refund), share.status !== "cancelled")
              }
            }
            yield* world.audit
          }
          assert.isTrue(ends.has("cancelled") && ends.size > 1, "both sides win sometimes")
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  it.effect(
    "deduct a debt of the merchant once, from its oldest shares",
    play(
      (world) =>
        Effect.gen(function* () {
          const debt = yield* indebted(world)
          const paid = yield* collectedMany(world, 3)
          yield* world.finish
          const netted = yield* nettedOf(world, paid)
          assert.strictEqual(sum(netted), debt)
          assert.isAbove(Number(netted[0]), 0)
          assert.strictEqual(yield* debtOf(world), 0n)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "are put together again if another batch paid off the debt that they deducted",
    play(
      (world) =>
        Effect.gen(function* () {
          const debt = yield* indebted(world)
          // Two processes gather two shares against the same debt, to two destinations.
          const [one] = yield* collectedMany(world, 1)
          yield* Payer.drain
          const { merchant, accounts, tenant } = world
          const destinations = yield* Stores.destinationsOf(accounts, merchant.id)
          const own = destinations.find((each) => each.token.address === token.address)
          yield* Settlements.changeDestination(
            tenant,
            merchant.id,
            own?.id ?? "",
            `${token.chainId}:${stranger.address}`,
          )
          const [two] = yield* collectedMany(world, 1)
          yield* Payer.drain
          const both = [one, two].flatMap((each) => each ?? [])
          assert.strictEqual(sum(yield* nettedOf(world, both)), 2n * debt)
          yield* world.finish
          assert.strictEqual(sum(yield* nettedOf(world, both)), debt)
          assert.strictEqual(yield* debtOf(world), 0n)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "are split if one transfer would pay too many shares",
    play(
      (world) =>
        Effect.gen(function* () {
          const count = Limits.sharesPerOutflowMax + 1
          const paid = yield* Effect.forEach(Array.from({ length: count }), () => world.pay(token))
          yield* bringIn(
            world,
            paid.map(({ id }) => id),
          )
          yield* Payer.drain
          const outflows = yield* world.outflows.openOutflows("test")
          assert.deepStrictEqual(
            outflows
              .map((each) => Outflow.paymentIds(each).length)
              .toSorted((left, right) => left - right),
            [1, Limits.sharesPerOutflowMax],
          )
          yield* world.finish
          for (const { id } of paid) {
            assert.strictEqual((yield* shareOf(world, id)).status, "paid")
          }
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "cannot be retried if they are not held",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* collected(world)
          yield* Payer.drain
          yield* failsWith("Conflict", Settlements.retry(id))
          yield* failsWith("Conflict", Refunds.retryHeld(id))
          yield* world.finish
        }),
      oneLane,
    ),
  )
})
