import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import type * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Shares from "@florin/testing/Shares"
import { Result } from "effect"
import { given } from "../books.ts"
import * as Samples from "../samples.ts"

const { now, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const ids = {
  refund: Refund.RefundId.make("rfnd_1"),
  outflow: OutflowId.OutflowId.make("out_refund"),
}
const payoutId = OutflowId.OutflowId.make("out_payout")

const requestOf = (payment: Payment.Payment, carrying: Outflow.Outflow | null = null, at = now) =>
  Result.getOrThrow(Refunding.request(payment, ids, carrying, at))

const requested = (payment: Payment.Payment): Payment.Payment => requestOf(payment).change.payment

/** The outflow of every refund here. */
const { outflow } = requestOf(succeeded()).outflow
const other: Outflow.Outflow = { ...outflow, id: payoutId }

/** A payment whose share is in a payout that waits to be sent. */
const gathered = () => {
  const pending = succeeded(destination)
  const group = given(Balance.groupOf(pending))
  const write = given(
    Payouts.gather([pending], group, { debts: new Map(), lasts: [] }, payoutId, now),
  )
  return {
    payment: given(write.payments[0]).payment,
    payout: given(write.outflows[0]).outflow,
  }
}

/** A payment whose merchant was paid out. */
const settled = (): Payment.Payment => {
  const { payment, payout } = gathered()
  const transfer = Samples.evidence(payout.movement)
  return given(Payouts.recordPaid(payment, payout, transfer, now)).payment
}

const sent = (payment: Payment.Payment): Payment.Payment =>
  given(Refunding.recordSent(requested(payment), outflow, now)).payment

const stateOf = (payment: Payment.Payment) => Payment.refundOf(payment)?.state

const paid = {
  payer: Samples.attempt().option.account,
  collecting: Samples.collector,
  merchantId: Samples.merchantId,
  partnerId: Samples.partnerId,
  token,
  charge: {
    total: quantity(200_000n),
    fixed: quantity(100_000n),
    net: quantity(9_800_000n),
  },
}

const back = {
  token,
  from: Samples.collector,
  to: Samples.payer,
  quantity: quantity(10_000_000n),
}

const transfer = Samples.evidence(back)

describe("Refunding.request", () => {
  it("refunds the whole amount to the account that paid", () => {
    const { change } = requestOf(succeeded(), null, now + 6)
    assert.deepStrictEqual(Payment.refundOf(change.payment), {
      id: ids.refund,
      requestedAt: now + 6,
      outflowId: ids.outflow,
      to: Samples.attempt().option.account,
      token,
      quantity: quantity(10_000_000n),
      drawsOnFloat: false,
      state: { _tag: "Pending", waitsForFloat: false },
    })
    assert.strictEqual(change.event, "refund.pending")
  })

  it("creates an outflow of its own, due now, from the collecting account to the payer", () => {
    const change = requestOf(succeeded(), null, now + 6).outflow
    assert.deepStrictEqual(change, {
      outflow: {
        id: ids.outflow,
        partnerId: Samples.partnerId,
        mode: "live",
        movement: back,
        purpose: { _tag: "Refund", paymentId: Samples.paymentId },
        state: { _tag: "Waiting" },
        createdAt: now + 6,
        updatedAt: now + 6,
        revision: 0,
      },
      ledger: [],
      claims: [],
      due: { send: now + 6 },
    })
  })

  it("cancels a share that was not sent, in the same decision", () => {
    const { payment, payout } = gathered()
    for (const { change } of [requestOf(succeeded(destination)), requestOf(payment, payout)]) {
      assert.deepInclude(Shares.of(change.payment), { status: "cancelled", destination })
      assert.isFalse(Payment.refundOf(change.payment)?.drawsOnFloat)
      assert.deepStrictEqual(change.due, { settle: null })
    }
  })

  it("uses the float if the share was sent, or may have been", () => {
    const { payment, payout } = gathered()
    const sentPayout = given(Outflow.send(payout, slot(1), now))
    const onItsWay = requestOf(payment, sentPayout).change
    assert.strictEqual(Shares.of(onItsWay.payment).status, "processing")
    const { change } = requestOf(settled())
    assert.strictEqual(Shares.of(change.payment).status, "paid")
    for (const each of [onItsWay, change]) {
      assert.isTrue(Payment.refundOf(each.payment)?.drawsOnFloat)
      assert.deepStrictEqual(each.due, {})
    }
  })

  it("refuses a payment that has not succeeded, and a second refund", () => {
    const early = Refunding.request(Samples.processing(), ids, null, now)
    assert.isTrue(Result.isFailure(early) && early.failure._tag === "PaymentNotSucceeded")
    const second = { refund: Refund.RefundId.make("rfnd_2"), outflow: payoutId }
    const twice = Refunding.request(requested(succeeded()), second, null, now)
    assert.isTrue(Result.isFailure(twice) && twice.failure._tag === "AlreadyRefunded")
    for (const refused of [early, twice]) {
      assert.isTrue(Result.isFailure(refused) && refused.failure.message.length > 10)
    }
  })
})

describe("Payment.refundOf", () => {
  it("is null if no refund was asked for", () => {
    assert.isNull(Payment.refundOf(Samples.created()))
    assert.isNull(Payment.refundOf(succeeded()))
  })
})

describe("Refund.amount", () => {
  it("is the quantity that the payer gets", () => {
    const refund = given(Payment.refundOf(requested(succeeded())))
    assert.strictEqual(Refund.amount(refund).quantity, back.quantity)
  })
})

describe("Refunding.bookings", () => {
  it("takes the money from the share before a payout, and from the float after it", () => {
    const cases = [
      [succeeded(), Ledger.refundedBeforeSettlement(paid)],
      [settled(), Ledger.refundedAfterSettlement(paid)],
    ] as const
    for (const [payment, transaction] of cases) {
      assert.deepStrictEqual(Refunding.bookings(requested(payment)), [
        { paymentId: payment.id, transaction },
      ])
    }
    const kept = [{ collecting: Samples.collector, quantity: quantity(7n) }]
    assert.deepStrictEqual(
      Refunding.bookings(Refunding.keepShares(requested(settled()), kept)).map(
        ({ transaction }) => transaction,
      ),
      [Ledger.refundedAfterSettlement({ ...paid, kept })],
    )
    assert.deepStrictEqual(Refunding.bookings(succeeded()), [])
    assert.deepStrictEqual(Refunding.bookings(Samples.processing()), [])
  })
})

const kept = (of: bigint, collecting = Samples.collector): Ledger.Kept => ({
  collecting,
  quantity: quantity(of),
})
const refundOf = (payment: Payment.Payment): Refund.Refund => given(Payment.refundOf(payment))
const { net } = paid.charge

describe("Refunding.needOf", () => {
  it("S5: is the merchant's share that was paid out, less what is kept for the refund already", () => {
    const payment = requested(settled())
    assert.strictEqual(Refunding.needOf(payment), net)
    for (const [of, need] of [
      [1n, net - 1n],
      [net, 0n],
    ] as const) {
      assert.strictEqual(Refunding.needOf(Refunding.keepShares(payment, [kept(of)])), need)
    }
  })

  it("is null if the refund took the payment's own share, or does not wait any more", () => {
    const done = given(Refunding.recordPaid(sent(settled()), outflow, transfer, now)).payment
    const held = given(
      Refunding.recordHeld(sent(settled()), outflow, { reason: "x", code: "lost" }, now),
    ).payment
    for (const payment of [
      requested(succeeded()),
      requested(succeeded(destination)),
      sent(settled()),
      done,
      held,
    ]) {
      assert.strictEqual(Refunding.needOf(payment), 0n)
    }
  })

  it("is null if there is nothing to refund", () => {
    for (const payment of [settled(), succeeded(), Samples.processing()]) {
      assert.strictEqual(Refunding.needOf(payment), 0n)
    }
  })
})

describe("Refunding.keepShares", () => {
  it("S5: adds up what is kept on each of our accounts", () => {
    const [one, two] = [Samples.collector, Samples.address("9")]
    const first = Refunding.keepShares(requested(settled()), [kept(3n, one), kept(4n, two)])
    const second = Refunding.keepShares(first, [kept(5n, one)])
    assert.deepStrictEqual(refundOf(second).kept, [kept(8n, one), kept(4n, two)])
    assert.strictEqual(Refund.keptOf(refundOf(second)), 12n)
    assert.deepStrictEqual(refundOf(second), {
      ...refundOf(requested(settled())),
      kept: [kept(8n, one), kept(4n, two)],
    })
  })

  it("does not change a payment without a refund", () => {
    for (const payment of [settled(), Samples.processing()]) {
      assert.strictEqual(Refunding.keepShares(payment, [kept(3n)]), payment)
    }
  })
})

describe("Refunding.needKeyOf", () => {
  const payment = requested(settled())

  it("is equal for refunds that can use the same shares", () => {
    const own = Refunding.needKey("live", token, Samples.merchantId)
    assert.strictEqual(Refunding.needKeyOf(payment), own)
    assert.strictEqual(Refunding.needKeyOf(Refunding.keepShares(payment, [kept(1n)])), own)
  })

  it("is different for another mode, token or merchant", () => {
    const stranger = MerchantId.MerchantId.make("mrch_stranger")
    const keys = [
      Refunding.needKey("live", token, Samples.merchantId),
      Refunding.needKey("test", token, Samples.merchantId),
      Refunding.needKey("live", Samples.usdcOnBsc.token, Samples.merchantId),
      Refunding.needKey("live", token, stranger),
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("is null once everything that the refund needs is kept, or if it needs nothing", () => {
    const others = [requested(succeeded()), sent(settled()), settled(), Samples.processing()]
    for (const each of [Refunding.keepShares(payment, [kept(net)]), ...others]) {
      assert.isNull(Refunding.needKeyOf(each))
    }
  })
})

describe("Refund.keptOf", () => {
  it("is empty before anything is kept", () => {
    assert.strictEqual(Refund.keptOf(refundOf(requested(settled()))), 0n)
  })
})

describe("Refund.lack", () => {
  it("is credit or float while the refund waits for that, else null", () => {
    const waiting = (code: "credit" | "float" | "paused") =>
      Refunding.wait(requested(settled()), outflow, { code, reason: "it waits" }, now)?.payment ??
      requested(settled())
    assert.deepStrictEqual(
      (["credit", "float", "paused"] as const).map((code) => Refund.lack(refundOf(waiting(code)))),
      ["credit", "float", null],
    )
    const short = waiting("float")
    const onItsWay = given(Refunding.recordSent(short, outflow, now)).payment
    assert.isNull(Refund.lack(refundOf(onItsWay)), "it is sent: nothing was short")
  })
})

describe("Refunding.sent", () => {
  it("shows the refund as sent, and announces it", () => {
    const change = given(Refunding.recordSent(requested(succeeded()), outflow, now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Processing" })
    assert.strictEqual(change.event, "refund.processing")
    // What is booked is the outflow's.
    assert.deepStrictEqual(change.ledger, [])
  })

  it("is accepted once, and only from the refund's own outflow", () => {
    assert.isNull(Refunding.recordSent(sent(succeeded()), outflow, now))
    assert.isNull(Refunding.recordSent(succeeded(), outflow, now))
    assert.isNull(Refunding.recordSent(requested(succeeded()), other, now))
  })
})

const why = (code: Obstacle.WaitCode) => ({ code, reason: "it waits" })

describe("Refunding.wait", () => {
  it("keeps the refund pending, and announces once what is missing", () => {
    const change = given(Refunding.wait(requested(settled()), outflow, why("float"), now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: true })
    assert.isFalse("event" in change)
    assert.isNull(Refunding.wait(change.payment, outflow, why("float"), now))
    const lent = given(Refunding.wait(change.payment, outflow, why("credit"), now))
    const refund = Payment.refundOf(lent.payment) ?? assert.fail("no refund")
    assert.strictEqual(Refund.lack(refund), "credit")
    assert.isNull(Refunding.wait(lent.payment, outflow, why("credit"), now))
    const limited = given(
      Refunding.wait(lent.payment, outflow, { ...why("limit"), until: now + 1 }, now),
    )
    const later = Payment.refundOf(limited.payment) ?? assert.fail("no refund")
    assert.deepStrictEqual([Refund.lack(later), Refund.limitedUntil(later)], ["limit", now + 1])
    assert.isNull(Refunding.wait(requested(settled()), outflow, why("paused"), now))
    assert.isNull(Refunding.wait(requested(settled()), other, why("float"), now))
  })

  it("S7: makes a refund whose transaction reverted pending again, and announces it", () => {
    const change = given(Refunding.wait(sent(settled()), outflow, why("paused"), now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: false })
    assert.strictEqual(change.event, "refund.pending")
  })
})

describe("Refunding.paid", () => {
  it("is final, and announces the refund", () => {
    const held = given(
      Refunding.recordHeld(sent(succeeded()), outflow, { reason: "x", code: "lost" }, now),
    ).payment
    // Pending and held where an operator recorded which transfer paid it.
    for (const payment of [sent(succeeded()), requested(succeeded()), held]) {
      const change = given(Refunding.recordPaid(payment, outflow, transfer, now + 8))
      assert.deepStrictEqual(stateOf(change.payment), {
        _tag: "Succeeded",
        txHash: transfer.txHash,
        succeededAt: now + 8,
      })
      assert.strictEqual(change.event, "refund.succeeded")
      assert.isNull(Refunding.recordPaid(change.payment, outflow, transfer, now))
    }
    assert.isNull(Refunding.recordPaid(succeeded(), outflow, transfer, now))
    assert.isNull(Refunding.recordPaid(sent(succeeded()), other, transfer, now))
  })
})

describe("Refunding.held and Refunding.released", () => {
  it("keeps the money for the payer, and announces that the refund is held", () => {
    const done = given(Refunding.recordPaid(sent(succeeded()), outflow, transfer, now)).payment
    // What was paid is held again where a deep reorganisation took it.
    for (const payment of [requested(succeeded()), sent(settled()), done]) {
      const change = given(
        Refunding.recordHeld(payment, outflow, { reason: "blocklisted", code: "lost" }, now),
      )
      assert.deepStrictEqual(stateOf(change.payment), {
        _tag: "Held",
        reason: "blocklisted",
        code: "lost",
        heldAt: now,
      })
      assert.strictEqual(change.event, "refund.held")
      assert.isNull(
        Refunding.recordHeld(change.payment, outflow, { reason: "again", code: "lost" }, now),
      )
    }
    assert.isNull(Refunding.recordHeld(succeeded(), outflow, { reason: "x", code: "lost" }, now))
    assert.isNull(
      Refunding.recordHeld(sent(succeeded()), other, { reason: "x", code: "lost" }, now),
    )
  })

  it("retries a held refund, and no other", () => {
    const held = given(
      Refunding.recordHeld(
        requested(succeeded()),
        outflow,
        { reason: "blocklisted", code: "lost" },
        now,
      ),
    ).payment
    const change = given(Refunding.release(held, outflow, now + 1))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: false })
    assert.strictEqual(change.event, "refund.pending")
    assert.isNull(Refunding.release(held, other, now))
    assert.isNull(Refunding.release(requested(succeeded()), outflow, now))
    assert.isNull(Refunding.release(succeeded(), outflow, now))
  })

  it("S24: remembers that the transaction moved another amount", () => {
    const failure = { reason: "x (0x1)", code: "moved", movedOtherwise: true } as const
    const held = given(Refunding.recordHeld(sent(settled()), outflow, failure, now)).payment
    assert.deepStrictEqual(stateOf(held), { _tag: "Held", ...failure, heldAt: now })
  })
})

describe("Refunding.moved", () => {
  it("records the other hash under which the transfer was found", () => {
    const done = given(Refunding.recordPaid(sent(succeeded()), outflow, transfer, now + 8)).payment
    const found = { ...transfer, txHash: `0x${"2".repeat(64)}` }
    const change = given(Refunding.recordMoved(done, outflow, found, now + 9))
    assert.deepStrictEqual(stateOf(change.payment), {
      _tag: "Succeeded",
      txHash: found.txHash,
      succeededAt: now + 8,
    })
    assert.isFalse("event" in change)
    assert.isNull(Refunding.recordMoved(sent(succeeded()), outflow, found, now))
    assert.isNull(Refunding.recordMoved(done, other, found, now))
  })
})

describe("Refunding.fromFloat", () => {
  it("uses the float if the merchant turns out to have the share", () => {
    const payment = requested(succeeded(destination))
    assert.isTrue(Payment.refundOf(Refunding.fromFloat(payment))?.drawsOnFloat)
    assert.strictEqual(Refunding.fromFloat(succeeded()).state._tag, "Succeeded")
    assert.isNull(Payment.refundOf(Refunding.fromFloat(succeeded())))
  })
})

describe("Refund.status", () => {
  it("has a name for each state", () => {
    const statusOf = (payment: Payment.Payment) => Refund.status(given(Payment.refundOf(payment)))
    const processing = sent(succeeded())
    assert.deepStrictEqual(
      [
        statusOf(requested(succeeded())),
        statusOf(processing),
        statusOf(given(Refunding.recordPaid(processing, outflow, transfer, now)).payment),
        statusOf(
          given(Refunding.recordHeld(processing, outflow, { reason: "x", code: "lost" }, now))
            .payment,
        ),
      ],
      ["pending", "processing", "succeeded", "held"],
    )
  })
})
