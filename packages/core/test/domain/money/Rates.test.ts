import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Rates from "@florin/core/domain/money/Rates"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const withDecimals = (decimals: number): Asset.Asset => {
  const found = BuiltIn.catalog.assets.find((each) => each.decimals === decimals)
  assert(found !== undefined)
  return found
}
const six = withDecimals(6)
const eighteen = withDecimals(18)

const rate = (currency: Amount.Currency, numerator: bigint, denominator: bigint): Rates.Rate => ({
  currency,
  numerator,
  denominator,
  observedAt: 0,
})

describe("Rates.peg", () => {
  it("is one to one", () => {
    assert.deepStrictEqual(Rates.peg("EUR", 17), {
      currency: "EUR",
      numerator: 1n,
      denominator: 1n,
      observedAt: 17,
    })
  })

  it("accepts a rate only if both of its parts are above 0", () => {
    const is = Schema.is(Rates.Rate)
    assert.isTrue(is(Rates.peg("USD", 0)))
    for (const wrong of [0n, -1n]) {
      assert.isFalse(is(rate("USD", wrong, 1n)))
      assert.isFalse(is(rate("USD", 1n, wrong)))
    }
  })
})

describe("Rates.isFresh", () => {
  const observed = { observedAt: 10_000 }

  it("accepts a rate up to the allowed age, in the past or in the future", () => {
    for (const now of [10_000, 10_001, 10_500, 9_999, 9_500]) {
      assert.isTrue(Rates.isFresh(observed, now, 500))
    }
    assert.isTrue(Rates.isFresh(observed, 10_000, 0))
  })

  it("refuses a rate that is older, or further in the future", () => {
    for (const now of [10_501, 9_499]) assert.isFalse(Rates.isFresh(observed, now, 500))
    for (const now of [10_001, 9_999]) assert.isFalse(Rates.isFresh(observed, now, 0))
  })
})

describe("Rates.convert", () => {
  it("converts minor units to the token's smallest unit", () => {
    const cases = [
      // minor units, rate, asset, down, half up, up
      [0n, rate("USD", 1n, 1n), six, 0n, 0n, 0n],
      [1n, rate("USD", 1n, 1n), six, 10_000n, 10_000n, 10_000n],
      [1n, rate("USD", 1n, 1n), eighteen, 10n ** 16n, 10n ** 16n, 10n ** 16n],
      [100n, rate("EUR", 1n, 1n), six, 1_000_000n, 1_000_000n, 1_000_000n],
      [1_000_000_000n, rate("USD", 1n, 1n), eighteen, 10n ** 25n, 10n ** 25n, 10n ** 25n],
      [1n, rate("JPY", 1n, 150n), six, 6_666n, 6_667n, 6_667n],
      [
        1n,
        rate("JPY", 1n, 150n),
        eighteen,
        6_666_666_666_666_666n,
        6_666_666_666_666_667n,
        6_666_666_666_666_667n,
      ],
      [100n, rate("USD", 1n, 3n), six, 333_333n, 333_333n, 333_334n],
      [200n, rate("USD", 1n, 3n), six, 666_666n, 666_667n, 666_667n],
      [1n, rate("USD", 1n, 20_000n), six, 0n, 1n, 1n],
      [1n, rate("USD", 1n, 20_001n), six, 0n, 0n, 1n],
      [12_345n, rate("GBP", 127n, 100n), six, 156_781_500n, 156_781_500n, 156_781_500n],
    ] as const
    for (const [minor, of, asset, down, halfUp, up] of cases) {
      assert.strictEqual(value(Rates.convert(minor, of, asset, "down")), down)
      assert.strictEqual(value(Rates.convert(minor, of, asset, "halfUp")), halfUp)
      assert.strictEqual(value(Rates.convert(minor, of, asset, "up")), up)
    }
  })

  it("refuses amounts below 0 or above what a token can represent", () => {
    const one = rate("USD", 1n, 1n)
    const most = (2n ** 256n - 1n) / 10_000n
    assert.strictEqual(value(Rates.convert(most, one, six, "up")), most * 10_000n)
    assert.strictEqual(refusal(Rates.convert(most + 1n, one, six, "up"))._tag, "Malformed")
    assert.isTrue(Result.isFailure(Rates.convert(-1n, one, six, "up")))
  })

  const positive = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 24n }))
  const shifts = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 79 }))
  /** Numbers above 0 of every size. */
  const sized = Arbitrary.map(Arbitrary.schema(Schema.Tuple([positive, shifts])), ([of, bits]) => {
    const shifted = of >> BigInt(bits)
    return shifted === 0n ? 1n : shifted
  })

  it.prop(
    "M21: rounds prices up: never below the requested amount, and by less than one unit",
    [sized, sized, sized, Amount.Currency, Schema.Literals([6, 18])],
    ([minor, numerator, denominator, currency, decimals]) => {
      const asset = withDecimals(decimals)
      const of = rate(currency, numerator, denominator)
      const convert = (rounding: Money.Rounding) => value(Rates.convert(minor, of, asset, rounding))
      const exact = minor * 10n ** BigInt(decimals) * numerator
      const divisor = 10n ** BigInt(Amount.currencies[currency].decimals) * denominator
      const up = convert("up")
      assert.isTrue(up * divisor >= exact && (up - 1n) * divisor < exact)
      assert.isTrue(up > 0n)
      const down = convert("down")
      assert.isTrue(down * divisor <= exact && (down + 1n) * divisor > exact)
      const halfUp = convert("halfUp")
      assert.strictEqual(halfUp, 2n * (exact - down * divisor) >= divisor ? down + 1n : down)
    },
    { arbitrary: { runs: Counts.of({ usual: 1_000, full: 100_000 }) } },
  )
})

const priceOf = (numerator: bigint, denominator: bigint, observedAt = 0): Rates.Price => ({
  numerator,
  denominator,
  observedAt,
})

describe("Rates.price", () => {
  it("is above 0, and between a millionth of a millionth and a million millions", () => {
    const far = 10n ** 12n
    for (const [numerator, denominator] of [
      [1n, 1n],
      [far, 1n],
      [1n, far],
      [10778n, 10000n],
    ] as const) {
      assert.deepStrictEqual(
        Option.getOrThrow(Rates.price(numerator, denominator, 5)),
        priceOf(numerator, denominator, 5),
      )
    }
    for (const [numerator, denominator] of [
      [0n, 1n],
      [-1n, 1n],
      [1n, 0n],
      [-1n, -1n],
      [far + 1n, 1n],
      [1n, far + 1n],
      [2n ** 255n - 1n, 10n ** 8n],
    ] as const) {
      assert.isTrue(Option.isNone(Rates.price(numerator, denominator, 5)))
    }
  })
})

describe("Rates.parsePrice", () => {
  it.each([
    ["1", 1n, 1n],
    ["1.0778", 10_778n, 10_000n],
    ["0.000000000001", 1n, 10n ** 12n],
    ["007.50", 750n, 100n],
    ["138.00", 13_800n, 100n],
    ["000000000000000001.000000000000000001", 10n ** 18n + 1n, 10n ** 18n],
  ] as const)("reads %s exactly", (text, numerator, denominator) => {
    assert.deepStrictEqual(
      Option.getOrThrow(Rates.parsePrice(text, 7)),
      priceOf(numerator, denominator, 7),
    )
  })

  it.each([
    "",
    "0",
    "-1",
    "1.",
    ".5",
    "1e3",
    "0.0000000000001",
    "1000000000001",
    `${"0".repeat(18)}1`,
  ])("refuses %j", (text) => {
    assert.isTrue(Option.isNone(Rates.parsePrice(text, 7)))
  })

  it.prop(
    "reads only digits with at most one point from hostile text",
    [HostileText.near(["1", "1.0778", `${"1".repeat(12)}.${"1".repeat(18)}`])],
    ([text]) => {
      if (!/^[0-9]{1,18}(?:\.[0-9]{1,18})?$/u.test(text)) {
        assert.isTrue(Option.isNone(Rates.parsePrice(text, 7)))
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 100_000 }) } },
  )
})

describe("Rates.route", () => {
  const pairs = [
    { base: "EUR", quote: "USD", from: "feed" },
    { base: "ETH", quote: "USD", from: "feed" },
    { base: "USDC", quote: "USD", from: "feed" },
    { base: "GBP", quote: "USDC", from: "token" },
    { base: "EUR", quote: "USD", from: "file" },
    { base: "EUR", quote: "GBP", from: "file" },
    { base: "EUR", quote: "JPY", from: "file" },
  ]
  const way = (from: string, to: string) =>
    Rates.route(pairs, from, to)?.map(
      ({ isInverse, pair }) =>
        `${pair.from} ${isInverse ? `${pair.quote}/${pair.base}` : `${pair.base}/${pair.quote}`}`,
    )

  it("needs no step from a currency to itself", () => {
    assert.deepStrictEqual(way("USD", "USD"), [])
    assert.deepStrictEqual(way("XAU", "XAU"), [])
  })

  it("uses a pair in either direction, and the first of several", () => {
    assert.deepStrictEqual(way("EUR", "USD"), ["feed EUR/USD"])
    assert.deepStrictEqual(way("USD", "EUR"), ["feed USD/EUR"])
    assert.deepStrictEqual(way("USDC", "USD"), ["feed USDC/USD"])
  })

  it("goes through other currencies in as few steps as possible", () => {
    assert.deepStrictEqual(way("GBP", "JPY"), ["file GBP/EUR", "file EUR/JPY"])
    assert.deepStrictEqual(way("GBP", "ETH"), ["file GBP/EUR", "feed EUR/USD", "feed USD/ETH"])
  })

  it("never goes through a token or a coin", () => {
    assert.deepStrictEqual(way("GBP", "USD"), ["file GBP/EUR", "feed EUR/USD"])
    assert.isUndefined(Rates.route(pairs.slice(2, 4), "GBP", "USD"))
  })

  it("finds no route if no pairs connect the two", () => {
    assert.isUndefined(way("CHF", "USD"))
    assert.isUndefined(way("USD", "CHF"))
    assert.isUndefined(Rates.route([], "EUR", "USD"))
  })
})

describe("Rates.along", () => {
  const amounts = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 20n }))
  const step = Schema.Struct({
    price: Schema.Struct({ numerator: amounts, denominator: amounts, observedAt: Schema.Int }),
    isInverse: Schema.Boolean,
  })

  it("is one to one, as of now, without a step", () => {
    assert.deepStrictEqual(Rates.along([], 9), priceOf(1n, 1n, 9))
  })

  it("is as old as its oldest price, and never in the future", () => {
    const steps = [7, 3, 5].map((at) => ({ price: priceOf(2n, 3n, at), isInverse: false }))
    assert.strictEqual(Rates.along(steps, 9).observedAt, 3)
    assert.strictEqual(Rates.along(steps, 2).observedAt, 2)
  })

  it.prop(
    "multiplies exactly, and the way back is the inverse",
    [Schema.Array(step).check(Schema.isMaxLength(4))],
    ([steps]) => {
      const there = Rates.along(steps, 0)
      const back = Rates.along(
        steps.map(({ isInverse, price }) => ({ price, isInverse: !isInverse })),
        0,
      )
      assert.strictEqual(there.numerator * back.numerator, there.denominator * back.denominator)
      let [numerator, denominator] = [1n, 1n]
      for (const { isInverse, price } of steps) {
        numerator *= isInverse ? price.denominator : price.numerator
        denominator *= isInverse ? price.numerator : price.denominator
      }
      assert.strictEqual(there.numerator * denominator, there.denominator * numerator)
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )

  it.prop(
    "M21: rounds a price over several steps once, up, and by less than one unit",
    [amounts, step, step, Schema.Literals([6, 18])],
    ([minor, first, second, decimals]) => {
      const { denominator, numerator } = Rates.along([first, second], 0)
      const asset = withDecimals(decimals)
      const up = value(Rates.convert(minor, rate("GBP", numerator, denominator), asset, "up"))
      const exact = minor * 10n ** BigInt(decimals) * numerator
      const divisor = 100n * denominator
      assert.isTrue(up * divisor >= exact && (up - 1n) * divisor < exact)
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )
})

describe("Rates.exchanged", () => {
  it("is exact, in the first currency, and as old as the oldest rate", () => {
    // 1 USD buys 1 USDC and 1 EUR buys 1.16; so 1 USD buys 1/1.16 EURC.
    const exchanged = Rates.crossRate({
      from: { ...rate("USD", 1n, 1n), observedAt: 30 },
      to: { ...rate("EUR", 29n, 25n), observedAt: 10 },
      paid: { ...rate("EUR", 1n, 1n), observedAt: 20 },
    })
    assert.deepStrictEqual(exchanged, { ...rate("USD", 25n, 29n), observedAt: 10 })
    assert.strictEqual(value(Rates.convert(10n, exchanged, six, "halfUp")), 86_207n)
  })
})

describe("Rates.isFar", () => {
  const one = priceOf(1n, 1n)

  it("counts basis points of the reference, on both sides", () => {
    for (const [numerator, denominator] of [
      [9_900n, 10_000n],
      [10_100n, 10_000n],
      [1n, 1n],
    ] as const) {
      assert.isFalse(Rates.isFar(priceOf(numerator, denominator), one, 100))
    }
    for (const [numerator, denominator] of [
      [9_899n, 10_000n],
      [10_101n, 10_000n],
      [1n, 10n ** 12n],
      [10n ** 12n, 1n],
    ] as const) {
      assert.isTrue(Rates.isFar(priceOf(numerator, denominator), one, 100))
    }
    assert.isFalse(Rates.isFar(priceOf(50n, 49n), priceOf(100n, 98n), 0))
    assert.isTrue(Rates.isFar(priceOf(50n, 49n), priceOf(101n, 99n), 0))
  })
})
