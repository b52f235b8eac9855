import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Outflow from "@florin/core/domain/Outflow"
import * as Payment from "@florin/core/domain/Payment"
import * as Refund from "@florin/core/domain/Refund"
import * as Refunding from "@florin/core/domain/Refunding"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import { Result } from "effect"
import { given, settlementOf } from "./books.ts"
import * as Samples from "./samples.ts"

const { now, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const ids = {
  refund: Refund.RefundId.make("rfnd_1"),
  outflow: Outflow.OutflowId.make("out_refund"),
}
const payoutId = Outflow.OutflowId.make("out_payout")

const requestOf = (payment: Payment.Payment, carrying: Outflow.Outflow | null = null, at = now) =>
  Result.getOrThrow(Refunding.request(payment, ids, carrying, at))

const requested = (payment: Payment.Payment): Payment.Payment => requestOf(payment).change.payment

/** The outflow of every refund here. */
const { outflow } = requestOf(succeeded()).outflow
const other: Outflow.Outflow = { ...outflow, id: payoutId }

/** A payment whose share is in a payout that waits to be sent. */
const gathered = () => {
  const pending = succeeded(destination)
  const group = given(SettlementMatching.groupOf(pending))
  const write = given(
    SettlementMatching.gather([pending], group, { debts: new Map(), lasts: [] }, payoutId, now),
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
  return given(SettlementMatching.paid(payment, payout, transfer, now)).payment
}

const sent = (payment: Payment.Payment): Payment.Payment =>
  given(Refunding.sent(requested(payment), outflow, now)).payment

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
  it("gives the whole amount back to the account that paid", () => {
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

  it("goes from the collecting account to the payer, in an outflow of its own that is due now", () => {
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
      assert.deepStrictEqual(settlementOf(change.payment), { _tag: "Cancelled", destination })
      assert.isFalse(Payment.refundOf(change.payment)?.drawsOnFloat)
      assert.deepStrictEqual(change.due, { settle: null })
    }
  })

  it("draws on the float once the merchant has its share, or may have it", () => {
    const { payment, payout } = gathered()
    const sentPayout = given(Outflow.send(payout, slot(1), now))
    const onItsWay = requestOf(payment, sentPayout).change
    assert.strictEqual(settlementOf(onItsWay.payment)._tag, "Processing")
    const { change } = requestOf(settled())
    assert.strictEqual(settlementOf(change.payment)._tag, "Successful")
    for (const each of [onItsWay, change]) {
      assert.isTrue(Payment.refundOf(each.payment)?.drawsOnFloat)
      assert.deepStrictEqual(each.due, {})
    }
  })

  it("is refused for a payment that did not succeed, and a second time", () => {
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
  it("is nothing where none was asked for", () => {
    assert.isNull(Payment.refundOf(Samples.created()))
    assert.isNull(Payment.refundOf(succeeded()))
  })
})

describe("Refund.amount", () => {
  it("is what goes back", () => {
    const refund = given(Payment.refundOf(requested(succeeded())))
    assert.strictEqual(Refund.amount(refund).quantity, back.quantity)
  })
})

describe("Refunding.bookings", () => {
  it("says whose money goes back", () => {
    const cases = [
      [succeeded(), Ledger.refundedBeforeSettlement(paid)],
      [settled(), Ledger.refundedAfterSettlement(paid)],
    ] as const
    for (const [payment, transaction] of cases) {
      assert.deepStrictEqual(Refunding.bookings(requested(payment)), [
        { paymentId: payment.id, transaction },
      ])
    }
    assert.deepStrictEqual(Refunding.bookings(succeeded()), [])
    assert.deepStrictEqual(Refunding.bookings(Samples.processing()), [])
  })
})

describe("Refunding.sent", () => {
  it("is on its way, and says so", () => {
    const change = given(Refunding.sent(requested(succeeded()), outflow, now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Processing" })
    assert.strictEqual(change.event, "refund.processing")
    // What is booked is the outflow's.
    assert.deepStrictEqual(change.ledger, [])
  })

  it("happens once, and by its own outflow", () => {
    assert.isNull(Refunding.sent(sent(succeeded()), outflow, now))
    assert.isNull(Refunding.sent(succeeded(), outflow, now))
    assert.isNull(Refunding.sent(requested(succeeded()), other, now))
  })
})

describe("Refunding.wait", () => {
  it("stays pending, and says once what is short", () => {
    const change = given(Refunding.wait(requested(settled()), outflow, "float", now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: true })
    assert.isFalse("event" in change)
    assert.isNull(Refunding.wait(change.payment, outflow, "float", now))
    const lent = given(Refunding.wait(change.payment, outflow, "credit", now))
    const refund = Payment.refundOf(lent.payment) ?? assert.fail("no refund")
    assert.strictEqual(Refund.lack(refund), "credit")
    assert.isNull(Refunding.wait(lent.payment, outflow, "credit", now))
    assert.isNull(Refunding.wait(requested(settled()), outflow, "paused", now))
    assert.isNull(Refunding.wait(requested(settled()), other, "float", now))
  })

  it("S7: is pending again, and announces it, if its transaction reverted", () => {
    const change = given(Refunding.wait(sent(settled()), outflow, "paused", now))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: false })
    assert.strictEqual(change.event, "refund.pending")
  })
})

describe("Refunding.paid", () => {
  it("is final, and announces it", () => {
    const held = given(Refunding.held(sent(succeeded()), outflow, { reason: "x" }, now)).payment
    // Pending and held where an operator recorded which transfer paid it.
    for (const payment of [sent(succeeded()), requested(succeeded()), held]) {
      const change = given(Refunding.paid(payment, outflow, transfer, now + 8))
      assert.deepStrictEqual(stateOf(change.payment), {
        _tag: "Succeeded",
        txHash: transfer.txHash,
        succeededAt: now + 8,
      })
      assert.strictEqual(change.event, "refund.succeeded")
      assert.isNull(Refunding.paid(change.payment, outflow, transfer, now))
    }
    assert.isNull(Refunding.paid(succeeded(), outflow, transfer, now))
    assert.isNull(Refunding.paid(sent(succeeded()), other, transfer, now))
  })
})

describe("Refunding.held and Refunding.released", () => {
  it("keeps the money for the payer, and says so", () => {
    const done = given(Refunding.paid(sent(succeeded()), outflow, transfer, now)).payment
    // What was paid is held again where a deep reorganisation took it.
    for (const payment of [requested(succeeded()), sent(settled()), done]) {
      const change = given(Refunding.held(payment, outflow, { reason: "blocklisted" }, now))
      assert.deepStrictEqual(stateOf(change.payment), {
        _tag: "Held",
        reason: "blocklisted",
        heldAt: now,
      })
      assert.strictEqual(change.event, "refund.held")
      assert.isNull(Refunding.held(change.payment, outflow, { reason: "again" }, now))
    }
    assert.isNull(Refunding.held(succeeded(), outflow, { reason: "x" }, now))
    assert.isNull(Refunding.held(sent(succeeded()), other, { reason: "x" }, now))
  })

  it("tries a held refund again, and nothing else", () => {
    const held = given(
      Refunding.held(requested(succeeded()), outflow, { reason: "blocklisted" }, now),
    ).payment
    const change = given(Refunding.released(held, outflow, now + 1))
    assert.deepStrictEqual(stateOf(change.payment), { _tag: "Pending", waitsForFloat: false })
    assert.strictEqual(change.event, "refund.pending")
    assert.isNull(Refunding.released(held, other, now))
    assert.isNull(Refunding.released(requested(succeeded()), outflow, now))
    assert.isNull(Refunding.released(succeeded(), outflow, now))
  })

  it("S24: remembers that something else was moved", () => {
    const failure = { reason: "x (0x1)", movedOtherwise: true } as const
    const held = given(Refunding.held(sent(settled()), outflow, failure, now)).payment
    assert.deepStrictEqual(stateOf(held), { _tag: "Held", ...failure, heldAt: now })
  })
})

describe("Refunding.moved", () => {
  it("names the hash under which the transfer was found instead", () => {
    const done = given(Refunding.paid(sent(succeeded()), outflow, transfer, now + 8)).payment
    const found = { ...transfer, txHash: `0x${"2".repeat(64)}` }
    const change = given(Refunding.moved(done, outflow, found, now + 9))
    assert.deepStrictEqual(stateOf(change.payment), {
      _tag: "Succeeded",
      txHash: found.txHash,
      succeededAt: now + 8,
    })
    assert.isFalse("event" in change)
    assert.isNull(Refunding.moved(sent(succeeded()), outflow, found, now))
    assert.isNull(Refunding.moved(done, other, found, now))
  })
})

describe("Refunding.fromFloat", () => {
  it("draws on the float where the merchant had its share after all", () => {
    const payment = requested(succeeded(destination))
    assert.isTrue(Payment.refundOf(Refunding.fromFloat(payment))?.drawsOnFloat)
    assert.strictEqual(Refunding.fromFloat(succeeded()).state._tag, "Succeeded")
    assert.isNull(Payment.refundOf(Refunding.fromFloat(succeeded())))
  })
})

describe("Refund.status", () => {
  it("names each state", () => {
    const statusOf = (payment: Payment.Payment) => Refund.status(given(Payment.refundOf(payment)))
    const processing = sent(succeeded())
    assert.deepStrictEqual(
      [
        statusOf(requested(succeeded())),
        statusOf(processing),
        statusOf(given(Refunding.paid(processing, outflow, transfer, now)).payment),
        statusOf(given(Refunding.held(processing, outflow, { reason: "x" }, now)).payment),
      ],
      ["pending", "processing", "succeeded", "held"],
    )
  })
})
