import { assert, describe, it } from "@effect/vitest"
import * as LateMoney from "@florin/core/domain/books/LateMoney"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Fixtures from "@florin/testing/Fixtures"
import { given } from "../books.ts"
import * as Samples from "../samples.ts"

const { now } = Samples
const option = Samples.option({ flow: "transfer" })
const transfer = Samples.evidence(Payment.movement(Samples.attempt({ option })))
const otherHash = `0x${"1".repeat(64)}`
const report = { txHash: transfer.txHash, option }
const otherReport = { txHash: otherHash, option }
const outflowId = OutflowId.OutflowId.make("out_1")

const reported = (...hashes: ReadonlyArray<string>): Payment.Payment =>
  hashes.reduce(
    (payment, txHash) =>
      PaymentTransition.reportLate(payment, { txHash, option, isFirm: false }, now)?.payment ??
      payment,
    Samples.created(),
  )

const suspended = (): Payment.Payment =>
  given(LateMoney.suspend(reported(transfer.txHash), report, transfer, now)).payment

const giveBack = (payment: Payment.Payment, txHash = transfer.txHash) =>
  LateMoney.giveBack(payment, txHash, outflowId, now)

const started = given(giveBack(suspended()))
const returning = given(started.payments[0]).payment
const { outflow } = given(started.outflows[0])
const other: Outflow.Outflow = { ...outflow, id: OutflowId.OutflowId.make("out_2") }

const transferBack = Samples.evidence(LateMoney.returnOf(transfer), 9)
const returned = given(LateMoney.recordPaid(returning, outflow, transferBack, now + 2)).payment
const failed = given(
  LateMoney.recordHeld(returning, outflow, { reason: "x", code: "lost" }, now + 3),
).payment

const ledgerLine = {
  payer: option.account,
  collecting: option.payTo,
  token: option.token,
  quantity: option.quantity,
}

describe("LateMoney.suspend", () => {
  it("keeps real money apart, books it and claims it", () => {
    const change = LateMoney.suspend(reported(transfer.txHash), report, transfer, now + 1)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Suspended", transfer, suspendedAt: now + 1 },
    ])
    assert.deepStrictEqual(change?.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change?.ledger, [Ledger.suspension(ledgerLine)])
    assert.deepStrictEqual(change?.due, { watch: null })
    assert.strictEqual(change?.payment.state._tag, "RequiresAction")
  })

  it("goes on looking while another transfer is reported", () => {
    const change = LateMoney.suspend(
      reported(transfer.txHash, otherHash),
      report,
      transfer,
      now + 1,
    )
    assert.deepStrictEqual(change?.due, { watch: now + 1 })
    assert.strictEqual(
      change === null ? undefined : LateMoney.reportInTurn(change.payment, now)?.txHash,
      otherHash,
    )
  })

  it("does nothing where nothing was reported", () => {
    assert.isNull(LateMoney.suspend(Samples.created(), report, transfer, now))
    assert.isNull(LateMoney.suspend(suspended(), report, transfer, now))
  })
})

describe("LateMoney.dismiss", () => {
  it("remembers why a report was unfounded", () => {
    const change = LateMoney.dismiss(reported(otherHash), otherReport, "it reverted", now)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Unfounded", txHash: otherHash, reason: "it reverted" },
    ])
    assert.deepStrictEqual(change?.due, { watch: null })
    assert.deepStrictEqual(change?.ledger, [])
    assert.isNull(LateMoney.dismiss(Samples.created(), otherReport, "x", now))
  })
})

describe("LateMoney.reportInTurn", () => {
  const names = (payment: Payment.Payment, minutes: ReadonlyArray<number>) =>
    minutes.map((minute) => LateMoney.reportInTurn(payment, now + minute * 60_000)?.txHash)

  it("gives each report its turn, so that one that nobody finds keeps no other waiting", () => {
    assert.deepStrictEqual(names(Samples.created(), [0]), [undefined])
    const hashes = Array.from({ length: 5 }, (_, index) => Fixtures.hash(`report ${index}`))
    const payment = hashes.reduce(
      (before, txHash) =>
        given(PaymentTransition.reportLate(before, { txHash, option, isFirm: true }, now)).payment,
      suspended(),
    )
    assert.sameMembers(names(payment, [0, 1, 2, 3, 4]), hashes)
    // Looked for again and again in the same minute, it is still its turn.
    assert.strictEqual(new Set(names(payment, [0, 0.1, 0.4])).size, 1)
  })
})

describe("LateMoney.giveBack", () => {
  it("goes back to whom it came from, in an outflow of its own that is due now", () => {
    assert.deepStrictEqual(returning.late, [{ _tag: "Returning", transfer, outflowId }])
    assert.deepStrictEqual(LateMoney.returnOf(transfer), {
      token: option.token,
      from: option.payTo,
      to: option.account.address,
      quantity: option.quantity,
    })
    assert.deepStrictEqual(started.outflows, [
      {
        outflow: {
          id: outflowId,
          partnerId: Samples.partnerId,
          mode: "live",
          movement: LateMoney.returnOf(transfer),
          purpose: { _tag: "Return", paymentId: Samples.paymentId, txHash: transfer.txHash },
          state: { _tag: "Waiting" },
          createdAt: now,
          updatedAt: now,
          revision: 0,
        },
        ledger: [],
        claims: [],
        due: { send: now },
      },
    ])
  })

  it("gives a transfer back once, by its hash", () => {
    assert.isNull(giveBack(returning))
    assert.isNull(giveBack(returned))
    assert.isNull(giveBack(suspended(), otherHash))
    assert.isUndefined(LateMoney.findSuspended(suspended(), otherHash))
    assert.isDefined(LateMoney.findSuspended(suspended(), transfer.txHash))
  })

  it("makes no other outflow where one failed: that one is released", () => {
    assert.isNull(giveBack(failed))
  })
})

describe("LateMoney on its way back", () => {
  it("is booked as what goes back, once it is sent", () => {
    const booking = { paymentId: Samples.paymentId, transaction: Ledger.lateReturn(ledgerLine) }
    for (const payment of [returning, returned, failed]) {
      assert.deepStrictEqual(LateMoney.bookings(payment, outflow), [booking])
      assert.deepStrictEqual(LateMoney.bookings(payment, other), [])
    }
    assert.deepStrictEqual(LateMoney.bookings(suspended(), outflow), [])
    assert.deepStrictEqual(LateMoney.bookings(reported(otherHash), outflow), [])
  })

  it("is done when the transfer back is final", () => {
    assert.deepStrictEqual(returned.late, [
      {
        _tag: "Returned",
        transfer,
        outflowId,
        txHash: transferBack.txHash,
        returnedAt: now + 2,
      },
    ])
    assert.isNull(LateMoney.recordPaid(returned, outflow, transferBack, now))
    assert.isNull(LateMoney.recordPaid(suspended(), outflow, transferBack, now))
    assert.isNull(LateMoney.recordPaid(returning, other, transferBack, now))
  })

  it("goes back into suspense where it can never be, or is gone again", () => {
    for (const payment of [returning, returned]) {
      const change = given(
        LateMoney.recordHeld(payment, outflow, { reason: "x", code: "lost" }, now + 3),
      )
      assert.deepStrictEqual(change.payment.late, [
        {
          _tag: "Suspended",
          transfer,
          suspendedAt: now + 3,
          held: { outflowId, reason: "x", code: "lost" },
        },
      ])
      assert.isTrue(Payment.isStuck(change.payment))
      assert.deepStrictEqual(change.ledger, [])
    }
    assert.isNull(LateMoney.recordHeld(suspended(), outflow, { reason: "x", code: "lost" }, now))
    assert.isNull(LateMoney.recordHeld(failed, outflow, { reason: "x", code: "lost" }, now))
    assert.isNull(LateMoney.recordHeld(returning, other, { reason: "x", code: "lost" }, now))
  })

  it("is sent again by the same outflow, and no other", () => {
    const change = given(LateMoney.release(failed, outflow, now + 4))
    assert.deepStrictEqual(change.payment.late, returning.late)
    assert.isNull(LateMoney.release(failed, other, now))
    assert.isNull(LateMoney.release(suspended(), outflow, now))
    assert.isNull(LateMoney.release(returning, outflow, now))
  })

  it("is returned where a held transfer back proves to be final", () => {
    const change = given(LateMoney.recordPaid(failed, outflow, transferBack, now + 2))
    assert.deepStrictEqual(change.payment.late, returned.late)
  })

  it("names the hash under which the transfer back was found instead", () => {
    const found = { ...transferBack, txHash: otherHash }
    const change = given(LateMoney.recordMoved(returned, outflow, found, now))
    assert.deepInclude(change.payment.late[0], { _tag: "Returned", txHash: otherHash, transfer })
    assert.isNull(LateMoney.recordMoved(returning, outflow, found, now))
    assert.isNull(LateMoney.recordMoved(returned, other, found, now))
  })

  it("S24: remembers that something else was moved", () => {
    const failure = { reason: "x (0x1)", code: "moved", movedOtherwise: true } as const
    const change = given(LateMoney.recordHeld(returning, outflow, failure, now + 3))
    assert.deepStrictEqual(change.payment.late, [
      { _tag: "Suspended", transfer, suspendedAt: now + 3, held: { outflowId, ...failure } },
    ])
    assert.isNull(giveBack(change.payment))
    assert.isTrue(Payment.isStuck(change.payment))
  })
})

describe("LateMoney.isLost", () => {
  it("is so once the transfer is gone that was given back", () => {
    assert.isFalse(LateMoney.isLost(returned, outflow))
    const { payment } = given(LateMoney.vanish(returned, transfer, "it is gone", now))
    assert.isTrue(LateMoney.isLost(payment, outflow))
    assert.isFalse(LateMoney.isLost(payment, other))
    assert.isFalse(LateMoney.isLost(suspended(), outflow))
  })
})

describe("LateMoney.isGone", () => {
  it("is so once the money is lost whose return was held, and not before", () => {
    for (const payment of [returning, returned, failed]) {
      assert.isFalse(LateMoney.isGone(payment, outflow))
      assert.isTrue(LateMoney.isGone(payment, other))
    }
    const { payment } = given(LateMoney.vanish(failed, transfer, "it is gone", now))
    assert.isTrue(LateMoney.isGone(payment, outflow))
  })
})
