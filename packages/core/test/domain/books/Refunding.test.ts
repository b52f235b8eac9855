import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import type * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Shares from "@florin/testing/Shares"
import { Result } from "effect"
import { given, isNoRefund } from "../books.ts"
import * as Following from "../following.ts"
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
  return given(Following.sharePaid(payment, payout, transfer, now)).payment
}

const sent = (payment: Payment.Payment): Payment.Payment =>
  given(Following.refundSent(requested(payment), outflow, now)).payment

const refundOf = (payment: Payment.Payment): Refund.Refund => given(Payment.refundOf(payment))

/** How much the payment's refunds need of its merchant. */
const needOf = (payment: Payment.Payment): bigint =>
  Payment.refunds(payment).reduce((sum, refund) => sum + Refund.need(refund), 0n)

/** The payment with shares kept for its last refund. */
const keepFor = (payment: Payment.Payment, ...more: ReadonlyArray<Ledger.Kept>): Payment.Payment =>
  Refunding.keepShares(payment, refundOf(payment), more)

const stateOf = (payment: Payment.Payment) => Payment.refundOf(payment)?.state

const net = quantity(9_800_000n)

/** A refund of all that was paid. */
const paidBack: Ledger.Refunded = {
  payer: Samples.attempt().option.account,
  collecting: Samples.collector,
  merchantId: Samples.merchantId,
  partnerId: Samples.partnerId,
  token,
  quantity: quantity(10_000_000n),
  own: quantity(0n),
  fee: quantity(200_000n),
}

const back = {
  token,
  from: Samples.collector,
  to: Samples.payer,
  quantity: quantity(10_000_000n),
}

const transfer = Samples.evidence(back)

const kept = (of: bigint, collecting = Samples.collector): Ledger.Kept => ({
  collecting,
  quantity: quantity(of),
})

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
      value: quantity(1000n),
      fee: quantity(200_000n),
      own: quantity(9_800_000n),
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
      assert.isFalse(Refund.drawsOnFloat(refundOf(change.payment)))
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
      assert.isTrue(Refund.drawsOnFloat(refundOf(each.payment)))
      assert.deepStrictEqual(each.due, {})
    }
  })

  it("refuses a payment that has not succeeded, and a second refund", () => {
    const early = Refunding.request(Samples.processing(), ids, null, now)
    assert.isTrue(isNoRefund(early, "payment_not_succeeded"))
    const second = { refund: Refund.RefundId.make("rfnd_2"), outflow: payoutId }
    const twice = Refunding.request(requested(succeeded()), second, null, now)
    assert.isTrue(isNoRefund(twice, "already_refunded"))
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
      [succeeded(), Ledger.refund({ ...paidBack, own: net })],
      [settled(), Ledger.refund(paidBack)],
    ] as const
    for (const [payment, transaction] of cases) {
      assert.deepStrictEqual(Refunding.bookings(requested(payment), outflow), [
        { paymentId: payment.id, transaction },
      ])
    }
    assert.deepStrictEqual(
      Refunding.bookings(keepFor(requested(settled()), kept(7n)), outflow).map(
        ({ transaction }) => transaction,
      ),
      [Ledger.refund({ ...paidBack, kept: [kept(7n)] })],
    )
  })

  it("books nothing for an outflow that carries no refund of the payment", () => {
    for (const payment of [succeeded(), Samples.processing()]) {
      assert.deepStrictEqual(Refunding.bookings(payment, outflow), [])
    }
    assert.deepStrictEqual(Refunding.bookings(requested(succeeded()), other), [])
  })
})

describe("Refund.need", () => {
  it("S5: is the merchant's share that was paid out, less what is kept for the refund already", () => {
    const payment = requested(settled())
    assert.strictEqual(needOf(payment), net)
    for (const [of, need] of [
      [1n, net - 1n],
      [net, 0n],
    ] as const) {
      assert.strictEqual(needOf(keepFor(payment, kept(of))), need)
    }
  })

  it("is null if the refund took the payment's own share, or does not wait any more", () => {
    const done = given(Following.refundPaid(sent(settled()), outflow, transfer, now)).payment
    const held = given(
      Following.refundHeld(sent(settled()), outflow, { reason: "x", code: "lost" }, now),
    ).payment
    for (const payment of [
      requested(succeeded()),
      requested(succeeded(destination)),
      sent(settled()),
      done,
      held,
    ]) {
      assert.strictEqual(needOf(payment), 0n)
    }
  })

  it("is null if there is nothing to refund", () => {
    for (const payment of [settled(), succeeded(), Samples.processing()]) {
      assert.strictEqual(needOf(payment), 0n)
    }
  })
})

describe("Refunding.keepShares", () => {
  it("S5: adds up what is kept on each of our accounts", () => {
    const [one, two] = [Samples.collector, Samples.address("9")]
    const first = keepFor(requested(settled()), kept(3n, one), kept(4n, two))
    const second = keepFor(first, kept(5n, one))
    assert.deepStrictEqual(refundOf(second).kept, [kept(8n, one), kept(4n, two)])
    assert.strictEqual(Refund.keptOf(refundOf(second)), 12n)
    assert.deepStrictEqual(refundOf(second), {
      ...refundOf(requested(settled())),
      kept: [kept(8n, one), kept(4n, two)],
    })
  })

  it("does not change a payment without a refund", () => {
    for (const payment of [settled(), Samples.processing()]) {
      assert.deepStrictEqual(
        Refunding.keepShares(payment, refundOf(requested(settled())), [kept(3n)]),
        payment,
      )
    }
  })
})

describe("Refunding.needKeyOf", () => {
  const payment = requested(settled())

  it("is equal for refunds that can use the same shares", () => {
    const own = Refunding.needKey("live", token, Samples.merchantId)
    assert.strictEqual(Refunding.needKeyOf(payment), own)
    assert.strictEqual(Refunding.needKeyOf(keepFor(payment, kept(1n))), own)
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
    for (const each of [keepFor(payment, kept(net)), ...others]) {
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
      Following.refundWaits(requested(settled()), outflow, { code, reason: "it waits" }, now)
        ?.payment ?? requested(settled())
    assert.deepStrictEqual(
      (["credit", "float", "paused"] as const).map((code) => Refund.lack(refundOf(waiting(code)))),
      ["credit", "float", null],
    )
    const short = waiting("float")
    const onItsWay = given(Following.refundSent(short, outflow, now)).payment
    assert.isNull(Refund.lack(refundOf(onItsWay)), "it is sent: nothing was short")
  })
})

describe("a refund whose transfer is signed", () => {
  it("shows the refund as sent, and announces it", () => {
    const change = given(Following.refundSent(requested(succeeded()), outflow, now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Processing" })
    assert.strictEqual(change.event, "refund.processing")
    // What is booked is the outflow's.
    assert.deepStrictEqual(change.ledger, [])
  })

  it("is accepted once, and only from the refund's own outflow", () => {
    assert.isNull(Following.refundSent(sent(succeeded()), outflow, now))
    assert.isNull(Following.refundSent(succeeded(), outflow, now))
    assert.isNull(Following.refundSent(requested(succeeded()), other, now))
  })
})

const why = (code: Obstacle.WaitCode) => ({ code, reason: "it waits" })

describe("a refund that waits", () => {
  it("keeps the refund pending, and announces once what is missing", () => {
    const change = given(Following.refundWaits(requested(settled()), outflow, why("float"), now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: true })
    assert.isFalse("event" in change)
    assert.isNull(Following.refundWaits(change.payment, outflow, why("float"), now))
    const lent = given(Following.refundWaits(change.payment, outflow, why("credit"), now))
    const refund = Payment.refundOf(lent.payment) ?? assert.fail("no refund")
    assert.strictEqual(Refund.lack(refund), "credit")
    assert.isNull(Following.refundWaits(lent.payment, outflow, why("credit"), now))
    const limited = given(
      Following.refundWaits(lent.payment, outflow, { ...why("limit"), until: now + 1 }, now),
    )
    const later = Payment.refundOf(limited.payment) ?? assert.fail("no refund")
    assert.deepStrictEqual([Refund.lack(later), Refund.limitedUntil(later)], ["limit", now + 1])
    assert.isNull(Following.refundWaits(requested(settled()), outflow, why("paused"), now))
    assert.isNull(Following.refundWaits(requested(settled()), other, why("float"), now))
  })

  it("S7: makes a refund whose transaction reverted pending again, and announces it", () => {
    const change = given(Following.refundWaits(sent(settled()), outflow, why("paused"), now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: false })
    assert.strictEqual(change.event, "refund.pending")
  })
})

describe("a refund whose transfer is final", () => {
  it("is final, and announces the refund", () => {
    const held = given(
      Following.refundHeld(sent(succeeded()), outflow, { reason: "x", code: "lost" }, now),
    ).payment
    // Pending and held where an operator recorded which transfer paid it.
    for (const payment of [sent(succeeded()), requested(succeeded()), held]) {
      const change = given(Following.refundPaid(payment, outflow, transfer, now + 8))
      assert.deepStrictEqual(stateOf(change.payment), {
        _tag: "Succeeded",
        txHash: transfer.txHash,
        succeededAt: now + 8,
      })
      assert.strictEqual(change.event, "refund.succeeded")
      assert.isNull(Following.refundPaid(change.payment, outflow, transfer, now + 8))
    }
    assert.isNull(Following.refundPaid(succeeded(), outflow, transfer, now))
    assert.isNull(Following.refundPaid(sent(succeeded()), other, transfer, now))
  })
})

describe("a refund that is held", () => {
  it("keeps the money for the payer, and announces that the refund is held", () => {
    const done = given(Following.refundPaid(sent(succeeded()), outflow, transfer, now)).payment
    // What was paid is held again where a deep reorganisation took it.
    for (const payment of [requested(succeeded()), sent(settled()), done]) {
      const change = given(
        Following.refundHeld(payment, outflow, { reason: "blocklisted", code: "lost" }, now),
      )
      assert.deepStrictEqual(stateOf(change.payment), {
        _tag: "Held",
        reason: "blocklisted",
        code: "lost",
        heldAt: now,
      })
      assert.strictEqual(change.event, "refund.held")
      assert.isNull(
        Following.refundHeld(change.payment, outflow, { reason: "blocklisted", code: "lost" }, now),
      )
    }
    assert.isNull(Following.refundHeld(succeeded(), outflow, { reason: "x", code: "lost" }, now))
    assert.isNull(
      Following.refundHeld(sent(succeeded()), other, { reason: "x", code: "lost" }, now),
    )
  })

  it("retries a held refund, and no other", () => {
    const held = given(
      Following.refundHeld(
        requested(succeeded()),
        outflow,
        { reason: "blocklisted", code: "lost" },
        now,
      ),
    ).payment
    const change = given(Following.refundReleased(held, outflow, now + 1))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: false })
    assert.strictEqual(change.event, "refund.pending")
    assert.isNull(Following.refundReleased(held, other, now))
    assert.isNull(Following.refundReleased(requested(succeeded()), outflow, now))
    assert.isNull(Following.refundReleased(succeeded(), outflow, now))
  })

  it("S24: remembers that the transaction moved another amount", () => {
    const failure = { reason: "x (0x1)", code: "moved", movedOtherwise: true } as const
    const held = given(Following.refundHeld(sent(settled()), outflow, failure, now)).payment
    assert.deepStrictEqual(stateOf(held), { _tag: "Held", ...failure, heldAt: now })
  })
})

describe("a refund whose transfer was found again", () => {
  it("records the other hash under which the transfer was found", () => {
    const done = given(Following.refundPaid(sent(succeeded()), outflow, transfer, now + 8)).payment
    const found = { ...transfer, txHash: `0x${"2".repeat(64)}` }
    const change = given(Following.refundPaid(done, outflow, found, now + 8))
    assert.deepStrictEqual(stateOf(change.payment), {
      _tag: "Succeeded",
      txHash: found.txHash,
      succeededAt: now + 8,
    })
    assert.isFalse("event" in change)
    assert.isNull(Following.refundPaid(done, other, found, now))
  })
})

describe("Refunding.withoutOwn", () => {
  it("takes nothing from the payment's own share, so that the refund draws on the float", () => {
    const payment = requested(succeeded(destination))
    assert.isTrue(Refund.drawsOnFloat(refundOf(Refunding.withoutOwn(payment))))
    assert.strictEqual(Refunding.withoutOwn(succeeded()).state._tag, "Succeeded")
    assert.isNull(Payment.refundOf(Refunding.withoutOwn(succeeded())))
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
        statusOf(given(Following.refundPaid(processing, outflow, transfer, now)).payment),
        statusOf(
          given(Following.refundHeld(processing, outflow, { reason: "x", code: "lost" }, now))
            .payment,
        ),
      ],
      ["pending", "processing", "succeeded", "held"],
    )
  })
})

/** A payment of 10.00 USD that was paid with so many units of USDC. */
const paidWith = (units: bigint, fixedFee = 100_000n): Payment.Payment => {
  const option = Samples.option({ quantity: quantity(units), fixedFee: quantity(fixedFee) })
  const attempt = Samples.attempt({ option })
  const confirmed = Result.getOrThrow(
    PaymentTransition.confirm(Samples.created(), attempt, now + 1000),
  ).payment
  const evidence = Samples.evidence(Payment.movement(attempt))
  return given(Result.getOrThrow(PaymentTransition.succeed(confirmed, evidence, null, now + 2000)))
    .payment
}

const dollars = (cents: bigint): Amount.Amount => ({
  unit: Amount.fiat("USD"),
  quantity: quantity(cents),
})
const usdc = (units: bigint): Amount.Amount => ({
  unit: Amount.token(token),
  quantity: quantity(units),
})

const partOf = (payment: Payment.Payment, amount: Amount.Amount) =>
  Refunding.part(amount, Samples.catalog)(payment)

/** The payment after refunds of these parts, one after the other. */
const afterParts = (
  payment: Payment.Payment,
  ...parts: ReadonlyArray<Amount.Amount>
): Payment.Payment =>
  parts.reduce((next, amount, index) => {
    const n = Payment.refunds(payment).length + index + 1
    const own = {
      refund: Refund.RefundId.make(`rfnd_${n}`),
      outflow: OutflowId.OutflowId.make(`out_refund${n}`),
    }
    const ask = Refunding.part(amount, Samples.catalog)
    return Result.getOrThrow(Refunding.request(next, own, null, now, null, ask)).change.payment
  }, payment)

/** What each refund of a payment returns: in USDC, and in cents. */
const returned = (payment: Payment.Payment) =>
  Payment.refunds(payment).map((each) => [BigInt(each.quantity), BigInt(each.value)])

const messageOf = (asked: ReturnType<typeof partOf>): string => {
  if (Result.isSuccess(asked)) return assert.fail("it was accepted")
  return asked.failure._tag === "InvalidInput"
    ? asked.failure.issues.map(({ field, message }) => `${field} ${message}`).join("; ")
    : asked.failure.message
}

describe("the amount of a partial refund", () => {
  it("converts cents at the payment's own rate, rounded down to the token's unit", () => {
    const payment = paidWith(9_876_543n)
    assert.deepStrictEqual(
      partOf(payment, dollars(333n)),
      Result.succeed({
        // 3.333 × 9.876543 / 10 is 3.28888…
        quantity: quantity(3_288_888n),
        value: quantity(333n),
      }),
    )
  })

  it("takes an amount in the paid token as it is, and rounds its value down to cents", () => {
    const payment = paidWith(9_876_543n)
    assert.deepStrictEqual(
      partOf(payment, usdc(3_288_888n)),
      Result.succeed({
        quantity: quantity(3_288_888n),
        value: quantity(332n),
      }),
    )
  })

  it("returns every remaining unit if the rest in cents is asked for", () => {
    const third = dollars(333n)
    const payment = afterParts(paidWith(9_999_999n), third, third, dollars(334n))
    assert.deepStrictEqual(returned(payment), [
      [3_329_999n, 333n],
      [3_329_999n, 333n],
      [3_340_001n, 334n],
    ])
    assert.deepStrictEqual(Refunding.left(payment), { quantity: quantity(0n), value: quantity(0n) })
  })

  it("uses up the rest in cents if the rest of the token is asked for", () => {
    const payment = afterParts(paidWith(9_876_543n), usdc(9_876_542n), usdc(1n))
    assert.deepStrictEqual(returned(payment), [
      [9_876_542n, 999n],
      [1n, 1n],
    ])
  })

  it("accepts cents and units of the token for one payment", () => {
    const payment = afterParts(succeeded(), dollars(250n), usdc(2_500_000n), dollars(500n))
    assert.deepStrictEqual(returned(payment), [
      [2_500_000n, 250n],
      [2_500_000n, 250n],
      [5_000_000n, 500n],
    ])
    assert.strictEqual(Payment.refunded(payment)?.quantity, 10_000_000n)
  })

  it("counts small parts of a cent together, so that cents are always worth what they return", () => {
    // Two refunds of 0.9999 cents leave 9.98 USDC: no refund of 9.99 USD may be accepted and return less.
    const payment = afterParts(succeeded(), usdc(9_999n), usdc(9_999n))
    assert.deepStrictEqual(returned(payment), [
      [9_999n, 0n],
      [9_999n, 1n],
    ])
    assert.deepStrictEqual(returned(afterParts(payment, dollars(998n))).at(-1), [9_980_000n, 998n])
    assert.deepStrictEqual(returned(afterParts(payment, dollars(999n))).at(-1), [9_980_002n, 999n])
    assert.strictEqual(
      messageOf(partOf(payment, dollars(1000n))),
      "less is left of the payment than that: 9.99 USD, or 9.980002 USDC can still be refunded",
    )
  })

  it("is the whole payment if all of it is asked for", () => {
    for (const amount of [dollars(1000n), usdc(10_000_000n)]) {
      assert.deepStrictEqual(partOf(succeeded(), amount), Refunding.whole(succeeded()))
    }
  })

  it("is never more than what is left, which the message shows in both units", () => {
    const payment = afterParts(paidWith(9_000_000n), dollars(400n))
    for (const amount of [dollars(601n), usdc(5_400_001n)]) {
      const asked = partOf(payment, amount)
      assert.isTrue(isNoRefund(asked, "already_refunded"))
      assert.strictEqual(
        messageOf(asked),
        "less is left of the payment than that: 6.00 USD, or 5.40 USDC can still be refunded",
      )
    }
    assert.deepStrictEqual(returned(afterParts(payment, dollars(600n))).at(-1), [5_400_000n, 600n])
  })

  it("is refused if nothing is left", () => {
    for (const payment of [requested(succeeded()), afterParts(succeeded(), dollars(1000n))]) {
      for (const amount of [dollars(1n), usdc(1n)]) {
        const asked = partOf(payment, amount)
        assert.isTrue(isNoRefund(asked, "already_refunded"))
        assert.strictEqual(messageOf(asked), "the payment was refunded in full already")
      }
    }
  })

  it("is refused in another unit, and the message names the units that are accepted", () => {
    const paidToken = Amount.formatUnit(Amount.token(token), Samples.catalog)
    for (const unit of [Amount.fiat("EUR"), Amount.token(Samples.usdcOnBsc.token)]) {
      assert.strictEqual(
        messageOf(partOf(succeeded(), { unit, quantity: quantity(1n) })),
        `amount.unit must be iso4217/USD, which was asked, or ${paidToken}, which was paid`,
      )
    }
  })

  it("is refused if it is less than one unit of the token", () => {
    // 9 units for 10.00 USD: 1.11 USD is less than one of them.
    assert.strictEqual(
      messageOf(partOf(paidWith(9n, 0n), dollars(111n))),
      "amount.value is less than the smallest part of the token that was paid",
    )
  })

  it("is refused for a payment that has not succeeded", () => {
    for (const ask of [Refunding.whole, Refunding.part(dollars(1n), Samples.catalog)]) {
      const asked = ask(Samples.processing())
      assert.isTrue(isNoRefund(asked, "payment_not_succeeded"))
    }
  })

  it(`is refused after ${Limits.refundsPerPaymentMax} refunds of the payment`, () => {
    const cents = Array.from({ length: Limits.refundsPerPaymentMax }, () => dollars(1n))
    const payment = afterParts(succeeded(), ...cents)
    assert.lengthOf(Payment.refunds(payment), Limits.refundsPerPaymentMax)
    const asked = partOf(payment, dollars(1n))
    assert.isTrue(isNoRefund(asked, "already_refunded"))
    assert.strictEqual(
      messageOf(asked),
      `the payment has ${Limits.refundsPerPaymentMax} refunds, which is the most that it can have`,
    )
  })
})

describe("a refund of the whole payment", () => {
  it("is refused after any other refund, also one that is held or small", () => {
    const failure = { reason: "blocklisted", code: "payee" } as const
    const heldPayment = given(Following.refundHeld(requested(succeeded()), outflow, failure, now))
    for (const payment of [
      afterParts(succeeded(), dollars(1n)),
      afterParts(succeeded(), dollars(1000n)),
      heldPayment.payment,
    ]) {
      assert.strictEqual(messageOf(Refunding.whole(payment)), "the payment was refunded already")
    }
  })
})

describe("Refunding.read", () => {
  const read = (request: Refunding.Request) => Refunding.read(request, Samples.catalog)
  const unit = "iso4217/USD"
  const asked = (request: Refunding.Request, payment = succeeded()) =>
    Result.getOrThrow(Result.getOrThrow(read(request))(payment))

  it("asks for the whole payment if there is no amount", () => {
    assert.deepStrictEqual(asked({}), { quantity: quantity(10_000_000n), value: quantity(1000n) })
    const refused = Result.getOrThrow(read({}))(afterParts(succeeded(), dollars(1n)))
    assert.isTrue(isNoRefund(refused, "already_refunded"))
  })

  it("asks for an amount, and keeps the reason", () => {
    const reason = "The second shirt was out of stock."
    assert.deepStrictEqual(asked({ amount: { unit, value: "125" }, reason }), {
      quantity: quantity(1_250_000n),
      value: quantity(125n),
      reason,
    })
    assert.strictEqual(asked({ reason }).reason, reason)
    const ask = Result.getOrThrow(read({ reason }))
    const { change } = Result.getOrThrow(Refunding.request(succeeded(), ids, null, now, null, ask))
    assert.strictEqual(refundOf(change.payment).reason, reason)
  })

  it("reports everything that is wrong with the request", () => {
    const rows: ReadonlyArray<readonly [Refunding.Request, ReadonlyArray<string>]> = [
      [{ amount: { unit, value: "0" } }, ["amount.value"]],
      [{ amount: { unit, value: "1.5" } }, ["amount.value"]],
      [{ amount: { unit: "dollars", value: "1" } }, ["amount.unit"]],
      [{ reason: "" }, ["reason"]],
      [{ reason: "x".repeat(Limits.refundReasonMaxLength + 1) }, ["reason"]],
      [{ amount: { unit, value: "0" }, reason: "" }, ["amount.value", "reason"]],
    ]
    for (const [request, fields] of rows) {
      const refused = read(request)
      if (Result.isSuccess(refused)) return assert.fail("it was accepted")
      assert.deepStrictEqual(
        refused.failure.issues.map(({ field }) => field),
        fields,
      )
    }
    assert.isTrue(Result.isSuccess(read({ reason: "x".repeat(Limits.refundReasonMaxLength) })))
  })
})

describe("the fee of a refund", () => {
  const feesOf = (payment: Payment.Payment) =>
    Payment.refunds(payment).map(({ fee }) => BigInt(fee))

  it("is returned in proportion to the amount if the terms say so", () => {
    // 0.20 USDC of 10 was the fee.
    const payment = afterParts(succeeded(), dollars(250n), dollars(50n))
    assert.deepStrictEqual(feesOf(payment), [50_000n, 10_000n])
  })

  it("adds up to exactly the fee once everything is refunded, however the parts round", () => {
    const third = usdc(3_333_333n)
    const payment = afterParts(paidWith(9_999_999n), third, third, third)
    const { charge } = given(payment.state._tag === "Succeeded" ? payment.state : null)
    const fees = feesOf(payment)
    assert.strictEqual(charge.total, 200_000n)
    assert.deepStrictEqual(fees, [66_666n, 66_667n, 66_667n])
    // The rest of each part is the merchant's.
    const own = Payment.refunds(payment).reduce((sum, each) => sum + each.own, 0n)
    assert.strictEqual(own, charge.net)
  })

  it("is 0 for a part that is too small for one unit of it", () => {
    const payment = afterParts(succeeded(), usdc(49n), usdc(1n))
    assert.deepStrictEqual(feesOf(payment), [0n, 1n])
    assert.deepStrictEqual(
      Payment.refunds(payment).map(({ own }) => BigInt(own)),
      [49n, 0n],
    )
  })

  it("is not returned if the terms do not say so, even if the share is too small without it", () => {
    const { returned: _, ...keeping } = succeeded().feeTerms
    const parts = [dollars(250n), dollars(50n), dollars(700n)]
    const payment = afterParts({ ...succeeded(), feeTerms: keeping }, ...parts)
    assert.deepStrictEqual(feesOf(payment), [0n, 0n, 0n])
    assert.strictEqual(needOf(payment), 200_000n)
  })
})

describe("several refunds of one payment", () => {
  const second = OutflowId.OutflowId.make("out_refund2")
  const first = OutflowId.OutflowId.make("out_refund1")
  const two = () => afterParts(settled(), dollars(300n), dollars(200n))
  const carrying = (id: OutflowId.OutflowId): Outflow.Outflow => ({ ...outflow, id })
  const tagsOf = (payment: Payment.Payment) => Payment.refunds(payment).map(Refund.status)

  it("are each changed only by their own outflow", () => {
    const firstSent = given(Following.refundSent(two(), carrying(first), now))
    assert.deepStrictEqual(tagsOf(firstSent.payment), ["processing", "pending"])
    assert.strictEqual(firstSent.refundId, "rfnd_1")
    const secondPaid = given(
      Following.refundPaid(firstSent.payment, carrying(second), transfer, now),
    )
    assert.deepStrictEqual(tagsOf(secondPaid.payment), ["processing", "succeeded"])
    assert.deepInclude(secondPaid, {
      event: "refund.succeeded",
      refundId: Refund.RefundId.make("rfnd_2"),
    })
    const failure = { reason: "blocklisted", code: "payee" } as const
    const held = given(Following.refundHeld(secondPaid.payment, carrying(first), failure, now))
    assert.deepStrictEqual(tagsOf(held.payment), ["held", "succeeded"])
    assert.deepInclude(held, { event: "refund.held", refundId: Refund.RefundId.make("rfnd_1") })
    assert.isTrue(Payment.isStuck(held.payment))
    const retried = given(Following.refundReleased(held.payment, carrying(first), now))
    assert.deepStrictEqual(tagsOf(retried.payment), ["pending", "succeeded"])
    assert.deepInclude(retried, {
      event: "refund.pending",
      refundId: Refund.RefundId.make("rfnd_1"),
    })
    assert.isFalse(Payment.isStuck(retried.payment))
  })

  it("are booked one by one", () => {
    for (const [id, of] of [
      [first, { quantity: 3_000_000n, fee: 60_000n }],
      [second, { quantity: 2_000_000n, fee: 40_000n }],
    ] as const) {
      assert.deepStrictEqual(
        Refunding.bookings(two(), carrying(id)).map(({ transaction }) => transaction),
        [Ledger.refund({ ...paidBack, quantity: quantity(of.quantity), fee: quantity(of.fee) })],
      )
    }
  })

  it("S5: get the merchant's shares in the order in which they were requested", () => {
    const payment = two()
    assert.strictEqual(Refunding.inNeed(payment)?.id, "rfnd_1")
    const [one] = Payment.refunds(payment)
    const next = Refunding.keepShares(payment, given(one), [kept(2_940_000n)])
    assert.strictEqual(Refunding.inNeed(next)?.id, "rfnd_2")
    assert.strictEqual(needOf(next), 1_960_000n)
    assert.isNotNull(Refunding.needKeyOf(next))
    const done = keepFor(next, kept(1_960_000n))
    assert.isNull(Refunding.inNeed(done))
    assert.isNull(Refunding.needKeyOf(done))
  })

  it("are what the merchant owes once they are sent with money that it already had", () => {
    assert.deepStrictEqual(Refunding.sentByMerchant(two()), [])
    const payment = given(Following.refundSent(two(), carrying(second), now)).payment
    assert.deepStrictEqual(
      Refunding.sentByMerchant(payment).map(({ id }) => id),
      [Refund.RefundId.make("rfnd_2")],
    )
    const ownOnly = afterParts(succeeded(destination), dollars(1n), dollars(2n))
    const sentOwn = given(Following.refundSent(ownOnly, carrying(first), now)).payment
    assert.deepStrictEqual(Refunding.sentByMerchant(sentOwn), [])
  })

  it("wait for different things", () => {
    const short = given(Following.refundWaits(two(), carrying(first), why("float"), now)).payment
    const both = given(Following.refundWaits(short, carrying(second), why("credit"), now)).payment
    assert.deepStrictEqual(Payment.refunds(both).map(Refund.lack), ["float", "credit"])
  })

  it("take nothing of a share that turns out to be paid, except those that were sent", () => {
    const payment = afterParts(succeeded(destination), dollars(300n), dollars(200n), dollars(100n))
    const sentFirst = given(Following.refundSent(payment, carrying(first), now)).payment
    assert.deepStrictEqual(
      Payment.refunds(Refunding.withoutOwn(sentFirst)).map(({ own }) => BigInt(own)),
      [2_940_000n, 0n, 0n],
    )
  })

  it("cost the gas of the payment's other transactions once", () => {
    const costs = {
      coin: "ETH",
      unitsPerCoin: 10n ** 18n,
      ordinary: 2n,
      byCode: 2n,
      allowance: 10n,
    }
    const gas = { cost: costs, limits: FailureBudget.defaults }
    const charged = (payment: Payment.Payment) => {
      const ask = Refunding.part(dollars(100n), Samples.catalog)
      const own = { refund: Refund.RefundId.make("rfnd_gas"), outflow: payoutId }
      const { change } = Result.getOrThrow(Refunding.request(payment, own, null, now, gas, ask))
      return given(change.charges?.entries[0]).byInMs
    }
    const each = charged(afterParts(settled(), dollars(1n)))
    assert.strictEqual(charged(settled()), 3 * each, "the collect, the payout and the refund")
    assert.strictEqual(charged(succeeded()), 2 * each, "the collect and the refund")
    assert.isTrue(each > 0)
  })
})
