import { assert, describe, it } from "@effect/vitest"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const hourInMs = 3_600_000
const lane = Fixtures.lane("spending")

const signed = (signedAt: number, feeMax?: bigint) =>
  Fixtures.laneTransaction(lane, 0, {
    signedAt,
    ...(feeMax !== undefined && { feeMax: Fixtures.quantity(feeMax) }),
  })

describe("Spending.hourOf", () => {
  it("counts hours since the epoch", () => {
    assert.deepStrictEqual(
      [0, 1, hourInMs - 1, hourInMs, 2 * hourInMs - 1, 2 * hourInMs].map(Spending.hourOf),
      [0, 0, 0, 1, 1, 2],
    )
  })
})

describe("Spending.add", () => {
  it("adds up what is signed in one hour, and starts again in the next", () => {
    const hour = 400_000
    const at = hour * hourInMs
    const first = Spending.add(Spending.none, signed(at, 5n))
    assert.deepStrictEqual(first, { hour, quantity: 5n })
    const second = Spending.add(first, signed(at + hourInMs - 1, 7n))
    assert.deepStrictEqual(second, { hour, quantity: 12n })
    const third = Spending.add(second, signed(at + hourInMs, 2n))
    assert.deepStrictEqual(third, { hour: hour + 1, quantity: 2n })
    assert.deepStrictEqual(Spending.add(third, signed(at + 9 * hourInMs, 3n)), {
      hour: hour + 9,
      quantity: 3n,
    })
  })

  it("counts a transaction that was signed before the hour changed in the current hour", () => {
    const hour = 400_000
    const before = { hour, quantity: 5n }
    const late = signed(hour * hourInMs - 1, 7n)
    assert.deepStrictEqual(Spending.add(before, late), { hour, quantity: 12n })
    const first = signed(hour * hourInMs - 9, 4n)
    assert.deepStrictEqual(Spending.place(before, late, first), { hour, quantity: 8n })
  })

  it("ignores a transaction whose gas costs nothing", () => {
    assert.deepStrictEqual(Spending.add(Spending.none, signed(hourInMs)), {
      hour: 1,
      quantity: 0n,
    })
    const before = { hour: 1, quantity: 5n }
    assert.deepStrictEqual(Spending.add(before, signed(hourInMs + 1)), before)
  })

  it.prop(
    "is the sum of the fees of the latest hour",
    [
      Arbitrary.array(
        Arbitrary.schema(
          Schema.Struct({
            minutesLater: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90 })),
            feeMax: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))),
          }),
        ),
        { minLength: 1, maxLength: 20 },
      ),
    ],
    ([steps]) => {
      let at = Fixtures.now
      const all = steps.map(({ feeMax, minutesLater }) => {
        at += minutesLater * 60_000
        return signed(at, feeMax === null ? undefined : BigInt(feeMax))
      })
      const hour = Math.floor(at / hourInMs)
      const quantity = all
        .filter(({ signedAt }) => signedAt >= hour * hourInMs)
        .reduce((sum, { feeMax = 0n }) => sum + feeMax, 0n)
      assert.deepStrictEqual(all.reduce(Spending.add, Spending.none), { hour, quantity })
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 100_000 }) } },
  )
})

describe("Spending.place", () => {
  const hour = 400_000
  const at = hour * hourInMs
  const before = { hour, quantity: 10n }

  it("adds the extra cost of a new version, whenever the last version was signed", () => {
    const last = signed(at - 5 * hourInMs, 4n)
    assert.deepStrictEqual(Spending.place(before, signed(at, 7n), last), {
      hour,
      quantity: 13n,
    })
    assert.deepStrictEqual(Spending.place(before, signed(at + hourInMs, 7n), last), {
      hour: hour + 1,
      quantity: 3n,
    })
  })

  it("subtracts nothing for a cheaper version, because any version may be mined", () => {
    for (const next of [signed(at, 3n), signed(at, 4n), signed(at)]) {
      assert.deepStrictEqual(Spending.place(before, next, signed(at, 4n)), before)
    }
  })

  it("adds the whole cost if there was no earlier version, or if its gas cost nothing", () => {
    const all = { hour, quantity: 17n }
    assert.deepStrictEqual(Spending.place(before, signed(at, 7n), null), all)
    assert.deepStrictEqual(Spending.place(before, signed(at, 7n), signed(at)), all)
  })
})

describe("Spending.inHourOf", () => {
  const hour = 400_000
  const spent = { hour, quantity: 5n, byCode: 2n }

  it("is what was spent in that hour, and nothing in a later one", () => {
    assert.strictEqual(Spending.inHourOf(spent, hour * hourInMs), spent)
    assert.strictEqual(Spending.inHourOf(spent, (hour + 1) * hourInMs - 1), spent)
    assert.deepStrictEqual(Spending.inHourOf(spent, (hour + 1) * hourInMs), {
      hour: hour + 1,
      quantity: 0n,
    })
  })

  it("does not reset for a clock that runs behind", () => {
    assert.strictEqual(Spending.inHourOf(spent, (hour - 1) * hourInMs), spent)
  })
})

describe("Spending.hasRoom", () => {
  const now = 400_000 * hourInMs
  const room = (spending: Spending.Spending, feeMax: bigint, byCode = false) =>
    Spending.hasRoom(100n, spending, { feeMax, ...(byCode && { byCode: true }) }, now)

  it("allows spending up to exactly the limit of an hour", () => {
    assert.isTrue(room(Spending.none, 100n))
    assert.isFalse(room(Spending.none, 101n))
    const spent = { hour: Spending.hourOf(now), quantity: 60n }
    assert.isTrue(room(spent, 40n))
    assert.isFalse(room(spent, 41n))
    assert.isTrue(room({ ...spent, hour: spent.hour - 1 }, 100n), "an hour later")
  })

  it("S1: allows accounts with code a quarter of it, so that they cannot use up the others' part", () => {
    assert.isTrue(room(Spending.none, 25n, true))
    assert.isFalse(room(Spending.none, 26n, true))
    const spent = { hour: Spending.hourOf(now), quantity: 25n, byCode: 25n }
    assert.isFalse(room(spent, 1n, true))
    assert.isTrue(room(spent, 75n))
    assert.isFalse(room({ ...spent, quantity: 90n, byCode: 0n }, 20n, true))
  })

  it("S1: counts a raised bid for all accounts, because the whole lane waits for the transaction", () => {
    const byCode = { byCode: true } as const
    const first = { ...signed(now, 10n), ...byCode }
    const spent = Spending.add(Spending.none, first)
    assert.strictEqual(spent.byCode, 10n)
    const bid = Spending.place(spent, { ...signed(now, 30n), ...byCode }, first)
    assert.deepStrictEqual(bid, { hour: Spending.hourOf(now), quantity: 30n, byCode: 10n })
  })

  const fee = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 60n }))
  it.prop(
    "S1: never exceeds the limit of an hour, nor the part of accounts with code",
    [Schema.Array(Schema.Struct({ fee, byCode: Schema.Boolean }))],
    ([costs]) => {
      let spending = Spending.none
      for (const { byCode, fee: feeMax } of costs) {
        if (!room(spending, feeMax, byCode)) continue
        const cost = { ...signed(now, feeMax), ...(byCode && { byCode }) }
        spending = Spending.add(spending, cost)
      }
      assert.isTrue(Spending.isWithin(100n, spending))
      assert.isTrue(spending.quantity <= 100n && (spending.byCode ?? 0n) <= 25n)
    },
    { arbitrary: { runs: Counts.of({ usual: 300, full: 30_000 }) } },
  )
})
