import { assert, describe, it } from "@effect/vitest"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result, Schema } from "effect"
import * as Samples from "../samples.ts"

const { otherPaymentId, paymentId, sealKey } = Samples
const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Random = Schema.Array(byte).check(
  Schema.isMinLength(PayerSession.byteCount),
  Schema.isMaxLength(PayerSession.byteCount + 7),
)
const session = PayerSession.ofBytes(Uint8Array.from({ length: 9 }, (_, index) => index * 29))
const sealed = PayerSession.seal(session, paymentId, sealKey)
const runs = { arbitrary: { runs: Counts.of({ usual: 300, full: 30_000 }) } }

describe("PayerSession.ofBytes", () => {
  it.prop(
    "is text of its first bytes, from which they are read back",
    [Random],
    ([drawn]) => {
      const own = drawn.slice(0, PayerSession.byteCount)
      const made = PayerSession.ofBytes(Uint8Array.from(drawn))
      assert.isTrue(Schema.is(PayerSession.PayerSession)(made))
      assert.deepStrictEqual([...PayerSession.bytes(made)], own)
    },
    runs,
  )
})

describe("PayerSession.open", () => {
  it.prop(
    "opens a session that was sealed for the same payment",
    [Random],
    ([drawn]) => {
      const made = PayerSession.ofBytes(Uint8Array.from(drawn))
      const text = PayerSession.seal(made, paymentId, sealKey)
      assert.strictEqual(PayerSession.open(text, paymentId, sealKey), made)
    },
    runs,
  )

  it("refuses a session of another payment, of another service, or sealed for another purpose", () => {
    assert.isNull(PayerSession.open(sealed, otherPaymentId, sealKey))
    const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))
    assert.isNull(PayerSession.open(sealed, paymentId, otherKey))
    const bytes = Result.getOrThrow(Seal.open(sealKey, "session", sealed))
    assert.isNull(PayerSession.open(Seal.seal(sealKey, "option", bytes), paymentId, sealKey))
  })

  it("refuses a payment id that only begins or ends like the sealed one", () => {
    for (const bytes of [
      new TextEncoder().encode(`session!!${paymentId}x`),
      new TextEncoder().encode(`session!!${paymentId.slice(0, -1)}`),
      new TextEncoder().encode("session!!"),
      new Uint8Array(),
    ]) {
      assert.isNull(PayerSession.open(Seal.seal(sealKey, "session", bytes), paymentId, sealKey))
    }
  })

  it.prop(
    "opens no hostile text",
    [HostileText.near([sealed])],
    ([text]) => {
      if (text !== sealed) assert.isNull(PayerSession.open(text, paymentId, sealKey))
    },
    { arbitrary: { runs: Counts.of({ usual: 1_000, full: 100_000 }) } },
  )
})
