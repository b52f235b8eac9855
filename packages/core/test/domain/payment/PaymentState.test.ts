import { assert, describe, it } from "@effect/vitest"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import { Result } from "effect"

type Expected = PaymentState.Status | "same" | "invalid_state" | "payment_expired"

/** Written by hand from the contract, one row for each status, in the order of `PaymentState.events`. */
const expected: { readonly [S in PaymentState.Status]: ReadonlyArray<Expected> } = {
  // confirm, decline, expire, cancel_by_user, cancel_by_merchant, succeed, fail
  requires_action: [
    "processing",
    "failed",
    "expired",
    "cancelled",
    "cancelled",
    "invalid_state",
    "invalid_state",
  ],
  processing: [
    "invalid_state",
    "failed",
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "succeeded",
    "failed",
  ],
  succeeded: [
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "same",
    "invalid_state",
  ],
  failed: [
    "invalid_state",
    "same",
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "same",
  ],
  expired: [
    "payment_expired",
    "payment_expired",
    "same",
    "payment_expired",
    "payment_expired",
    "payment_expired",
    "payment_expired",
  ],
  cancelled: [
    "invalid_state",
    "invalid_state",
    "invalid_state",
    "same",
    "same",
    "invalid_state",
    "invalid_state",
  ],
}

/** What a test says of an outcome. */
const wordsOf = (outcome: string | undefined) =>
  outcome === "same"
    ? "changes nothing"
    : outcome === "invalid_state" || outcome === "payment_expired"
      ? `is refused as ${outcome}`
      : `makes it ${outcome}`

describe("PaymentState", () => {
  it("knows the six statuses of the contract and seven events", () => {
    assert.deepStrictEqual(
      [...PaymentState.statuses],
      ["requires_action", "processing", "succeeded", "failed", "expired", "cancelled"],
    )
    assert.deepStrictEqual(Object.keys(PaymentState.table), [...PaymentState.statuses])
    assert.lengthOf(PaymentState.events, 7)
  })

  for (const status of PaymentState.statuses) {
    for (const [index, event] of PaymentState.events.entries()) {
      const outcome = expected[status][index]
      it(`of a payment that is ${status}: ${event} ${wordsOf(outcome)}`, () => {
        const after = PaymentState.next(status, event)
        if (outcome === "invalid_state" || outcome === "payment_expired") {
          assert.isTrue(Result.isFailure(after))
          if (Result.isFailure(after)) {
            const { failure } = after
            assert.deepStrictEqual([failure._tag, failure.refusal], ["StateRefused", outcome])
            assert.strictEqual(
              failure.message,
              outcome === "payment_expired"
                ? "the payment has expired: ask the merchant for a new one"
                : `the payment is ${status}, which does not allow this`,
            )
          }
        } else {
          assert.strictEqual(Result.getOrNull(after), outcome === "same" ? status : outcome)
        }
      })
    }
  }

  it("ends in succeeded, failed, expired and cancelled, and nowhere else", () => {
    assert.deepStrictEqual(PaymentState.statuses.filter(PaymentState.isFinal), [
      "succeeded",
      "failed",
      "expired",
      "cancelled",
    ])
  })

  it("never leaves a final status", () => {
    for (const status of PaymentState.statuses.filter(PaymentState.isFinal)) {
      for (const event of PaymentState.events) {
        const after = PaymentState.next(status, event)
        assert.isTrue(Result.isFailure(after) || after.success === status)
      }
    }
  })

  it("never leaves processing by time or by anybody's wish", () => {
    for (const event of ["expire", "cancel_by_user", "cancel_by_merchant", "confirm"] as const) {
      assert.isTrue(Result.isFailure(PaymentState.next("processing", event)))
    }
  })
})
