import { assert, describe, it } from "@effect/vitest"
import * as Money from "@florin/core/domain/ground/Money"
import * as Credit from "@florin/core/domain/money/Credit"
import { Result } from "effect"
import * as Samples from "../samples.ts"

const { catalog, quantity, usdcOnBase, usdcOnBsc } = Samples
const eurc = Samples.assetOf("EURC", 8453)
const read = (text: string) => Result.getOrThrow(Credit.parse(text))
const owing = ({ token }: { readonly token: Credit.Debt["token"] }, of: bigint): Credit.Debt => ({
  merchantId: "mrch_1",
  token,
  quantity: of,
})
const covers = (text: string, ...debts: ReadonlyArray<Credit.Debt>) =>
  Credit.covers({ credit: read(text), assets: catalog }, debts)

describe("Credit.parse and Credit.format", () => {
  it("read what an operator writes, and print it again", () => {
    for (const text of ["unlimited", "none", "1000.00 USD", "1000.00 USD, 0.50 EUR", "5 JPY"]) {
      assert.strictEqual(Credit.format(read(text)), text)
    }
    assert.deepStrictEqual(read("1000 USD"), {
      _tag: "Limited",
      amounts: [{ currency: "USD", quantity: quantity(100_000n) }],
    })
  })

  it("refuse every other text", () => {
    const wrong = ["", "0 USD", "-1 USD", "1 XYZ", "1.001 USD", "1.5 JPY", "1 USD, 2 USD", "1USD"]
    for (const text of wrong) assert.isTrue(Result.isFailure(Credit.parse(text)), text)
  })
})

describe("S3: Credit.covers", () => {
  it("adds up debts in their currency, whatever the decimals of their tokens are", () => {
    const half = owing(usdcOnBase, 5_000_000n)
    const other = owing(usdcOnBsc, 5n * 10n ** 18n)
    assert.isTrue(covers("10 USD", half, other))
    assert.isFalse(covers("9.99 USD", half, other))
    assert.isFalse(covers("10 USD", half, owing(usdcOnBsc, 5n * 10n ** 18n + 1n)))
  })

  it("grants no credit in other currencies, and none at all next to a debt without a peg", () => {
    assert.isFalse(covers("10 USD", owing(eurc, 1n)))
    assert.isTrue(covers("10 USD, 1 EUR", owing(eurc, 1_000_000n), owing(usdcOnBase, 1n)))
    const unknown = { token: { ...usdcOnBase.token, address: Samples.address("9") } }
    assert.isFalse(covers("10 USD", owing(usdcOnBase, 1n), owing(unknown, 1n)))
    assert.isTrue(covers("none", owing(unknown, 0n)))
    assert.isTrue(covers("unlimited", owing(unknown, Money.largest)))
  })
})

describe("S3: Credit.allows", () => {
  const draw = (lent: bigint): Credit.Draw => ({
    credit: Credit.none,
    assets: catalog,
    merchantId: "mrch_1",
    token: usdcOnBase.token,
    lent,
  })

  it("allows outflows that need no credit, unless the merchant owes in that token", () => {
    assert.isTrue(Credit.allows(draw(0n), [{ ...owing(usdcOnBase, 1n), merchantId: "mrch_2" }]))
    assert.isTrue(Credit.allows(draw(0n), [owing(usdcOnBsc, 1n)]))
    assert.isFalse(Credit.allows(draw(0n), [owing(usdcOnBase, 1n)]))
    assert.isFalse(Credit.allows(draw(1n), [owing(usdcOnBase, 1n)]))
  })
})
