import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/money/Amount"
import * as CollectDataPolicy from "@florin/core/ports/CollectDataPolicy"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

const { CollectDataPolicy: Policy } = CollectDataPolicy
const [first, second] = [Fixtures.make("a").merchantId, Fixtures.make("b").merchantId]

const fiat = (currency: Amount.Currency, quantity: bigint): Amount.Amount => ({
  unit: Amount.fiat(currency),
  quantity: Fixtures.quantity(quantity),
})
const inToken = (quantity: bigint): Amount.Amount => ({
  unit: Amount.token(Fixtures.token("a token")),
  quantity: Fixtures.quantity(quantity),
})

const isNeeded = (
  layer: Layer.Layer<CollectDataPolicy.CollectDataPolicy>,
  amount: Amount.Amount,
  merchantId = first,
) =>
  Effect.flatMap(Policy, (policy) =>
    policy.isNeeded({ merchantId, amount, account: Fixtures.account("payer") }),
  ).pipe(Effect.provide(layer))

describe("CollectDataPolicy", () => {
  const amounts = [fiat("USD", 1n), fiat("JPY", 10n ** 30n), inToken(1n)]

  it.effect("collects data never, or always", () =>
    Effect.gen(function* () {
      for (const amount of amounts) {
        assert.isFalse(yield* isNeeded(Policy.layerNever, amount))
        assert.isTrue(yield* isNeeded(Policy.layerAlways, amount))
      }
    }),
  )

  const above = Policy.layerAbove({ USD: 100_000n, JPY: 0n })
  it.effect.each([
    { what: "below the threshold", amount: fiat("USD", 99_999n), expected: false },
    { what: "at the threshold", amount: fiat("USD", 100_000n), expected: true },
    { what: "above the threshold", amount: fiat("USD", 100_001n), expected: true },
    { what: "with a threshold of 0", amount: fiat("JPY", 1n), expected: true },
    { what: "in a currency without a threshold", amount: fiat("EUR", 1n), expected: true },
    { what: "in a token", amount: inToken(1n), expected: true },
  ])(
    "collects data from a threshold on, in any doubt too: $what, $expected",
    ({ amount, expected }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* isNeeded(above, amount), expected)
      }),
  )

  it.effect("collects data for the listed merchants, each time", () =>
    Effect.gen(function* () {
      const listed = Policy.layerForMerchants([second].values())
      for (const amount of amounts) {
        assert.isFalse(yield* isNeeded(listed, amount, first))
        assert.isTrue(yield* isNeeded(listed, amount, second))
      }
      assert.isFalse(yield* isNeeded(Policy.layerForMerchants([]), fiat("USD", 1n), second))
    }),
  )
})
