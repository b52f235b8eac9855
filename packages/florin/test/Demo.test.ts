import { assert, describe, it } from "@effect/vitest"
import * as Program from "./program.ts"

// What it shows is what `florin dev --once` does: one run for both.
describe("florin demo", () => {
  it("pays in every way, settles, refunds and reconciles, with exit code 0", async () => {
    const { code, err, out } = await Program.run("demo", "--chains", "8453,56")
    assert.strictEqual(code, 0, out + err)
    assert.deepStrictEqual(
      [...out.matchAll(/^ ?(\d+) {2}(.*)$/gmu)].map(([, , step]) => step),
      [
        "A merchant registers its settlement destination",
        "A payer pays 12.50 USD for order-1042 with one signature",
        "A payer pays 12.50 USD for order-1043 with one transaction and one signature",
        "A payer pays 12.50 USD for order-1044 with one transaction and one signed message",
        "The merchant is paid out, less the fee",
        "The first payment is refunded to the payer, from the operator's float",
        "The ledger is compared with the chains",
      ],
    )
    assert.include(out, "order-1042: 12.35 USDC in 0x")
    assert.include(out, "order-1043: 12.35 USD")
    assert.include(out, "All payments succeeded, and the ledger agrees with the chains.")
    assert.notInclude(out, "\u001b")
  })
})
