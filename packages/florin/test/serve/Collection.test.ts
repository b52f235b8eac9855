import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/money/Amount"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Option } from "effect"
import * as Collection from "../../src/serve/Collection.ts"

const [first, second] = [Fixtures.make("a").merchantId, Fixtures.make("b").merchantId]

const fiat = (currency: Amount.Currency, quantity: bigint): Amount.Amount => ({
  unit: Amount.fiat(currency),
  quantity: Fixtures.quantity(quantity),
})
const inToken: Amount.Amount = {
  unit: Amount.token(Fixtures.token("a token")),
  quantity: Fixtures.quantity(1n),
}

const isNeeded = (texts: ReadonlyArray<string>, amount: Amount.Amount, merchantId = first) => {
  const parsed = Collection.parse(texts)
  if (Option.isNone(parsed)) return assert.fail(`${texts.join(" ")} is no rule`)
  return Effect.flatMap(Effect.service(CollectDataPolicy), (policy) =>
    policy.isNeeded({ merchantId, amount, account: Fixtures.account("payer") }),
  ).pipe(Effect.provide(Collection.layer(parsed.value)))
}

describe("a rule on whose data is collected", () => {
  const above = ["above:1000.00USD", "above:900EUR", "above:150000JPY"]
  const own = [...above, `${second}=always`]

  it.effect.each([
    {
      what: "needs none if the rule is never",
      texts: ["never"],
      amount: fiat("USD", 10n ** 30n),
      expected: false,
    },
    { what: "needs none without a rule", texts: [], amount: fiat("USD", 1n), expected: false },
    {
      what: "needs it if the rule is always",
      texts: ["always"],
      amount: fiat("USD", 1n),
      expected: true,
    },
    {
      what: "needs none of exactly the amount",
      texts: above,
      amount: fiat("USD", 100_000n),
      expected: false,
    },
    {
      what: "needs it of a cent more",
      texts: above,
      amount: fiat("USD", 100_001n),
      expected: true,
    },
    {
      what: "needs none of exactly the amount in another currency",
      texts: above,
      amount: fiat("EUR", 90_000n),
      expected: false,
    },
    {
      what: "needs it of a cent more in another currency",
      texts: above,
      amount: fiat("EUR", 90_001n),
      expected: true,
    },
    {
      what: "needs none of exactly the amount in yen",
      texts: above,
      amount: fiat("JPY", 150_000n),
      expected: false,
    },
    { what: "needs it of a yen more", texts: above, amount: fiat("JPY", 150_001n), expected: true },
    {
      what: "needs it of a currency that the rules do not name",
      texts: above,
      amount: fiat("CHF", 1n),
      expected: true,
    },
    { what: "needs it of an amount in a token", texts: above, amount: inToken, expected: true },
  ])("for all merchants: $what", ({ amount, expected, texts }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* isNeeded(texts, amount), expected)
    }),
  )

  it.effect.each([
    { what: "needs it by the merchant's own rule", texts: own, merchantId: second, expected: true },
    {
      what: "needs none by the rule for the others",
      texts: own,
      merchantId: first,
      expected: false,
    },
    {
      what: "needs none of a merchant that is left out",
      texts: [`${second}=never`, "always"],
      merchantId: second,
      expected: false,
    },
    {
      what: "needs none of exactly the merchant's own amount",
      texts: ["always", `${second}=above:1USD`, `${second}=above:1EUR`],
      merchantId: second,
      expected: false,
    },
  ])("for one merchant: $what", ({ expected, merchantId, texts }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* isNeeded(texts, fiat("EUR", 100n), merchantId), expected)
    }),
  )

  it("refuses ambiguous or empty rules", () => {
    for (const texts of [
      ["sometimes"],
      [""],
      ["above:1000.00"],
      ["above:1000.00 USD"],
      ["above:USD"],
      ["above:-1USD"],
      ["above:1.001USD"],
      ["above:1.5JPY"],
      ["above:1000.00XAU"],
      ["always", "never"],
      ["always", "above:1USD"],
      ["above:1USD", "above:2USD"],
      [`${first}=always`, `${first}=never`],
      ["shop=always"],
      ["mrch_=always"],
      ["=always"],
      [`${first}=`],
      [first],
    ]) {
      assert.isTrue(Option.isNone(Collection.parse(texts)), texts.join(" "))
    }
  })
})
