import { assert, describe, it } from "@effect/vitest"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as DailyLimit from "@florin/core/domain/outflow/DailyLimit"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Counts from "@florin/testing/Counts"
import { Result, Schema } from "effect"
import * as Samples from "../samples.ts"

const { catalog, now, quantity, slot, usdcOnBase, usdcOnBsc } = Samples
const { token } = usdcOnBase
const counted = { partnerId: Samples.partnerId, mode: "live", kind: "payouts" } as const
const limitsOf = (text: string) => ({ payoutsPerDay: Result.getOrThrow(Credit.parse(text)) })
const drawOf = (text: string, at = now) =>
  DailyLimit.drawOf(counted, limitsOf(text), catalog, at) ?? assert.fail("there is a limit")

const entries = Schema.Array(
  Schema.Struct({
    ago: Schema.Int.check(Schema.isBetween({ minimum: -5, maximum: 20 })),
    cents: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
  }),
)

const purposes: ReadonlyArray<Outflow.Purpose> = [
  { _tag: "Settle", shares: [] },
  { _tag: "Refund", paymentId: PaymentId.PaymentId.make("pay_1") },
  { _tag: "Return", inflowId: InflowId.InflowId.make("unc_00000000000000000000000000000001") },
  { _tag: "Move" },
]
const made = (purpose: Outflow.Purpose): Outflow.Outflow =>
  Outflow.make(
    {
      id: OutflowId.OutflowId.make("out_1"),
      partnerId: Samples.partnerId,
      mode: "live",
      movement: {
        token,
        from: Samples.collector,
        to: Samples.destination,
        quantity: quantity(5n),
      },
      purpose,
    },
    now,
  )

describe("S3: DailyLimit", () => {
  it("counts payouts and refunds separately, and nothing else", () => {
    const kinds = purposes.map((purpose) => DailyLimit.countedOf(made(purpose))?.kind ?? null)
    assert.deepStrictEqual(kinds, ["payouts", "refunds", null, null])
    const { partnerId: _, ...own } = made({ _tag: "Settle", shares: [] })
    assert.isNull(DailyLimit.countedOf(own))
    const limits = limitsOf("1 USD")
    assert.isNull(DailyLimit.drawOf({ ...counted, kind: "refunds" }, limits, catalog, now))
    assert.isNull(DailyLimit.drawOf(counted, PartnerLimits.none, catalog, now))
  })

  it("counts what was sent, until it is reversed", () => {
    const waiting = made({ _tag: "Settle", shares: [] })
    assert.isNull(DailyLimit.sentOf(waiting))
    const sent = Outflow.send(waiting, slot(), now + 1) ?? assert.fail()
    assert.deepStrictEqual(DailyLimit.sentOf(sent), { at: now + 1, token, quantity: quantity(5n) })
    const held =
      Outflow.hold(sent, { reason: "it reverted", code: "lost" }, now + 2) ?? assert.fail()
    assert.isNull(DailyLimit.sentOf(held))
    // A release that knew nothing of limits sent it.
    const { sentAt: _, ...before } = sent
    assert.isNull(DailyLimit.sentOf(before))
  })

  it("counts what was only recorded, as after a restore", () => {
    const waiting = made({ _tag: "Settle", shares: [] })
    const { movement } = waiting
    const transfer = { txHash: "0x1", logIndex: 0, blockNumber: 1, blockHash: "0x2", txNonce: 0 }
    const paid = Outflow.pay(waiting, { movement, ...transfer }, now + 1) ?? assert.fail()
    assert.deepStrictEqual(DailyLimit.sentOf(paid), { at: now + 1, token, quantity: quantity(5n) })
  })

  it("counts money that left and moved elsewhere, until an operator decides what it was", () => {
    const sent =
      Outflow.send(made({ _tag: "Settle", shares: [] }), slot(), now + 1) ?? assert.fail()
    const { movement } = sent
    const where = { txHash: "0x1", logIndex: 0, blockNumber: 1, blockHash: "0x2", txNonce: 0 }
    const otherwise = { reason: "it moved less", code: "moved", movedOtherwise: true } as const
    const leaving = (left: bigint) => ({
      ...otherwise,
      moved: { transfer: { movement, ...where }, left: quantity(left), transfers: [] },
    })
    for (const ending of [otherwise, leaving(5n)]) {
      const held = Outflow.hold(sent, ending, now + 2) ?? assert.fail()
      assert.deepStrictEqual(DailyLimit.sentOf(held), DailyLimit.sentOf(sent))
      assert.isNull(DailyLimit.sentOf(Outflow.lookedAt(held)))
    }
    const nothing = Outflow.hold(sent, leaving(0n), now + 2) ?? assert.fail()
    assert.isNull(DailyLimit.sentOf(nothing))
  })

  it("limits a payout to what may be sent of its token in a day", () => {
    const most = (text: string, asset = usdcOnBase) => DailyLimit.payoutMost(limitsOf(text), asset)
    assert.isNull(DailyLimit.payoutMost(PartnerLimits.none, usdcOnBase))
    assert.isNull(most("unlimited"))
    assert.strictEqual(most("1.50 USD"), 1_500_000n)
    assert.strictEqual(most("1.50 USD", usdcOnBsc), 1_500_000_000_000_000_000n)
    assert.strictEqual(most("1 EUR"), 0n)
    assert.strictEqual(DailyLimit.payoutMost(limitsOf("1 USD"), undefined), 0n)
  })

  it("returns null if one payout is more than a day's limit", () => {
    const wanted = { token, quantity: 1_000_001n }
    assert.isNull(DailyLimit.goesOnAt(drawOf("1 USD"), [], wanted))
    assert.isNull(DailyLimit.goesOnAt(drawOf("1 EUR"), [], { token, quantity: 1n }))
  })

  it.prop(
    "returns the first time at which the amount may be sent",
    [entries],
    ([found]) => {
      const sent = found.map(({ ago, cents }) => ({
        at: now - DailyLimit.dayInMs + ago,
        token,
        quantity: BigInt(cents) * 10_000n,
      }))
      const wanted = { token, quantity: 500_000n }
      const at = DailyLimit.goesOnAt(drawOf("1 USD"), sent, wanted) ?? assert.fail("never")
      const mayAt = (time: number) => {
        const draw = drawOf("1 USD", time)
        const young = sent.filter((each) => each.at > draw.since)
        return DailyLimit.allows(draw, [...young, { ...wanted, at: time }])
      }
      assert.isTrue(at >= now && mayAt(at))
      assert.isTrue(at === now || !mayAt(at - 1))
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})
