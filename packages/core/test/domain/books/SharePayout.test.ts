import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as SharePayout from "@florin/core/domain/books/SharePayout"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Shares from "@florin/testing/Shares"
import { Result } from "effect"
import * as Books from "../books.ts"
import * as Following from "../following.ts"
import * as Samples from "../samples.ts"

const { given } = Books
const { now, quantity, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const outflowId = OutflowId.OutflowId.make("out_1")
const wholeShare = 9_800_000n
const succeededAt = now + 2000

const partner: Merchant.Partner = {
  id: Samples.partnerId,
  name: "Partner",
  feeTerms: Samples.terms.feeTerms,
  versionPin: "2026-02-18",
}
const merchant: Merchant.Merchant = {
  id: Samples.merchantId,
  partnerId: partner.id,
  mode: "live",
  name: "Shop",
  email: "shop@example.com",
  iconUrl: null,
  status: "active",
  createdAt: now,
  deletedAt: null,
}
const hourly: PayoutPolicy.PayoutPolicy = { _tag: "Batched", everyInMs: 3_600_000 }

const around = (more: Partial<SharePayout.Around> = {}): SharePayout.Around => ({
  partner,
  merchant,
  payouts: { test: PayoutPolicy.immediate, live: hourly },
  outflow: undefined,
  ...more,
})

const of = (payment: Payment.Payment, more: Partial<SharePayout.Around> = {}, at = now + 3000) =>
  given(SharePayout.of(payment, around(more), at))

const pending = succeeded(destination)

/** Gathered, with so much owed by the merchant. */
const gather = (debt = 0n) =>
  given(
    Payouts.gather(
      [pending],
      given(Balance.groupOf(pending)),
      { debts: new Map([[Samples.merchantId, quantity(debt)]]), lasts: [] },
      outflowId,
      now + 3000,
    ),
  )
const carried = (debt = 0n) => {
  const write = gather(debt)
  return { payment: given(write.payments[0]).payment, outflow: given(write.outflows[0]).outflow }
}
const none = quantity(0n)
const nothing = { outflowId: null, dueAt: null, netted: none }

describe("the shown state of a share", () => {
  it("exists only for payments that succeeded", () => {
    assert.isNull(SharePayout.of(Samples.processing(), around(), now))
    assert.isNull(SharePayout.of(Samples.created(), null, now))
  })

  it("waits for a destination if there is none, or while a change waits", () => {
    const waits = { ...nothing, state: "waiting", reason: "destination" } as const
    assert.deepStrictEqual(of(succeeded()), waits)
    const aimed = Balance.aim(pending, { _tag: "Waits", until: now + 9 }, now)
    assert.deepStrictEqual(of(given(aimed).payment), waits)
  })

  it("waits for the payout policy, and shows until when", () => {
    assert.deepStrictEqual(of(pending), {
      ...nothing,
      state: "waiting",
      reason: "policy",
      dueAt: succeededAt + 3_600_000,
    })
    const own = { ...merchant, payouts: PayoutPolicy.immediate }
    assert.strictEqual(of(pending, { merchant: own }).dueAt, succeededAt)
  })

  it("is held back by the partner's limits, and then waits for the policy", () => {
    const limits = { live: { payoutDelayInMs: 86_400_000 } }
    const held = of(pending, { partner: { ...partner, limits } })
    assert.strictEqual(held.reason, "held_back")
    assert.strictEqual(held.dueAt, succeededAt + 86_400_000 + 3_600_000)
    // Later, and again where the limits were taken away meanwhile.
    const from = succeededAt + 86_400_000
    const noted = given(Balance.holdBack(pending, { from, dueAt: from }, now)).payment
    const after = of(noted, { partner: { ...partner, limits } }, from + 1)
    assert.deepStrictEqual([after.reason, after.dueAt], ["policy", from + 3_600_000])
    assert.strictEqual(of(noted, {}, now + 3000).dueAt, now + 3000 + 3_600_000)
  })

  it("waits while its merchant or its partner is frozen", () => {
    for (const more of [
      { merchant: { ...merchant, frozenAt: now } },
      { partner: { ...partner, frozenAt: now } },
    ]) {
      assert.deepStrictEqual(of(pending, more), { ...nothing, state: "waiting", reason: "frozen" })
    }
  })

  it("is in a payout that waits, is delayed, or was sent", () => {
    const { outflow, payment } = carried()
    const shown = (carrying: Outflow.Outflow | null | undefined) => {
      const { dueAt, reason, ...rest } = of(payment, { outflow: carrying ?? undefined })
      assert.deepStrictEqual(rest, { state: "processing", outflowId, netted: none })
      return [reason, dueAt]
    }
    assert.deepStrictEqual(shown(outflow), ["queued", null])
    const limit = { code: "limit", reason: "x", until: now + 9 } as const
    assert.deepStrictEqual(shown(Outflow.wait(outflow, limit, now)), ["limit", now + 9])
    assert.deepStrictEqual(shown(Outflow.send(outflow, Samples.slot(), now)), ["sent", null])
    assert.deepStrictEqual(shown(null), [null, null])
  })

  it("is held, and shows why", () => {
    const { outflow, payment } = carried()
    const failure = { reason: "blocked", code: "payee" } as const
    const held = given(Following.shareHeld(payment, outflow, failure, now)).payment
    assert.deepStrictEqual(of(held), { ...nothing, state: "held", reason: "payee", outflowId })
  })

  it("is cancelled if a refund came first", () => {
    const ids = {
      refund: Refund.RefundId.make("rfnd_1"),
      outflow: OutflowId.OutflowId.make("out_2"),
    }
    const { change } = Result.getOrThrow(Refunding.request(pending, ids, null, now))
    assert.deepStrictEqual(of(change.payment), { ...nothing, state: "cancelled", reason: null })
  })

  it("shows what was netted once it is paid, in part or completely", () => {
    for (const debt of [0n, 1n, wholeShare - 1n]) {
      const { outflow, payment } = carried(debt)
      assert.strictEqual(of(payment, { outflow }).netted, 0n)
      const transfer = Samples.evidence(outflow.movement)
      const paid = given(Following.sharePaid(payment, outflow, transfer, now)).payment
      assert.deepStrictEqual(of(paid), {
        state: "paid",
        reason: null,
        outflowId,
        dueAt: null,
        netted: quantity(debt),
      })
    }
    const [change] = gather(wholeShare).payments
    assert.deepStrictEqual(of(given(change).payment), {
      ...nothing,
      state: "netted",
      reason: null,
      netted: quantity(wholeShare),
    })
  })

  it("adds up what was kept for refunds and what was netted with earlier parts", () => {
    const { state } = pending
    if (state._tag !== "Succeeded") return assert.fail("it succeeded")
    const kept = Entry.take(state.entry, { _tag: "Netted", netted: quantity(5n) })
    const entry = Entry.take(kept, {
      _tag: "Paid",
      outflowId: OutflowId.OutflowId.make("out_0"),
      quantity: quantity(7n),
      netted: quantity(2n),
      txHash: "0x1",
    })
    assert.strictEqual(of({ ...pending, state: { ...state, entry } }).netted, 7n)
  })

  it("shows only what the payment knows if nothing else is given", () => {
    const alone = (payment: Payment.Payment) => given(SharePayout.of(payment, null, now + 3000))
    assert.deepStrictEqual(alone(pending), { ...nothing, state: "waiting", reason: "policy" })
    const from = now + 9000
    const held = given(Balance.holdBack(pending, { from, dueAt: from }, now)).payment
    const { dueAt, reason } = alone(held)
    assert.deepStrictEqual([reason, dueAt], ["held_back", from])
    assert.isNull(alone(carried().payment).reason)
  })

  it("is contained in every payment.settled event", () => {
    const { outflow, payment } = carried(5n)
    const settled = [
      given(gather(wholeShare).payments[0]),
      given(gather(wholeShare + 1n).payments[0]),
      given(Following.sharePaid(payment, outflow, Samples.evidence(outflow.movement), now)),
    ]
    for (const change of settled) {
      assert.strictEqual(change.event, "payment.settled")
      const share = given(SharePayout.of(change.payment, null, now))
      const { quantity: sent = 0n } =
        Shares.of(change.payment).status === "paid" ? outflow.movement : {}
      assert.strictEqual(sent + share.netted, wholeShare)
    }
  })
})
