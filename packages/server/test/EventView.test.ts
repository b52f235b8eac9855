import { assert, describe, it } from "@effect/vitest"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Fixtures from "@florin/testing/Fixtures"
import { Result } from "effect"
import * as EventView from "../src/views/EventView.ts"

const world = Fixtures.make("eventView")
const unit = `caip19/${Eip155.formatToken(world.token)}`
const account = { chainId: Fixtures.chainId, address: Caip.Address.make(`0x${"1".repeat(40)}`) }

/** A payment of 10 USDC at 1 %. */
const at = (stage: Fixtures.Stage): Payment.Payment =>
  Fixtures.paymentAfter(
    world.path(stage, { id: PaymentId.PaymentId.make("pay_0000000000test") }, { account }),
  )

const shown = (type: Event.PaymentEventType, payment: Payment.Payment) =>
  EventView.ofPayment(Event.make(type, payment), Eip155.knownFamilies)

describe("EventView.event", () => {
  it("shows a new payment, with null for values that it does not have yet", () => {
    assert.deepStrictEqual(shown("payment.created", at("created")), {
      id: "evt_0000000000test0000",
      type: "payment.created",
      timestamp: "2026-09-21T14:13:20.000Z",
      data: {
        paymentId: "pay_0000000000test",
        merchantId: "mrch_eventViewA",
        referenceId: "order 1",
        payment_state_version: 0,
        status: "requires_action",
        amount: { unit: "iso4217/USD", value: "1000" },
        expiresAt: at("created").expiresAt,
        metadata: {},
        buyer: null,
        info: null,
        settlement: null,
        refund: null,
      },
    })
  })

  it("has a failure code exactly when the payment failed", () => {
    const codeOf = (stage: Fixtures.Stage) =>
      Object.entries(shown("payment.failed", at(stage)).data).filter(([name]) =>
        name.startsWith("failure"),
      )
    assert.deepStrictEqual(codeOf("failed"), [["failureCode", null]])
    assert.deepStrictEqual(codeOf("declined"), [["failureCode", "declined_user"]])
    assert.deepStrictEqual(codeOf("confirmed"), [])
  })

  it("shows the refund that changed, and all of them with their sum", () => {
    const payment = at("settled")
    const ids = ["rfnd_1", "rfnd_2"].map((id) => Refund.RefundId.make(id))
    const asked = ids.reduce((current, refund) => {
      const part = Refunding.part(
        { unit: Amount.fiat("USD"), quantity: Fixtures.quantity(100n) },
        Catalog.empty,
      )
      const outflow = world.outflowId()
      const request = Refunding.request(current, { refund, outflow }, null, 0, null, part)
      return Result.getOrThrow(request).change.payment
    }, payment)
    const idOf = (refundId?: Refund.RefundId) =>
      EventView.ofPayment(Event.make("refund.pending", asked, refundId), Eip155.knownFamilies).data
        .refund?.refundId
    assert.deepStrictEqual(ids.map(idOf), ids)
    assert.strictEqual(idOf(), ids[1])
    const { refunded, refunds } = shown("payment.settled", asked).data
    assert.deepStrictEqual(
      refunds?.map(({ amount }) => amount.value),
      ["1000000", "1000000"],
    )
    assert.deepStrictEqual(refunded, { unit, value: "2000000" })
  })

  it("shows the payer, and the amounts that were paid, paid out and refunded", () => {
    const payment = at("refundAfterSettlement")
    assert(payment.state._tag === "Succeeded")
    const { buyer, info, refund, settlement } = shown("refund.pending", payment).data
    assert.deepStrictEqual(
      { buyer, info, refund, settlement },
      {
        buyer: Eip155.formatAccount(account),
        info: {
          optionAmount: { unit, value: "10000000" },
          txId: payment.state.transfer.txHash,
        },
        settlement: {
          amount: { unit, value: "9900000" },
          txId: Payment.payoutOf(payment)?.txId,
        },
        refund: {
          refundId: "rfnd_0000000000test",
          status: "pending",
          amount: { unit, value: "10000000" },
        },
      },
    )
  })
})
