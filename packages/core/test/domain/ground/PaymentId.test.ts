import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const good = ["pay_0", "pay_aZ9", `pay_${"a".repeat(64)}`]
const decodes = Schema.decodeUnknownResult(PaymentId.PaymentId)

describe("PaymentId", () => {
  it.each(good)("reads %s", (text) => {
    const parsed = PaymentId.parse(text)
    assert.isTrue(Result.isSuccess(parsed))
    assert.strictEqual(Result.getOrThrow(parsed), text)
    assert.strictEqual(Result.getOrThrow(decodes(text)), text)
  })

  it.prop(
    "refuses every other text, as its schema does, without repeating it",
    [HostileText.near(["pay_0", "pay_aZ9", `pay_${"a".repeat(64)}`])],
    ([text]) => {
      const parsed = PaymentId.parse(text)
      assert.strictEqual(Result.isSuccess(parsed), /^pay_[0-9A-Za-z]{1,64}$/u.test(text))
      assert.strictEqual(Result.isSuccess(decodes(text)), Result.isSuccess(parsed))
      if (Result.isSuccess(parsed)) return
      assert.strictEqual(parsed.failure._tag, "Malformed")
      assert.strictEqual(
        parsed.failure.message,
        "a payment id is pay_ and 1 to 64 letters or digits",
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )

  it.prop(
    "reads every value of its schema",
    [PaymentId.PaymentId],
    ([id]) => {
      assert.strictEqual(Result.getOrThrow(PaymentId.parse(id)), id)
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})
