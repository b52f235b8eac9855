import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Malformed from "@florin/core/domain/ground/Malformed"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Harbour from "../harbour.ts"

const { catalog } = BuiltIn

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)
const quantity = (of: bigint): Money.Quantity => value(Money.fromBigInt(of))

const base = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const usdcOnBase = value(Eip155.parseToken(`eip155:8453/erc20:${base}`))
const usdcOnBsc = value(
  Eip155.parseToken("eip155:56/erc20:0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"),
)
const unknownToken = value(Eip155.parseToken(`eip155:8453/erc20:0x${"1".repeat(40)}`))
const elsewhere: Caip.Token = { ...unknownToken, chainId: Eip155.chainId(2) }

const refused = (
  result: Result.Result<unknown, Invalid.InvalidInput>,
  field: string,
  message: string,
) => assert.deepStrictEqual([...refusal(result).issues], [{ field: `amount.${field}`, message }])

const refusedUnit = (result: Result.Result<unknown, Malformed.Malformed>, message: string) =>
  assert.strictEqual(refusal(result).message, message)

const unitForm = "a unit is iso4217/<currency> or caip19/<chain>/<namespace>:<contract>"
const unsupportedCurrency =
  "the currency is not supported: use one of USD, EUR, GBP, CHF, JPY, AUD, BRL, CAD, CNY, CZK, DKK, HKD, HUF, IDR, ILS, INR, ISK, KRW, MXN, MYR, NOK, NZD, PHP, PLN, RON, SEK, SGD, THB, TRY, ZAR"
const unsupportedToken = "the token is not supported on this chain"

describe("Amount.currencies", () => {
  it("have the decimals of ISO 4217", () => {
    // What is shown has none of these, but their minor unit has.
    const shownWhole = { HUF: 2, IDR: 2 }
    for (const [currency, { decimals }] of Object.entries(Amount.currencies)) {
      const { maximumFractionDigits } = new Intl.NumberFormat("en", {
        style: "currency",
        currency,
      }).resolvedOptions()
      const expected = { [currency]: maximumFractionDigits, ...shownWhole }[currency]
      assert.strictEqual(decimals, expected, currency)
    }
    assert.deepStrictEqual([...Amount.Currency.literals], Object.keys(Amount.currencies))
  })
})

describe("Amount units", () => {
  it("reads and prints every currency", () => {
    for (const currency of Amount.Currency.literals) {
      const unit = value(Amount.parseUnit(`iso4217/${currency}`, catalog))
      assert.deepStrictEqual(unit, { _tag: "Fiat", currency })
      assert.deepStrictEqual(unit, Amount.fiat(currency))
      assert.strictEqual(Amount.formatUnit(unit, catalog), `iso4217/${currency}`)
    }
  })

  it("reads every asset in any case and prints it with its checksum", () => {
    for (const { token } of catalog.assets) {
      const text = `caip19/${Eip155.formatToken(token)}`
      const unit = value(Amount.parseUnit(text, catalog))
      assert.deepStrictEqual(unit, { _tag: "Token", token })
      assert.deepStrictEqual(unit, Amount.token(token))
      assert.strictEqual(Amount.formatUnit(unit, catalog), text)
      assert.deepStrictEqual(value(Amount.parseUnit(text.toLowerCase(), catalog)), unit)
    }
    assert.isTrue(
      Result.isSuccess(
        Amount.parseUnit(`caip19/eip155:8453/erc20:0x${base.slice(2).toUpperCase()}`, catalog),
      ),
    )
    // A wrong checksum is still this token: amounts are compared without regard to case.
    assert.isTrue(
      Result.isSuccess(
        Amount.parseUnit(`caip19/eip155:8453/erc20:0x833589FCD6${base.slice(12)}`, catalog),
      ),
    )
  })

  const cases = [
    ["", unitForm],
    ["USD", unitForm],
    ["iso4217", unitForm],
    [`eip155:8453/erc20:${base}`, unitForm],
    ["__proto__", unitForm],
    ["iso4217/", unsupportedCurrency],
    ["iso4217/usd", unsupportedCurrency],
    ["iso4217/XXX", unsupportedCurrency],
    ["iso4217/__proto__", unsupportedCurrency],
    [`caip19/eip155:1/erc20:${base}`, unsupportedToken],
    [`caip19/eip155:2/erc20:${base}`, unsupportedToken],
    [`caip19/eip155:8453/erc20:0x${"1".repeat(40)}`, unsupportedToken],
    ["caip19/", "an asset is <namespace>:<chain id>/<kind>:<contract>"],
    ["caip19/eip155:8453/slip44:60", "an asset is eip155:<chain id>/erc20:<contract>"],
    ["caip19/solana:1/erc20:x", "namespace solana is not supported: use eip155"],
    ["caip19/eip155:8453/erc20:0x", "an address is 0x and 40 hex digits"],
  ] as const
  it.each(cases)("refuses the unit %j", (text, message) => {
    refusedUnit(Amount.parseUnit(text, catalog), message)
  })

  it("are equal only for the same currency or token", () => {
    const units = [
      ...Amount.Currency.literals.map(Amount.fiat),
      ...catalog.assets.map((each) => Amount.token(each.token)),
    ]
    for (const [left, one] of units.entries()) {
      for (const [right, other] of units.entries()) {
        assert.strictEqual(Amount.sameUnit(one, { ...other }), left === right)
      }
    }
  })

  it("have the decimals of their currency or token", () => {
    assert.strictEqual(Amount.decimals(Amount.fiat("USD"), catalog), 2)
    assert.strictEqual(Amount.decimals(Amount.fiat("JPY"), catalog), 0)
    assert.strictEqual(Amount.decimals(Amount.token(usdcOnBase), catalog), 6)
    assert.strictEqual(Amount.decimals(Amount.token(usdcOnBsc), catalog), 18)
    assert.strictEqual(Amount.decimals(Amount.token(unknownToken), catalog), 0)
  })
})

describe("Amount.read", () => {
  it("reads unit and value, also zero, and prints them again", () => {
    const texts = [
      { unit: "iso4217/USD", value: "1234" },
      { unit: "iso4217/JPY", value: "0" },
      { unit: `caip19/eip155:8453/erc20:${base}`, value: (2n ** 256n - 1n).toString() },
    ]
    for (const text of texts) {
      const amount = value(Amount.read("amount", text, catalog))
      assert.strictEqual(amount.quantity, BigInt(text.value))
      assert.deepStrictEqual(amount.unit, value(Amount.parseUnit(text.unit, catalog)))
      assert.deepStrictEqual(Amount.format(amount, catalog), text)
    }
  })

  it("names the field that is wrong, the unit first", () => {
    const digits = "an amount is 1 to 78 decimal digits without sign, leading zero or exponent"
    refused(Amount.read("amount", { unit: "USD", value: "1" }, catalog), "unit", unitForm)
    refused(Amount.read("amount", { unit: "USD", value: "-1" }, catalog), "unit", unitForm)
    refused(Amount.read("amount", { unit: "iso4217/USD", value: "01" }, catalog), "value", digits)
    refused(
      Amount.read("amount", { unit: "iso4217/USD", value: (2n ** 256n).toString() }, catalog),
      "value",
      "the amount is outside 0 … 2^256 − 1",
    )
  })

  it.prop(
    "M20: reads hostile text only if it is printed the same, except for case",
    [
      HostileText.near(["iso4217/USD", `caip19/eip155:8453/erc20:${base}`]),
      HostileText.near(["1", "1234", (2n ** 256n - 1n).toString()]),
    ],
    ([unit, digits]) => {
      for (const input of [
        { unit, value: digits },
        { unit: "iso4217/USD", value: digits },
        { unit, value: "1" },
      ]) {
        const parsed = Amount.read("amount", input, catalog)
        if (Result.isSuccess(parsed)) {
          const printed = Amount.format(parsed.success, catalog)
          assert.strictEqual(printed.unit.toLowerCase(), input.unit.toLowerCase())
          assert.strictEqual(printed.value, input.value)
        } else {
          assert.lengthOf(parsed.failure.issues, 1)
          assert.isBelow(parsed.failure.issues[0].message.length, 200)
        }
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 50_000 }) } },
  )

  it.prop(
    "reads back what format prints",
    [Amount.Currency, Money.Quantity],
    ([currency, of]) => {
      const amount = { unit: Amount.fiat(currency), quantity: of }
      assert.deepStrictEqual(
        value(Amount.read("amount", Amount.format(amount, catalog), catalog)),
        amount,
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})

describe("Amount.display", () => {
  it("shows a currency", () => {
    assert.deepStrictEqual(Amount.display(Amount.fiat("EUR"), catalog), {
      assetName: "Euro",
      assetSymbol: "EUR",
      decimals: 2,
      icon: "eur",
    })
  })

  it("shows a token and its network", () => {
    assert.deepStrictEqual(Amount.display(Amount.token(usdcOnBsc), catalog), {
      assetName: "USD Coin",
      assetSymbol: "USDC",
      decimals: 18,
      icon: "usdc",
      network: { name: "BNB Smart Chain", icon: "bsc" },
    })
  })

  it("shows a token that was removed from the table by its identifier", () => {
    assert.deepStrictEqual(Amount.display(Amount.token(unknownToken), catalog), {
      assetName: Eip155.formatToken(unknownToken),
      assetSymbol: "?",
      decimals: 0,
      icon: "?",
      network: { name: "Base", icon: "base" },
    })
    assert.isFalse("network" in Amount.display(Amount.token(elsewhere), catalog))
  })
})

describe("Amount of two families", () => {
  const printed = "caip19/harbour:north1/coin:PIERCOINMINT00000001"
  const unit = Amount.token(Harbour.coin.token)

  it("reads a token in any of its spellings, and prints it as its family does", () => {
    for (const text of [printed, printed.replace("PIERCOIN", "pierCOIN")]) {
      assert.deepStrictEqual(value(Amount.parseUnit(text, Harbour.catalog)), unit)
    }
    assert.strictEqual(Amount.formatUnit(unit, Harbour.catalog), printed)
    const amount = value(Amount.read("amount", { unit: printed, value: "12345" }, Harbour.catalog))
    assert.deepStrictEqual(amount, { unit, quantity: quantity(12_345n) })
    assert.deepStrictEqual(Amount.format(amount, Harbour.catalog), {
      unit: printed,
      value: "12345",
    })
    for (const { token } of Harbour.catalog.assets) {
      const text = Amount.formatUnit(Amount.token(token), Harbour.catalog)
      assert.deepStrictEqual(value(Amount.parseUnit(text, Harbour.catalog)), Amount.token(token))
    }
  })

  it("uses the token's own decimals and network", () => {
    assert.strictEqual(Amount.decimals(unit, Harbour.catalog), 3)
    assert.deepStrictEqual(Amount.display(unit, Harbour.catalog), {
      assetName: "Pier Coin",
      assetSymbol: "PIER",
      decimals: 3,
      icon: "pier",
      network: { name: "North Harbour", icon: "north" },
    })
    assert.strictEqual(
      Amount.toText({ unit, quantity: quantity(12_340n) }, Harbour.catalog),
      "12.34 PIER",
    )
  })

  it("distinguishes tokens on chains with the same reference in two namespaces", () => {
    const there = Amount.token({ ...usdcOnBase, chainId: Harbour.chainId("8453") })
    assert.isFalse(Amount.sameUnit(there, Amount.token(usdcOnBase)))
    assert.strictEqual(Amount.decimals(there, Harbour.catalog), 0)
  })

  it.each([
    ["caip19/solana:main/token:x", "namespace solana is not supported: use eip155 or harbour"],
    [printed.replace("coin:", "erc20:"), "an asset is harbour:<chain id>/coin:<contract>"],
    [printed.replace("north1", "north-1"), "a harbour is named by letters and digits"],
    [printed.replace("PIER", ""), "a berth is 20 to 40 letters and digits"],
    [printed.replace("north1", "south"), unsupportedToken],
    [printed.replace("PIER", "PEER"), unsupportedToken],
    [printed.slice("caip19/".length), unitForm],
  ])("refuses the unit %j", (text, message) => {
    refusedUnit(Amount.parseUnit(text, Harbour.catalog), message)
  })

  it("refuses a token without its family's adapter, and prints it as it is stored", () => {
    refusedUnit(
      Amount.parseUnit(printed, catalog),
      "namespace harbour is not supported: use eip155",
    )
    const text = "harbour:north1/token:piercoinmint00000001"
    assert.strictEqual(Amount.formatUnit(unit, catalog), `caip19/${text}`)
    assert.strictEqual(Amount.display(unit, catalog).assetName, text)
  })
})

describe("Amount.toText", () => {
  it("writes an amount for people", () => {
    const cases = [
      [Amount.fiat("USD"), 1234n, "12.34 USD"],
      [Amount.fiat("USD"), 1200n, "12.00 USD"],
      [Amount.fiat("JPY"), 1200n, "1200 JPY"],
      [Amount.token(usdcOnBase), 1_250_000n, "1.25 USDC"],
      [Amount.token(usdcOnBsc), 1n, "0.000000000000000001 USDC"],
      [Amount.token(unknownToken), 7n, "7 ?"],
    ] as const
    for (const [unit, of, text] of cases) {
      assert.strictEqual(Amount.toText({ unit, quantity: quantity(of) }, catalog), text)
    }
  })
})
