import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/money/Amount"
import * as LineItem from "@florin/core/domain/payment/LineItem"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Samples from "../samples.ts"

const usd = Amount.fiat("USD")
const dollars = (value: string) => ({ unit: "iso4217/USD", value })

const read = (items: ReadonlyArray<LineItem.Request>, unit: Amount.Unit | undefined = usd) =>
  LineItem.read("lineItems", items, unit, Samples.catalog)

const issuesOf = (...items: ReadonlyArray<LineItem.Request>) =>
  Result.match(read(items), {
    onFailure: ({ issues }) => issues.map(({ field }) => field),
    onSuccess: () => [],
  })

const lines = (count: number) => Array.from({ length: count }, () => ({ name: "Tea" }))

describe("LineItem.read", () => {
  it("reads one piece if no quantity is given, and keeps the total in the payment's unit", () => {
    assert.deepStrictEqual(
      Result.getOrThrow(
        read([
          { name: "Coffee <b> beans", quantity: 2, amount: dollars("1250") },
          { name: "Gift", amount: dollars("0") },
          { name: "Coupon" },
        ]),
      ),
      [
        { name: "Coffee <b> beans", quantity: 2, total: Samples.quantity(1250n) },
        { name: "Gift", quantity: 1, total: Samples.quantity(0n) },
        { name: "Coupon", quantity: 1 },
      ],
    )
  })

  it("does not add up lines: their sum may differ from the payment's amount", () => {
    const value = (10n ** 50n).toString()
    assert.deepStrictEqual(issuesOf({ name: "a", amount: dollars(value) }), [])
  })

  it("names every line and member that breaks a rule", () => {
    assert.deepStrictEqual(
      issuesOf(
        { name: "", quantity: 0 },
        { name: "fine" },
        { name: "a\u202eb", quantity: 1.5, amount: { unit: "iso4217/EUR", value: "1" } },
        { name: "x".repeat(121), quantity: 1_000_001, amount: dollars("1.5") },
        { name: "a", amount: { unit: "USD", value: "1" } },
      ),
      [
        "lineItems[0].name",
        "lineItems[0].quantity",
        "lineItems[2].name",
        "lineItems[2].quantity",
        "lineItems[2].amount.unit",
        "lineItems[3].name",
        "lineItems[3].quantity",
        "lineItems[3].amount.value",
        "lineItems[4].amount.unit",
      ],
    )
  })

  it("accepts up to 50 lines, names of 120 characters and a million pieces", () => {
    assert.deepStrictEqual(issuesOf(...lines(50)), [])
    assert.deepStrictEqual(issuesOf(...lines(51)), ["lineItems"])
    assert.deepStrictEqual(issuesOf({ name: "😀".repeat(120), quantity: 1_000_000 }), [])
    assert.deepStrictEqual(issuesOf({ name: "😀".repeat(121) }), ["lineItems[0].name"])
    for (const quantity of [-1, Number.NaN, Infinity, -0, 2 ** 53]) {
      assert.deepStrictEqual(issuesOf({ name: "a", quantity }), ["lineItems[0].quantity"])
    }
  })

  it("compares the unit as a token, in any spelling, and refuses a malformed one", () => {
    const token = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    const { unit } = Result.getOrThrow(
      Amount.read("amount", { unit: token, value: "1" }, Samples.catalog),
    )
    const checksummed = token.replace("833589fcd6edb6e0", "833589fCD6eDb6E0")
    const items = [{ name: "a", amount: { unit: checksummed, value: "1" } }]
    assert.isTrue(Result.isSuccess(read(items, unit)))
    assert.isTrue(Result.isFailure(read(items, usd)))
    assert.isTrue(Result.isSuccess(LineItem.read("lineItems", items, undefined, Samples.catalog)))
  })

  it.prop(
    "accepts a name unchanged, or refuses it",
    [HostileText.near(["Coffee beans", "注文 №1"])],
    ([name]) => {
      const result = read([{ name }])
      if (Result.isSuccess(result)) {
        assert.deepStrictEqual(result.success, [{ name, quantity: 1 }])
      } else assert.deepStrictEqual(issuesOf({ name }), ["lineItems[0].name"])
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )
})
