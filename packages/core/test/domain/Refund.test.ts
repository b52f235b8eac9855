import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/Claim"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Payment from "@florin/core/domain/Payment"
import * as Refund from "@florin/core/domain/Refund"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import { Result } from "effect"
import * as Samples from "./samples.ts"

const { now, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const id = Refund.RefundId.make("rfnd_1")

const requested = (payment: Payment.Payment): Payment.Payment =>
  Result.getOrThrow(Refund.request(payment, id, now)).payment

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
  Refund.send(requested(payment), slot(2), now)?.payment ?? payment

const stateOf = (payment: Payment.Payment | undefined) =>
  payment === undefined ? undefined : Refund.of(payment)?.state

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

describe("Refund.request", () => {
  it("gives the whole amount back to the account that paid", () => {
    const change = Result.getOrThrow(Refund.request(succeeded(), id, now + 6))
    assert.deepStrictEqual(Refund.of(change.payment), {
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
    const change = Result.getOrThrow(Refund.request(succeeded(destination), id, now))
    assert.deepStrictEqual(
      change.payment.state._tag === "Succeeded" ? change.payment.state.settlement : null,
      { _tag: "Cancelled", destination },
    )
    assert.deepStrictEqual(change.due, { refund: now, settle: null })
  })

  it("draws on the float once the merchant has its share", () => {
    const change = Result.getOrThrow(Refund.request(settled(), id, now))
    assert.isTrue(Refund.of(change.payment)?.drawsOnFloat)
    assert.strictEqual(
      change.payment.state._tag === "Succeeded" ? change.payment.state.settlement._tag : null,
      "Successful",
    )
    assert.deepStrictEqual(change.due, { refund: now })
  })

  it("is refused for a payment that did not succeed, and a second time", () => {
    const early = Refund.request(Samples.processing(), id, now)
    assert.isTrue(Result.isFailure(early) && early.failure._tag === "PaymentNotSucceeded")
    const twice = Refund.request(requested(succeeded()), Refund.RefundId.make("rfnd_2"), now)
    assert.isTrue(Result.isFailure(twice) && twice.failure._tag === "AlreadyRefunded")
    for (const refused of [early, twice]) {
      assert.isTrue(Result.isFailure(refused) && refused.failure.message.length > 10)
    }
  })
})

describe("Refund.of", () => {
  it("is nothing where none was asked for", () => {
    assert.isNull(Refund.of(Samples.created()))
    assert.isNull(Refund.of(succeeded()))
  })
})

describe("Refund.movement", () => {
  it("goes from the collecting account to the payer, until it is done", () => {
    assert.deepStrictEqual(Refund.movement(requested(succeeded())), back)
    assert.deepStrictEqual(Refund.movement(sent(succeeded())), back)
    const held = Refund.hold(requested(succeeded()), "x", now)?.payment ?? succeeded()
    for (const payment of [succeeded(), Samples.processing(), held]) {
      assert.isNull(Refund.movement(payment))
    }
  })
})

describe("Refund.send", () => {
  it("commits to the signed transfer, and books whose money goes back", () => {
    const cases = [
      [succeeded(), Ledger.refundedBeforeSettlement(paid)],
      [settled(), Ledger.refundedAfterSettlement(paid)],
    ] as const
    for (const [payment, line] of cases) {
      const change = Refund.send(requested(payment), slot(2), now)
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
    assert.isNull(Refund.send(sent(succeeded()), slot(3), now))
    assert.isNull(Refund.send(succeeded(), slot(3), now))
  })
})

describe("Refund.resend", () => {
  it("replaces the transaction, and books nothing again", () => {
    const change = Refund.resend(sent(succeeded()), slot(3), now)
    assert.deepStrictEqual(stateOf(change?.payment), { _tag: "Processing", slot: slot(3) })
    assert.deepStrictEqual(change?.ledger, [])
    assert.deepStrictEqual(change?.due, { refund: now })
    assert.isFalse(change !== null && "event" in change)
    assert.isNull(Refund.resend(requested(succeeded()), slot(3), now))
  })
})

describe("Refund.wait", () => {
  it("stays pending, and says that the float is short", () => {
    const change = Refund.wait(requested(settled()), now + 60, now)
    assert.deepStrictEqual(stateOf(change?.payment), { _tag: "Pending", waitsForFloat: true })
    assert.deepStrictEqual(change?.due, { refund: now + 60 })
    assert.isNull(Refund.wait(sent(settled()), now + 60, now))
  })
})

describe("Refund.complete", () => {
  it("is final, claims the transfer and announces it", () => {
    const transfer = Samples.evidence(back)
    const change = Refund.complete(sent(succeeded()), transfer, now + 8)
    assert.deepStrictEqual(stateOf(change?.payment), {
      _tag: "Succeeded",
      transfer,
      succeededAt: now + 8,
    })
    assert.deepStrictEqual(change?.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change?.due, { refund: null })
    assert.strictEqual(change?.event, "refund.succeeded")
    assert.isNull(Refund.complete(requested(succeeded()), transfer, now))
  })
})

describe("Refund.hold and Refund.retry", () => {
  it("keeps the money for the payer, and takes back what was booked", () => {
    const before = Refund.hold(requested(succeeded()), "blocklisted", now)
    assert.deepStrictEqual(stateOf(before?.payment), {
      _tag: "Held",
      reason: "blocklisted",
      heldAt: now,
    })
    assert.deepStrictEqual(before?.ledger, [])
    assert.deepStrictEqual(before?.due, { refund: null })
    assert.strictEqual(before?.event, "refund.held")
    const after = Refund.hold(sent(settled()), "reverted", now)
    assert.deepStrictEqual(after?.ledger, [Ledger.reversed(Ledger.refundedAfterSettlement(paid))])
    assert.isNull(Refund.hold(succeeded(), "x", now))
  })

  it("tries a held refund again, and nothing else", () => {
    const held = Refund.hold(requested(succeeded()), "blocklisted", now)?.payment ?? succeeded()
    const change = Refund.retry(held, now + 1)
    assert.deepStrictEqual(stateOf(change?.payment), { _tag: "Pending", waitsForFloat: false })
    assert.deepStrictEqual(change?.due, { refund: now + 1 })
    assert.strictEqual(change?.event, "refund.pending")
    assert.isNull(Refund.retry(requested(succeeded()), now))
    assert.isNull(Refund.retry(succeeded(), now))
  })
})

describe("Refund.status", () => {
  it("names each state", () => {
    const statusOf = (payment: Payment.Payment | undefined) => {
      const refund = payment === undefined ? null : Refund.of(payment)
      return refund === null ? "none" : Refund.status(refund)
    }
    const processing = sent(succeeded())
    assert.deepStrictEqual(
      [
        statusOf(requested(succeeded())),
        statusOf(processing),
        statusOf(Refund.complete(processing, Samples.evidence(back), now)?.payment),
        statusOf(Refund.hold(processing, "x", now)?.payment),
      ],
      ["pending", "processing", "succeeded", "held"],
    )
  })
})
