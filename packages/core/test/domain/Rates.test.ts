import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/Amount"
import * as Asset from "@florin/core/domain/Asset"
import type * as Money from "@florin/core/domain/Money"
import * as Rates from "@florin/core/domain/Rates"
import * as Counts from "@florin/testing/Counts"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const withDecimals = (decimals: number): Asset.Asset => {
  const found = Asset.all.find((each) => each.decimals === decimals)
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

  it("is a rate, and neither part of a rate is 0 or less", () => {
    const is = Schema.is(Rates.Rate)
    assert.isTrue(is(Rates.peg("USD", 0)))
    for (const wrong of [0n, -1n]) {
      assert.isFalse(is(rate("USD", wrong, 1n)))
      assert.isFalse(is(rate("USD", 1n, wrong)))
    }
  })
})

describe("Rates.requireFresh", () => {
  const observed: Rates.Rate = { ...Rates.peg("USD", 0), observedAt: 10_000 }

  it("passes a rate up to the age allowed, on either side of now", () => {
    for (const now of [10_000, 10_001, 10_500, 9_999, 9_500]) {
      assert.strictEqual(value(Rates.requireFresh(observed, now, 500)), observed)
    }
    assert.strictEqual(value(Rates.requireFresh(observed, 10_000, 0)), observed)
  })

  it("refuses one that is older, or from the future", () => {
    const error = refusal(Rates.requireFresh(observed, 10_501, 500))
    assert.strictEqual(error._tag, "StaleRate")
    assert.strictEqual(error.message, "the USD rate is 501 ms old, and 500 ms is the most allowed")
    assert.isTrue(Result.isFailure(Rates.requireFresh(observed, 9_499, 500)))
    assert.isTrue(Result.isFailure(Rates.requireFresh(observed, 10_001, 0)))
    assert.isTrue(Result.isFailure(Rates.requireFresh(observed, 9_999, 0)))
  })
})

describe("Rates.convert", () => {
  it("counts minor units in the token's smallest unit", () => {
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

  it("refuses what no token can hold, and amounts below 0", () => {
    const one = rate("USD", 1n, 1n)
    const most = (2n ** 256n - 1n) / 10_000n
    assert.strictEqual(value(Rates.convert(most, one, six, "up")), most * 10_000n)
    assert.strictEqual(refusal(Rates.convert(most + 1n, one, six, "up"))._tag, "InvalidQuantity")
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
    "M21: rounds prices up: never below what was asked, and by less than one unit",
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
