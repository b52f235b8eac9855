import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Fees from "@florin/core/domain/money/Fees"
import type * as Rates from "@florin/core/domain/money/Rates"
import * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import { Result } from "effect"
import * as Samples from "../samples.ts"

const { catalog, now, nowInS, request, terms } = Samples

const issuesOf = (overrides: Partial<PaymentRequest.Request>) =>
  Result.match(PaymentRequest.create({ ...request, ...overrides }, terms, catalog), {
    onFailure: (error) => error.issues.map((issue) => issue.field),
    onSuccess: () => [],
  })

describe("PaymentRequest.create", () => {
  it("creates a payment that requires action, and is due to expire", () => {
    const change = Result.getOrThrow(PaymentRequest.create(request, terms, catalog))
    assert.deepStrictEqual(change, {
      payment: {
        id: terms.id,
        partnerId: terms.partnerId,
        merchantId: terms.merchantId,
        mode: "live",
        referenceId: "order-1",
        amount: { unit: Amount.fiat("USD"), quantity: Samples.quantity(1000n) },
        feeTerms: terms.feeTerms,
        checkout: null,
        metadata: {},
        createdAt: now,
        updatedAt: now,
        expiresAt: nowInS + Limits.paymentLifeDefaultInS,
        revision: 1,
        stateVersion: 0,
        state: { _tag: "RequiresAction" },
        reports: [],
      },
      event: "payment.created",
      ledger: [],
      claims: [],
      due: { expire: (nowInS + Limits.paymentLifeDefaultInS) * 1000 },
    })
  })

  it("keeps the reference as it was sent", () => {
    for (const referenceId of ["x", " a b ", "ä/😀", "x".repeat(Limits.referenceIdMaxLength)]) {
      const change = Result.getOrThrow(
        PaymentRequest.create({ ...request, referenceId }, terms, catalog),
      )
      assert.strictEqual(change.payment.referenceId, referenceId)
    }
  })

  it("refuses a reference that is empty, too long or not printable", () => {
    for (const referenceId of ["", "x".repeat(Limits.referenceIdMaxLength + 1), "a\nb", "a\0"]) {
      assert.deepStrictEqual(issuesOf({ referenceId }), ["referenceId"])
    }
  })

  it("refuses an amount of zero, and names the wrong field", () => {
    const unit = "iso4217/USD"
    assert.deepStrictEqual(issuesOf({ amount: { unit, value: "0" } }), ["amount.value"])
    assert.deepStrictEqual(issuesOf({ amount: { unit, value: "1.5" } }), ["amount.value"])
    assert.deepStrictEqual(issuesOf({ amount: { unit: "USD", value: "1" } }), ["amount.unit"])
    assert.deepStrictEqual(issuesOf({ amount: { unit, value: "1" } }), [])
  })

  it("accepts any fiat amount that fits into a token, one for one", () => {
    const largest = Limits.maxQuantity / 10n ** 16n
    const issues = (value: bigint, unit = "iso4217/USD") =>
      issuesOf({ amount: { unit, value: value.toString() } })
    assert.deepStrictEqual(issues(largest), [])
    assert.deepStrictEqual(issues(largest + 1n), ["amount.value"])
    assert.deepStrictEqual(issues(largest + 1n, "iso4217/JPY"), ["amount.value"])
    const usdcOnBase = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    assert.deepStrictEqual(issues(Limits.maxQuantity, usdcOnBase), [])
    // A token may have fewer decimals than the currency; then it is the quantity itself that must fit.
    const coarse = Catalog.make({
      ...catalog,
      assets: [{ ...Samples.assetOf("USDC", 8453), decimals: 0 }],
    })
    const amount = { unit: "iso4217/USD", value: Limits.maxQuantity.toString() }
    assert.isTrue(Result.isSuccess(PaymentRequest.read({ ...request, amount }, coarse, terms)))
  })

  it("accepts an expiry in the future, at most a week away", () => {
    const end = (expiresAt: number) => issuesOf({ expiresAt })
    assert.deepStrictEqual(end(nowInS), ["expiresAt"])
    assert.deepStrictEqual(end(nowInS + 1), [])
    assert.deepStrictEqual(end(nowInS + 1.5), ["expiresAt"])
    assert.deepStrictEqual(end(nowInS + Limits.paymentLifeMaxInS), [])
    assert.deepStrictEqual(end(nowInS + Limits.paymentLifeMaxInS + 1), ["expiresAt"])
    assert.deepStrictEqual(end(Number.NaN), ["expiresAt"])
  })

  it("accepts https addresses for the checkout, and keeps them", () => {
    const checkout = { successUrl: "https://shop.example/ok", errorUrl: "https://shop.example/no" }
    assert.deepStrictEqual(
      Result.getOrThrow(PaymentRequest.create({ ...request, checkout }, terms, catalog)).payment
        .checkout,
      checkout,
    )
    assert.deepStrictEqual(
      issuesOf({ checkout: { ...checkout, successUrl: "http://shop.example/ok" } }),
      ["checkout.successUrl"],
    )
    assert.deepStrictEqual(issuesOf({ checkout: { successUrl: "", errorUrl: "javascript:1" } }), [
      "checkout.successUrl",
      "checkout.errorUrl",
    ])
  })

  it("accepts http addresses on this machine, for test payments only", () => {
    const at = (mode: Mode.Mode, url: string) =>
      Result.isSuccess(
        PaymentRequest.create(
          { ...request, checkout: { successUrl: url, errorUrl: url } },
          { ...terms, mode },
          catalog,
        ),
      )
    for (const url of ["http://localhost:3000/thanks", "http://127.0.0.1/", "http://[::1]:80/"]) {
      assert.isTrue(at("test", url), url)
      assert.isFalse(at("live", url), url)
    }
    for (const url of ["http://shop.example/", "http://localhost.example/", "http://10.0.0.1/"]) {
      assert.isFalse(at("test", url), url)
    }
  })

  it("keeps the description and the line items, if there are any", () => {
    const paymentOf = (overrides: Partial<PaymentRequest.Request>) =>
      Result.getOrThrow(PaymentRequest.create({ ...request, ...overrides }, terms, catalog)).payment
    const description = "Two bags of <b>coffee</b>"
    const { payment } = Result.getOrThrow(
      PaymentRequest.create(
        { ...request, description, lineItems: [{ name: "Coffee", quantity: 2 }] },
        terms,
        catalog,
      ),
    )
    assert.strictEqual(payment.description, description)
    assert.deepStrictEqual(payment.lineItems, [{ name: "Coffee", quantity: 2 }])
    for (const without of [{}, { lineItems: [] }]) {
      assert.notProperty(paymentOf(without), "description")
      assert.notProperty(paymentOf(without), "lineItems")
    }
  })

  it("refuses a description that is empty, too long or not printable", () => {
    assert.deepStrictEqual(issuesOf({ description: "😀".repeat(500) }), [])
    for (const description of ["", " ", "x".repeat(501), "a\nb", "a\0", "a\u202eb", "\ud800"]) {
      assert.deepStrictEqual(issuesOf({ description }), ["description"])
    }
  })

  it("reports everything that is wrong, in one error", () => {
    assert.deepStrictEqual(
      issuesOf({
        referenceId: "",
        amount: { unit: "x", value: "x" },
        expiresAt: 0,
        description: "",
        lineItems: [{ name: "", amount: { unit: "iso4217/EUR", value: "1" } }],
      }),
      ["referenceId", "amount.unit", "expiresAt", "description", "lineItems[0].name"],
    )
  })
})

describe("PaymentRequest.checkPayable", () => {
  const assetOf = (symbol: string) =>
    catalog.assets.find((each) => each.symbol === symbol) ?? assert.fail(`no ${symbol}`)
  const [usdc, eurc] = [assetOf("USDC"), assetOf("EURC")]
  const atPar: Rates.Means["couldPrice"] = (currency, { peg }) => peg === currency
  const fee = (currency: Amount.Currency, minor: bigint): Fees.FeeTerms => ({
    ...terms.feeTerms,
    fixed: [{ currency, quantity: Samples.quantity(minor) }],
  })
  const why = (
    unit: Amount.Unit,
    means: Partial<Rates.Means> = {},
    feeTerms = fee("USD", 0n),
  ): string | null =>
    Result.match(
      PaymentRequest.checkPayable({ unit, quantity: Samples.quantity(1n) }, feeTerms, {
        assets: [usdc, eurc],
        couldPrice: atPar,
        ...means,
      }),
      {
        onFailure: ({ issues }) => issues.map(({ field, message }) => `${field} ${message}`).join(),
        onSuccess: () => null,
      },
    )

  it("accepts a currency that some token can be priced in, and a token whose network has a node", () => {
    assert.isNull(why(Amount.fiat("USD")))
    assert.isNull(why(Amount.fiat("EUR")))
    assert.isNull(why(Amount.token(usdc.token)))
  })

  it("refuses a currency that has no rate source, and names it", () => {
    assert.strictEqual(
      why(Amount.fiat("GBP")),
      "amount.unit no rate from GBP to USD or EUR is configured, so no token can pay this: ask the operator to add one, or use another currency",
    )
    assert.isNull(why(Amount.fiat("GBP"), { couldPrice: () => true }))
  })

  it("refuses a token whose network has no node, and every payment if no network has one", () => {
    assert.include(why(Amount.token(usdc.token), { assets: [eurc] }), "network is not configured")
    for (const unit of [Amount.fiat("USD"), Amount.token(usdc.token)]) {
      assert.include(why(unit, { assets: [] }), "no network is configured")
    }
  })

  it("names tokens by their symbols if only those are known", () => {
    const pegless = { ...usdc, peg: null, symbol: "GEM" }
    const never = { assets: [usdc, pegless], couldPrice: () => false }
    assert.include(why(Amount.fiat("USD"), never), "no rate from USD to USDC or GEM is configured")
    const many = Array.from({ length: 9 }, (_, index) => ({ ...pegless, symbol: `GEM${index}` }))
    assert.include(
      why(Amount.fiat("USD"), { ...never, assets: many }),
      "to GEM0 or GEM1 or GEM2 or GEM3 or GEM4 is",
    )
    assert.include(
      why(Amount.token(usdc.token), { assets: [pegless] }, fee("EUR", 10n)),
      "no rate from EUR to GEM is configured: ask the operator to add one",
    )
  })

  it("refuses a payment if its fixed fee cannot be converted into any token that pays it, and names the rate", () => {
    assert.isNull(why(Amount.fiat("EUR"), {}, fee("EUR", 10n)))
    assert.strictEqual(
      why(Amount.fiat("EUR"), {}, fee("USD", 10n)),
      "amount.unit the fixed fee is in USD, and no rate from USD to EUR is configured: ask the operator to add one, or to state the fixed fee in EUR, too",
    )
    assert.isNull(why(Amount.fiat("EUR"), { couldPrice: () => true }, fee("USD", 10n)))
    assert.include(why(Amount.token(eurc.token), {}, fee("USD", 10n)), "in EUR, too")
  })

  it("accepts a payment whose fixed fee is in its own currency, or zero", () => {
    const both: Fees.FeeTerms = {
      ...terms.feeTerms,
      fixed: [...fee("USD", 10n).fixed, ...fee("EUR", 9n).fixed],
    }
    assert.isNull(why(Amount.fiat("EUR"), {}, both))
    assert.isNull(why(Amount.token(eurc.token), {}, both))
    assert.isNull(why(Amount.fiat("EUR"), {}, fee("USD", 0n)))
  })
})
