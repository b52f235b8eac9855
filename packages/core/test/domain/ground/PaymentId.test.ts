import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Counts from "@florin/testing/Counts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const good = ["pay_0", "pay_aZ9", `pay_${"a".repeat(64)}`]
const bad = [
  "",
  "pay",
  "pay_",
  `pay_${"a".repeat(65)}`,
  "Pay_1",
  "xpay_1",
  "pay_1x-",
  "pay_1_2",
  "pay_1 ",
  " pay_1",
  "pay_1\n",
  "pay_1\0",
  "pay_\uff11",
  "pay_\ud800",
  "__proto__",
]
const decodes = Schema.decodeUnknownResult(PaymentId.PaymentId)

describe("PaymentId", () => {
  it.each(good)("reads %s", (text) => {
    const parsed = PaymentId.parse(text)
    assert.isTrue(Result.isSuccess(parsed))
    assert.strictEqual(Result.getOrThrow(parsed), text)
    assert.strictEqual(Result.getOrThrow(decodes(text)), text)
  })

  it.each(bad)("refuses %j without repeating it", (text) => {
    const parsed = PaymentId.parse(text)
    assert.isTrue(Result.isFailure(parsed))
    if (Result.isSuccess(parsed)) return
    assert.strictEqual(parsed.failure._tag, "InvalidPaymentId")
    assert.strictEqual(parsed.failure.message, "a payment id is pay_ and 1 to 64 letters or digits")
    assert.isTrue(Result.isFailure(decodes(text)))
  })

  it.prop(
    "reads every value of its schema",
    [PaymentId.PaymentId],
    ([id]) => {
      assert.strictEqual(Result.getOrThrow(PaymentId.parse(id)), id)
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )

  it.prop(
    "agrees with its schema on every text",
    [Schema.String],
    ([text]) => {
      assert.strictEqual(Result.isSuccess(PaymentId.parse(text)), Result.isSuccess(decodes(text)))
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
