import { assert, describe, it } from "@effect/vitest"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import { findPartner } from "@florin/core/ports/AccountStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
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
    "S3: show when a refund beyond a day's limit is sent, by the limit as it is now",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* limit(world, { refundsPerDay: dollars(1500n) })
          const [first, second] = [yield* collected(world), yield* collected(world)]
          const sentAt = yield* Clock.currentTimeMillis
          for (const { id } of [first, second]) {
            yield* world.refund(id)
            yield* Sender.drain
          }
          const until = Effect.map(
            world.succeeded(second.id),
            ({ refund }) => refund && Refund.limitedUntil(refund),
          )
          assert.strictEqual(yield* until, sentAt + day)
          for (const [cents, expected] of [
            [500n, null],
            [1500n, sentAt + day],
          ] as const) {
            yield* limit(world, { refundsPerDay: dollars(cents) })
            yield* TestClock.adjust(hour / 60)
            yield* Sender.drain
            assert.strictEqual(yield* until, expected)
          }
          yield* workFor(world, day)
          assert.strictEqual((yield* world.succeeded(second.id)).refund?.state._tag, "Succeeded")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S3: split a payout that waits into smaller ones if it exceeds a lowered limit of a day",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* Stores.putPartner(world.accounts, {
            ...world.partner,
            payouts: { _tag: "Batched", everyInMs: hour },
          })
          const before = yield* received(world)
          const shares = [yield* collected(world), yield* collected(world), yield* collected(world)]
          yield* limit(world, { payoutsPerDay: dollars(10_000n) })
          yield* Lanes.stop("test", token.chainId, "an operator looks")
          yield* TestClock.adjust(hour)
          yield* Payer.drain
          yield* Sender.drain
          const [one = assert.fail()] = yield* world.outflows.openOutflows("test")
          assert.lengthOf(Outflow.sharesOf(one), 3)
          yield* limit(world, { payoutsPerDay: dollars(1500n) })
          yield* Lanes.resume("test", token.chainId)
          yield* workFor(world, 4 * day)
          const all = shares.reduce((sum, { net }) => sum + net, 0n)
          assert.strictEqual((yield* received(world)) - before, all)
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
