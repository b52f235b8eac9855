import { assert, describe, it } from "@effect/vitest"
import { encode } from "uqr"
import * as QrPath from "../../src/checkout/QrPath.ts"

describe("QrPath", () => {
  it("draws exactly the dark modules of the QR code", () => {
    const text = "https://pay.florin.example/?pid=pay_01JC8QZJ3V7T"
    const { path, size } = QrPath.of(text)
    const { data } = encode(text, { ecc: "M", border: 4 })
    const drawn = data.map((row) => row.map(() => false))
    for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/gu)) {
      drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(length))
    }
    assert.strictEqual(size, data.length)
    assert.deepStrictEqual(drawn, data)
  })
})
