import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as Samples from "../samples.ts"

const { option, otherPaymentId, quantity } = Samples

const keyOf = (...of: Parameters<typeof option>) => Claim.key(Claim.ofAuthorization(option(...of)))

describe("Claim.key", () => {
  it("identifies a transfer by its chain, transaction and log index, wherever it was found", () => {
    const transfer: Claim.Claim = {
      _tag: "Transfer",
      chainId: option().token.chainId,
      txHash: `0x${"ab".repeat(32)}`,
      logIndex: 7,
      blockNumber: 1,
      blockHash: `0x${"cd".repeat(32)}`,
    }
    const key = `transfer:eip155:8453:${transfer.txHash}:7`
    assert.strictEqual(Claim.key(transfer), key)
    assert.strictEqual(Claim.key({ ...transfer, blockNumber: 2, blockHash: "0x" }), key)
  })

  it("identifies an authorization by its token, account and nonce", () => {
    const { account, token } = option()
    const named = `authorization:eip155:8453:${token.address}:${account.address}`
    assert.strictEqual(keyOf({ flow: "permit", permitNonce: quantity(1n) }), `${named}:permit:1`)
    assert.match(keyOf({ flow: "eip3009" }), new RegExp(`^${named}:0x[0-9a-f]{64}$`, "u"))
  })
})

describe("Claim.key of a sweep", () => {
  it("identifies one sweep of one account, token and period", () => {
    const sweep: Claim.Claim = {
      _tag: "Sweep",
      mode: "live",
      token: option().token,
      address: Samples.collector,
      period: 7,
    }
    const others: ReadonlyArray<Claim.Claim> = [
      sweep,
      { ...sweep, mode: "test" },
      { ...sweep, token: Samples.usdcOnBsc.token },
      { ...sweep, token: { ...sweep.token, address: Samples.address("9") } },
      { ...sweep, address: Samples.address("9") },
      { ...sweep, period: 8 },
    ]
    assert.strictEqual(new Set(others.map(Claim.key)).size, others.length)
    assert.strictEqual(Claim.key({ ...sweep }), Claim.key(sweep))
  })
})

describe("Claim.ofAuthorization", () => {
  it("is the payment's own key, except for a permit, which does not name its payment", () => {
    const permit = { flow: "permit", permitNonce: quantity(1n) } as const
    for (const flow of ["eip3009", "permit2", "transfer"] as const) {
      assert.notStrictEqual(keyOf({ flow }), keyOf({ flow, paymentId: otherPaymentId }))
    }
    assert.strictEqual(keyOf(permit), keyOf({ ...permit, paymentId: otherPaymentId }))
  })

  it("of a permit is the account's nonce in the token, for every payment", () => {
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
