import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Payment from "@florin/core/domain/payment/Payment"
import type * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Shares from "@florin/testing/Shares"
import { Result } from "effect"
import { given } from "../books.ts"
import * as Samples from "../samples.ts"

const { attempt, created, evidence, now, processing, slot, succeeded, terms } = Samples

const refusalOf = (result: Result.Result<unknown, PaymentState.StateRefused>) =>
  Result.isFailure(result) ? result.failure.refusal : "accepted"

/** The change of a decision that must have made one. */
const changeOf = <A, E>(result: Result.Result<A | null, E>): A => {
  const change = Result.getOrThrow(result)
  if (change === null) throw new Error("nothing changed")
  return change
}

describe("PaymentTransition.confirm", () => {
  it("claims the authorization, stops the expiry and makes the collection due", () => {
    const first = attempt()
    const change = Result.getOrThrow(PaymentTransition.confirm(created(), first, now + 5))
    assert.deepStrictEqual(change.payment.state, {
      _tag: "Processing",
      attempt: first,
      slot: null,
    })
    assert.deepStrictEqual(change.claims, [Claim.ofAuthorization(first.option)])
    assert.deepStrictEqual(change.due, { expire: null, collect: now + 5 })
    assert.strictEqual(change.event, "payment.processing")
    assert.deepStrictEqual(
      [change.payment.revision, change.payment.stateVersion, change.payment.updatedAt],
      [2, 1, now + 5],
    )
    assert.isFalse("collected" in change)
  })

  it("keeps the payer's data in the same change", () => {
    const collected = {
      account: attempt().option.account,
      session: null,
      sealed: Uint8Array.of(1),
      key: Uint8Array.of(2),
      deleteAt: now,
    }
    const change = Result.getOrThrow(
      PaymentTransition.confirm(created(), attempt(), now, collected),
    )
    assert.strictEqual(change.collected, collected)
  })

  it("is refused after the payment expired, and in every other state", () => {
    const late = created().expiresAt * 1000
    assert.strictEqual(
      refusalOf(PaymentTransition.confirm(created(), attempt(), late)),
      "payment_expired",
    )
    assert.strictEqual(refusalOf(PaymentTransition.mayConfirm(created(), late)), "payment_expired")
    assert.strictEqual(
      refusalOf(PaymentTransition.confirm(processing(), attempt(), now)),
      "invalid_state",
    )
    assert.strictEqual(refusalOf(PaymentTransition.mayConfirm(succeeded(), now)), "invalid_state")
    assert.deepStrictEqual(PaymentTransition.mayConfirm(created(), now), Result.void)
  })
})

describe("PaymentTransition.decline", () => {
  it("fails an open or processing payment as declined_user", () => {
    const open = changeOf(PaymentTransition.decline(created(), attempt(), now + 9))
    assert.deepStrictEqual(open.payment.state, {
      _tag: "Failed",
      failureCode: "declined_user",
      reason: "the payer was refused by screening",
      attempt: attempt(),
    })
    assert.deepStrictEqual(open.due, { expire: null, collect: null })
    assert.strictEqual(open.event, "payment.failed")
    const underway = changeOf(PaymentTransition.decline(processing(), null, now))
    assert.deepStrictEqual(Payment.attemptOf(underway.payment), attempt())
  })

  it("does nothing if the payment has failed already, and is refused if it is final otherwise", () => {
    const failed = changeOf(PaymentTransition.fail(processing(), "reverted", now)).payment
    assert.deepStrictEqual(PaymentTransition.decline(failed, null, now), Result.succeed(null))
    assert.strictEqual(
      refusalOf(PaymentTransition.decline(succeeded(), null, now)),
      "invalid_state",
    )
  })
})

describe("PaymentTransition.expire", () => {
  const endsAt = created().expiresAt * 1000

  it("records that the payment's time is over", () => {
    const change = changeOf(PaymentTransition.expire(created(), endsAt))
    assert.deepStrictEqual(change.payment.state, { _tag: "Expired" })
    assert.deepStrictEqual(change.due, { expire: null })
    assert.strictEqual(change.event, "payment.expired")
    assert.deepStrictEqual(PaymentTransition.expire(change.payment, endsAt), Result.succeed(null))
  })

  it("does nothing earlier, and is refused after a confirm", () => {
    assert.deepStrictEqual(PaymentTransition.expire(created(), endsAt - 1), Result.succeed(null))
    assert.strictEqual(refusalOf(PaymentTransition.expire(processing(), endsAt)), "invalid_state")
  })
})

describe("PaymentTransition.cancel", () => {
  it("records who cancelled, and succeeds again if it is repeated", () => {
    for (const reason of ["cancelled_by_user", "cancelled_by_merchant"] as const) {
      const change = changeOf(PaymentTransition.cancel(created(), reason, now + 3))
      assert.deepStrictEqual(change.payment.state, {
        _tag: "Cancelled",
        reason,
        cancelledAt: now + 3,
      })
      assert.deepStrictEqual(change.due, { expire: null })
      assert.strictEqual(change.event, "payment.cancelled")
      for (const again of ["cancelled_by_user", "cancelled_by_merchant"] as const) {
        assert.deepStrictEqual(
          PaymentTransition.cancel(change.payment, again, now),
          Result.succeed(null),
        )
      }
    }
  })

  it("is refused for a payment that is expired or under way", () => {
    const late = created().expiresAt * 1000
    assert.strictEqual(
      refusalOf(PaymentTransition.cancel(created(), "cancelled_by_user", late)),
      "payment_expired",
    )
    assert.strictEqual(
      refusalOf(PaymentTransition.cancel(processing(), "cancelled_by_merchant", now)),
      "invalid_state",
    )
  })
})

describe("PaymentTransition.relay", () => {
  it("stores the signed transaction with its lane, and makes the next check due later", () => {
    const change = PaymentTransition.relay(processing(), slot(4), now + 500, now)
    assert.deepStrictEqual(change?.due, { collect: now + 500 })
    assert.isFalse(change !== null && "event" in change)
    const state = change?.payment.state
    assert.deepStrictEqual(state?._tag === "Processing" ? state.slot : null, slot(4))
    assert.strictEqual(change?.payment.stateVersion, processing().stateVersion)
    assert.strictEqual(change?.payment.revision, processing().revision + 1)
  })

  it("signs nothing for a payment that is not processing", () => {
    assert.isNull(PaymentTransition.relay(created(), slot(), now, now))
    assert.isNull(PaymentTransition.relay(succeeded(), slot(), now, now))
  })
})

describe("PaymentTransition.succeed", () => {
  const transfer = evidence(Payment.movement(attempt()))
  const destination = { chainId: attempt().option.token.chainId, address: Samples.destination }

  it("splits the paid quantity to the unit, books it, and claims the transfer", () => {
    const change = changeOf(PaymentTransition.succeed(processing(), transfer, destination, now + 7))
    const charge = {
      total: Samples.quantity(200_000n),
      fixed: Samples.quantity(100_000n),
      net: Samples.quantity(9_800_000n),
    }
    assert.deepStrictEqual(change.payment.state, {
      _tag: "Succeeded",
      attempt: attempt(),
      transfer,
      charge,
      succeededAt: now + 7,
      entry: { quantity: charge.net, destination, parts: [] },
      refunds: [],
    })
    assert.deepStrictEqual(change.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change.ledger, [
      Ledger.collection({
        payer: attempt().option.account,
        collecting: Samples.collector,
        merchantId: terms.merchantId,
        partnerId: terms.partnerId,
        token: attempt().option.token,
        charge,
      }),
    ])
    assert.deepStrictEqual(change.due, { collect: null, settle: now + 7 })
    assert.strictEqual(change.event, "payment.succeeded")
  })

  it("leaves the share of a merchant without a destination owed, and due to be checked once more", () => {
    const change = changeOf(PaymentTransition.succeed(processing(), transfer, null, now))
    assert.deepInclude(Shares.of(change.payment), { status: "waiting", destination: null })
    assert.deepStrictEqual(change.due, { collect: null, settle: now + 300_000 })
  })

  it("is accepted once, and only for a payment that is processing", () => {
    assert.deepStrictEqual(
      PaymentTransition.succeed(succeeded(), transfer, null, now),
      Result.succeed(null),
    )
    assert.strictEqual(
      refusalOf(PaymentTransition.succeed(created(), transfer, null, now)),
      "invalid_state",
    )
  })

  it("requires exactly the movement that the option names", () => {
    assert.deepStrictEqual(Payment.movement(attempt()), {
      token: attempt().option.token,
      from: Samples.payer,
      to: Samples.collector,
      quantity: attempt().option.quantity,
    })
  })
})

describe("PaymentTransition.fail", () => {
  it("fails a processing payment without a code, and keeps the attempt", () => {
    const change = changeOf(PaymentTransition.fail(processing(), "the transfer reverted", now + 2))
    assert.deepStrictEqual(change.payment.state, {
      _tag: "Failed",
      failureCode: null,
      reason: "the transfer reverted",
      attempt: attempt(),
    })
    assert.deepStrictEqual(change.due, { collect: null })
    assert.strictEqual(change.event, "payment.failed")
    assert.deepStrictEqual(
      PaymentTransition.fail(change.payment, "again", now),
      Result.succeed(null),
    )
    assert.strictEqual(refusalOf(PaymentTransition.fail(created(), "x", now)), "invalid_state")
  })
})

describe("Payment, if the wallet sends the transfer itself", () => {
  const txHash = `0x${"1".repeat(64)}`
  const sent = attempt({
    option: Samples.option({ flow: "transfer" }),
    outputs: { _tag: "Sent", txHash, signature: "0x" },
  })
  const underway = Result.getOrThrow(PaymentTransition.confirm(created(), sent, now)).payment
  const reported = { txHash, option: sent.option }
  const late = [{ ...reported, reportedAt: now + 9, firm: true } as const]

  it("waits a day for the transfer", () => {
    const dueAt = sent.confirmedAt + Limits.sentAwaitedInMs
    assert.isFalse(PaymentTransition.isOverdueTransfer(sent, dueAt - 1))
    assert.isTrue(PaymentTransition.isOverdueTransfer(sent, dueAt))
    assert.isFalse(PaymentTransition.isOverdueTransfer(attempt(), dueAt))
  })

  it("keeps looking for the money of a payment that failed or was declined", () => {
    const failed = changeOf(PaymentTransition.fail(underway, "the transfer was not found", now + 9))
    assert.deepStrictEqual(failed.payment.reports, late)
    assert.deepStrictEqual(failed.due, { collect: null, watch: now + 9 })
    for (const declined of [
      changeOf(PaymentTransition.decline(underway, null, now + 9)),
      changeOf(PaymentTransition.decline(created(), sent, now + 9)),
    ]) {
      assert.deepStrictEqual(declined.payment.reports, late)
      assert.deepStrictEqual(declined.due, { expire: null, collect: null, watch: now + 9 })
    }
  })

  it("looks once for a transfer that was reported before", () => {
    const report = { ...reported, isFirm: false }
    const { payment } = given(PaymentTransition.reportLate(underway, report, now))
    const failed = changeOf(PaymentTransition.fail(payment, "the transfer was not found", now + 9))
    // An accepted confirm named it, so it makes place for no other.
    assert.deepStrictEqual(failed.payment.reports, [{ ...reported, reportedAt: now, firm: true }])
    const again = { ...payment, reports: failed.payment.reports }
    const second = changeOf(PaymentTransition.fail(again, "the transfer was not found", now + 9))
    assert.deepStrictEqual(second.payment.reports, failed.payment.reports)
    assert.deepStrictEqual(second.due, { collect: null })
  })

  it("looks for nothing if no transfer was reported", () => {
    const change = changeOf(PaymentTransition.fail(processing(), "reverted", now))
    assert.deepStrictEqual(change.payment.reports, [])
    assert.deepStrictEqual(change.due, { collect: null })
  })

  it("looks for what else the transaction moved that used up the authorization", () => {
    const endedBy = `0x${"f".repeat(64)}`
    const { option } = attempt()
    const change = changeOf(
      PaymentTransition.fail(processing(), "it was used up", now + 9, endedBy),
    )
    const looked = [{ txHash: endedBy, option, reportedAt: now + 9, firm: true } as const]
    assert.deepStrictEqual(change.payment.reports, looked)
    assert.deepStrictEqual(change.due, { collect: null, watch: now + 9 })
    const known = { ...processing(), reports: looked }
    const again = changeOf(PaymentTransition.fail(known, "it was used up", now + 10, endedBy))
    assert.deepStrictEqual(again.payment.reports, looked)
    assert.deepStrictEqual(again.due, { collect: null })
  })

  it("looks for the transaction that the wallet named, however the payment ended", () => {
    const endedBy = `0x${"f".repeat(64)}`
    const failed = changeOf(PaymentTransition.fail(underway, "x", now + 9, endedBy))
    assert.deepStrictEqual(failed, changeOf(PaymentTransition.fail(underway, "x", now + 9)))
  })
})

describe("PaymentTransition.reportLate", () => {
  it("keeps the report, has the transfer looked for, and ignores repeated reports", () => {
    const { option } = attempt()
    const report = { txHash: `0x${"1".repeat(64)}`, option, isFirm: false }
    const change = given(PaymentTransition.reportLate(created(), report, now))
    assert.deepStrictEqual(change.payment.reports, [
      { txHash: report.txHash, option, reportedAt: now },
    ])
    assert.deepStrictEqual(change.due, { watch: now })
    assert.isNull(PaymentTransition.reportLate(change.payment, report, now))
  })
})
