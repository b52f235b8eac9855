import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/Claim"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Payment from "@florin/core/domain/Payment"
import * as Refund from "@florin/core/domain/Refund"
import * as Refunding from "@florin/core/domain/Refunding"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import { Result } from "effect"
import * as Samples from "./samples.ts"

const { now, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const id = Refund.RefundId.make("rfnd_1")

const requested = (payment: Payment.Payment): Payment.Payment =>
  Result.getOrThrow(Refunding.request(payment, id, now)).payment

/** A payment whose merchant was paid out. */
const settled = (): Payment.Payment => {
  const pending = succeeded(destination)
  const plan = SettlementMatching.plan(pending, quantity(0n))
  if (plan === null) throw new Error("nothing is pending")
  const sent = SettlementMatching.send(pending, plan, slot(1), now)?.payment ?? pending
  const transfer = Samples.evidence(plan.movement ?? Payment.movement(Samples.attempt()))
  return SettlementMatching.complete(sent, transfer, now)?.payment ?? sent
}

const sent = (payment: Payment.Payment): Payment.Payment =>
  Refunding.send(requested(payment), slot(2), now)?.payment ?? payment

const stateOf = (payment: Payment.Payment | undefined) =>
  payment === undefined ? undefined : Payment.refundOf(payment)?.state

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

describe("Refunding.request", () => {
  it("gives the whole amount back to the account that paid", () => {
    const change = Result.getOrThrow(Refunding.request(succeeded(), id, now + 6))
    assert.deepStrictEqual(Payment.refundOf(change.payment), {
      id,
      requestedAt: now + 6,
      to: Samples.attempt().option.account,
      token,
      quantity: quantity(10_000_000n),
      drawsOnFloat: false,
      state: { _tag: "Pending", waitsForFloat: false },
    })
    assert.strictEqual(change.event, "refund.pending")
  })

  it("cancels a share that was not sent, in the same decision", () => {
    const change = Result.getOrThrow(Refunding.request(succeeded(destination), id, now))
    assert.deepStrictEqual(
      change.payment.state._tag === "Succeeded" ? change.payment.state.settlement : null,
      { _tag: "Cancelled", destination },
    )
    assert.deepStrictEqual(change.due, { refund: now, settle: null })
  })

  it("draws on the float once the merchant has its share", () => {
    const change = Result.getOrThrow(Refunding.request(settled(), id, now))
    assert.isTrue(Payment.refundOf(change.payment)?.drawsOnFloat)
    assert.strictEqual(
      change.payment.state._tag === "Succeeded" ? change.payment.state.settlement._tag : null,
      "Successful",
    )
    assert.deepStrictEqual(change.due, { refund: now })
  })

  it("is refused for a payment that did not succeed, and a second time", () => {
    const early = Refunding.request(Samples.processing(), id, now)
    assert.isTrue(Result.isFailure(early) && early.failure._tag === "PaymentNotSucceeded")
    const twice = Refunding.request(requested(succeeded()), Refund.RefundId.make("rfnd_2"), now)
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

describe("Refunding.movement", () => {
  it("goes from the collecting account to the payer, until it is done", () => {
    assert.deepStrictEqual(Refunding.movement(requested(succeeded())), back)
    assert.deepStrictEqual(Refunding.movement(sent(succeeded())), back)
    const held =
      Refunding.hold(requested(succeeded()), { reason: "x" }, now)?.payment ?? succeeded()
    for (const payment of [succeeded(), Samples.processing(), held]) {
      assert.isNull(Refunding.movement(payment))
    }
  })
})

describe("Refunding.send", () => {
  it("commits to the signed transfer, and books whose money goes back", () => {
    const cases = [
      [succeeded(), Ledger.refundedBeforeSettlement(paid)],
      [settled(), Ledger.refundedAfterSettlement(paid)],
    ] as const
    for (const [payment, line] of cases) {
      const change = Refunding.send(requested(payment), slot(2), now)
      assert.deepStrictEqual(stateOf(change?.payment), {
        _tag: "Processing",
        slot: slot(2),
      })
      assert.deepStrictEqual(change?.ledger, [line])
      assert.deepStrictEqual(change?.due, { refund: now })
      assert.strictEqual(change?.event, "refund.processing")
    }
  })

  it("does nothing a second time", () => {
    assert.isNull(Refunding.send(sent(succeeded()), slot(3), now))
    assert.isNull(Refunding.send(succeeded(), slot(3), now))
  })
})

describe("Refunding.resend", () => {
  it("replaces the transaction, and books nothing again", () => {
    const change = Refunding.resend(sent(succeeded()), slot(3), now)
    assert.deepStrictEqual(stateOf(change?.payment), { _tag: "Processing", slot: slot(3) })
    assert.deepStrictEqual(change?.ledger, [])
    assert.deepStrictEqual(change?.due, { refund: now })
    assert.isFalse(change !== null && "event" in change)
    assert.isNull(Refunding.resend(requested(succeeded()), slot(3), now))
  })
})

describe("Refunding.wait", () => {
  it("stays pending, and says that the float is short", () => {
    const change = Refunding.wait(requested(settled()), now + 60, now)
    assert.deepStrictEqual(stateOf(change?.payment), { _tag: "Pending", waitsForFloat: true })
    assert.deepStrictEqual(change?.due, { refund: now + 60 })
    assert.isNull(Refunding.wait(sent(settled()), now + 60, now))
  })
})

describe("Refunding.complete", () => {
  it("is final, claims the transfer and announces it", () => {
    const transfer = Samples.evidence(back)
    const change = Refunding.complete(sent(succeeded()), transfer, now + 8)
    assert.deepStrictEqual(stateOf(change?.payment), {
      _tag: "Succeeded",
      transfer,
      succeededAt: now + 8,
    })
    assert.deepStrictEqual(change?.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change?.due, { refund: null })
    assert.strictEqual(change?.event, "refund.succeeded")
    assert.isNull(Refunding.complete(requested(succeeded()), transfer, now))
  })
})

describe("Refunding.hold and Refunding.retry", () => {
  it("keeps the money for the payer, and takes back what was booked", () => {
    const before = Refunding.hold(requested(succeeded()), { reason: "blocklisted" }, now)
    assert.deepStrictEqual(stateOf(before?.payment), {
      _tag: "Held",
      reason: "blocklisted",
      heldAt: now,
    })
    assert.deepStrictEqual(before?.ledger, [])
    assert.deepStrictEqual(before?.due, { refund: null })
    assert.strictEqual(before?.event, "refund.held")
    const after = Refunding.hold(sent(settled()), { reason: "reverted" }, now)
    assert.deepStrictEqual(after?.ledger, [Ledger.reversed(Ledger.refundedAfterSettlement(paid))])
    assert.isNull(Refunding.hold(succeeded(), { reason: "x" }, now))
  })

  it("tries a held refund again, and nothing else", () => {
    const held =
      Refunding.hold(requested(succeeded()), { reason: "blocklisted" }, now)?.payment ?? succeeded()
    const change = Refunding.retry(held, now + 1)
    assert.deepStrictEqual(stateOf(change?.payment), { _tag: "Pending", waitsForFloat: false })
    assert.deepStrictEqual(change?.due, { refund: now + 1 })
    assert.strictEqual(change?.event, "refund.pending")
    assert.isNull(Refunding.retry(requested(succeeded()), now))
    assert.isNull(Refunding.retry(succeeded(), now))
  })
})

describe("a refund that was mined and moved something else", () => {
  it("S24: is held, and never sent again", () => {
    const failure = { reason: "x (0x1)", movedOtherwise: true } as const
    const held = Refunding.hold(sent(settled()), failure, now)?.payment ?? succeeded()
    assert.deepStrictEqual(stateOf(held), { _tag: "Held", ...failure, heldAt: now })
    assert.isNull(Refunding.retry(held, now + 1))
  })
})

describe("Refund.status", () => {
  it("names each state", () => {
    const statusOf = (payment: Payment.Payment | undefined) => {
      const refund = payment === undefined ? null : Payment.refundOf(payment)
      return refund === null ? "none" : Refund.status(refund)
    }
    const processing = sent(succeeded())
    assert.deepStrictEqual(
      [
        statusOf(requested(succeeded())),
        statusOf(processing),
        statusOf(Refunding.complete(processing, Samples.evidence(back), now)?.payment),
        statusOf(Refunding.hold(processing, { reason: "x" }, now)?.payment),
      ],
      ["pending", "processing", "succeeded", "held"],
    )
  })
})
