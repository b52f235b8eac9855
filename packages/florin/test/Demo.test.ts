import { assert, describe, it } from "@effect/vitest"
import * as Program from "./program.ts"

describe("florin demo", () => {
  it("shows a payment from creation to settlement, and ends with 0", async () => {
    const { code, err, out } = await Program.run("demo", "--chains", "8453")
    assert.strictEqual(code, 0, out + err)
    assert.include(out, "A payer pays 12.50 USD for order-1042 with one signature")
    assert.include(out, "Everything came out as it should, and ledger and chains agree.")
  })
})
