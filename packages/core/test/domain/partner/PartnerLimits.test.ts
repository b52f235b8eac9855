import { assert, describe, it } from "@effect/vitest"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import { Result } from "effect"
import * as Samples from "../samples.ts"

const { now, quantity } = Samples
const hour = 3_600_000
const credit = Result.getOrThrow(Credit.parse("1000 USD"))
const reserve = Result.getOrThrow(PartnerLimits.parseReserve("10% 7d"))
const share = { net: quantity(1001n), succeededAt: now }

describe("PartnerLimits as an operator writes them", () => {
  it("are read, and printed again", () => {
    const limits = {
      payoutDelayInMs: Result.getOrThrow(PartnerLimits.parseDelay("90m")),
      reserve,
      payoutsPerDay: credit,
      refundsPerDay: credit,
      netsMerchants: true,
    }
    assert.deepStrictEqual(PartnerLimits.format(limits), {
      payoutDelay: "90m",
      reserve: "10% 7d",
      payoutsPerDay: "1000.00 USD",
      refundsPerDay: "1000.00 USD",
      netsMerchants: true,
    })
    assert.deepStrictEqual(PartnerLimits.format(PartnerLimits.none), {
      payoutDelay: null,
      reserve: null,
      payoutsPerDay: null,
      refundsPerDay: null,
      netsMerchants: false,
    })
    for (const text of ["1m", "36h", "365d"]) {
      const inMs = Result.getOrThrow(PartnerLimits.parseDelay(text))
      assert.strictEqual(PartnerLimits.formatTime(inMs), text)
    }
  })

  it("refuse every other text", () => {
    for (const text of ["", "0h", "1", "1.5h", "-1h", "366d", "1 h", "1w"]) {
      assert.isTrue(Result.isFailure(PartnerLimits.parseDelay(text)), text)
    }
    for (const text of ["", "10%", "10 7d", "101% 7d", "10% 366d", "10% 7d 1d", "7d 10%"]) {
      assert.isTrue(Result.isFailure(PartnerLimits.parseReserve(text)), text)
    }
  })

  it("change the given limits, and remove those that are null", () => {
    const limits = { payoutDelayInMs: hour, reserve, refundsPerDay: credit, netsMerchants: true }
    assert.deepStrictEqual(PartnerLimits.change(limits, {}), limits)
    assert.deepStrictEqual(
      PartnerLimits.change(limits, {
        payoutDelayInMs: 2 * hour,
        reserve: null,
        payoutsPerDay: credit,
        refundsPerDay: null,
        netsMerchants: false,
      }),
      { payoutDelayInMs: 2 * hour, payoutsPerDay: credit },
    )
    const partner = Result.getOrThrow(
      Merchant.createPartner({
        id: Samples.partnerId,
        name: "Corner",
        feeTerms: Fees.none,
        limits: { live: limits },
      }),
    )
    assert.deepStrictEqual(Merchant.limitsOf(partner, "live"), limits)
    assert.deepStrictEqual(Merchant.limitsOf(partner, "test"), PartnerLimits.none)
  })
})

describe("S3: PartnerLimits.heldBack", () => {
  const back = (limits: PartnerLimits.PartnerLimits, at: number) =>
    PartnerLimits.heldBack(limits, share, at)

  it("is 0 without limits, whatever the clocks say", () => {
    assert.strictEqual(back(PartnerLimits.none, now - hour), 0n)
  })

  it("is the whole share until the delay is over", () => {
    const delayed = { payoutDelayInMs: hour }
    assert.strictEqual(back(delayed, now + hour - 1), share.net)
    assert.strictEqual(back(delayed, now + hour), 0n)
  })

  it("is the reserve after the delay, rounded up, until the reserve's time is over", () => {
    const limits = { payoutDelayInMs: hour, reserve }
    assert.strictEqual(back(limits, now), share.net)
    assert.strictEqual(back(limits, now + hour), 101n)
    assert.strictEqual(back(limits, now + reserve.forInMs - 1), 101n)
    assert.strictEqual(back(limits, now + reserve.forInMs), 0n)
  })

  it("drops at the time that is returned", () => {
    const at = (limits: PartnerLimits.PartnerLimits, left: bigint, from = now) =>
      PartnerLimits.payableAt(limits, { ...share, left: quantity(left) }, from)
    const limits = { payoutDelayInMs: hour, reserve }
    assert.strictEqual(at(PartnerLimits.none, 1001n), now)
    assert.strictEqual(at(limits, 1001n), now + hour)
    assert.strictEqual(at(limits, 1001n, now + 2 * hour), now + 2 * hour)
    // What is left is the reserve.
    assert.strictEqual(at(limits, 101n, now + 2 * hour), now + reserve.forInMs)
    assert.strictEqual(at(limits, 102n, now + 2 * hour), now + 2 * hour)
    assert.strictEqual(at({ ...limits, payoutDelayInMs: 240 * hour }, 101n), now + 240 * hour)
  })
})
