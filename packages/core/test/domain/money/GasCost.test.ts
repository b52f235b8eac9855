import { assert, describe, it } from "@effect/vitest"
import * as GasCost from "@florin/core/domain/money/GasCost"
import * as Fixtures from "@florin/testing/Fixtures"

const coin = 10n ** 18n

const cost: GasCost.GasCost = {
  coin: "ETH",
  unitsPerCoin: coin,
  ordinary: coin / 10_000n,
  byCode: coin / 5_000n,
  allowance: coin / 50_000n,
}

/** One ETH costs 2,500 USD. */
const usdc: GasCost.Priced = {
  decimals: 6,
  coinRate: { currency: "USD", numerator: 1n, denominator: 2_500n, observedAt: 0 },
}
const unpriced: GasCost.Priced = { decimals: 6, coinRate: undefined }

describe("GasCost.most", () => {
  it("S1: is the larger of the fee and the allowance", () => {
    const allowance = 50_000n
    assert.strictEqual(GasCost.most(cost, usdc, Fixtures.quantity(allowance)), cost.allowance)
    assert.strictEqual(
      GasCost.most(cost, usdc, Fixtures.quantity(allowance + 1n)),
      cost.allowance + coin / 2_500_000_000n,
    )
  })

  it("S1: is the allowance if no source prices the coin", () => {
    assert.strictEqual(GasCost.most(cost, unpriced, Fixtures.quantity(10n ** 12n)), cost.allowance)
  })
})

describe("GasCost.minimum", () => {
  it("S12: is the cost of collecting and paying out in the token, rounded up", () => {
    assert.strictEqual(GasCost.minimum(cost, usdc), 250_000n)
    assert.strictEqual(GasCost.minimum({ ...cost, ordinary: cost.ordinary + 1n }, usdc), 250_001n)
  })

  it("S12: is 0 if no source prices the coin", () => {
    assert.strictEqual(GasCost.minimum(cost, unpriced), 0n)
  })
})

describe("GasCost.worth", () => {
  const rate = { currency: "USD", numerator: 1n, denominator: 2_500n, observedAt: 0 } as const
  const coins = (quantity: bigint): GasCost.Coins => ({ coin: "ETH", unitsPerCoin: coin, quantity })

  it("is in minor units of the rate's currency", () => {
    assert.strictEqual(GasCost.worth(coins(coin), rate), 250_000n)
    assert.strictEqual(GasCost.worth(coins(coin), { ...rate, currency: "JPY" }), 2_500n)
  })

  it("is rounded up: only 0 is worth 0", () => {
    assert.strictEqual(GasCost.worth(coins(0n), rate), 0n)
    assert.strictEqual(GasCost.worth(coins(1n), rate), 1n)
    assert.strictEqual(GasCost.worth(coins(coin / 250_000n), rate), 1n)
    assert.strictEqual(GasCost.worth(coins(coin / 250_000n + 1n), rate), 2n)
  })
})
