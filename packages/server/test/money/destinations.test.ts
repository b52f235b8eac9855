/** Where a merchant is paid, while that changes: a thief with a partner's key must gain nothing by it. */
import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Faults from "./Faults.ts"
import * as Town from "./Town.ts"

const thief = Wallet.make(180).address
const settings = { destinationDelayInMs: { test: Town.day, live: Town.day } }
const hour = 60 * Town.minute

/**
 * A change of a destination takes effect after a day. Until then nothing is signed for the merchant, neither to the old
 * account nor to the new one. Naming the old account cancels the change.
 */
const changed: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const payouts = { _tag: "Batched", everyInMs: hour } as const
  const town = yield* Town.open(seed, { replace, settings, payouts })
  const { chain, draw, machine, token } = town
  const [shop = assert.fail()] = town.shops
  const all = [...town.take(shop, 1 + draw(3))]
  // Nothing is gathered yet, or some is, or it is signed.
  machine.runUntil(machine.now() + draw(2) * hour)
  const isMet = draw(2) === 0
  if (isMet) town.meet([])
  town.meet([town.moving(shop, thief)])
  /** What is on its way by now, or arrived, was signed before. */
  const signed = new Set([
    ...town.act(chain.pending(token.chainId)),
    ...town.transfers().map(({ hash }) => hash),
  ])
  const requestedAt = machine.now()
  const isCancelled = draw(3) === 0
  const hours = Array.from({ length: 22 }, (_, index) => index + 1)
  for (const passed of hours.filter(() => draw(4) === 0)) {
    machine.runUntil(Math.max(machine.now(), requestedAt + passed * hour))
    if (draw(3) === 0) all.push(...town.take(shop, 1))
    town.meet([])
    town.settle()
    town.rest()
    for (const address of [shop.treasury, thief]) {
      const sent = town.sentTo(address).filter(({ hash }) => !signed.has(hash))
      assert.deepStrictEqual(sent, [], "a changed destination waits")
    }
  }
  // The merchant notices it, or it was the merchant's own change.
  if (isCancelled) {
    town.expect(200, town.moving(shop, shop.treasury))
  } else {
    machine.runUntil(Math.max(machine.now(), requestedAt + Town.day))
  }
  const before = town.receivedBy(shop.treasury)
  town.quiet(6, hour)
  const brought = Town.sum(all.map(({ quantity }) => quantity))
  const after = town.receivedBy(shop.treasury)
  const late = town.receivedBy(thief)
  assert.strictEqual(after + late, brought, "shares that waited are paid in the end")
  if (isCancelled) assert.strictEqual(late, 0n, "a cancelled change gets nothing")
  else assert.isTrue(after === before || late === 0n, "a change in effect gets everything")
  town.agrees()
})

/**
 * The shares that waited for a destination when it was deleted are paid to it. Later ones wait for a new destination, which
 * counts as a change.
 */
const deleted: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const payouts = { _tag: "Batched", everyInMs: hour } as const
  const town = yield* Town.open(seed, { replace, settings, payouts })
  const { draw, machine, token } = town
  const [shop = assert.fail()] = town.shops
  const waiting = town.take(shop, 1 + draw(3))
  machine.runUntil(machine.now() + draw(2) * hour)
  town.meet([
    {
      method: "DELETE",
      path: `/v1/merchants/${shop.id}/settlements/crypto/${shop.destinationId}`,
      key: town.keys.test.key,
    },
  ])
  const later = town.take(shop, 1 + draw(2))
  town.quiet(5, hour)
  const due = Town.sum(waiting.map(({ quantity }) => quantity))
  assert.strictEqual(
    town.receivedBy(shop.treasury),
    due,
    "a deleted destination is paid what it was due, and no more",
  )
  // What came later waits for a destination, whose first account is a change of the old one.
  const asset = town.assetOf(token)
  town.expect(201, {
    path: `/v1/merchants/${shop.id}/settlements/crypto`,
    key: town.keys.test.key,
    idempotencyKey: "again",
    body: { settlements: [{ asset, destination: `${token.chainId}:${thief}` }] },
  })
  const registeredAt = machine.now()
  town.quiet(4, hour)
  assert.strictEqual(town.receivedBy(thief), 0n, "a new account waits like a changed one")
  machine.runUntil(registeredAt + Town.day)
  town.quiet(5, hour)
  assert.strictEqual(town.receivedBy(thief), Town.sum(later.map(({ quantity }) => quantity)))
  assert.strictEqual(town.receivedBy(shop.treasury), due)
  town.isLawful(shop, [...waiting, ...later], due + town.receivedBy(thief))
  town.agrees()
})

describe("A destination that changed", () => {
  it.effect(
    "delays the merchant's shares until it is in effect",
    () => Town.holds(changed, 6),
    Town.timeout,
  )

  it.effect("would break the rule if it took effect immediately", () =>
    Town.isSeen(changed, Faults.changesDoNotWait, "a changed destination waits"),
  )
})

describe("A destination that was deleted", () => {
  it.effect("still receives what was due before", () => Town.holds(deleted, 6), Town.timeout)

  it.effect("would break the rule if it was forgotten", () =>
    Town.isSeen(deleted, Faults.deletedIsForgotten, "is paid what it was due"),
  )
})
