/**
 * Refunds before and after the payout. A shop has no credit here, and the operator put in no money unless a test says
 * so: what would be paid twice has no money to come from but that of others.
 */
import { assert, describe, it } from "@effect/vitest"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import { Effect } from "effect"
import * as Faults from "./Faults.ts"
import * as Town from "./Town.ts"

const quarter = 15 * Town.minute
const policies = [{ _tag: "Immediate" }, { _tag: "Batched", everyInMs: quarter }] as const

/** Whoever sees the refund of a payment sees its share cancelled, or sent before. */
const showsOneWay = (details: Evidence.Json) => {
  const refund = Reading.at(details, "refund")
  const netted = Reading.amount(details, "payout", "netted").quantity
  if (refund === null || netted > 0n) return
  const state = Reading.text(details, "payout", "state")
  const reason = Reading.text(details, "payout", "reason")
  const isUnsent = state === "waiting" || (state === "processing" && reason !== "sent")
  assert.isFalse(isUnsent, `the share goes out after its refund: ${JSON.stringify(details)}`)
}

/**
 * A refund that is requested before the merchant's share was sent takes the share back in the same write: the share is
 * never sent, and the refund needs neither credit nor the operator's money. Here refunds meet payouts, and processes die
 * at any call.
 */
const firstOne: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace, shops: 2, payouts: policies[seed % 2] })
  const { draw, machine, operator, world } = town
  yield* town.done(
    operator.partners.change({ partnerId: town.partnerId, credit: { test: "none" } }),
  )
  const all = town.shops.flatMap((shop) => town.take(shop, 2 + draw(3)))
  if (seed % 2 === 1) machine.runUntil(machine.now() + quarter)
  const refunded = all.filter(() => draw(2) === 0)
  for (const paid of Town.shuffled(draw, refunded)) {
    if (draw(2) === 0) world.anyServer().dies = { calls: draw(25), isCarriedOut: draw(2) === 0 }
    const others = all.map(({ id, shop }) => ({
      path: `/v1/payments/${id}`,
      key: town.keys.test.key,
      merchantId: shop.id,
    }))
    const responses = town.meet([town.refunding(paid), ...Town.shuffled(draw, others)], draw(3) > 0)
    for (const response of responses) showsOneWay(response?.body ?? null)
    if (draw(2) === 0) town.settle()
    for (const server of world.servers) server.dies = null
  }
  town.quiet(8, 5 * Town.minute)
  const paidOut = new Set(
    town
      .payouts()
      .flatMap((payout) =>
        Reading.text(payout, "state") === "paid"
          ? Reading.list(payout, "payments").map((share) => Reading.text(share, "paymentId"))
          : [],
      ),
  )
  for (const paid of all) {
    const details = town.details(paid)
    const netted = Reading.amount(details, "payout", "netted").quantity
    if (Reading.at(details, "refund") === null) {
      assert.isTrue(paidOut.has(paid.id) || netted > 0n, "a share that nobody refunds is paid out")
    } else if (!paidOut.has(paid.id) && netted === 0n) {
      assert.isTrue(town.isRefunded(paid), "a refund that came first needs no credit")
    }
  }
  for (const shop of town.shops) {
    assert.strictEqual(town.bookOf(shop).debt, 0n, "nobody owes anything without credit")
    town.isLawful(shop, all, town.receivedBy(shop.treasury))
  }
  town.agrees()
})

/**
 * A refund of money that its merchant already had takes the merchant's next shares first, in the order of the refunds,
 * before any of them is gathered into a payout. Without credit it waits until they are enough.
 */
const refundsFirst: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace })
  const { draw, operator } = town
  const [shop = assert.fail()] = town.shops
  yield* town.done(
    operator.partners.change({ partnerId: town.partnerId, credit: { test: "none" } }),
  )
  yield* town.fund()
  const before = town.take(shop, 1 + draw(3))
  town.quiet()
  const received = town.receivedBy(shop.treasury)
  assert.strictEqual(received, Town.sum(before.map(({ quantity }) => quantity)))
  for (const paid of before) town.refund(paid)
  town.quiet()
  assert.isFalse(before.some(town.isRefunded), "without credit they wait")
  const later = town.take(shop, 1 + draw(3), () => 100 + draw(3000))
  town.meet([])
  town.meet([])
  town.quiet(8, 10 * Town.minute)
  const brought = Town.sum(later.map(({ quantity }) => quantity))
  const left = brought > received ? brought - received : 0n
  assert.strictEqual(
    town.receivedBy(shop.treasury) - received,
    left,
    "a shop is paid what its refunds leave",
  )
  const isAll = before.every(town.isRefunded)
  assert.strictEqual(isAll, brought >= received, "refunds go as soon as what they need is there")
  assert.strictEqual(town.bookOf(shop).debt, 0n)
  town.isLawful(shop, [...before, ...later], town.receivedBy(shop.treasury))
  town.agrees()
})

describe("A refund that comes before its payout", () => {
  it.effect(
    "cancels the merchant's share in the same write",
    () => Town.holds(firstOne, 8),
    Town.timeout,
  )

  it.effect("would break the rule if it left the share in its payout", () =>
    Town.isSeen(firstOne, Faults.refundsLeaveShares, "goes out after its refund"),
  )
})

describe("A refund of money that the merchant already received", () => {
  it.effect(
    "takes the merchant's shares before a payout does",
    () => Town.holds(refundsFirst, 6),
    Town.timeout,
  )

  it.effect("would break the rule if payouts ignored waiting refunds", () =>
    Town.isSeen(refundsFirst, Faults.payoutsIgnoreRefunds, "a shop is paid what its refunds leave"),
  )
})
