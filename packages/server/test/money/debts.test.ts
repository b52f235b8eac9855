/**
 * Payouts that pay several merchants of a partner at one account, while some of them owe something from refunds of money
 * that they already had. The operator lends what these refunds need.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Reading from "@florin/testing/oracle/Reading"
import { Effect } from "effect"
import * as Faults from "./Faults.ts"
import * as Town from "./Town.ts"

const quarter = 15 * Town.minute

/**
 * A payout deducts what each merchant owes from that merchant's own shares only. The first shop never owes anything, so
 * it gets all of its shares, and nothing of them is netted.
 */
const sharedPayouts: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const payouts = { _tag: "Batched", everyInMs: quarter } as const
  const town = yield* Town.open(seed, { replace, shops: 3, isShared: true, payouts })
  const { draw, shops } = town
  const [honest = assert.fail(), ...others] = shops
  yield* town.fund()
  const takeAll = () =>
    Town.shuffled(draw, [...shops, ...shops]).flatMap((shop) => town.take(shop, draw(3)))
  const before = takeAll()
  town.quiet(5, quarter)
  for (const paid of before) if (paid.shop.id !== honest.id && draw(2) === 0) town.refund(paid)
  town.quiet()
  const all = [...before, ...takeAll()]
  // Also while shares wait to be gathered, and while payouts go out.
  town.meet(all.filter(({ shop }) => shop.id !== honest.id && draw(4) === 0).map(town.refunding))
  town.machine.runUntil(town.machine.now() + quarter)
  town.meet([])
  town.quiet(6, quarter)
  let sent = 0n
  const receivedBy = new Map<string, bigint>()
  for (const payout of town.payouts()) {
    if (Reading.text(payout, "state") !== "paid") continue
    const lines = Reading.list(payout, "payments")
    const { quantity } = Reading.amount(payout, "amount")
    const amounts = lines.map((line) => Reading.amount(line, "amount").quantity)
    assert.strictEqual(Town.sum(amounts), quantity, "a payout is the sum of its lines")
    sent += quantity
    for (const line of lines) {
      const id = Reading.text(line, "merchantId")
      const { quantity: amount } = Reading.amount(line, "amount")
      receivedBy.set(id, (receivedBy.get(id) ?? 0n) + amount)
      if (id !== honest.id) continue
      const netted = Reading.amount(line, "netted").quantity
      assert.strictEqual(netted, 0n, "nothing is taken from who owes nothing")
    }
  }
  assert.strictEqual(sent, town.receivedBy(honest.treasury), "payouts are what the chain shows")
  assert.strictEqual(
    receivedBy.get(honest.id) ?? 0n,
    Town.sum(all.filter(({ shop }) => shop.id === honest.id).map(({ quantity }) => quantity)),
    "who owes nothing gets all of its shares",
  )
  for (const shop of [honest, ...others]) {
    town.isLawful(shop, all, receivedBy.get(shop.id) ?? 0n)
  }
  town.agrees()
})

describe("A payout of several merchants", () => {
  it.effect(
    "never uses one merchant's money for another's debt",
    () => Town.holds(sharedPayouts, 6),
    Town.timeout,
  )

  it.effect("would break the rule if it took every debt from each merchant", () =>
    Town.isSeen(sharedPayouts, Faults.debtsAreShared, "owes nothing"),
  )
})
