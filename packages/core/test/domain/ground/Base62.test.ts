import { assert, describe, it } from "@effect/vitest"
import * as Base62 from "@florin/core/domain/ground/Base62"
import { Schema } from "effect"

describe("Base62", () => {
  it("writes digits, then upper case, then lower case", () => {
    assert.deepStrictEqual(
      [0, 9, 10, 35, 36, 61, 62, 3843].map((value) => Base62.ofNumber(value, 2)),
      ["00", "09", "0A", "0Z", "0a", "0z", "10", "zz"],
    )
    assert.strictEqual(Base62.ofNumber(3844, 2), "00")
    assert.strictEqual(Base62.ofNumber(1, 0), "")
  })

  it("reads bytes as one number, most significant first", () => {
    assert.strictEqual(Base62.ofBytes(Uint8Array.of(1, 0), 3), Base62.ofNumber(256, 3))
    assert.strictEqual(Base62.ofBytes(new Uint8Array(0), 4), "0000")
    assert.strictEqual(Base62.ofBytes(Uint8Array.of(255, 255, 255), 4), "8OWF")
  })

  const time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 62 ** 8 - 1 }))
  it.prop(
    "sorts as the numbers do",
    [time, time],
    ([left, right]) => Base62.ofNumber(left, 8) < Base62.ofNumber(right, 8) === left < right,
  )
})
