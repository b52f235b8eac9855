import { assert, describe, it } from "@effect/vitest"
import * as ClockDrift from "@florin/core/domain/ground/ClockDrift"
import * as Limits from "@florin/core/domain/ground/Limits"
import { Schema } from "effect"

const minutes20 = 20 * 60_000

describe("ClockDrift", () => {
  it("is how far the service's clock is ahead, and negative if it is behind", () => {
    assert.strictEqual(ClockDrift.measure(1000 + minutes20, 1000, 1005 + minutes20), minutes20)
    assert.strictEqual(ClockDrift.measure(1000 - minutes20, 1000, 1005 - minutes20), 5 - minutes20)
  })

  it("is 0 if the other clock was read between the two readings, however long that took", () => {
    assert.strictEqual(ClockDrift.measure(0, 0, 0), 0)
    assert.strictEqual(ClockDrift.measure(0, 59_000, 60_000), 0)
  })

  const Ms = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
  it.prop(
    "is never more than the real drift, however long the request took",
    {
      there: Ms,
      way: Ms,
      back: Ms,
      off: Schema.Int.check(Schema.isBetween({ minimum: -1_000_000, maximum: 1_000_000 })),
    },
    ({ back, off, there, way }) => {
      const drift = ClockDrift.measure(there - way + off, there, there + back + off)
      assert.isAtMost(Math.abs(drift), Math.abs(off))
      assert.isTrue(drift === 0 || Math.sign(drift) === Math.sign(off))
    },
  )

  it("is too large beyond a second, in either direction", () => {
    const most = Limits.clockDriftMaxInMs
    assert.deepStrictEqual(
      [-most - 1, -most, 0, most, most + 1].map((drift) => ClockDrift.isTooFar(drift)),
      [true, false, false, false, true],
    )
    assert.isFalse(ClockDrift.isTooFar(minutes20, Infinity))
  })

  it("is reported with its size, its direction and what to do", () => {
    assert.match(
      ClockDrift.messageOf(minutes20),
      /1200\.0 s ahead of the storage's: set both by NTP/u,
    )
    assert.match(ClockDrift.messageOf(-1500), /1\.5 s behind the storage's/u)
  })
})
