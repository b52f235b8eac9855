import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Offers from "@florin/core/engine/payment/Offers"
import { Chains } from "@florin/core/ports/Chain"
import { type FixedRate, RateSource, RateUnavailable } from "@florin/core/ports/RateSource"
import * as Service from "@florin/testing/Service"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer } from "effect"
import * as Scene from "./scene.ts"

const base = Eip155.chainId(8453)

const part = (currency: Amount.Currency, minor: bigint): Amount.OfCurrency => ({
  currency,
  quantity: Money.Quantity.make(minor),
})

const feeTerms = (...fixed: Fees.FeeTerms["fixed"]): Fees.FeeTerms => ({ ...Fees.none, fixed })

/** Pegs and a table, as `florin serve` has them. */
const ratesOf = (...table: ReadonlyArray<FixedRate>) =>
  RateSource.layerFirst([RateSource.layerPegs, RateSource.layerFixed(table)])

/** 1 EUR buys 1.25 USDC. */
const euroInUsdc: FixedRate = { currency: "EUR", symbol: "USDC", numerator: 5n, denominator: 4n }

/** The same source, which gives no rate for now that a pair is named for. */
const lacking = (...pairs: ReadonlyArray<string>) =>
  Layer.effect(
    RateSource,
    Effect.map(RateSource, (source) =>
      RateSource.of({
        ...source,
        rate: (currency, asset) =>
          pairs.includes(`${currency}.${asset.symbol}`)
            ? Effect.fail(new RateUnavailable({ message: "stale" }))
            : source.rate(currency, asset),
      }),
    ),
  )

/** What a payer on Base is offered for a payment: of each token the price and the fixed fee, or why it was refused. */
const offered = Effect.fnUntraced(function* (
  { partner, pay }: Scene.Begun,
  terms: Fees.FeeTerms,
  unit: string,
  value = "1000",
) {
  const created = yield* Effect.result(
    pay({
      partner: { ...partner, feeTerms: terms },
      request: { ...Scene.request, amount: { unit, value } },
    }),
  )
  if (created._tag === "Failure") return created.failure.message
  const { payment } = created.success
  const account = Wallet.make(1).account(base)
  const options = yield* Offers.offer(
    payment,
    [{ account, accountText: Eip155.formatAccount(account) }],
    undefined,
    undefined,
    Scene.now,
  )
  const { catalog } = (yield* Chains).of(payment.mode)
  return Object.fromEntries(
    options.map(({ option }) => [
      catalog.find(option.token)?.symbol,
      [option.quantity, option.fixedFee],
    ]),
  )
})

const on =
  <E>(rates: Layer.Layer<RateSource, E>) =>
  <A, F, R>(body: Effect.Effect<A, F, R>) =>
    body.pipe(Effect.provide(Layer.merge(Service.layer({ chain: { unseenBalance: 1000 } }), rates)))

/** A token on Base, as a payment asks for it. */
const unitOf = Effect.fnUntraced(function* (symbol: string) {
  const { catalog } = (yield* Chains).of("test")
  const asset = Catalog.servedOn(catalog, base).find((each) => each.symbol === symbol)
  return asset === undefined ? assert.fail(symbol) : `caip19/${Eip155.formatToken(asset.token)}`
})

describe("a fixed fee", () => {
  it.effect(
    "is converted through a token that both currencies have a rate of, so that no token is left out",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.begin
        const usd = feeTerms(part("USD", 10n))
        // 10 EUR are 12.50 USDC; 0.10 USD are 0.08 EUR.
        const both = { USDC: [12_500_000n, 100_000n], EURC: [10_000_000n, 80_000n] }
        assert.deepStrictEqual(yield* offered(scene, usd, "iso4217/EUR"), both)
        assert.deepStrictEqual(yield* offered(scene, usd, yield* unitOf("EURC"), "5000000"), {
          EURC: [5_000_000n, 80_000n],
        })
      }).pipe(on(ratesOf(euroInUsdc))),
  )

  it.effect(
    "is the amount agreed in the payment's currency, else in the token's, whatever the rates",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.begin
        const both = feeTerms(part("USD", 10n), part("EUR", 9n))
        assert.deepStrictEqual(yield* offered(scene, both, "iso4217/EUR"), {
          USDC: [12_500_000n, 112_500n],
          EURC: [10_000_000n, 90_000n],
        })
        assert.deepStrictEqual(yield* offered(scene, both, yield* unitOf("EURC"), "5000000"), {
          EURC: [5_000_000n, 90_000n],
        })
        assert.deepStrictEqual(yield* offered(scene, both, "iso4217/USD"), {
          USDC: [10_000_000n, 100_000n],
        })
      }).pipe(on(ratesOf(euroInUsdc))),
  )

  it.effect("needs no rate if it is agreed in the payment's currency", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.begin
      const both = feeTerms(part("USD", 10n), part("EUR", 9n))
      assert.deepStrictEqual(yield* offered(scene, both, "iso4217/EUR"), {
        EURC: [10_000_000n, 90_000n],
      })
    }).pipe(on(RateSource.layerPegs)),
  )

  it.effect("converts one to one into a token of its currency whose rate is not available", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.begin
      const unit = yield* unitOf("USDC")
      assert.deepStrictEqual(yield* offered(scene, feeTerms(part("USD", 10n)), unit, "5000000"), {
        USDC: [5_000_000n, 100_000n],
      })
    }).pipe(on(Layer.provide(lacking("USD.USDC"), RateSource.layerPegs))),
  )

  it.effect("leaves a token out while the rate that it needs is not available", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.begin
      assert.deepStrictEqual(yield* offered(scene, feeTerms(part("USD", 10n)), "iso4217/EUR"), {})
      assert.deepStrictEqual(yield* offered(scene, feeTerms(part("USD", 0n)), "iso4217/EUR"), {
        EURC: [10_000_000n, 0n],
      })
    }).pipe(on(Layer.provide(lacking("EUR.USDC"), ratesOf(euroInUsdc)))),
  )

  it.effect("refuses the payment, and names the missing rate, if no rate is configured", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.begin
      assert.include(
        yield* offered(scene, feeTerms(part("USD", 10n)), "iso4217/EUR"),
        "no rate from USD to EUR is configured",
      )
    }).pipe(on(RateSource.layerPegs)),
  )
})
