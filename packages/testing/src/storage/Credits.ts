/**
 * What merchants owe, what their refunds need, and that no more is lent than a partner's credit covers.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Credit from "@florin/core/domain/money/Credit"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Payment from "@florin/core/domain/payment/Payment"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { owingOf } from "@florin/core/ports/LedgerStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { assetOf, dollars } from "./Dollars.ts"
import { atOnce, begin, failsWith, type It, range, type Scene, timeout } from "./Scene.ts"

const { now } = Fixtures
const rounds = Counts.of({ usual: 3, full: 50 })

const termsOf = ({ world }: Scene, credit: Credit.Credit): Credit.Terms => ({
  credit,
  assets: {
    find: (token) => (Caip.sameToken(token, world.token) ? assetOf(token) : undefined),
  },
})

/** A stored merchant of the partner, or of the other one. */
const register = Effect.fnUntraced(function* (
  { accounts, world }: Scene,
  overrides: Partial<Merchant.Merchant> = {},
) {
  const merchant = world.merchant(overrides)
  yield* accounts.addMerchant(merchant)
  return merchant
})

/** A refund of this quantity after the payout, for a payment of the merchant that only the ledger knows. */
const refunding = (
  { world }: Scene,
  { id: merchantId, partnerId }: Pick<Merchant.Merchant, "id" | "partnerId">,
  of: bigint,
) =>
  Ledger.refund({
    collecting: world.payTo,
    token: world.token,
    payer: Fixtures.account(`payer/${world.name}`),
    merchantId,
    partnerId,
    quantity: Fixtures.quantity(of),
    own: Fixtures.quantity(0n),
    fee: Fixtures.quantity(0n),
  })

/** Writes an outflow that lends this quantity to a merchant. */
const lend = (
  scene: Scene,
  merchant: Pick<Merchant.Merchant, "id" | "mode" | "partnerId">,
  of: bigint,
  credit: Credit.Credit,
) => {
  const { put, world } = scene
  const { id: merchantId, mode, partnerId } = merchant
  const { token } = world
  const outflow = Outflow.make(
    {
      id: world.outflowId(),
      partnerId,
      mode,
      movement: {
        token,
        from: world.payTo,
        to: world.destinationAccount.address,
        quantity: Fixtures.quantity(of),
      },
      purpose: { _tag: "Refund", paymentId: PaymentId.PaymentId.make("pay_nobody") },
    },
    now,
  )
  return put({
    payments: [],
    outflows: [
      {
        outflow,
        ledger: [{ paymentId: null, transaction: refunding(scene, merchant, of) }],
        claims: [],
        due: {},
        credit: { ...termsOf(scene, credit), partnerId, merchantId, token, lent: of },
      },
    ],
  })
}

/** The float that refunds are paid from. */
const fund = ({ post, world }: Scene, quantity: bigint, mode: "test" | "live" = "test") =>
  post(
    Ledger.funding({
      collecting: world.payTo,
      token: world.token,
      quantity: Fixtures.quantity(quantity),
    }),
    mode,
  )

/** What merchants owe of the world's token, of one partner or of all. */
const owing = ({ ledger, world }: Scene, mode: Mode.Mode, of: Pick<Tenant, "partnerId"> | null) =>
  Effect.map(owingOf(ledger, mode, of?.partnerId ?? null), (all) =>
    all.flatMap(({ quantity, token }) => (Caip.sameToken(token, world.token) ? [quantity] : [])),
  )

export const credits = (it: It): void => {
  it.effect("S3: adds up what the merchants of a partner owe, deleted ones too", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, post, world } = scene
      yield* fund(scene, 1_000n)
      yield* fund(scene, 1_000n, "live")
      const first = yield* register(scene)
      const second = yield* register(scene)
      const stranger = yield* register(scene, world.other)
      const live = yield* register(scene, { mode: "live" })
      assert.deepStrictEqual(yield* owing(scene, "test", world.tenant), [])
      yield* post(refunding(scene, first, 10n))
      yield* post(refunding(scene, second, 20n))
      yield* post(refunding(scene, stranger, 40n))
      yield* post(refunding(scene, live, 80n), "live")
      yield* accounts.modifyMerchant(world.tenant, second.id, (each) =>
        Result.succeed(Merchant.remove(each, now)),
      )
      assert.deepStrictEqual(yield* owing(scene, "test", world.tenant), [30n])
      assert.deepStrictEqual(yield* owing(scene, "test", world.other), [40n])
      assert.deepStrictEqual(yield* owing(scene, "live", world.live), [80n])
      // The debts of a mode's merchants together, whatever their partner.
      assert.deepStrictEqual(yield* owing(scene, "test", null), [70n])
      assert.deepStrictEqual(yield* owing(scene, "live", null), [80n])
    }),
  )

  it.effect(
    "S3: lends what the credit covers in addition to all other debts of the partner, and no more",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { balances, world } = scene
        yield* fund(scene, 1_000n)
        const first = yield* register(scene)
        const second = yield* register(scene)
        yield* lend(scene, first, 60n, dollars(100n))
        const before = yield* balances()
        const refused = yield* failsWith("Overdrawn", lend(scene, second, 41n, dollars(100n)))
        assert.isTrue(refused._tag === "Overdrawn" && refused.isOfCredit)
        assert.deepStrictEqual(yield* balances(), before)
        yield* lend(scene, second, 40n, dollars(100n))
        yield* failsWith("Overdrawn", lend(scene, first, 1n, dollars(100n)))
        assert.deepStrictEqual(yield* owing(scene, "test", world.tenant), [100n])
        // Another partner has its own credit.
        yield* lend(scene, yield* register(scene, world.other), 100n, dollars(100n))
        // More credit does not add float.
        const short = yield* failsWith("Overdrawn", lend(scene, first, 801n, dollars(10_000n)))
        assert.isFalse(short._tag === "Overdrawn" && short.isOfCredit)
      }),
  )

  it.effect(
    "S3: lends no more than the credit covers, even for many concurrent refunds of several merchants",
    () =>
      Effect.gen(function* () {
        for (const _ of range(rounds)) {
          const scene = yield* begin
          const { world } = scene
          yield* fund(scene, 10_000n)
          const merchants = yield* Effect.forEach(range(3), () => register(scene))
          const outcomes = yield* atOnce(range(30), (index) => {
            const merchant = merchants[index % 3] ?? assert.fail("no merchant")
            return Effect.result(lend(scene, merchant, 10n, dollars(75n)))
          })
          assert.strictEqual(outcomes.filter(Result.isSuccess).length, 7, "lent")
          for (const each of outcomes) {
            if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "Overdrawn")
          }
          assert.deepStrictEqual(yield* owing(scene, "test", world.tenant), [70n])
        }
      }),
    timeout,
  )

  it.effect("S5: finds the refunds that need money of a merchant, and the shares that it has", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, post, reach, walk, world } = scene
      const { merchantId, tenant, token } = world
      const find = (merchants: ReadonlyArray<MerchantId.MerchantId> | null = [merchantId]) =>
        outflows.refundsInNeed(tenant, token, merchants)
      yield* post(
        Ledger.collection({
          collecting: world.payTo,
          token,
          payer: Fixtures.account(`payer/${world.name}`),
          merchantId,
          partnerId: tenant.partnerId,
          charge: {
            total: Fixtures.quantity(0n),
            fixed: Fixtures.quantity(0n),
            net: Fixtures.quantity(10n ** 12n),
          },
        }),
      )
      for (const stage of ["settled", "refundPending", "refundHeld", "refunded"] as const) {
        yield* reach(stage)
      }
      assert.deepStrictEqual(yield* find(), [])
      const refunded = yield* reach("refundAfterSettlement")
      assert.deepStrictEqual(yield* find(), [refunded.id])
      assert.deepStrictEqual(yield* find([MerchantId.MerchantId.make("mrch_nobody")]), [])
      assert.deepStrictEqual(yield* find(null), [refunded.id])
      assert.deepStrictEqual(yield* outflows.refundsInNeed(world.other, token, null), [])
      assert.deepStrictEqual(yield* outflows.refundsInNeed(world.live, token, [merchantId]), [])
      assert.deepStrictEqual(
        yield* outflows.refundsInNeed(tenant, Fixtures.token(world.next()), [merchantId]),
        [],
      )

      const sharesOf = (limit = 10, of: MerchantId.MerchantId | null = merchantId) =>
        Effect.map(
          outflows.waitingShares({ _tag: "Token", tenant, token, merchantId: of }, limit),
          (shares) => shares.map(({ paymentId }) => paymentId),
        )
      assert.deepStrictEqual(yield* sharesOf(), [])
      const elsewhere = { payTo: Fixtures.address(`elsewhere/${world.name}`) }
      // Nothing of it is left to keep: the fee took all.
      const fixedFee = Fixtures.quantity(10n ** 12n)
      yield* walk(world.path("settlementPending", { now: now - 3 }, { fixedFee }))
      const first = yield* reach("settlementPending", { now: now - 2 })
      const second = yield* walk(world.path("settlementPending", { now: now - 1 }, elsewhere))
      yield* walk(world.path("settlementPending", {}, { token: Fixtures.token(world.next()) }))
      const stranger = yield* register(scene)
      const others = yield* reach("settlementPending", { merchantId: stranger.id })
      assert.deepStrictEqual(yield* sharesOf(), [first.id, second.id])
      assert.deepStrictEqual(yield* sharesOf(1), [first.id])
      assert.deepStrictEqual(yield* sharesOf(10, stranger.id), [others.id])
      assert.sameMembers([...(yield* sharesOf(10, null))], [first.id, second.id, others.id])
      assert.deepStrictEqual(
        yield* outflows.waitingShares({ _tag: "Token", tenant: world.live, token, merchantId }, 10),
        [],
      )

      // Once everything that it needs is kept for it, it needs nothing more.
      const shares = yield* sharesOf()
      yield* outflows.modify(
        { outflows: [], payments: [refunded.id, ...shares] },
        ({ payments: [own = assert.fail("not shown"), ...rest] }) => {
          const write = Balance.keep(own, rest, now)
          return Result.succeed({ result: null, write })
        },
        null,
      )
      assert.deepStrictEqual(yield* find(), [])
      const left = yield* sharesOf()
      const kept = yield* scene.payments.payment(refunded.id)
      assert.isNull(Refunding.inNeed(kept))
      const places = (Payment.refundOf(kept)?.kept ?? []).map(({ collecting }) => collecting)
      assert.deepStrictEqual(places, [world.payTo])
      assert.deepStrictEqual(left, [second.id])
    }),
  )
}
