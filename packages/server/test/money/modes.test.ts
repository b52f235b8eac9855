/** Test outcomes, which a payment's creator asks for in its metadata, are for test payments. */
import { assert, describe, it } from "@effect/vitest"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import { Effect } from "effect"
import * as Faults from "./Faults.ts"
import * as Town from "./Town.ts"

/** The outcomes of test payments that come after an accepted confirm. */
const reachesConfirm = new Set(["failed", "slow", "reorganised", "payout_held", "refund_held"])

/** Plays a town whose payments, live and test ones, have this metadata; returns what the outside sees of live money. */
const liveMoney = Effect.fnUntraced(function* (
  seed: number,
  metadataOf: (outcome: string) => { readonly [key: string]: string },
  replace: Town.Options["replace"],
) {
  const town = yield* Town.open(seed, { replace, shops: 2, mode: "live" })
  const { draw } = town
  yield* town.fund()
  const outcomes = Town.shuffled(draw, TestOutcome.names).slice(0, 4)
  const all: Array<Town.Paid> = []
  for (const outcome of outcomes) {
    const shop = Town.oneOf(draw, town.shops)
    const paid = town.create(shop, 100 + draw(2000), { metadata: metadataOf(outcome) })
    town.confirm(paid)
    all.push(paid)
    // The same service takes a test payment that asks for it, too.
    const tested = town.create(
      town.testShop(),
      100 + draw(2000),
      { metadata: metadataOf(outcome) },
      "test",
    )
    if (reachesConfirm.has(outcome)) town.confirm(tested, "test")
    town.quiet(4, 10_000)
  }
  town.quiet()
  for (const paid of all) if (draw(2) === 0) town.ask(town.refunding(paid))
  town.quiet()
  const feed = Reading.list(
    town.expect(200, { path: "/v1/events?limit=200", key: town.keys.live.key }),
    "data",
  )
  const eventsOf = ({ id }: Town.Paid): Evidence.Json =>
    feed
      .filter((event) => Reading.text(event, "data", "paymentId") === id)
      .map((event) => Reading.text(event, "type"))
  return {
    events: all.map(eventsOf),
    statuses: all.map((paid) => Reading.text(town.details(paid), "status")),
    received: town.shops.map(({ treasury }) => town.receivedBy(treasury)),
    // Which of our accounts takes a payment follows from its id.
    ledger: Town.tally(town.balances("live"), ({ account, balance }) => [account._tag, balance]),
  }
})

/** Live money goes the same ways, whether the payments of both modes ask for test outcomes or not. */
const untouched: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const asking = yield* liveMoney(seed, (testOutcome) => ({ testOutcome }), replace)
  const usual = yield* liveMoney(seed, (note) => ({ note }), replace)
  assert.deepStrictEqual(asking, usual, "a test outcome touches live money")
  assert.deepStrictEqual([...new Set(asking.statuses)], ["succeeded"])
})

describe("A test outcome", () => {
  it.effect("never touches live money", () => Town.holds(untouched, 4), Town.timeout)

  it.effect("would be found to touch live money if a live payment could request one", () =>
    Town.isSeen(untouched, Faults.testOutcomesAreLive, "touches live money"),
  )
})
