import { assert, describe, it } from "@effect/vitest"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import * as Stuck from "@florin/core/engine/status/Stuck"
import { findPartner } from "@florin/core/ports/AccountStore"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { play, tokens, treasury } = Scene
const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const token = tokens.eip3009
const hour = 3_600_000
const day = 24 * hour

const limit = (world: Scene.World, patch: PartnerLimits.Patch) =>
  Merchants.changePartner(world.tenant.partnerId, { limits: { test: patch } })

const dollars = (cents: bigint): Credit.Credit => ({
  _tag: "Limited",
  amounts: [{ currency: "USD", quantity: Fixtures.quantity(cents) }],
})

const received = (world: Scene.World, address = treasury.address) =>
  world.chain.balanceOf(token, address)

/** All that is due within some time: of what waits for a limit something is due for ever. */
const workFor = Effect.fnUntraced(function* (world: Scene.World, inMs: number) {
  const steps = 12
  for (let step = 0; step < steps; step++) {
    yield* Scene.work
    yield* world.settleAll
    yield* Scene.work
    yield* TestClock.adjust(inMs / steps)
  }
  // What was sent last becomes final.
  for (let step = 0; step < 3; step++) {
    yield* Scene.work
    yield* world.settleAll
    yield* TestClock.adjust(10_000)
  }
  yield* Scene.work
})

/** A payment that was collected. */
const collected = Effect.fnUntraced(function* (world: Scene.World, merchantId = world.merchant.id) {
  const paid = yield* world.pay(token, Scene.payer, {}, merchantId)
  while ((yield* world.get(paid.id)).state._tag !== "Succeeded") {
    yield* Collector.drain
    yield* world.settleAll
    yield* TestClock.adjust(1000)
  }
  return { id: paid.id, net: (yield* world.succeeded(paid.id)).charge.net }
})

const outflowOf = (world: Scene.World, id: OutflowId.OutflowId) => findOutflow(world.outflows, id)

const shareOf = (world: Scene.World, id: Payment.Payment["id"]) =>
  Effect.map(world.succeeded(id), ({ share }) => share)

describe("limits of a partner", () => {
  it.effect(
    "S3: delay a payout until its payment succeeded long enough ago",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* limit(world, { payoutDelayInMs: day })
          const before = yield* received(world)
          const first = yield* collected(world)
          yield* workFor(world, day - hour)
          const second = yield* collected(world)
          assert.strictEqual(yield* received(world), before)
          yield* workFor(world, 2 * hour)
          // The first one alone: the other one has to wait.
          assert.strictEqual((yield* received(world)) - before, first.net)
          yield* workFor(world, day)
          assert.strictEqual((yield* received(world)) - before, first.net + second.net)
          // A lifted limit lets go what is held back by it.
          const third = yield* collected(world)
          yield* Payer.drain
          yield* limit(world, { payoutDelayInMs: null })
          yield* workFor(world, day + hour)
          assert.strictEqual((yield* shareOf(world, third.id)).status, "paid")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S3: keep a reserve of each payout for its time, and use it first for refunds",
    play(
      (world) =>
        Effect.gen(function* () {
          const reserve = Result.getOrThrow(PartnerLimits.parseReserve("10% 7d"))
          yield* limit(world, { reserve })
          yield* Stores.putPartner(world.accounts, {
            ...(yield* findPartner(world.accounts, world.tenant.partnerId)),
            credit: { test: Credit.none },
          })
          const before = yield* received(world)
          const paid = [yield* collected(world), yield* collected(world)]
          yield* workFor(world, hour)
          const now = paid.reduce((sum, { net }) => sum + net - (net + 9n) / 10n, 0n)
          assert.strictEqual((yield* received(world)) - before, now)
          const [first = assert.fail(), second = assert.fail()] = paid
          yield* world.refund(first.id)
          yield* workFor(world, hour)
          const refund = (yield* world.succeeded(first.id)).refund ?? assert.fail("no refund")
          assert.strictEqual(refund.own, (first.net + 9n) / 10n, "its own reserve comes first")
          assert.strictEqual(Refund.keptOf(refund), (second.net + 9n) / 10n)
          assert.deepInclude(refund.state, { _tag: "Pending", waitsForCredit: true })
          // The next one is kept for it, too, as far as it must be; the rest goes its way.
          const third = yield* collected(world)
          const fourth = yield* collected(world)
          yield* workFor(world, 8 * day)
          assert.strictEqual((yield* world.succeeded(first.id)).refund?.state._tag, "Succeeded")
          assert.strictEqual((yield* received(world)) - before, second.net + third.net + fourth.net)
          for (const { id } of [second, fourth]) {
            assert.strictEqual((yield* shareOf(world, id)).status, "paid")
          }
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S3: pay out no more per day than the limit, and show why and until when the rest waits",
    play(
      (world) =>
        Effect.gen(function* () {
          // Payments of about 10 USD: each payout carries one of them.
          yield* limit(world, { payoutsPerDay: dollars(1_500n) })
          const before = yield* received(world)
          const paid = [yield* collected(world), yield* collected(world), yield* collected(world)]
          const sentAt = yield* Clock.currentTimeMillis
          yield* workFor(world, hour)
          const [first = assert.fail()] = paid
          assert.strictEqual((yield* received(world)) - before, first.net)
          const stuck = yield* Stuck.list("test")
          assert.deepStrictEqual(
            stuck.map(({ code, isHeld }) => ({ code, isHeld })),
            [
              { code: "limit", isHeld: false },
              { code: "limit", isHeld: false },
            ],
          )
          const [waiting = assert.fail()] = stuck
          assert.include(waiting.reason, "what may be paid out in a day: it is sent at ")
          const { state } = yield* outflowOf(world, waiting.outflow?.id ?? assert.fail())
          const until = state._tag === "Waiting" ? state.obstacle?.until : undefined
          assert.isTrue(
            until !== undefined && until >= sentAt + day && until <= sentAt + day + hour,
          )
          yield* workFor(world, day)
          const [, second = assert.fail()] = paid
          const two = (yield* received(world)) - before
          assert.isTrue(two > first.net && two <= first.net + second.net + 100_000n)
          yield* limit(world, { payoutsPerDay: null })
          yield* workFor(world, hour)
          assert.strictEqual(
            (yield* received(world)) - before,
            paid.reduce((sum, { net }) => sum + net, 0n),
          )
          assert.deepStrictEqual(yield* Stuck.list("test"), [])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S3: refund no more per day than the limit, over all merchants",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* limit(world, { refundsPerDay: dollars(1_500n) })
          const paid = [yield* collected(world), yield* collected(world)]
          for (const { id } of paid) yield* world.refund(id)
          yield* workFor(world, hour)
          const refunds = yield* Effect.forEach(paid, ({ id }) =>
            Effect.map(world.succeeded(id), ({ refund }) => refund ?? assert.fail("no refund")),
          )
          assert.deepStrictEqual(refunds.map(({ state }) => state._tag).toSorted(), [
            "Pending",
            "Succeeded",
          ])
          const state = refunds.find((each) => each.state._tag === "Pending")?.state
          assert.isTrue(state?._tag === "Pending" && typeof state.limitedUntil === "number")
          yield* workFor(world, day)
          for (const { id } of paid) {
            assert.strictEqual((yield* world.succeeded(id)).refund?.state._tag, "Succeeded")
          }
          // One that is more than a day may refund waits for the operator.
          yield* limit(world, { refundsPerDay: dollars(500n) })
          const large = yield* collected(world)
          yield* world.refund(large.id)
          yield* workFor(world, 2 * day)
          const { refund } = yield* world.succeeded(large.id)
          assert.deepInclude(refund?.state, { _tag: "Pending", limitedUntil: null })
          const [stuck] = yield* Stuck.list("test")
          assert.include(stuck?.reason, "raise the limit")
          yield* limit(world, { refundsPerDay: dollars(5_000n) })
          yield* workFor(world, hour)
          assert.strictEqual((yield* world.succeeded(large.id)).refund?.state._tag, "Succeeded")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S3: use other merchants' shares for a refund only if the operator allows it",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* Stores.putPartner(world.accounts, {
            ...world.partner,
            credit: { test: Credit.none },
          })
          const other = world.fixtures.merchant()
          yield* world.accounts.addMerchant(other)
          const destination = { ...treasury.account(token.chainId), address: Fixtures.address("o") }
          const added = [world.fixtures.destination({ merchantId: other.id, token, destination })]
          const decide = () => Result.succeed({ added })
          yield* world.accounts.addDestinations(other.id, decide, Scene.now)
          const before = yield* received(world, destination.address)
          const first = yield* collected(world)
          yield* workFor(world, hour)
          yield* world.refund(first.id)
          const second = yield* collected(world, other.id)
          yield* workFor(world, hour)
          const gotThere = Effect.map(received(world, destination.address), (all) => all - before)
          assert.strictEqual(yield* gotThere, second.net)
          const stateOf = Effect.map(
            world.succeeded(first.id),
            ({ refund }) => refund?.state._tag ?? assert.fail("no refund"),
          )
          assert.strictEqual(yield* stateOf, "Pending")
          yield* limit(world, { netsMerchants: true })
          const third = yield* collected(world, other.id)
          yield* workFor(world, hour)
          assert.strictEqual(yield* stateOf, "Succeeded")
          assert.strictEqual(yield* gotThere, second.net + third.net - first.net)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S3: record each change in the audit log, with the old and the new value",
    play((world) =>
      Effect.gen(function* () {
        yield* limit(world, { payoutDelayInMs: day, refundsPerDay: dollars(100n) })
        yield* limit(world, { payoutDelayInMs: null })
        yield* limit(world, {})
        const { items } = yield* AuditLog.list({ partnerId: world.tenant.partnerId }, undefined, 9)
        assert.deepStrictEqual(
          items.map(({ changes }) => changes),
          [
            [
              {
                field: "testLimits",
                from: "payoutDelay: 1d; refundsPerDay: 1.00 USD",
                to: "refundsPerDay: 1.00 USD",
              },
            ],
            [
              {
                field: "testLimits",
                from: null,
                to: "payoutDelay: 1d; refundsPerDay: 1.00 USD",
              },
            ],
          ],
        )
        const partner = yield* findPartner(world.accounts, world.tenant.partnerId)
        assert.deepStrictEqual(Merchant.limitsOf(partner, "live"), PartnerLimits.none)
      }),
    ),
  )
})
