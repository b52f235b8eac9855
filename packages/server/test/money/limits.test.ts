/**
 * What an operator limits: what merchants may owe, what leaves in a day, and what is held back of each share. Processes
 * that decide at the same time, each on an account of its own, must not exceed a limit together.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Credit from "@florin/core/domain/money/Credit"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Reading from "@florin/testing/oracle/Reading"
import { Effect, Result } from "effect"
import * as Actors from "../simulation/Actors.ts"
import * as Faults from "./Faults.ts"
import * as Town from "./Town.ts"

/** USDC on two chains, with two accounts on each: four transactions may be signed at the same time. */
const dollars = Actors.tokens.filter((_, index) => index % 2 === 0)
const units = (count: number) => BigInt(count) * 1_000_000n
const amountOf = (count: number) => Result.getOrThrow(Credit.parse(`${count} USD`))

/** Payments in all tokens. */
const takeAll = (town: Town.Town, shop: Town.Shop) =>
  town.tokens.flatMap((token) => town.take(shop, 2, () => 500 + town.draw(1500), token))

/**
 * Refunds of money that merchants already had leave debts, and all debts of a partner's merchants together never exceed
 * its credit. Here refunds of everything are sent at the same time, and the credit covers some of them.
 */
const credit: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace, shops: 2, tokens: dollars })
  const { draw, operator } = town
  const lent = 15 + draw(40)
  yield* town.done(
    operator.partners.change({
      partnerId: town.partnerId,
      credit: { test: Credit.format(amountOf(lent)) },
    }),
  )
  yield* town.fund()
  const all = town.shops.flatMap((shop) => takeAll(town, shop))
  town.quiet()
  town.meet(all.map(town.refunding), true, 1000)
  const owing = () => Town.sum(town.shops.map((shop) => town.bookOf(shop).debt))
  for (let round = 0; round < 6; round++) {
    town.meet([], true, 1000)
    town.settle()
    assert.isTrue(owing() <= units(lent), `merchants owe ${owing()}, with a credit of ${lent}`)
  }
  town.quiet(6, 10 * Town.minute)
  assert.isTrue(owing() <= units(lent), `merchants owe ${owing()}, with a credit of ${lent}`)
  for (const paid of all) {
    if (town.isRefunded(paid)) continue
    const reason = Reading.text(town.details(paid), "refund", "pendingReason")
    assert.strictEqual(reason, "insufficient_credit", JSON.stringify(town.details(paid)))
    assert.isTrue(owing() + paid.quantity > units(lent), "what the credit covers does not wait")
  }
  town.agrees()
})

/**
 * What is paid out to a partner's merchants in any 24 hours never exceeds its limit, and neither does what is refunded.
 * Each has a limit of its own, and what does not fit waits for the next day.
 */
const perDay: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace, shops: 2, tokens: dollars })
  const { draw, operator } = town
  const most = 20 + draw(30)
  const limit = amountOf(most)
  const limits = { payoutsPerDay: Credit.format(limit), refundsPerDay: Credit.format(limit) }
  yield* town.done(operator.partners.freeze({ partnerId: town.partnerId }))
  yield* town.done(
    operator.partners.change({ partnerId: town.partnerId, limits: { test: limits } }),
  )
  const all = town.shops.flatMap((shop) => takeAll(town, shop))
  yield* town.done(operator.partners.unfreeze({ partnerId: town.partnerId }))
  const refunded = all.filter(() => draw(3) === 0)
  for (const paid of refunded) town.refund(paid)
  const addresses = Actors.payers.map(({ address }) => address)
  /** What left for payouts and for refunds so far. */
  const left = () => ({
    payouts: Town.sum(
      town.shops.flatMap(({ treasury }) =>
        town.tokens.map((token) => town.receivedBy(treasury, token)),
      ),
    ),
    refunds: Town.sum(
      addresses.flatMap((payer) => town.tokens.map((token) => town.receivedBy(payer, token))),
    ),
  })
  let before = left()
  const quantity = Town.sum(all.map((paid) => paid.quantity))
  // Each day sends what fits, and no share is larger than a day's limit.
  const days = Number(quantity / units(1)) + 2
  for (let passed = 0; passed < days; passed++) {
    for (let round = 0; round < 3; round++) {
      town.meet([], true, 1000)
      town.settle()
      town.rest()
    }
    const after = left()
    for (const kind of ["payouts", "refunds"] as const) {
      const sent = after[kind] - before[kind]
      assert.isTrue(sent <= units(most), `${kind} of ${sent} in a day, with a limit of ${most}`)
    }
    before = after
    if (after.payouts + after.refunds === quantity) break
    town.machine.runUntil(town.machine.now() + Town.day + Town.minute)
  }
  town.quiet()
  const end = left()
  assert.strictEqual(end.payouts + end.refunds, quantity, "everything leaves in the end")
  town.agrees()
})

/** Of each share a part is paid out only after 30 days. All other parts are paid out now. */
const reserve: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace, shops: 2, isShared: seed % 2 === 0 })
  const { draw, operator } = town
  const percent = 10 * (1 + draw(9))
  const held = Result.getOrThrow(PartnerLimits.parseReserve(`${percent}% 30d`))
  yield* town.done(operator.partners.freeze({ partnerId: town.partnerId }))
  yield* town.done(
    operator.partners.change({
      partnerId: town.partnerId,
      limits: { test: { reserve: PartnerLimits.format({ reserve: held }).reserve } },
    }),
  )
  const all = town.shops.flatMap((shop) => town.take(shop, 2))
  yield* town.done(operator.partners.unfreeze({ partnerId: town.partnerId }))
  const treasuries = new Set(town.shops.map(({ treasury }) => treasury))
  const received = () => Town.sum([...treasuries].map((treasury) => town.receivedBy(treasury)))
  const whole = Town.sum(all.map(({ quantity }) => quantity))
  const free = Town.sum(
    all.map(({ quantity }) => quantity - (quantity * BigInt(percent) + 99n) / 100n),
  )
  for (let round = 0; round < 4; round++) {
    town.meet([], true, 1000)
    town.settle()
    town.machine.runUntil(town.machine.now() + draw(7) * Town.day)
    assert.isTrue(received() <= free, `${received()} was paid out, and ${free} is free`)
  }
  town.quiet(4, 10 * Town.minute)
  assert.strictEqual(received(), free, "what is not reserved is paid out")
  town.machine.runUntil(town.machine.now() + 30 * Town.day)
  town.quiet(4, 10 * Town.minute)
  assert.strictEqual(received(), whole, "the reserve is paid out when its time is over")
  town.agrees()
})

describe("The credit of a partner", () => {
  it.effect(
    "is never exceeded by its merchants' debts, in any race",
    () => Town.holds(credit, 6),
    Town.timeout,
  )

  it.effect("would be exceeded if it was not checked in the writing statement", () =>
    Town.isSeen(credit, Faults.creditIsJudgedBefore, "merchants owe"),
  )
})

describe("The daily limits of a partner", () => {
  it.effect(
    "are never exceeded in any 24 hours, in any race",
    () => Town.holds(perDay, 4),
    Town.timeout,
  )

  it.effect("would be exceeded if they were not checked in the writing statement", () =>
    Town.isSeen(perDay, Faults.limitsAreJudgedBefore, "in a day, with a limit of"),
  )
})

describe("The reserve of a partner", () => {
  it.effect(
    "is held from each share until its time is over, in any race",
    () => Town.holds(reserve, 6),
    Town.timeout,
  )

  it.effect("would be missing if a payout took whole shares", () =>
    Town.isSeen(reserve, Faults.reservesArePaid, "was paid out, and"),
  )
})
