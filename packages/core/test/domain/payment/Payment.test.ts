import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import { Result } from "effect"
import { given } from "../books.ts"
import * as Following from "../following.ts"
import * as Samples from "../samples.ts"

const { attempt, created, evidence, now, processing, succeeded } = Samples

/** The change of a decision that must have made one. */
const changeOf = <A, E>(result: Result.Result<A | null, E>): A => {
  const change = Result.getOrThrow(result)
  if (change === null) throw new Error("nothing changed")
  return change
}

describe("Payment.status", () => {
  it("is expired from expiresAt on, even if no worker has recorded it", () => {
    const endsAt = created().expiresAt * 1000
    assert.strictEqual(Payment.status(created(), endsAt - 1), "requires_action")
    assert.strictEqual(Payment.status(created(), endsAt), "expired")
    assert.isFalse(Payment.isOverdue(created(), endsAt - 1))
    assert.isTrue(Payment.isOverdue(created(), endsAt))
  })

  it("never expires after a confirm", () => {
    const longAfter = now + 10 * 365 * 86_400_000
    assert.strictEqual(Payment.status(processing(), longAfter), "processing")
    assert.strictEqual(Payment.status(succeeded(), longAfter), "succeeded")
  })
})

describe("The fingerprint of a confirm", () => {
  it("identifies the accepted confirm in every later state", () => {
    assert.notStrictEqual(Payment.attemptOf(created())?.fingerprint, "first")
    for (const payment of [processing(), succeeded()]) {
      assert.strictEqual(Payment.attemptOf(payment)?.fingerprint, "first")
      assert.notStrictEqual(Payment.attemptOf(payment)?.fingerprint, "second")
    }
    const failed = changeOf(PaymentTransition.fail(processing(), "reverted", now)).payment
    assert.strictEqual(Payment.attemptOf(failed)?.fingerprint, "first")
  })

  it("distinguishes confirms by option and outputs", () => {
    const prints = [
      Payment.fingerprint("a", ["0x1"]),
      Payment.fingerprint("b", ["0x1"]),
      Payment.fingerprint("a", ["0x2"]),
      Payment.fingerprint("a", ["0x1", "0x1"]),
    ]
    assert.strictEqual(new Set(prints).size, prints.length)
    assert.strictEqual(Payment.fingerprint("a", ["0x1"]), prints[0])
  })
})

describe("Payment.report", () => {
  it("asks for the next poll later the longer nothing happened, but never immediately", () => {
    const pollAfter = (quietForInMs: number) =>
      Payment.report(processing(), processing().updatedAt + quietForInMs).pollInMs
    assert.deepStrictEqual(
      [0, 14_999, 15_000, 59_999, 60_000, 10 ** 9].map(pollAfter),
      [1000, 1000, 2000, 2000, 3000, 3000],
    )
  })

  it("is final without a next poll, and contains what was paid only if the payment succeeded", () => {
    const cancelled = changeOf(
      PaymentTransition.cancel(created(), "cancelled_by_user", now),
    ).payment
    const declined = changeOf(PaymentTransition.decline(processing(), null, now)).payment
    const rows = [
      [created(), "requires_action", false, null],
      [processing(), "processing", false, null],
      [cancelled, "cancelled", true, null],
      [declined, "failed", true, "declined_user"],
      [changeOf(PaymentTransition.fail(processing(), "x", now)).payment, "failed", true, null],
    ] as const
    for (const [payment, status, isFinal, failureCode] of rows) {
      const report = Payment.report(payment, now)
      assert.deepStrictEqual(
        [report.status, report.isFinal, report.pollInMs === null, report.failureCode, report.info],
        [status, isFinal, isFinal, failureCode, null],
      )
    }
    assert.deepStrictEqual(Payment.report(succeeded(), now), {
      status: "succeeded",
      isFinal: true,
      pollInMs: null,
      failureCode: null,
      info: {
        optionAmount: {
          unit: Amount.token(attempt().option.token),
          quantity: attempt().option.quantity,
        },
        txId: evidence(Payment.movement(attempt())).txHash,
      },
    })
  })
})

describe("Payment", () => {
  it("P7: never goes back in time, whichever clock wrote last", () => {
    const change = Result.getOrThrow(PaymentTransition.confirm(created(), attempt(), now - 5000))
    assert.strictEqual(change.payment.updatedAt, now)
  })

  it("is open until it is confirmed or ended", () => {
    assert.isTrue(Payment.isOpen(created()))
    assert.isFalse(Payment.isOpen(processing()))
  })

  it("is stuck while a settlement or a refund waits for an operator", () => {
    const payment = succeeded({
      chainId: Samples.usdcOnBase.token.chainId,
      address: Samples.destination,
    })
    const group = given(Balance.groupOf(payment))
    const gathered = given(
      Payouts.gather(
        [payment],
        group,
        { debts: new Map(), lasts: [] },
        OutflowId.OutflowId.make("out_1"),
        now,
      ),
    )
    const refund = Result.getOrThrow(
      Refunding.request(
        payment,
        { refund: Refund.RefundId.make("rfnd_1"), outflow: OutflowId.OutflowId.make("out_2") },
        null,
        now,
      ),
    )
    const settling = given(gathered.payments[0]).payment
    const refunding = refund.change.payment
    const failure = { reason: "blocklisted", code: "lost" } as const
    const payout = given(gathered.outflows[0]).outflow
    const stuck = [
      given(Following.shareHeld(settling, payout, failure, now)).payment,
      given(Following.refundHeld(refunding, refund.outflow.outflow, failure, now)).payment,
    ]
    for (const each of stuck) assert.isTrue(Payment.isStuck(each))
    for (const each of [created(), payment, settling, refunding]) {
      assert.isFalse(Payment.isStuck(each))
    }
  })
})

describe("Payment.settled", () => {
  it("is what the merchant was paid out, and null before", () => {
    const world = Fixtures.make("settled")
    const payment = Fixtures.paymentAfter(world.path("settled"))
    const { state } = payment
    assert(state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "paid")
    assert.deepStrictEqual(Payment.payoutOf(payment), {
      amount: { unit: Amount.token(world.token), quantity: state.charge.net },
      txId: Shares.ofEntry(state.entry).txHash,
      settledAt: Shares.ofEntry(state.entry).settledAt,
    })
    for (const stage of [
      "created",
      "settlementPending",
      "gathered",
      "settling",
      "netted",
    ] as const) {
      assert.isNull(Payment.payoutOf(Fixtures.paymentAfter(world.path(stage))))
    }
  })
})

describe("Payment.outflowIds", () => {
  it("lists every outflow with money of the payment, also those that failed", () => {
    const world = Fixtures.make("outflowIds")
    const idsAt = (stage: Fixtures.Stage) => {
      const path = world.path(stage)
      return {
        own: Payment.outflowIds(Fixtures.paymentAfter(path)),
        made: path.flatMap(({ outflows }) =>
          outflows.flatMap(({ outflow }) => (outflow.revision === 0 ? [outflow.id] : [])),
        ),
      }
    }
    const carried = ["gathered", "settling", "settled", "settlementHeld"] as const
    const refunds = ["refundPending", "refunded", "refundHeld", "refundAfterSettlement"] as const
    for (const stage of [...carried, ...refunds]) {
      const { made, own } = idsAt(stage)
      assert.deepStrictEqual(own, made)
      assert.lengthOf(own, stage === "refundAfterSettlement" ? 2 : 1)
    }
    for (const stage of ["created", "settlementPending", "netted", "lateReturned"] as const) {
      assert.deepStrictEqual(idsAt(stage).own, [])
    }
  })
})

describe("Event", () => {
  it("is made of payment and version, so that one change never has two events", () => {
    const event = Event.make("payment.processing", processing())
    assert.deepStrictEqual(event, {
      id: "evt_0000000000test0001",
      type: "payment.processing",
      stateVersion: 1,
      createdAt: now + 1000,
      payment: processing(),
    })
  })
})

describe("Claim", () => {
  it("is one text for one transfer or authorization", () => {
    const transfer = evidence(Payment.movement(attempt()), 2)
    assert.strictEqual(
      Claim.key(Claim.ofTransfer(transfer)),
      `transfer:eip155:8453:${transfer.txHash}:2`,
    )
    const { option } = attempt()
    const claim = Claim.ofAuthorization(option)
    assert.match(
      Claim.key(claim),
      new RegExp(
        `^authorization:eip155:8453:${option.token.address}:${Samples.payer}:0x[0-9a-f]{64}$`,
        "u",
      ),
    )
  })
})
