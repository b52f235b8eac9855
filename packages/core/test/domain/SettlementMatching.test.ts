import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/Claim"
import * as Ledger from "@florin/core/domain/Ledger"
import type * as Payment from "@florin/core/domain/Payment"
import * as Refund from "@florin/core/domain/Refund"
import * as Refunding from "@florin/core/domain/Refunding"
import * as Settlement from "@florin/core/domain/Settlement"
import * as SettlementDestination from "@florin/core/domain/SettlementDestination"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import { Result } from "effect"
import * as Samples from "./samples.ts"

const { now, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const net = 9_800_000n

const settlementOf = (payment: Payment.Payment | undefined) =>
  payment?.state._tag === "Succeeded" ? payment.state.settlement : undefined

const pending = succeeded(destination)

const planOf = (payment: Payment.Payment, debt: bigint): SettlementMatching.Plan => {
  const plan = SettlementMatching.plan(payment, quantity(debt))
  if (plan === null) throw new Error("nothing is pending")
  return plan
}

const sent = (debt = 0n): Payment.Payment => {
  const change = SettlementMatching.send(pending, planOf(pending, debt), slot(1), now)
  if (change === null) throw new Error("nothing was sent")
  return change.payment
}

const ledgerLine = (sentOut: bigint, netted: bigint) =>
  Ledger.settled({
    merchantId: Samples.merchantId,
    collecting: Samples.collector,
    destination,
    token,
    quantity: quantity(sentOut),
    netted: quantity(netted),
  })

describe("SettlementMatching.match", () => {
  const registered = (of: typeof token): SettlementDestination.SettlementDestination => ({
    id: SettlementDestination.SettlementDestinationId.make("crypto_1"),
    merchantId: Samples.merchantId,
    token: of,
    destination: { chainId: of.chainId, address: Samples.destination },
    assetText: "",
    destinationText: "",
    createdAt: now,
  })

  it("finds the destination of exactly this token on this chain", () => {
    const others = [
      registered(Samples.usdcOnBsc.token),
      registered({ ...token, address: Samples.address("9") }),
      registered({ ...token, chainId: Samples.usdtOnEthereum.token.chainId }),
    ]
    assert.isNull(SettlementMatching.match(token, []))
    assert.isNull(SettlementMatching.match(token, others))
    assert.deepStrictEqual(
      SettlementMatching.match(token, [...others, registered(token)]),
      destination,
    )
  })
})

describe("SettlementMatching.plan", () => {
  it("sends the net where the merchant owes nothing", () => {
    assert.deepStrictEqual(planOf(pending, 0n), {
      destination,
      quantity: quantity(net),
      netted: quantity(0n),
      movement: {
        token,
        from: Samples.collector,
        to: Samples.destination,
        quantity: quantity(net),
      },
    })
  })

  it("pays off debt first, to the unit, and sends the rest", () => {
    for (const debt of [1n, net - 1n, net, net + 1n, 10n * net]) {
      const plan = planOf(pending, debt)
      assert.strictEqual(plan.quantity + plan.netted, net)
      assert.strictEqual(plan.netted, debt < net ? debt : net)
      assert.strictEqual(plan.movement === null, debt >= net)
    }
  })

  it("is nothing unless a share is pending", () => {
    for (const payment of [succeeded(), Samples.processing(), sent()]) {
      assert.isNull(SettlementMatching.plan(payment, quantity(0n)))
    }
  })
})

describe("SettlementMatching.send", () => {
  it("commits to the signed transfer and books it, so that it is promised once", () => {
    const change = SettlementMatching.send(pending, planOf(pending, 5n), slot(1), now)
    assert.deepStrictEqual(settlementOf(change?.payment), {
      _tag: "Processing",
      destination,
      quantity: quantity(net - 5n),
      netted: quantity(5n),
      slot: slot(1),
    })
    assert.deepStrictEqual(change?.ledger, [ledgerLine(net - 5n, 5n)])
    assert.deepStrictEqual(change?.due, { settle: now })
    assert.isFalse(change !== null && "event" in change)
  })

  it("does nothing a second time", () => {
    assert.isNull(SettlementMatching.send(sent(), planOf(pending, 0n), slot(2), now))
    assert.isNull(SettlementMatching.send(succeeded(), planOf(pending, 0n), slot(2), now))
  })
})

describe("SettlementMatching.resend", () => {
  it("replaces the transaction, not the transfer, and books nothing again", () => {
    const change = SettlementMatching.resend(sent(), slot(2), now)
    assert.deepStrictEqual(settlementOf(change?.payment), {
      _tag: "Processing",
      destination,
      quantity: quantity(net),
      netted: quantity(0n),
      slot: slot(2),
    })
    assert.deepStrictEqual(change?.ledger, [])
    assert.deepStrictEqual(change?.due, { settle: now })
    assert.isNull(SettlementMatching.resend(pending, slot(2), now))
  })
})

describe("SettlementMatching.net", () => {
  it("pays off debt with the whole share, and announces it", () => {
    const change = SettlementMatching.net(pending, planOf(pending, net), now)
    assert.deepStrictEqual(settlementOf(change?.payment), {
      _tag: "Netted",
      netted: quantity(net),
      settledAt: now,
    })
    assert.deepStrictEqual(change?.ledger, [
      Ledger.netted({ merchantId: Samples.merchantId, token, quantity: quantity(net) }),
    ])
    assert.strictEqual(change?.event, "payment.settled")
    assert.deepStrictEqual(change?.due, { settle: null })
  })

  it("books nothing where fees took everything", () => {
    const plan = { ...planOf(pending, net), netted: quantity(0n) }
    assert.deepStrictEqual(SettlementMatching.net(pending, plan, now)?.ledger, [])
  })

  it("does nothing unless a share is pending", () => {
    assert.isNull(SettlementMatching.net(sent(), planOf(pending, net), now))
  })
})

describe("SettlementMatching.complete", () => {
  const transfer = Samples.evidence({
    token,
    from: Samples.collector,
    to: Samples.destination,
    quantity: quantity(net),
  })

  it("is final, claims the transfer and announces it", () => {
    const change = SettlementMatching.complete(sent(), transfer, now + 4)
    assert.deepStrictEqual(settlementOf(change?.payment), {
      _tag: "Successful",
      quantity: quantity(net),
      netted: quantity(0n),
      transfer,
      settledAt: now + 4,
    })
    assert.deepStrictEqual(change?.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change?.ledger, [])
    assert.strictEqual(change?.event, "payment.settled")
    assert.deepStrictEqual(change?.due, { settle: null })
    const done = change?.payment ?? pending
    assert.isNull(SettlementMatching.complete(done, transfer, now))
    assert.isNull(SettlementMatching.complete(pending, transfer, now))
  })
})

describe("SettlementMatching.planUnknown", () => {
  const cancelled = Result.getOrThrow(
    Refunding.request(pending, Refund.RefundId.make("rfnd_1"), now),
  ).payment

  it("is as it would have been sent, also where a refund of which nothing was sent cancelled it", () => {
    for (const payment of [pending, cancelled]) {
      assert.deepStrictEqual(
        SettlementMatching.planUnknown(payment, quantity(5n)),
        planOf(pending, 5n),
      )
    }
    assert.isNull(SettlementMatching.plan(cancelled, quantity(0n)))
  })

  it("is nothing once the refund was sent, nor where the share went nowhere", () => {
    const refunding = Refunding.send(cancelled, slot(1), now)?.payment ?? pending
    const owed = Result.getOrThrow(
      Refunding.request(succeeded(), Refund.RefundId.make("rfnd_1"), now),
    ).payment
    for (const payment of [refunding, owed, succeeded(), sent(), Samples.processing()]) {
      assert.isNull(SettlementMatching.planUnknown(payment, quantity(0n)))
    }
  })
})

describe("SettlementMatching.hold", () => {
  it("keeps a share that was not sent, and books nothing", () => {
    const change = SettlementMatching.hold(pending, { reason: "blocklisted" }, now)
    assert.deepStrictEqual(settlementOf(change?.payment), {
      _tag: "Held",
      destination,
      reason: "blocklisted",
      heldAt: now,
    })
    assert.deepStrictEqual(change?.ledger, [])
    assert.deepStrictEqual(change?.due, { settle: null })
  })

  it("takes back what was booked for a transfer that can never be", () => {
    const change = SettlementMatching.hold(sent(5n), { reason: "reverted" }, now)
    assert.deepStrictEqual(change?.ledger, [Ledger.reversed(ledgerLine(net - 5n, 5n))])
    assert.strictEqual(settlementOf(change?.payment)?._tag, "Held")
  })

  it("leaves a share alone that is owed, done, or not there yet", () => {
    assert.isNull(SettlementMatching.hold(succeeded(), { reason: "x" }, now))
    assert.isNull(SettlementMatching.hold(Samples.processing(), { reason: "x" }, now))
  })
})

describe("SettlementMatching.retry", () => {
  const elsewhere = { ...destination, address: Samples.address("f") }

  it("tries a held or owed share again, to the destination of now", () => {
    const held =
      SettlementMatching.hold(pending, { reason: "blocklisted" }, now)?.payment ?? pending
    for (const payment of [held, succeeded()]) {
      const change = SettlementMatching.retry(payment, elsewhere, now)
      assert.deepStrictEqual(settlementOf(change?.payment), {
        _tag: "Pending",
        destination: elsewhere,
      })
      assert.deepStrictEqual(change?.due, { settle: now })
    }
  })

  it("S24: never sends again what was mined and moved something else", () => {
    const failure = { reason: "x (0x1)", movedOtherwise: true } as const
    const held = SettlementMatching.hold(sent(), failure, now)?.payment ?? pending
    assert.deepInclude(settlementOf(held), failure)
    assert.isNull(SettlementMatching.retry(held, elsewhere, now))
  })

  it("leaves every other share alone", () => {
    for (const payment of [pending, sent(), Samples.processing()]) {
      assert.isNull(SettlementMatching.retry(payment, elsewhere, now))
    }
  })
})

describe("Settlement.cancelled", () => {
  it("is a share that a refund takes back, with where it would have gone", () => {
    const held = settlementOf(SettlementMatching.hold(pending, { reason: "x" }, now)?.payment)
    const unsent = [settlementOf(succeeded()), settlementOf(pending), held]
    assert.deepStrictEqual(
      unsent.map((each) => each && Settlement.cancelled(each)),
      [
        { _tag: "Cancelled" },
        { _tag: "Cancelled", destination },
        { _tag: "Cancelled", destination },
      ],
    )
    assert.isNull(Settlement.cancelled({ _tag: "Cancelled" }))
    const otherwise = { reason: "x", movedOtherwise: true } as const
    const maybePaid = settlementOf(SettlementMatching.hold(sent(), otherwise, now)?.payment)
    assert.isNull(maybePaid && Settlement.cancelled(maybePaid))
    assert.isNull(Settlement.cancelled({ _tag: "Netted", netted: quantity(1n), settledAt: now }))
    const processing = settlementOf(sent())
    assert.isNull(processing && Settlement.cancelled(processing))
  })
})
