import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/Claim"
import * as Samples from "./samples.ts"

const { option, otherPaymentId, quantity } = Samples

const keyOf = (...of: Parameters<typeof option>) => Claim.key(Claim.ofAuthorization(option(...of)))

describe("Claim.ofAuthorization", () => {
  it("is the payment's own, but for a permit, which does not name its payment", () => {
    const permit = { flow: "permit", permitNonce: quantity(1n) } as const
    for (const flow of ["eip3009", "permit2", "transfer"] as const) {
      assert.notStrictEqual(keyOf({ flow }), keyOf({ flow, paymentId: otherPaymentId }))
    }
    assert.strictEqual(keyOf(permit), keyOf({ ...permit, paymentId: otherPaymentId }))
  })

  it("of a permit is the nonce of the account in the token, whatever it is for", () => {
    const permit = { flow: "permit", permitNonce: quantity(1n) } as const
    const key = keyOf(permit)
    const { account, token } = option()
    for (const same of [
      { payTo: Samples.address("9") },
      { quantity: quantity(1n) },
      { issuedAt: 5, expiresAt: 6 },
    ]) {
      assert.strictEqual(keyOf({ ...permit, ...same }), key)
    }
    for (const other of [
      { permitNonce: quantity(2n) },
      { token: { ...token, address: Samples.address("9") } },
      { account: { ...account, address: Samples.address("9") } },
    ]) {
      assert.notStrictEqual(keyOf({ ...permit, ...other }), key)
    }
  })
})
