import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Samples from "../samples.ts"

const minute = 60_000
const batched = (minutes: number, atUnits?: number): PayoutPolicy.PayoutPolicy => ({
  _tag: "Batched",
  everyInMs: minutes * minute,
  ...(atUnits !== undefined && { atUnits }),
})

const longestInMinutes = Limits.payoutEveryMaxInMs / minute

const examples: ReadonlyArray<readonly [string, PayoutPolicy.PayoutPolicy]> = [
  ["immediate", PayoutPolicy.immediate],
  ["1m", batched(1)],
  ["15m", batched(15)],
  ["15m/500", batched(15, 500)],
  ["60m/1", batched(60, 1)],
  ["15m/999999999999", batched(15, 999_999_999_999)],
  [`${longestInMinutes}m`, batched(longestInMinutes)],
]

describe("PayoutPolicy.parse and PayoutPolicy.format", () => {
  it.each(examples)("read and write %s", (text, policy) => {
    assert.deepStrictEqual(PayoutPolicy.parse(text), Result.succeed(policy))
    assert.strictEqual(PayoutPolicy.format(policy), text)
    assert.isTrue(Schema.is(PayoutPolicy.PayoutPolicy)(policy))
  })

  it.prop(
    "read back what they write",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestInMinutes })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999_999_999 })),
    ],
    ([minutes, units]) => {
      const policy = units === 0 ? batched(minutes) : batched(minutes, units)
      assert.deepStrictEqual(
        PayoutPolicy.parse(PayoutPolicy.format(policy)),
        Result.succeed(policy),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )

  it.each(["", "Immediate", "0m", "15", "15h", "15m/", "15m/0", `${longestInMinutes + 1}m`])(
    "refuse %j, and say what to write",
    (text) => {
      const parsed = PayoutPolicy.parse(text)
      assert(Result.isFailure(parsed))
      assert.deepStrictEqual(
        parsed.failure.issues.map(({ field }) => field),
        ["payouts"],
      )
      assert.include(parsed.failure.issues[0]?.message, `at most ${longestInMinutes}m`)
    },
  )

  it.prop(
    "read hostile text only if it is such a policy, and write it the same way",
    [HostileText.near(["immediate", "15m", "15m/500", `${longestInMinutes}m/999999999999`])],
    ([text]) => {
      const parsed = PayoutPolicy.parse(text)
      const [, minutes] = /^([1-9][0-9]{0,4})m(?:\/[1-9][0-9]{0,11})?$/u.exec(text) ?? []
      const isPolicy = text === "immediate" || Number(minutes) <= longestInMinutes
      assert.strictEqual(Result.isSuccess(parsed), isPolicy)
      if (Result.isSuccess(parsed)) assert.strictEqual(PayoutPolicy.format(parsed.success), text)
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )
})

describe("PayoutPolicy.isEnough", () => {
  const ofUsdc = (policy: PayoutPolicy.PayoutPolicy, quantity: bigint) =>
    PayoutPolicy.isEnough(policy, Samples.usdcOnBase, quantity)

  it("is any amount if shares are paid out immediately", () => {
    assert.isTrue(ofUsdc(PayoutPolicy.immediate, 0n))
    assert.isTrue(PayoutPolicy.isEnough(PayoutPolicy.immediate, undefined, 0n))
  })

  it("counts whole units by the token's decimals on its chain", () => {
    const policy = batched(15, 500)
    assert.strictEqual(Samples.usdcOnBase.decimals, 6)
    assert.isFalse(ofUsdc(policy, 499_999_999n))
    assert.isTrue(ofUsdc(policy, 500_000_000n))
    assert.strictEqual(Samples.usdcOnBsc.decimals, 18)
    const onBsc = (quantity: bigint) => PayoutPolicy.isEnough(policy, Samples.usdcOnBsc, quantity)
    assert.isFalse(onBsc(500n * 10n ** 18n - 1n))
    assert.isTrue(onBsc(500n * 10n ** 18n))
  })

  it("is no amount if only time counts, or if the token is unknown", () => {
    assert.isFalse(ofUsdc(batched(15), Limits.maxQuantity))
    assert.isFalse(PayoutPolicy.isEnough(batched(15, 1), undefined, Limits.maxQuantity))
  })

  it("depends on the amount only if the policy counts units", () => {
    assert.isTrue(PayoutPolicy.countsUnits(batched(15, 1)))
    assert.isFalse(PayoutPolicy.countsUnits(batched(15)))
    assert.isFalse(PayoutPolicy.countsUnits(PayoutPolicy.immediate))
  })
})

describe("PayoutPolicy.dueAt", () => {
  it("is now for an immediate payout, and the end of the period for a batched one", () => {
    const { now } = Samples
    assert.strictEqual(PayoutPolicy.dueAt(PayoutPolicy.immediate, now), now)
    assert.strictEqual(PayoutPolicy.dueAt(batched(15, 500), now), now + 15 * minute)
  })
})

describe("PayoutPolicy.defaults", () => {
  it("pays out test money immediately, and live money in batches", () => {
    assert.deepStrictEqual(PayoutPolicy.defaults, {
      test: { _tag: "Immediate" },
      live: batched(15),
    })
  })
})

describe("Merchant.payoutsOf", () => {
  const world = Fixtures.make("payouts")
  const [merchants, partners] = [batched(1), batched(2)]
  const defaults = { test: batched(3), live: batched(4) }
  const policyOf = (
    merchant: Partial<Merchant.Merchant>,
    partner: Partial<Merchant.Partner>,
  ): PayoutPolicy.PayoutPolicy =>
    Merchant.payoutsOf(world.merchant(merchant), world.partner(partner), defaults)

  it("is the merchant's policy, else its partner's, else the service's for the mode", () => {
    assert.deepStrictEqual(policyOf({ payouts: merchants }, { payouts: partners }), merchants)
    assert.deepStrictEqual(policyOf({ payouts: merchants }, {}), merchants)
    assert.deepStrictEqual(policyOf({}, { payouts: partners }), partners)
    assert.deepStrictEqual(policyOf({ mode: "test" }, {}), defaults.test)
    assert.deepStrictEqual(policyOf({ mode: "live" }, {}), defaults.live)
  })

  it("is set for a merchant, and removed again", () => {
    const merchant = world.merchant()
    const withOwn = Merchant.setPayouts(merchant, merchants)
    assert.deepStrictEqual(withOwn, { ...merchant, payouts: merchants })
    assert.deepStrictEqual(Merchant.setPayouts(withOwn, partners).payouts, partners)
    assert.deepStrictEqual(Merchant.setPayouts(withOwn, null), merchant)
  })

  it("is set when a partner is created", () => {
    const { feeTerms, id, name } = world.partner()
    const partner = Result.getOrThrow(
      Merchant.createPartner({ id, name, feeTerms, payouts: partners }),
    )
    assert.deepStrictEqual(partner.payouts, partners)
    assert.notProperty(Result.getOrThrow(Merchant.createPartner({ id, name, feeTerms })), "payouts")
  })
})
