import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const max = 2n ** 256n - 1n

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)
const quantity = (of: bigint): Money.Quantity => value(Money.fromBigInt(of))

const runs = Counts.of({ usual: 500, full: 100_000 })

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

const edges = [
  0n,
  1n,
  2n,
  9n,
  10n,
  999_999n,
  1_000_000n,
  1_000_001n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 64n,
  10n ** 18n - 1n,
  10n ** 18n,
  10n ** 18n + 1n,
  10n ** 25n,
  2n ** 255n,
  max - 1n,
  max,
]

describe("Money.fromBigInt", () => {
  it("accepts 0 … 2^256 − 1 and refuses one below and one above", () => {
    assert.strictEqual(Limits.maxQuantity, max)
    assert.strictEqual(Limits.maxQuantityDigits, max.toString().length)
    for (const each of edges) assert.strictEqual(value(Money.fromBigInt(each)), each)
    for (const each of [-max, -1n, max + 1n, 10n ** 78n]) {
      const error = refusal(Money.fromBigInt(each))
      assert.strictEqual(error._tag, "Malformed")
      assert.strictEqual(error.message, "the amount is outside 0 … 2^256 − 1")
    }
  })

  it("accepts the same values as the schema", () => {
    const is = Schema.is(Money.Quantity)
    for (const each of edges) assert.isTrue(is(each))
    for (const each of [-1n, max + 1n, 1, "1", null]) assert.isFalse(is(each))
    assert.strictEqual(Money.zero, 0n)
  })
})

describe("Money.parse", () => {
  it("reads plain digits", () => {
    for (const each of edges) {
      assert.strictEqual(value(Money.parse(each.toString())), each)
      assert.strictEqual(Money.format(quantity(each)), each.toString())
    }
    assert.strictEqual(value(Money.parse("9007199254740993")), 9007199254740993n)
  })

  const malformed = "an amount is 1 to 78 decimal digits without sign, leading zero or exponent"
  const outside = "the amount is outside 0 … 2^256 − 1"

  it("M20: accepts 78 digits up to 2^256 − 1, and refuses 2^256 and all above as out of range", () => {
    assert.strictEqual(value(Money.parse(`1${"0".repeat(77)}`)), 10n ** 77n)
    assert.strictEqual(value(Money.parse(max.toString())), max)
    for (const text of [
      (max + 1n).toString(),
      (max + 2n).toString(),
      "2" + "0".repeat(77),
      "9".repeat(78),
    ]) {
      assert.strictEqual(text.length, 78)
      assert.strictEqual(refusal(Money.parse(text)).message, outside)
    }
  })

  it.prop(
    "reads back what format prints",
    [quantities],
    ([each]) => {
      assert.strictEqual(value(Money.parse(Money.format(each))), each)
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "M20: reads hostile text as exactly its number, or refuses it by the rule that it breaks",
    [HostileText.near(["0", "12340", "9".repeat(77), max.toString()])],
    ([text]) => {
      const parsed = Money.parse(text)
      if (Result.isSuccess(parsed)) return assert.strictEqual(parsed.success.toString(), text)
      const isNumber = /^(?:0|[1-9][0-9]{0,77})$/u.test(text)
      assert.strictEqual(parsed.failure.message, isNumber ? outside : malformed)
      if (isNumber) assert.isTrue(BigInt(text) > max)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("Money arithmetic", () => {
  it("compares exactly at any pair of edge values", () => {
    for (const left of edges.map(quantity)) {
      for (const right of edges.map(quantity)) {
        assert.strictEqual(Money.min(left, right), left <= right ? left : right)
        assert.strictEqual(Money.clamp(left, right), left <= right ? left : right)
      }
    }
  })

  it.prop(
    "takes the smaller of any pair of quantities",
    [quantities, quantities],
    ([left, right]) => {
      const smaller = Money.min(left, right)
      assert.isTrue(smaller <= left && smaller <= right)
      assert.isTrue(smaller === left || smaller === right)
    },
    { arbitrary: { runs } },
  )

  it("clamps between 0 and the limit", () => {
    const cases = [
      [-max, 5n, 0n],
      [-1n, 5n, 0n],
      [0n, 5n, 0n],
      [1n, 5n, 1n],
      [4n, 5n, 4n],
      [5n, 5n, 5n],
      [6n, 5n, 5n],
      [max * max, max, max],
      [7n, 0n, 0n],
    ] as const
    for (const [given, limit, clamped] of cases) {
      assert.strictEqual(Money.clamp(given, quantity(limit)), clamped)
    }
  })
})

describe("Money.mulDiv", () => {
  it("rounds down, up and half up", () => {
    const cases = [
      // quantity, numerator, denominator, down, up, half up
      [0n, 1n, 3n, 0n, 0n, 0n],
      [1n, 1n, 3n, 0n, 1n, 0n],
      [2n, 1n, 3n, 0n, 1n, 1n],
      [3n, 1n, 3n, 1n, 1n, 1n],
      [4n, 1n, 3n, 1n, 2n, 1n],
      [1n, 1n, 2n, 0n, 1n, 1n],
      [3n, 1n, 2n, 1n, 2n, 2n],
      [5n, 1n, 10n, 0n, 1n, 1n],
      [4n, 1n, 10n, 0n, 1n, 0n],
      [49_999_999n, 1n, 100_000_000n, 0n, 1n, 0n],
      [50_000_000n, 1n, 100_000_000n, 0n, 1n, 1n],
      [7n, 3n, 1n, 21n, 21n, 21n],
      [max, max, max, max, max, max],
      [max, 1n, 2n, 2n ** 255n - 1n, 2n ** 255n, 2n ** 255n],
    ] as const
    for (const [of, numerator, denominator, down, up, halfUp] of cases) {
      assert.strictEqual(value(Money.mulDiv(of, numerator, denominator, "down")), down)
      assert.strictEqual(value(Money.mulDiv(of, numerator, denominator, "up")), up)
      assert.strictEqual(value(Money.mulDiv(of, numerator, denominator, "halfUp")), halfUp)
      assert.strictEqual(Money.divide(of * numerator, denominator, "down"), down)
      assert.strictEqual(Money.divide(of * numerator, denominator, "up"), up)
      assert.strictEqual(Money.divide(of * numerator, denominator, "halfUp"), halfUp)
    }
  })

  it("refuses factors below 0, a denominator of 0, and a result above 2^256 − 1", () => {
    const cases = [
      [-1n, 1n, 1n],
      [1n, -1n, 1n],
      [-1n, -1n, 1n],
      [1n, 1n, 0n],
      [1n, 1n, -1n],
      [0n, 0n, 0n],
    ] as const
    for (const [of, numerator, denominator] of cases) {
      const error = refusal(Money.mulDiv(of, numerator, denominator, "down"))
      assert.strictEqual(error.message, "a factor is outside 0 … 2^256 − 1")
    }
    assert.strictEqual(value(Money.mulDiv(0n, 0n, 1n, "up")), 0n)
    assert.strictEqual(
      refusal(Money.mulDiv(max, 2n, 1n, "down")).message,
      "the amount is outside 0 … 2^256 − 1",
    )
    // One half above the largest: only rounding up leaves the range.
    assert.strictEqual(value(Money.mulDiv(2n * max + 1n, 1n, 2n, "down")), max)
    assert.isTrue(Result.isFailure(Money.mulDiv(2n * max + 1n, 1n, 2n, "up")))
    assert.isTrue(Result.isFailure(Money.mulDiv(2n * max + 1n, 1n, 2n, "halfUp")))
  })

  it.prop(
    "is off by less than one unit, in the direction of its rounding",
    [quantities, quantities, quantities],
    ([of, numerator, other]) => {
      const denominator = other + 1n
      const exact = of * numerator
      const down = Money.divide(exact, denominator, "down")
      const up = Money.divide(exact, denominator, "up")
      const halfUp = Money.divide(exact, denominator, "halfUp")
      assert.isTrue(down * denominator <= exact && exact < (down + 1n) * denominator)
      assert.isTrue((up - 1n) * denominator < exact && exact <= up * denominator)
      const twice = 2n * exact
      assert.isTrue((2n * halfUp - 1n) * denominator <= twice)
      assert.isTrue(twice < (2n * halfUp + 1n) * denominator)
    },
    { arbitrary: { runs } },
  )
})

describe("Money.toDecimal", () => {
  it("prints standard units without trailing zeros", () => {
    const cases = [
      [0n, 6, "0"],
      [1n, 6, "0.000001"],
      [10n, 6, "0.00001"],
      [999_999n, 6, "0.999999"],
      [1_000_000n, 6, "1"],
      [1_250_000n, 6, "1.25"],
      [10_000_000n, 6, "10"],
      [1n, 18, "0.000000000000000001"],
      [10n ** 18n, 18, "1"],
      [1234n, 2, "12.34"],
      [1230n, 2, "12.3"],
      [1200n, 2, "12"],
      [0n, 0, "0"],
      [100n, 0, "100"],
      [max, 0, max.toString()],
    ] as const
    for (const [of, decimals, text] of cases) {
      assert.strictEqual(Money.toDecimal(quantity(of), decimals), text)
    }
  })

  it.prop(
    "prints every unit",
    [quantities, Schema.Literals([0, 2, 6, 18])],
    ([of, decimals]) => {
      const text = Money.toDecimal(of, decimals)
      assert.match(text, /^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/u)
      const [whole = "", fraction = ""] = text.split(".")
      assert.strictEqual(BigInt(whole + fraction.padEnd(decimals, "0")), of)
    },
    { arbitrary: { runs } },
  )
})
