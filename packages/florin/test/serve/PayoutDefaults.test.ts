import { assert, describe, it } from "@effect/vitest"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { Result } from "effect"
import * as PayoutDefaults from "../../src/serve/PayoutDefaults.ts"

const textsOf = (payouts: PayoutPolicy.ByMode) => ({
  live: PayoutPolicy.format(payouts.live),
  test: PayoutPolicy.format(payouts.test),
})

describe("PayoutDefaults", () => {
  it("are the settings of each mode, or the defaults", () => {
    const policy = Result.getOrThrow(PayoutPolicy.parse("60m/500"))
    const { local, make, usual } = PayoutDefaults
    const unset = { payouts: null, testPayouts: null }
    assert.deepStrictEqual(make(unset, usual), PayoutPolicy.defaults)
    assert.deepStrictEqual(make(unset, local), local.payouts)
    assert.deepStrictEqual(textsOf(make({ ...unset, payouts: policy }, local)), {
      live: "60m/500",
      test: "immediate",
    })
    assert.deepStrictEqual(textsOf(make({ ...unset, testPayouts: policy }, usual)), {
      live: "15m",
      test: "60m/500",
    })
  })
})
