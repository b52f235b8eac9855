import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Event from "@florin/core/domain/payment/Event"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Refund from "@florin/core/domain/payment/Refund"
import { Result } from "effect"
import * as Samples from "../../core/test/domain/samples.ts"
import * as EventView from "../src/views/EventView.ts"

const { attempt, created, evidence, now, processing, succeeded } = Samples
const token = Samples.usdcOnBase.token
const unit = "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const shown = (type: Event.PaymentEventType, payment: Payment.Payment) =>
  EventView.ofPayment(Event.make(type, payment), Eip155.knownFamilies)

describe("EventView.event", () => {
  it("shows a new payment, with null for values that it does not have yet", () => {
    assert.deepStrictEqual(shown("payment.created", created()), {
      id: "evt_0000000000test0000",
      type: "payment.created",
      timestamp: "2025-10-09T08:53:20.000Z",
      data: {
        paymentId: "pay_0000000000test",
        merchantId: "mrch_test",
        referenceId: "order-1",
        payment_state_version: 0,
        status: "requires_action",
        amount: { unit: "iso4217/USD", value: "1000" },
        expiresAt: created().expiresAt,
        metadata: {},
        buyer: null,
        info: null,
        settlement: null,
        refund: null,
      },
    })
  })

  it("has a failure code exactly when the payment failed", () => {
    const failed = Result.getOrThrow(PaymentTransition.fail(processing(), "reverted", now))?.payment
    const declined = Result.getOrThrow(PaymentTransition.decline(processing(), null, now))?.payment
    const codeOf = (payment: Payment.Payment = created()) =>
      Object.entries(shown("payment.failed", payment).data).filter(([name]) =>
        name.startsWith("failure"),
      )
    assert.deepStrictEqual(codeOf(failed), [["failureCode", null]])
    assert.deepStrictEqual(codeOf(declined), [["failureCode", "declined_user"]])
    assert.deepStrictEqual(codeOf(processing()), [])
  })

  it("shows the payer, and the amounts that were paid, paid out and refunded", () => {
    const destination = { chainId: token.chainId, address: Samples.destination }
    const pending = succeeded(destination)
    const group = Balance.groupOf(pending) ?? assert.fail("no share waits")
    const outflowId = OutflowId.OutflowId.make("out_1")
    const gathered = Payouts.gather(
      [pending],
      group,
      { debts: new Map(), lasts: [] },
      outflowId,
      now,
    )
    const [outflow] = gathered?.outflows.map((change) => change.outflow) ?? []
    const payments = gathered?.payments.map(({ payment }) => payment) ?? []
    if (outflow === undefined) return assert.fail("nothing is to be sent")
    const paid = Outgoing.pay({ outflow, payments }, evidence(outflow.movement), now)
    const settled = paid?.payments[0]?.payment ?? assert.fail("it was not paid")
    const refunded = Result.getOrThrow(
      Refunding.request(
        settled,
        { refund: Refund.RefundId.make("rfnd_1"), outflow: OutflowId.OutflowId.make("out_2") },
        null,
        now,
      ),
    ).change.payment
    const { buyer, info, refund, settlement } = shown("refund.pending", refunded).data
    assert.deepStrictEqual(
      { buyer, info, refund, settlement },
      {
        buyer: attempt().option.accountText,
        info: {
          optionAmount: { unit, value: "10000000" },
          txId: evidence(outflow.movement).txHash,
        },
        settlement: {
          amount: { unit, value: "9800000" },
          txId: evidence(outflow.movement).txHash,
        },
        refund: {
          refundId: "rfnd_1",
          status: "pending",
          amount: { unit, value: "10000000" },
        },
      },
    )
  })
})
