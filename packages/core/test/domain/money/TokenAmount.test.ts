import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"

const { catalog } = BuiltIn
const usdc = catalog.assets.find(({ symbol }) => symbol === "USDC") ?? assert.fail("no USDC")
const { token } = usdc

describe("TokenAmount", () => {
  it("is printed for people in whole units of the token, with its sign", () => {
    assert.strictEqual(TokenAmount.text(token, 12_500_000n, catalog), "12.50 USDC")
    assert.strictEqual(TokenAmount.text(token, -1n, catalog), "-0.000001 USDC")
  })

  it("is printed for programs in the token's smallest unit, with its sign", () => {
    const { unit, value } = TokenAmount.json(token, -12_500_000n, catalog)
    assert.match(unit, /^caip19\/eip155:\d+\/erc20:0x/u)
    assert.strictEqual(value, "-12500000")
  })

  it("prints the largest amount for a sum beyond it", () => {
    const most = TokenAmount.text(token, 10n ** 200n, catalog)
    assert.strictEqual(TokenAmount.text(token, 10n ** 300n, catalog), most)
  })
})
