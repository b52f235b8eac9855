/**
 * Whose shares a refund takes, and what becomes of the shares that it leaves.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Evidence from "@florin/core/engine/status/Evidence"
import * as Stuck from "@florin/core/engine/status/Stuck"
import * as Verdict from "@florin/core/engine/status/Verdict"
import { Settings } from "@florin/core/ports/Settings"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
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

/** Registers the account of a wallet as a merchant's destination. */
const register = (
  { tenant }: Scene.World,
  merchantId: MerchantId.MerchantId,
  wallet: Pick<typeof treasury, "account" | "address">,
) =>
  Settlements.create({
    tenant,
    merchantId,
    settlements: [
      {
        asset: Eip155.formatToken(token),
        destination: Eip155.formatAccount(wallet.account(token.chainId)),
      },
    ],
    idempotencyKey: wallet.address,
  })

const rounds = Effect.fnUntraced(function* (world: Scene.World, count = 8) {
  for (let round = 0; round < count; round++) {
    yield* Scene.work
    yield* world.settleAll
    yield* world.toNextWork
    yield* TestClock.adjust("1 second")
  }
})

const collected = Effect.fnUntraced(function* (
  world: Scene.World,
  merchantId: MerchantId.MerchantId,
  value?: string,
) {
  const request = value === undefined ? {} : { amount: { unit: "iso4217/USD", value } }
  const { id } = yield* world.pay(token, Scene.payer, request, merchantId)
  for (let count = 0; count < 50; count++) {
    yield* Collector.drain
    if ((yield* world.get(id)).state._tag === "Succeeded") break
    yield* world.settleAll
    yield* TestClock.adjust("1 second")
  }
  return id
})

/** Two merchants: `a` without a destination, and `b` with one of its own. */
const open = Effect.fnUntraced(function* (world: Scene.World, isNetting: boolean) {
  yield* Stores.putPartner(world.accounts, {
    ...world.partner,
    credit: { test: Credit.none },
    ...(isNetting && { limits: { test: { netsMerchants: true } } }),
  })
  const [a, b] = [world.fixtures.merchant(), world.fixtures.merchant()]
  for (const each of [a, b]) {
    yield* world.accounts.addMerchant(each)
  }
  const destination = { ...treasury.account(token.chainId), address: Fixtures.address("o") }
  const added = [world.fixtures.destination({ merchantId: b.id, token, destination })]
  const decide = () => Result.succeed({ added })
  yield* world.accounts.addDestinations(b.id, decide, Scene.now)
  yield* Merchants.changeAsOperator(world.tenant, a.id, {
    fees: {
      returned: "never",
      fixed: [{ currency: "USD", quantity: Fixtures.quantity(50n) }],
    },
  })
  return { a: a.id, b: b.id }
})

describe("a refund that its own share does not cover", () => {
  for (const hasDust of [false, true]) {
    it.effect(
      `takes shares of the partner's other merchants, ${hasDust ? "also if its own merchant has only an empty one" : "if its own has none"}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { a, b } = yield* open(world, true)
            if (hasDust) {
              const dust = yield* collected(world, a, "40")
              const { charge, share } = yield* world.succeeded(dust)
              assert.strictEqual(BigInt(charge.net), 0n)
              assert.strictEqual(share.status, "waiting")
            }
            const id = yield* collected(world, a)
            yield* world.refund(id)
            yield* rounds(world)
            const other = yield* collected(world, b)
            yield* rounds(world, 40)
            const { refund } = yield* world.succeeded(id)
            const after = yield* world.succeeded(other)
            // It is gathered and dissolved again and again.
            assert.isAtMost((yield* world.get(other)).revision, 10)
            assert.deepStrictEqual(
              { refund: refund?.state._tag, other: after.share.status },
              { refund: "Succeeded", other: "paid" },
            )
            yield* world.auditBooks
          }),
        oneLane,
      ),
      Scene.timeout,
    )
  }

  it.effect(
    "settles the share that it takes, also if that waited for a new destination",
    play(
      (world) =>
        Effect.gen(function* () {
          const settings = yield* Settings
          const day = 24 * 3600_000
          yield* Effect.gen(function* () {
            const { a } = yield* open(world, false)
            // The first one is refunded, and lacks the fee.
            const id = yield* collected(world, a)
            yield* world.refund(id)
            yield* rounds(world, 4)
            // The merchant registers a destination, removes it and registers another, which waits for a day.
            const first = yield* register(world, a, treasury)
            yield* Settlements.remove(world.tenant, a, first.destinations[0]?.id ?? "")
            yield* register(world, a, Scene.stranger)
            const later = yield* collected(world, a, "58")
            yield* rounds(world, 20)
            // The refund goes on credit, and the share that it took is settled with it.
            yield* Stores.putPartner(world.accounts, {
              ...world.partner,
              credit: { test: Credit.unlimited },
            })
            yield* rounds(world, 20)
            assert.strictEqual((yield* world.succeeded(id)).refund?.state._tag, "Succeeded")
            const { entry, share } = yield* world.succeeded(later)
            assert.deepInclude(share, { status: "netted" })
            assert.isDefined(entry.settled)
            const evidence = yield* Evidence.gather(later)
            assert.deepStrictEqual(
              {
                text: Verdict.judge(evidence).text,
                stuck: (yield* Stuck.list(world.tenant.mode)).map(({ code }) => code),
                isStuck: Payment.isStuck(yield* world.get(later)),
              },
              { text: "Paid, settled, nothing open.", stuck: [], isStuck: false },
            )
          }).pipe(
            Effect.provideService(Settings, {
              ...settings,
              destinationDelayInMs: { live: day, test: day },
            }),
          )
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  it.effect(
    "is not said to wait for a debt that its merchant does not have",
    play(
      (world) =>
        Effect.gen(function* () {
          const { b } = yield* open(world, false)
          yield* Merchants.changeAsOperator(world.tenant, b, { fees: { returned: "never" } })
          const first = yield* collected(world, b)
          yield* world.refund(first)
          yield* rounds(world, 8)
          yield* collected(world, b)
          yield* Payer.drain
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  for (const how of ["nothing", "a refund of its own", "a refund of another payment"] as const) {
    it.effect(
      `leaves no owed share unpaid once a destination is registered: the oldest is taken by ${how}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { a } = yield* open(world, false)
            // Without a fixed fee.
            yield* Merchants.changeAsOperator(world.tenant, a, {
              fees: {
                returned: how === "a refund of its own" ? "withRefund" : "never",
                fixed: [{ currency: "USD", quantity: Fixtures.quantity(0n) }],
              },
            })
            const large = yield* collected(world, a)
            const small = how === "a refund of another payment" ? "5" : "900"
            // The oldest share that waits once the large one is refunded.
            if (how === "a refund of another payment") {
              yield* world.refund(large)
              yield* Sender.drain
            }
            yield* TestClock.adjust("1 minute")
            yield* collected(world, a, small)
            yield* TestClock.adjust("1 minute")
            const later = yield* collected(world, a)
            // A worker looks at each, and at none of them again.
            yield* TestClock.adjust("10 minutes")
            yield* Payer.drain
            yield* register(world, a, treasury)
            // Before a worker looks at the oldest share, a refund takes all of it.
            if (how === "a refund of its own") yield* world.refund(large)
            yield* TestClock.adjust("10 minutes")
            yield* Sender.drain
            yield* rounds(world, 30)
            const { share } = yield* world.succeeded(later)
            assert.strictEqual(share.status, "paid")
          }),
        oneLane,
      ),
      Scene.timeout,
    )
  }

  it.effect(
    "leaves no owed share unpaid once a destination is in effect: it took the oldest while that waited",
    play(
      (world) =>
        Effect.gen(function* () {
          const settings = yield* Settings
          const day = 24 * 3600_000
          const delays = { destinationDelayInMs: { live: day, test: day } }
          yield* Effect.gen(function* () {
            const { a } = yield* open(world, false)
            // It had a destination before, so the next one waits for a day.
            const first = yield* register(world, a, Scene.stranger)
            yield* Settlements.remove(world.tenant, a, first.destinations[0]?.id ?? "")
            const oldest = yield* collected(world, a)
            yield* TestClock.adjust("1 minute")
            const later = yield* collected(world, a)
            yield* TestClock.adjust("10 minutes")
            yield* Payer.drain
            yield* register(world, a, treasury)
            yield* rounds(world, 5)
            // Within the day: a refund.
            yield* TestClock.adjust("3 hours")
            yield* world.refund(oldest)
            yield* rounds(world, 5)
            yield* TestClock.adjust("30 days")
            // It sells on, and that is paid.
            const last = yield* collected(world, a)
            yield* rounds(world, 40)
            assert.deepStrictEqual(
              {
                refund: (yield* world.succeeded(oldest)).refund?.state._tag,
                later: (yield* world.succeeded(later)).share.status,
                last: (yield* world.succeeded(last)).share.status,
                text: Verdict.judge(yield* Evidence.gather(later)).text,
                nextDueAt: yield* world.nextDueAt,
              },
              {
                refund: "Succeeded",
                later: "paid",
                last: "paid",
                text: "Paid, settled, nothing open.",
                nextDueAt: null,
              },
            )
          }).pipe(Effect.provideService(Settings, { ...settings, ...delays }))
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  for (const hasDust of [false, true]) {
    it.effect(
      `takes shares without a destination${hasDust ? ", also if one that was planned has nothing left" : ""}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { b } = yield* open(world, false)
            yield* Merchants.changeAsOperator(world.tenant, b, {
              payouts: { _tag: "Batched", everyInMs: 7 * 24 * 3600_000 },
              fees: {
                returned: "never",
                fixed: [{ currency: "USD", quantity: Fixtures.quantity(50n) }],
              },
            })
            if (hasDust) yield* collected(world, b, "40")
            for (const { id } of yield* Settlements.list(world.tenant, b)) {
              yield* Settlements.remove(world.tenant, b, id)
            }
            const id = yield* collected(world, b)
            yield* world.refund(id)
            yield* collected(world, b)
            for (let hour = 0; hour < 24; hour++) {
              yield* Scene.work
              yield* world.settleAll
              yield* TestClock.adjust("1 hour")
            }
            assert.strictEqual((yield* world.succeeded(id)).refund?.state._tag, "Succeeded")
          }),
        oneLane,
      ),
      Scene.timeout,
    )
  }
})
