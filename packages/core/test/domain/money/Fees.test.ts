import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import type * as Rates from "@florin/core/domain/money/Rates"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const max = 2n ** 256n - 1n

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)
const quantity = (of: bigint): Money.Quantity => value(Money.fromBigInt(of))
const percent = (text: string): Fees.Percentage => value(Fees.parsePercentage(text))

const withDecimals = (decimals: number): Asset.Asset => {
  const found = BuiltIn.catalog.assets.find((each) => each.decimals === decimals)
  assert(found !== undefined)
  return found
}
const six = withDecimals(6)
const eighteen = withDecimals(18)

/** Quantities of every size from 0 to 2^256 − 1, both ends included. */
const quantities = Arbitrary.map(
  Arbitrary.schema(
    Schema.Tuple([
      Money.Quantity,
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })),
    ]),
  ),
  ([of, bits]) => quantity(of >> BigInt(bits)),
)

const runs = Counts.of({ usual: 1_000, full: 100_000 })

describe("Fees.parsePercentage", () => {
  const cases = [
    // read, millionths of a percent, printed
    ["0", 0, "0"],
    ["0.0", 0, "0"],
    ["0.000000", 0, "0"],
    ["0.000001", 1, "0.000001"],
    ["0.00001", 10, "0.00001"],
    ["0.000010", 10, "0.00001"],
    ["0.4", 400_000, "0.4"],
    ["0.40", 400_000, "0.4"],
    ["0.999999", 999_999, "0.999999"],
    ["1", 1_000_000, "1"],
    ["1.000001", 1_000_001, "1.000001"],
    ["2.5", 2_500_000, "2.5"],
    ["9.05", 9_050_000, "9.05"],
    ["10", 10_000_000, "10"],
    ["99.999999", 99_999_999, "99.999999"],
    ["100", 100_000_000, "100"],
    ["100.000000", 100_000_000, "100"],
  ] as const
  it.each(cases)("reads %j", (text, millionths, printed) => {
    assert.strictEqual(Number(value(Fees.parsePercentage(text))), millionths)
    assert.strictEqual(Fees.formatPercentage(percent(text)), printed)
  })

  const rule = "a percentage is a decimal number from 0 to 100 with at most 6 decimals"
  it.each(["", ".4", "0.", "01", "-1", "0,4", "4e-1", "0.0000001", "100.000001", "101", "０.4"])(
    "refuses %j",
    (text) => {
      const error = refusal(Fees.parsePercentage(text))
      assert.deepStrictEqual(error.issues, [{ field: "fees.percentage", message: rule }])
    },
  )

  it("accepts the same values as the schema", () => {
    const is = Schema.is(Fees.Percentage)
    for (const each of [0, 1, 400_000, 100_000_000]) assert.isTrue(is(each))
    for (const each of [-1, 0.5, 100_000_001, Number.NaN, "1"]) assert.isFalse(is(each))
  })

  it.prop(
    "reads back what it prints",
    [Fees.Percentage],
    ([each]) => {
      const text = Fees.formatPercentage(each)
      assert.match(text, /^(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{0,5}[1-9])?$/u)
      assert.strictEqual(percent(text), each)
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "reads hostile text only if it is a percentage, with exactly its value",
    [HostileText.near(["0", "0.4", "12.345678", "99.999999", "100", "100.000000"])],
    ([text]) => {
      const parsed = Fees.parsePercentage(text)
      const allowed = /^(?:100(?:\.0{1,6})?|(?:0|[1-9][0-9]?)(?:\.[0-9]{1,6})?)$/u
      assert.strictEqual(Result.isSuccess(parsed), allowed.test(text))
      if (Result.isSuccess(parsed)) {
        const canonical = text.includes(".") ? text.replace(/\.?0*$/u, "") : text
        assert.strictEqual(Fees.formatPercentage(parsed.success), canonical)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("Fees.fixedIn", () => {
  const terms = (currency: Rates.Rate["currency"], minor: bigint): Fees.FeeTerms => ({
    fixed: [{ currency, quantity: quantity(minor) }],
    percentage: percent("0"),
  })
  const rate = (
    currency: Rates.Rate["currency"],
    numerator: bigint,
    denominator: bigint,
  ): Rates.Rate => ({ currency, numerator, denominator, observedAt: 0 })

  it("converts the fixed fee to the token's smallest unit, rounded half up", () => {
    const cases = [
      [terms("USD", 10n), rate("USD", 1n, 1n), six, 100_000n],
      [terms("USD", 10n), rate("USD", 1n, 1n), eighteen, 10n ** 17n],
      [terms("JPY", 1n), rate("JPY", 1n, 150n), six, 6_667n],
      [terms("USD", 100n), rate("USD", 1n, 3n), six, 333_333n],
      [terms("USD", 200n), rate("USD", 1n, 3n), six, 666_667n],
      [terms("USD", 1n), rate("USD", 1n, 20_000n), six, 1n],
      [terms("USD", 1n), rate("USD", 1n, 20_001n), six, 0n],
    ] as const
    for (const [of, at, asset, units] of cases) {
      assert.strictEqual(value(Fees.fixedIn(of, at, asset)), units)
    }
  })

  it("uses the part of the fee in the rate's currency", () => {
    const both = termsOf(part("USD", 10n), part("EUR", 9n))
    assert.strictEqual(value(Fees.fixedIn(both, rate("USD", 1n, 1n), six)), 100_000n)
    assert.strictEqual(value(Fees.fixedIn(both, rate("EUR", 1n, 1n), six)), 90_000n)
    assert.strictEqual(value(Fees.fixedIn(both, rate("EUR", 5n, 4n), six)), 112_500n)
  })

  it("refuses the rate of another currency", () => {
    const both = termsOf(part("USD", 1n), part("GBP", 200n))
    const error = refusal(Fees.fixedIn(both, rate("EUR", 1n, 1n), six))
    assert.strictEqual(error._tag, "Malformed")
    assert.strictEqual(
      error.message,
      "the fixed fee is 0.01 USD, 2.00 GBP, but the rate is of EUR: pass the rate of a currency of the fee",
    )
  })

  it("refuses amounts above what a token can represent", () => {
    const error = refusal(Fees.fixedIn(terms("USD", max), rate("USD", 1n, 1n), six))
    assert.strictEqual(error._tag, "Malformed")
  })
})

const part = (currency: Amount.Currency, minor: bigint): Amount.OfCurrency => ({
  currency,
  quantity: quantity(minor),
})
const termsOf = (...parts: ReadonlyArray<Amount.OfCurrency>): Fees.FeeTerms => ({
  fixed: value(Fees.makeFixed(parts)),
  percentage: percent("0"),
})

describe("a fixed fee in several currencies", () => {
  it("is read and printed as operators write it", () => {
    const cases = [
      ["0.10 USD", "0.10 USD"],
      ["0.1 USD", "0.10 USD"],
      ["0 USD", "0.00 USD"],
      ["00012 USD", "12.00 USD"],
      ["15 JPY", "15 JPY"],
      ["0.10 USD, 0.09 EUR", "0.10 USD, 0.09 EUR"],
      ["0.10 USD,0.09 EUR , 15 JPY", "0.10 USD, 0.09 EUR, 15 JPY"],
      ["999999999999.99 EUR", "999999999999.99 EUR"],
    ] as const
    for (const [text, printed] of cases) {
      const read = value(Fees.parseFixed(text))
      assert.strictEqual(Amount.formatWritten(read), printed)
      assert.deepStrictEqual(value(Fees.parseFixed(printed)), read)
    }
  })

  it("is refused if it is ambiguous", () => {
    for (const text of [
      "",
      "0.10",
      "USD",
      "0.10 usd",
      "0.10 XAU",
      "0.10  USD",
      "-0.10 USD",
      "1e2 USD",
      ".1 USD",
      "0.10 USD,",
      "1000000000000 USD",
      "0.10 __proto__",
    ]) {
      assert.include(refusal(Fees.parseFixed(text)).message, "an amount in each currency")
    }
    assert.include(
      refusal(Fees.parseFixed("0.105 USD")).message,
      "must have at most 2 decimals in USD",
    )
    assert.include(
      refusal(Fees.parseFixed("1.5 JPY")).message,
      "must have at most 0 decimals in JPY",
    )
    for (const text of ["0.10 USD, 0.20 USD", "1 EUR, 1 USD, 1 EUR"]) {
      assert.include(refusal(Fees.parseFixed(text)).message, "each currency once")
    }
  })

  it("is replaced as a whole, and kept if only the percentage changes", () => {
    const both = termsOf(part("USD", 10n), part("EUR", 9n))
    assert.deepStrictEqual(Fees.change(both, { percentage: percent("1") }), {
      ...both,
      percentage: percent("1"),
    })
    assert.deepStrictEqual(
      Fees.change(both, { fixed: value(Fees.parseFixed("1 EUR")) }),
      termsOf(part("EUR", 100n)),
    )
    assert.deepStrictEqual(Fees.change(both, { fixed: value(Fees.makeFixed([])) }), Fees.none)
  })

  it("is 0 only if it is 0 in every currency", () => {
    assert.isTrue(Fees.hasNoFixed(Fees.none))
    assert.isTrue(Fees.hasNoFixed(termsOf(part("USD", 0n), part("EUR", 0n))))
    assert.isFalse(Fees.hasNoFixed(termsOf(part("USD", 0n), part("EUR", 1n))))
  })
})

describe("Fees.wayIn", () => {
  const [usdc, eurc] = ["USDC", "EURC"].map(
    (symbol) =>
      BuiltIn.catalog.assets.find((each) => each.symbol === symbol) ?? assert.fail(symbol),
  )
  assert(usdc !== undefined && eurc !== undefined)
  const gem = { ...usdc, symbol: "GEM", peg: null }
  const assets = [eurc, usdc, gem]
  /** What pairs have a rate, as `GBP.USDC`; pegs have one, too. */
  const means = (...pairs: ReadonlyArray<string>): Rates.Means => ({
    assets,
    couldPrice: (currency, { peg, symbol }) =>
      peg === currency || pairs.includes(`${currency}.${symbol}`),
  })
  const usd = part("USD", 10n)
  const eur = part("EUR", 9n)
  const both = termsOf(usd, eur)

  it("uses the fee in the payment's currency, for every token", () => {
    for (const asset of assets) {
      assert.deepStrictEqual(Fees.wayIn(both, Amount.fiat("EUR"), asset, means()), { fixed: eur })
      assert.deepStrictEqual(Fees.wayIn(both, Amount.fiat("USD"), asset, means()), { fixed: usd })
    }
  })

  it("uses the fee in the token's currency for any other payment", () => {
    for (const unit of [Amount.fiat("GBP"), Amount.token(eurc.token)]) {
      assert.deepStrictEqual(Fees.wayIn(both, unit, eurc, means()), { fixed: eur })
    }
    assert.deepStrictEqual(Fees.wayIn(both, Amount.fiat("GBP"), usdc, means()), { fixed: usd })
  })

  it("uses the first fee that has a rate for the token, or that is 0", () => {
    const inGem = (terms: Fees.FeeTerms, ...pairs: ReadonlyArray<string>) =>
      Fees.wayIn(terms, Amount.token(gem.token), gem, means(...pairs))
    assert.deepStrictEqual(inGem(both, "EUR.GEM"), { fixed: eur })
    assert.deepStrictEqual(inGem(both, "EUR.GEM", "USD.GEM"), { fixed: usd })
    assert.deepStrictEqual(inGem(termsOf(part("USD", 0n))), { fixed: part("USD", 0n) })
    assert.isUndefined(inGem(both))
  })

  it("converts the fee through a token that has both rates, and only if there is one", () => {
    const over = { asset: usdc, currency: "EUR" } as const
    const one = termsOf(usd)
    for (const unit of [Amount.fiat("EUR"), Amount.token(eurc.token)]) {
      assert.deepStrictEqual(Fees.wayIn(one, unit, eurc, means("EUR.USDC")), { fixed: usd, over })
      assert.isUndefined(Fees.wayIn(one, unit, eurc, means()))
    }
    assert.deepStrictEqual(Fees.wayIn(one, Amount.fiat("EUR"), eurc, means("USD.EURC")), {
      fixed: usd,
    })
  })

  const currencies = ["USD", "EUR", "GBP"] as const
  const pairs = currencies.flatMap((currency) =>
    assets.map(({ symbol }) => `${currency}.${symbol}`),
  )
  it.prop(
    "can charge the fee in all tokens that a payment can be priced in, or in none",
    [
      Schema.Literals(currencies),
      Schema.Array(Schema.Literals(currencies)),
      Schema.Array(Schema.Literals(pairs)),
    ],
    ([currency, stated, configured]) => {
      const terms = termsOf(...[...new Set(stated)].map((each) => part(each, 1n)))
      const known = means(...configured)
      const ways = assets
        .filter((asset) => known.couldPrice(currency, asset))
        .map((asset) => Fees.wayIn(terms, Amount.fiat(currency), asset, known) !== undefined)
      assert.isAtMost(new Set(ways).size, 1)
    },
    { arbitrary: { runs } },
  )
})

describe("Fees.charge", () => {
  it("charges the fixed fee and the percentage, each rounded half up, and never more than was paid", () => {
    const cases = [
      // paid, fixed, percentage, total, fixed taken, net
      [10_000_000n, 100_000n, "1", 200_000n, 100_000n, 9_800_000n],
      [10_000_000n, 0n, "0.4", 40_000n, 0n, 9_960_000n],
      [
        10n ** 25n,
        10n ** 17n,
        "0.4",
        4n * 10n ** 22n + 10n ** 17n,
        10n ** 17n,
        996n * 10n ** 22n - 10n ** 17n,
      ],
      [0n, 0n, "0", 0n, 0n, 0n],
      [0n, 5n, "50", 0n, 0n, 0n],
      [1n, 0n, "0", 0n, 0n, 1n],
      [1n, 0n, "49.999999", 0n, 0n, 1n],
      [1n, 0n, "50", 1n, 0n, 0n],
      [1n, 1n, "0", 1n, 1n, 0n],
      [1n, 2n, "0", 1n, 1n, 0n],
      [124n, 0n, "0.4", 0n, 0n, 124n],
      [125n, 0n, "0.4", 1n, 0n, 124n],
      [374n, 0n, "0.4", 1n, 0n, 373n],
      [375n, 0n, "0.4", 2n, 0n, 373n],
      [49_999_999n, 0n, "0.000001", 0n, 0n, 49_999_999n],
      [50_000_000n, 0n, "0.000001", 1n, 0n, 49_999_999n],
      [100n, 90n, "9", 99n, 90n, 1n],
      [100n, 90n, "10", 100n, 90n, 0n],
      [100n, 90n, "11", 100n, 90n, 0n],
      [100n, 99n, "0", 99n, 99n, 1n],
      [100n, 100n, "0", 100n, 100n, 0n],
      [100n, 101n, "0", 100n, 100n, 0n],
      [100n, 0n, "100", 100n, 0n, 0n],
      [100n, 100n, "100", 100n, 100n, 0n],
      [max, 0n, "0", 0n, 0n, max],
      [max, 0n, "100", max, 0n, 0n],
      [max, max, "100", max, max, 0n],
      [max, 0n, "50", 2n ** 255n, 0n, 2n ** 255n - 1n],
      [max, 1n, "0", 1n, 1n, max - 1n],
    ] as const
    for (const [paid, fixed, percentage, total, taken, net] of cases) {
      assert.deepStrictEqual(
        Fees.charge({
          paid: quantity(paid),
          fixed: quantity(fixed),
          percentage: percent(percentage),
        }),
        { total: quantity(total), fixed: quantity(taken), net: quantity(net) },
        `${paid} at ${fixed} + ${percentage} %`,
      )
    }
  })

  it("charges nothing without fees", () => {
    assert.deepStrictEqual(Fees.none, {
      fixed: [{ currency: "USD", quantity: Money.zero }],
      percentage: percent("0"),
    })
    assert.isTrue(Schema.is(Fees.FeeTerms)(Fees.none))
    for (const paid of [0n, 1n, 10n ** 25n, max].map(quantity)) {
      assert.deepStrictEqual(
        Fees.charge({ paid, fixed: Money.zero, percentage: Fees.none.percentage }),
        { total: Money.zero, fixed: Money.zero, net: paid },
      )
    }
  })

  it.prop(
    "M21: splits the paid amount exactly, and never charges more",
    [quantities, quantities, Fees.Percentage],
    ([paid, fixed, percentage]) => {
      const charged = Fees.charge({ paid, fixed, percentage })
      assert.isTrue(Schema.is(Fees.Charge)(charged))
      assert.strictEqual(charged.total + charged.net, paid)
      assert.isTrue(charged.total <= paid)
      assert.isTrue(charged.fixed <= charged.total && charged.fixed <= fixed)
      // total − fixed is the share, to half a unit, unless everything was taken.
      if (charged.net > 0n) {
        assert.strictEqual(charged.fixed, fixed)
        const twice = 2n * paid * BigInt(percentage)
        const share = (charged.total - charged.fixed) * 200_000_000n
        assert.isTrue(share - 100_000_000n <= twice && twice < share + 100_000_000n)
      }
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "charges no less for a larger payment, and leaves no more with higher fees",
    [quantities, quantities, quantities, Fees.Percentage, Fees.Percentage],
    ([left, right, fixed, percentage, other]) => {
      const small = Money.min(left, right)
      const large = left === small ? right : left
      const lower = Fees.charge({ paid: small, fixed, percentage })
      const higher = Fees.charge({ paid: large, fixed, percentage })
      assert.isTrue(lower.total <= higher.total)
      assert.isTrue(lower.net <= higher.net)
      const cheap = percentage < other ? percentage : other
      const dear = percentage < other ? other : percentage
      assert.isTrue(
        Fees.charge({ paid: large, fixed, percentage: cheap }).net >=
          Fees.charge({ paid: large, fixed, percentage: dear }).net,
      )
    },
    { arbitrary: { runs } },
  )

  it("charges no less for one unit more, around every rounding step", () => {
    for (const text of ["0.4", "1", "33.333333", "50", "99.999999"]) {
      let before = Fees.charge({ paid: Money.zero, fixed: quantity(3n), percentage: percent(text) })
      for (let paid = 1n; paid < 2_000n; paid++) {
        const after = Fees.charge({
          paid: quantity(paid),
          fixed: quantity(3n),
          percentage: percent(text),
        })
        assert.strictEqual(after.total + after.net, paid)
        assert.isTrue(after.total >= before.total && after.net >= before.net)
        before = after
      }
    }
  })
})
