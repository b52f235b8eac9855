import { assert, describe, it } from "@effect/vitest"
import * as Curl from "../src/partner/Curl.ts"

describe("the curl command of a payment", () => {
  it("is one argument for the shell even if the description has a quote", () => {
    const keys = { partnerKey: "flr_test_pk_1", merchantId: "mrch_1" }
    const command = Curl.of("http://localhost:3000", keys, { description: "Bob's beans" })
    assert.include(command, "curl http://localhost:3000/v1/payments")
    assert.include(command, String.raw`'{"description":"Bob'\''s beans"}'`)
  })
})
