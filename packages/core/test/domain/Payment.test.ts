import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/Amount"
import * as Claim from "@florin/core/domain/Claim"
import * as Event from "@florin/core/domain/Event"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Limits from "@florin/core/domain/Limits"
import * as Payment from "@florin/core/domain/Payment"
import type * as PaymentState from "@florin/core/domain/PaymentState"
import * as Refund from "@florin/core/domain/Refund"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import { Result } from "effect"
import * as Samples from "./samples.ts"

const { attempt, created, evidence, now, nowInS, processing, slot, request, succeeded, terms } =
  Samples

const issuesOf = (overrides: Partial<Payment.Request>) =>
  Result.match(Payment.create({ ...request, ...overrides }, terms), {
    onFailure: (error) => error.issues.map((issue) => issue.field),
    onSuccess: () => [],
  })

const refusalOf = (result: Result.Result<unknown, PaymentState.StateRefused>) =>
  Result.isFailure(result) ? result.failure.refusal : "accepted"

/** The change of a decision that must have made one. */
const changeOf = <A, E>(result: Result.Result<A | null, E>): A => {
  const change = Result.getOrThrow(result)
  if (change === null) throw new Error("nothing changed")
  return change
}

describe("Payment.create", () => {
  it("asks for action, and is due to expire", () => {
    const change = Result.getOrThrow(Payment.create(request, terms))
    assert.deepStrictEqual(change, {
      payment: {
        id: terms.id,
        partnerId: terms.partnerId,
        merchantId: terms.merchantId,
        mode: "live",
        referenceId: "order-1",
        amount: { unit: Amount.fiat("USD"), quantity: Samples.quantity(1000n) },
        feeTerms: terms.feeTerms,
        checkout: null,
        createdAt: now,
        updatedAt: now,
        expiresAt: nowInS + Limits.paymentLifeDefaultInS,
        revision: 1,
        stateVersion: 0,
        state: { _tag: "RequiresAction" },
        late: [],
      },
      event: "payment.created",
      ledger: [],
      claims: [],
      due: { expire: (nowInS + Limits.paymentLifeDefaultInS) * 1000 },
    })
  })

  it("keeps the reference as it was sent", () => {
    for (const referenceId of ["x", " a b ", "ä/😀", "x".repeat(Limits.referenceIdMaxLength)]) {
      const change = Result.getOrThrow(Payment.create({ ...request, referenceId }, terms))
      assert.strictEqual(change.payment.referenceId, referenceId)
    }
  })

  it("refuses a reference that is empty, too long or not printable", () => {
    for (const referenceId of ["", "x".repeat(Limits.referenceIdMaxLength + 1), "a\nb", "a\0"]) {
      assert.deepStrictEqual(issuesOf({ referenceId }), ["referenceId"])
    }
  })

  it("refuses an amount of nothing, and names the member that is wrong", () => {
    const unit = "iso4217/USD"
    assert.deepStrictEqual(issuesOf({ amount: { unit, value: "0" } }), ["amount.value"])
    assert.deepStrictEqual(issuesOf({ amount: { unit, value: "1.5" } }), ["amount.value"])
    assert.deepStrictEqual(issuesOf({ amount: { unit: "USD", value: "1" } }), ["amount.unit"])
    assert.deepStrictEqual(issuesOf({ amount: { unit, value: "1" } }), [])
  })

  it("takes as much of a currency as fits into any token, one for one", () => {
    const largest = Limits.maxQuantity / 10n ** 16n
    const issues = (value: bigint, unit = "iso4217/USD") =>
      issuesOf({ amount: { unit, value: value.toString() } })
    assert.deepStrictEqual(issues(largest), [])
    assert.deepStrictEqual(issues(largest + 1n), ["amount.value"])
    assert.deepStrictEqual(issues(largest + 1n, "iso4217/JPY"), ["amount.value"])
    const usdcOnBase = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    assert.deepStrictEqual(issues(Limits.maxQuantity, usdcOnBase), [])
  })

  it("takes an end in the future, at most a week away", () => {
    const end = (expiresAt: number) => issuesOf({ expiresAt })
    assert.deepStrictEqual(end(nowInS), ["expiresAt"])
    assert.deepStrictEqual(end(nowInS + 1), [])
    assert.deepStrictEqual(end(nowInS + 1.5), ["expiresAt"])
    assert.deepStrictEqual(end(nowInS + Limits.paymentLifeMaxInS), [])
    assert.deepStrictEqual(end(nowInS + Limits.paymentLifeMaxInS + 1), ["expiresAt"])
    assert.deepStrictEqual(end(Number.NaN), ["expiresAt"])
  })

  it("takes https addresses for the checkout, and keeps them", () => {
    const checkout = { successUrl: "https://shop.example/ok", errorUrl: "https://shop.example/no" }
    assert.deepStrictEqual(
      Result.getOrThrow(Payment.create({ ...request, checkout }, terms)).payment.checkout,
      checkout,
    )
    assert.deepStrictEqual(
      issuesOf({ checkout: { ...checkout, successUrl: "http://shop.example/ok" } }),
      ["checkout.successUrl"],
    )
    assert.deepStrictEqual(issuesOf({ checkout: { successUrl: "", errorUrl: "javascript:1" } }), [
      "checkout.successUrl",
      "checkout.errorUrl",
    ])
  })

  it("tells everything that is wrong at once", () => {
    assert.deepStrictEqual(
      issuesOf({ referenceId: "", amount: { unit: "x", value: "x" }, expiresAt: 0 }),
      ["referenceId", "amount.unit", "expiresAt"],
    )
  })
})

describe("Payment.status", () => {
  it("is expired from expiresAt on, even where nobody has written so", () => {
    const endsAt = created().expiresAt * 1000
    assert.strictEqual(Payment.status(created(), endsAt - 1), "requires_action")
    assert.strictEqual(Payment.status(created(), endsAt), "expired")
    assert.isFalse(Payment.isOverdue(created(), endsAt - 1))
    assert.isTrue(Payment.isOverdue(created(), endsAt))
  })

  it("never expires once it was confirmed", () => {
    const longAfter = now + 10 * 365 * 86_400_000
    assert.strictEqual(Payment.status(processing(), longAfter), "processing")
    assert.strictEqual(Payment.status(succeeded(), longAfter), "succeeded")
  })
})

describe("Payment.confirm", () => {
  it("claims the authorization, stops the clock and calls the collector", () => {
    const first = attempt()
    const change = Result.getOrThrow(Payment.confirm(created(), first, now + 5))
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
      sealed: Uint8Array.of(1),
      deleteAt: now,
    }
    const change = Result.getOrThrow(Payment.confirm(created(), attempt(), now, collected))
    assert.strictEqual(change.collected, collected)
  })

  it("is refused after the payment's time, and in every other state", () => {
    const late = created().expiresAt * 1000
    assert.strictEqual(refusalOf(Payment.confirm(created(), attempt(), late)), "payment_expired")
    assert.strictEqual(refusalOf(Payment.mayConfirm(created(), late)), "payment_expired")
    assert.strictEqual(refusalOf(Payment.confirm(processing(), attempt(), now)), "invalid_state")
    assert.strictEqual(refusalOf(Payment.mayConfirm(succeeded(), now)), "invalid_state")
    assert.deepStrictEqual(Payment.mayConfirm(created(), now), Result.void)
  })
})

describe("Payment.isRepeated", () => {
  it("knows the confirm that was accepted, in every state after it", () => {
    assert.isFalse(Payment.isRepeated(created(), "first"))
    for (const payment of [processing(), succeeded()]) {
      assert.isTrue(Payment.isRepeated(payment, "first"))
      assert.isFalse(Payment.isRepeated(payment, "second"))
    }
    const failed = changeOf(Payment.fail(processing(), "reverted", now)).payment
    assert.isTrue(Payment.isRepeated(failed, "first"))
  })

  it("tells confirms apart by option and outputs", () => {
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

describe("Payment.decline", () => {
  it("fails an open or processing payment as declined_user", () => {
    const open = changeOf(Payment.decline(created(), attempt(), now + 9))
    assert.deepStrictEqual(open.payment.state, {
      _tag: "Failed",
      failureCode: "declined_user",
      reason: "the payer was refused by screening",
      failedAt: now + 9,
      attempt: attempt(),
    })
    assert.deepStrictEqual(open.due, { expire: null, collect: null })
    assert.strictEqual(open.event, "payment.failed")
    const underway = changeOf(Payment.decline(processing(), null, now))
    assert.deepStrictEqual(Payment.attemptOf(underway.payment), attempt())
  })

  it("changes nothing where it failed already, and is refused where it is final", () => {
    const failed = changeOf(Payment.fail(processing(), "reverted", now)).payment
    assert.deepStrictEqual(Payment.decline(failed, null, now), Result.succeed(null))
    assert.strictEqual(refusalOf(Payment.decline(succeeded(), null, now)), "invalid_state")
  })
})

describe("Payment.expire", () => {
  const endsAt = created().expiresAt * 1000

  it("writes what time has done", () => {
    const change = changeOf(Payment.expire(created(), endsAt))
    assert.deepStrictEqual(change.payment.state, { _tag: "Expired" })
    assert.deepStrictEqual(change.due, { expire: null })
    assert.strictEqual(change.event, "payment.expired")
    assert.deepStrictEqual(Payment.expire(change.payment, endsAt), Result.succeed(null))
  })

  it("does nothing before, and is refused once the payment was confirmed", () => {
    assert.deepStrictEqual(Payment.expire(created(), endsAt - 1), Result.succeed(null))
    assert.strictEqual(refusalOf(Payment.expire(processing(), endsAt)), "invalid_state")
  })
})

describe("Payment.cancel", () => {
  it("remembers who called it off, and answers the same again", () => {
    for (const reason of ["cancelled_by_user", "cancelled_by_merchant"] as const) {
      const change = changeOf(Payment.cancel(created(), reason, now + 3))
      assert.deepStrictEqual(change.payment.state, {
        _tag: "Cancelled",
        reason,
        cancelledAt: now + 3,
      })
      assert.deepStrictEqual(change.due, { expire: null })
      assert.strictEqual(change.event, "payment.cancelled")
      for (const again of ["cancelled_by_user", "cancelled_by_merchant"] as const) {
        assert.deepStrictEqual(Payment.cancel(change.payment, again, now), Result.succeed(null))
      }
    }
  })

  it("is refused for a payment that is expired or underway", () => {
    const late = created().expiresAt * 1000
    assert.strictEqual(
      refusalOf(Payment.cancel(created(), "cancelled_by_user", late)),
      "payment_expired",
    )
    assert.strictEqual(
      refusalOf(Payment.cancel(processing(), "cancelled_by_merchant", now)),
      "invalid_state",
    )
  })
})

describe("Payment.relay", () => {
  it("keeps the signed transaction with its lane, and looks again later", () => {
    const change = Payment.relay(processing(), slot(4), now + 500, now)
    assert.deepStrictEqual(change?.due, { collect: now + 500 })
    assert.isFalse(change !== null && "event" in change)
    const state = change?.payment.state
    assert.deepStrictEqual(state?._tag === "Processing" ? state.slot : null, slot(4))
    assert.strictEqual(change?.payment.stateVersion, processing().stateVersion)
    assert.strictEqual(change?.payment.revision, processing().revision + 1)
  })

  it("sends nothing for a payment that is not processing", () => {
    assert.isNull(Payment.relay(created(), slot(), now, now))
    assert.isNull(Payment.relay(succeeded(), slot(), now, now))
  })
})

describe("Payment.succeed", () => {
  const transfer = evidence(Payment.movement(attempt()))
  const destination = { chainId: attempt().option.token.chainId, address: Samples.destination }

  it("splits what was paid to the unit, books it, and claims the transfer", () => {
    const change = changeOf(Payment.succeed(processing(), transfer, destination, now + 7))
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
      settlement: { _tag: "Pending", destination },
      refund: null,
    })
    assert.deepStrictEqual(change.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change.ledger, [
      Ledger.collected({
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

  it("owes the share of a merchant without a destination", () => {
    const change = changeOf(Payment.succeed(processing(), transfer, null, now))
    assert.deepStrictEqual(
      change.payment.state._tag === "Succeeded" ? change.payment.state.settlement : null,
      { _tag: "Owed" },
    )
    assert.deepStrictEqual(change.due, { collect: null, settle: null })
  })

  it("happens once, and only to a payment that is processing", () => {
    assert.deepStrictEqual(Payment.succeed(succeeded(), transfer, null, now), Result.succeed(null))
    assert.strictEqual(refusalOf(Payment.succeed(created(), transfer, null, now)), "invalid_state")
  })

  it("looks for the exact movement that the option names", () => {
    assert.deepStrictEqual(Payment.movement(attempt()), {
      token: attempt().option.token,
      from: Samples.payer,
      to: Samples.collector,
      quantity: attempt().option.quantity,
    })
  })
})

describe("Payment.fail", () => {
  it("ends a processing payment without a code, and keeps the attempt", () => {
    const change = changeOf(Payment.fail(processing(), "the transfer reverted", now + 2))
    assert.deepStrictEqual(change.payment.state, {
      _tag: "Failed",
      failureCode: null,
      reason: "the transfer reverted",
      failedAt: now + 2,
      attempt: attempt(),
    })
    assert.deepStrictEqual(change.due, { collect: null })
    assert.strictEqual(change.event, "payment.failed")
    assert.deepStrictEqual(Payment.fail(change.payment, "again", now), Result.succeed(null))
    assert.strictEqual(refusalOf(Payment.fail(created(), "x", now)), "invalid_state")
  })
})

describe("Payment, when the wallet sent the transfer itself", () => {
  const txHash = `0x${"1".repeat(64)}`
  const sent = attempt({
    option: Samples.option({ flow: "transfer" }),
    outputs: { _tag: "Sent", txHash, signature: "0x" },
  })
  const underway = Result.getOrThrow(Payment.confirm(created(), sent, now)).payment
  const late = [{ _tag: "Reported", txHash, option: sent.option, reportedAt: now + 9 } as const]

  it("waits a day for it", () => {
    const dueAt = sent.confirmedAt + Limits.sentAwaitedInMs
    assert.isFalse(Payment.isOverdueTransfer(sent, dueAt - 1))
    assert.isTrue(Payment.isOverdueTransfer(sent, dueAt))
    assert.isFalse(Payment.isOverdueTransfer(attempt(), dueAt))
  })

  it("looks on for the money of a payment that failed or was declined", () => {
    const failed = changeOf(Payment.fail(underway, "the transfer was not found", now + 9))
    assert.deepStrictEqual(failed.payment.late, late)
    assert.deepStrictEqual(failed.due, { collect: null, watch: now + 9 })
    for (const declined of [
      changeOf(Payment.decline(underway, null, now + 9)),
      changeOf(Payment.decline(created(), sent, now + 9)),
    ]) {
      assert.deepStrictEqual(declined.payment.late, late)
      assert.deepStrictEqual(declined.due, { expire: null, collect: null, watch: now + 9 })
    }
  })

  it("looks once for a transfer that was reported before", () => {
    const reported = Payment.reportLate(underway, txHash, sent.option, now)?.payment ?? underway
    const failed = changeOf(Payment.fail(reported, "the transfer was not found", now + 9))
    assert.deepStrictEqual(failed.payment.late, reported.late)
    assert.deepStrictEqual(failed.due, { collect: null })
  })

  it("looks for nothing where nothing was said to be sent", () => {
    const change = changeOf(Payment.fail(processing(), "reverted", now))
    assert.deepStrictEqual(change.payment.late, [])
    assert.deepStrictEqual(change.due, { collect: null })
  })

  it("looks for what else the transaction moved that ended an authorization", () => {
    const endedBy = `0x${"f".repeat(64)}`
    const { option } = attempt()
    const change = changeOf(Payment.fail(processing(), "it was used up", now + 9, endedBy))
    const looked = [{ _tag: "Reported" as const, txHash: endedBy, option, reportedAt: now + 9 }]
    assert.deepStrictEqual(change.payment.late, looked)
    assert.deepStrictEqual(change.due, { collect: null, watch: now + 9 })
    const known = { ...processing(), late: looked }
    const again = changeOf(Payment.fail(known, "it was used up", now + 10, endedBy))
    assert.deepStrictEqual(again.payment.late, looked)
    assert.deepStrictEqual(again.due, { collect: null })
  })

  it("looks for the transaction that the wallet named, whatever ended the payment", () => {
    const endedBy = `0x${"f".repeat(64)}`
    const failed = changeOf(Payment.fail(underway, "x", now + 9, endedBy))
    assert.deepStrictEqual(failed, changeOf(Payment.fail(underway, "x", now + 9)))
  })
})

describe("Payment.reportLate", () => {
  const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}`

  it("keeps the hash of each transfer once, and has it looked for", () => {
    const change = Payment.reportLate(created(), hash(1), attempt().option, now)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Reported", txHash: hash(1), option: attempt().option, reportedAt: now },
    ])
    assert.deepStrictEqual(change?.due, { watch: now })
    const payment = change?.payment ?? created()
    assert.isNull(Payment.reportLate(payment, hash(1), attempt().option, now))
    const known = {
      ...payment,
      late: [{ _tag: "Unfounded", txHash: hash(2), reason: "" }],
    } as const
    assert.isNull(Payment.reportLate(known, hash(2), attempt().option, now))
    const found = {
      ...payment,
      late: [
        { _tag: "Suspended", transfer: evidence(Payment.movement(attempt())), suspendedAt: now },
      ],
    } as const
    assert.isNull(
      Payment.reportLate(
        found,
        evidence(Payment.movement(attempt())).txHash,
        attempt().option,
        now,
      ),
    )
    assert.isNotNull(Payment.reportLate(found, hash(1), attempt().option, now))
  })

  it("has a limit, so that nobody fills the storage with hashes", () => {
    let payment = created()
    for (let index = 0; index < Limits.latePerPaymentMax; index++) {
      const change = Payment.reportLate(payment, hash(index), attempt().option, now)
      assert.isNotNull(change)
      payment = change?.payment ?? payment
    }
    assert.isNull(Payment.reportLate(payment, hash(99), attempt().option, now))
  })
})

describe("Payment.report", () => {
  it("tells when to ask again: later the longer nothing happened, never at once", () => {
    const pollAfter = (quietForInMs: number) =>
      Payment.report(processing(), processing().updatedAt + quietForInMs).pollInMs
    assert.deepStrictEqual(
      [0, 14_999, 15_000, 59_999, 60_000, 10 ** 9].map(pollAfter),
      [1000, 1000, 2000, 2000, 3000, 3000],
    )
  })

  it("is final without a next time, and tells what was paid exactly when it succeeded", () => {
    const cancelled = changeOf(Payment.cancel(created(), "cancelled_by_user", now)).payment
    const declined = changeOf(Payment.decline(processing(), null, now)).payment
    const rows = [
      [created(), "requires_action", false, null],
      [processing(), "processing", false, null],
      [cancelled, "cancelled", true, null],
      [declined, "failed", true, "declined_user"],
      [changeOf(Payment.fail(processing(), "x", now)).payment, "failed", true, null],
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
    assert.strictEqual(Payment.report(created(), created().expiresAt * 1000).isFinal, true)
  })
})

describe("Payment", () => {
  it("never goes back in time, whatever clock wrote last", () => {
    const change = Result.getOrThrow(Payment.confirm(created(), attempt(), now - 5000))
    assert.strictEqual(change.payment.updatedAt, now)
  })

  it("is open until somebody confirms or ends it", () => {
    assert.isTrue(Payment.isOpen(created()))
    assert.isFalse(Payment.isOpen(processing()))
  })

  it("is stuck while a settlement, a refund or late money waits for an operator", () => {
    const payment = succeeded({
      chainId: Samples.usdcOnBase.token.chainId,
      address: Samples.destination,
    })
    const refunding = changeOf(Refund.request(payment, Refund.RefundId.make("rfnd_1"), now)).payment
    const transfer = evidence(Payment.movement(attempt()))
    const stuck = [
      changeOf(Result.succeed(SettlementMatching.hold(payment, "blocklisted", now))).payment,
      changeOf(Result.succeed(Refund.hold(refunding, "blocklisted", now))).payment,
      { ...created(), late: [{ _tag: "Suspended" as const, transfer, suspendedAt: now }] },
    ]
    for (const each of stuck) assert.isTrue(Payment.isStuck(each))
    const returned = { _tag: "Returned" as const, transfer, returnedBy: transfer, returnedAt: now }
    for (const each of [created(), payment, refunding, { ...created(), late: [returned] }]) {
      assert.isFalse(Payment.isStuck(each))
    }
  })
})

describe("Event", () => {
  it("follows from payment and version, so that one change never has two", () => {
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
  it("is one text for one thing", () => {
    const transfer = evidence(Payment.movement(attempt()), 2)
    assert.strictEqual(Claim.key(Claim.ofTransfer(transfer)), `transfer:8453:${transfer.txHash}:2`)
    const { option } = attempt()
    const claim = Claim.ofAuthorization(option)
    assert.match(
      Claim.key(claim),
      new RegExp(
        `^authorization:8453:${option.token.address}:${Samples.payer}:0x[0-9a-f]{64}$`,
        "u",
      ),
    )
  })
})
