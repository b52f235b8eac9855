import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Rates from "@florin/core/domain/money/Rates"
import * as OptionRouting from "@florin/core/domain/payment/OptionRouting"
import * as Counts from "@florin/testing/Counts"
import { Result, Schema } from "effect"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { catalog, now, nowInS, quantity } = Samples

const isCurrency = Schema.is(Amount.Currency)

const request = (overrides: Partial<OptionRouting.Request> = {}): OptionRouting.Request => ({
  paymentId: Samples.paymentId,
  amount: { unit: Amount.fiat("USD"), quantity: quantity(1000n) },
  feeTerms: Samples.terms.feeTerms,
  expiresAt: nowInS + 3600,
  nowInS,
  ...overrides,
})

const offer = (
  asset: Asset.Asset,
  overrides: Partial<OptionRouting.Offer> = {},
): OptionRouting.Offer => ({
  asset,
  family: Eip155.family,
  flows: [asset.flow],
  payTo: Samples.collector,
  etaInS: 30,
  minimum: Money.zero,
  price: isCurrency(asset.peg) ? Rates.peg(asset.peg, now) : undefined,
  feePrice: Rates.peg("USD", now),
  ...overrides,
})

const holding = (
  asset: Asset.Asset,
  balance: bigint,
  overrides: Partial<OptionRouting.Holding> = {},
): OptionRouting.Holding => {
  const address = overrides.account?.address ?? Samples.payer
  return {
    account: { chainId: asset.token.chainId, address },
    accountText: `${asset.token.chainId}:${address}`,
    token: asset.token,
    balance: quantity(balance),
    allowance: Money.zero,
    ...overrides,
  }
}

const { usdcOnBase, usdcOnBsc, usdtOnEthereum } = Samples
const eurc = Samples.assetOf("EURC", 8453)
const tenUsd = 10_000_000n
const tenUsdOnBsc = 10n ** 19n

const names = (routed: ReadonlyArray<OptionRouting.Routed>) =>
  routed.map(
    ({ option }) =>
      `${catalog.find(option.token)?.symbol}@${Eip155.numberOf(option.token.chainId)}`,
  )

describe("OptionRouting.price", () => {
  it("rounds a fiat amount up to the token's unit", () => {
    const rate = { currency: "USD", numerator: 1n, denominator: 3n, observedAt: now } as const
    assert.strictEqual(
      OptionRouting.price(request(), offer(usdcOnBase, { price: rate })),
      quantity(3_333_334n),
    )
  })

  it("keeps an amount in a token unchanged, and prices it in that token only", () => {
    const asked = request({
      amount: { unit: Amount.token(usdcOnBase.token), quantity: quantity(7n) },
    })
    assert.strictEqual(OptionRouting.price(asked, offer(usdcOnBase)), quantity(7n))
    assert.isUndefined(OptionRouting.price(asked, offer(eurc)))
  })

  it("is null without a rate, or with a rate of another currency", () => {
    assert.isUndefined(OptionRouting.price(request(), offer(usdcOnBase, { price: undefined })))
    assert.isUndefined(
      OptionRouting.price(request(), offer(usdcOnBase, { price: Rates.peg("EUR", now) })),
    )
  })

  it("is null if the amount does not fit into a token", () => {
    const huge = request({
      amount: { unit: Amount.fiat("USD"), quantity: quantity(Limits.maxQuantity) },
    })
    assert.isUndefined(OptionRouting.price(huge, offer(usdcOnBase)))
  })

  it("is null for an amount that rounds to zero", () => {
    const nothing = request({ amount: { unit: Amount.fiat("USD"), quantity: Money.zero } })
    assert.isUndefined(OptionRouting.price(nothing, offer(usdcOnBase)))
  })
})

describe("OptionRouting.collectingAccount", () => {
  const active = ["1", "2", "3"].map(Samples.address)
  const ids = Array.from({ length: 300 }, (_, index) => PaymentId.PaymentId.make(`pay_${index}`))

  it("is always the same for a payment", () => {
    assert.strictEqual(
      OptionRouting.collectingAccount(Samples.paymentId)(active),
      OptionRouting.collectingAccount(Samples.paymentId)([...active]),
    )
  })

  it("distributes payments over the accounts", () => {
    const counts = active.map(
      (each) => ids.filter((id) => OptionRouting.collectingAccount(id)(active) === each).length,
    )
    for (const count of counts) assert.isAbove(count, 60)
    assert.strictEqual(
      counts.reduce((total, count) => total + count, 0),
      ids.length,
    )
  })

  it("is null if no account is active", () => {
    assert.isUndefined(OptionRouting.collectingAccount(Samples.paymentId)([]))
  })
})

describe("OptionRouting.route", () => {
  it("returns an option for each token that an account can pay with", () => {
    const [routed, ...more] = OptionRouting.route(
      request(),
      [offer(usdcOnBase)],
      [holding(usdcOnBase, tenUsd, { allowance: quantity(5n) })],
    )
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(routed, {
      option: {
        paymentId: Samples.paymentId,
        account: { chainId: usdcOnBase.token.chainId, address: Samples.payer },
        accountText: `eip155:8453:${Samples.payer}`,
        token: usdcOnBase.token,
        flow: "eip3009",
        quantity: quantity(tenUsd),
        fixedFee: quantity(100_000n),
        payTo: Samples.collector,
        issuedAt: nowInS,
        expiresAt: nowInS + Limits.optionLifeMaxInS,
      },
      asset: usdcOnBase,
      balance: quantity(tenUsd),
      stepCount: 1,
      cost: 10n ** 37n,
      isExchanged: false,
      etaInS: 30,
    })
  })

  it("returns options that expire with the payment if that is sooner", () => {
    const [routed] = OptionRouting.route(
      request({ expiresAt: nowInS + 10 }),
      [offer(usdcOnBase)],
      [holding(usdcOnBase, tenUsd)],
    )
    assert.strictEqual(routed?.option.expiresAt, nowInS + 10)
  })

  it("requires the whole amount on the account", () => {
    const route = (balance: bigint) =>
      OptionRouting.route(request(), [offer(usdcOnBase)], [holding(usdcOnBase, balance)]).length
    assert.strictEqual(route(tenUsd - 1n), 0)
    assert.strictEqual(route(tenUsd), 1)
  })

  it("prices each token in its own decimals", () => {
    const route = (balance: bigint) =>
      OptionRouting.route(request(), [offer(usdcOnBsc)], [holding(usdcOnBsc, balance)]).length
    assert.strictEqual(route(tenUsdOnBsc - 1n), 0)
    assert.strictEqual(route(tenUsdOnBsc), 1)
  })

  it("leaves out amounts below the chain's minimum", () => {
    const route = (minimum: bigint) =>
      OptionRouting.route(
        request(),
        [offer(usdcOnBase, { minimum: quantity(minimum) })],
        [holding(usdcOnBase, tenUsd)],
      ).length
    assert.strictEqual(route(tenUsd), 1)
    assert.strictEqual(route(tenUsd + 1n), 0)
  })

  it("leaves out tokens whose price or fee has no rate", () => {
    const route = (overrides: Partial<OptionRouting.Offer>) =>
      OptionRouting.route(request(), [offer(usdcOnBase, overrides)], [holding(usdcOnBase, tenUsd)])
        .length
    assert.strictEqual(route({ price: undefined }), 0)
    assert.strictEqual(route({ feePrice: undefined }), 0)
    assert.strictEqual(route({ feePrice: Rates.peg("EUR", now) }), 0)
  })

  it("needs no fee rate without a fixed fee", () => {
    const [routed] = OptionRouting.route(
      request({ feeTerms: Fees.none }),
      [offer(usdcOnBase, { feePrice: undefined })],
      [holding(usdcOnBase, tenUsd)],
    )
    assert.strictEqual(routed?.option.fixedFee, Money.zero)
  })

  it("leaves out tokens that are not offered, and accounts on another chain", () => {
    assert.deepStrictEqual(
      OptionRouting.route(request(), [offer(usdcOnBsc)], [holding(usdcOnBase, tenUsd)]),
      [],
    )
    const astray = holding(usdcOnBase, tenUsd, {
      account: { chainId: Eip155.chainId(1), address: Samples.payer },
    })
    assert.deepStrictEqual(OptionRouting.route(request(), [offer(usdcOnBase)], [astray]), [])
  })

  it("returns one option per account and token, with the first of several spellings", () => {
    const lower = holding(usdcOnBase, tenUsd)
    const upper = { ...lower, accountText: lower.accountText.replace("0xab", "0xAB") }
    for (const holdings of [
      [lower, upper],
      [upper, lower],
    ]) {
      const routed = OptionRouting.route(request(), [offer(usdcOnBase)], holdings)
      assert.deepStrictEqual(
        routed.map(({ option }) => option.accountText),
        [upper.accountText],
      )
    }
  })

  it("puts fewer wallet steps first", () => {
    const routed = OptionRouting.route(
      request(),
      [offer(usdtOnEthereum, { etaInS: 1 }), offer(usdcOnBase), offer(usdcOnBsc, { etaInS: 1 })],
      [
        holding(usdtOnEthereum, tenUsd, { allowance: quantity(1n) }),
        holding(usdcOnBase, tenUsd),
        holding(usdcOnBsc, tenUsdOnBsc),
      ],
    )
    assert.deepStrictEqual(names(routed), ["USDC@8453", "USDC@56", "USDT@1"])
  })

  it("puts the cheaper option first, whatever its decimals", () => {
    const dearer = { currency: "USD", numerator: 101n, denominator: 100n, observedAt: now } as const
    const holdings = [
      holding(usdcOnBase, 2n * tenUsd),
      holding(usdcOnBsc, 2n * tenUsdOnBsc, { allowance: quantity(2n * tenUsdOnBsc) }),
    ]
    const route = (base: Rates.Rate, bsc: Rates.Rate) =>
      names(
        OptionRouting.route(
          request(),
          [offer(usdcOnBase, { price: base }), offer(usdcOnBsc, { price: bsc })],
          holdings,
        ),
      )
    const par = Rates.peg("USD", now)
    assert.deepStrictEqual(route(par, dearer), ["USDC@8453", "USDC@56"])
    assert.deepStrictEqual(route(dearer, par), ["USDC@56", "USDC@8453"])
  })

  it("does not compare tokens of different pegs by quantity, and puts the requested currency first", () => {
    const perDollar = {
      currency: "USD",
      numerator: 86n,
      denominator: 100n,
      observedAt: now,
    } as const
    const routed = OptionRouting.route(
      request(),
      [offer(eurc, { price: perDollar }), offer(usdcOnBase)],
      [holding(eurc, tenUsd), holding(usdcOnBase, tenUsd)],
    )
    assert.deepStrictEqual(names(routed), ["USDC@8453", "EURC@8453"])
    assert.deepStrictEqual(
      routed.map(({ cost }) => cost),
      [10n ** 37n, 10n ** 37n],
    )
  })

  it("orders by wallet steps, then the requested currency, then cost, then speed", () => {
    const euros = request({ amount: { unit: Amount.fiat("EUR"), quantity: quantity(1000n) } })
    const par = Rates.peg("EUR", now)
    const cheap = { currency: "EUR", numerator: 1n, denominator: 2n, observedAt: now } as const
    const usdc = offer(usdcOnBase, { price: cheap, etaInS: 1 })
    const holdings = [holding(usdcOnBase, 2n * tenUsd), holding(eurc, 2n * tenUsd)]
    const order = (flows: PaymentOption.Flows) =>
      names(
        OptionRouting.route(
          euros,
          [usdc, offer(eurc, { price: par, etaInS: 60, flows })],
          holdings,
        ),
      )
    assert.deepStrictEqual(order(["eip3009"]), ["EURC@8453", "USDC@8453"])
    assert.deepStrictEqual(order(["transfer"]), ["USDC@8453", "EURC@8453"])
  })

  it("puts the faster option first if the cost is equal", () => {
    const usdcOnPolygon = Samples.assetOf("USDC", 137)
    const route = (base: number, polygon: number) =>
      names(
        OptionRouting.route(
          request(),
          [offer(usdcOnBase, { etaInS: base }), offer(usdcOnPolygon, { etaInS: polygon })],
          [holding(usdcOnBase, tenUsd), holding(usdcOnPolygon, tenUsd)],
        ),
      )
    assert.deepStrictEqual(route(5, 6), ["USDC@8453", "USDC@137"])
    assert.deepStrictEqual(route(6, 5), ["USDC@137", "USDC@8453"])
    assert.deepStrictEqual(route(5, 5), ["USDC@137", "USDC@8453"])
  })

  it("S28: shows the longer wait of a large payment, from the threshold on", () => {
    const etaFrom = (from: bigint) =>
      OptionRouting.route(
        request(),
        [offer(usdcOnBase, { large: { from: quantity(from), etaInS: 900 } })],
        [holding(usdcOnBase, tenUsd)],
      ).map(({ etaInS }) => etaInS)
    assert.deepStrictEqual(etaFrom(tenUsd), [900])
    assert.deepStrictEqual(etaFrom(tenUsd + 1n), [30])
  })

  it("orders equal options by chain, then by token", () => {
    const [usdcOnEthereum, usdcOnPolygon] = [1, 137].map((chain) => Samples.assetOf("USDC", chain))
    if (usdcOnEthereum === undefined || usdcOnPolygon === undefined) return assert.fail("no USDC")
    assert.isTrue(usdcOnPolygon.token.address < usdcOnEthereum.token.address)
    const assets = [usdcOnPolygon, usdcOnEthereum]
    const routed = OptionRouting.route(
      request(),
      assets.map((asset) => offer(asset)),
      assets.map((asset) => holding(asset, tenUsd)),
    )
    assert.deepStrictEqual(names(routed), ["USDC@1", "USDC@137"])
  })

  it("orders equal options by token, then by account", () => {
    const accounts = ["3", "1", "2"].map((digit) => ({
      chainId: usdcOnBase.token.chainId,
      address: Samples.address(digit),
    }))
    const routed = OptionRouting.route(
      request(),
      [offer(usdcOnBase)],
      accounts.map((account) => holding(usdcOnBase, tenUsd, { account })),
    )
    assert.deepStrictEqual(
      routed.map(({ option }) => option.account.address),
      ["1", "2", "3"].map(Samples.address),
    )
  })
})

describe("OptionRouting.route, for a token that can be paid in several ways", () => {
  const routed = (
    flows: PaymentOption.Flows,
    allowance: bigint,
    asset: Asset.Asset = usdtOnEthereum,
    overrides: Partial<OptionRouting.Offer> = {},
  ) =>
    OptionRouting.route(
      request(),
      [offer(asset, { flows, ...overrides })],
      [holding(asset, 10n ** 20n, { allowance: quantity(allowance) })],
    ).map(({ option }) => option)
  const flowsOf = (...of: Parameters<typeof routed>) => routed(...of).map(({ flow }) => flow)

  it("offers a transfer next to Permit2 only while the allowance is too small", () => {
    for (const flows of [
      ["permit2", "transfer"],
      ["transfer", "permit2"],
    ] as const) {
      assert.sameMembers(flowsOf(flows, 0n), [...flows])
      assert.sameMembers(flowsOf(flows, tenUsd - 1n), [...flows])
      assert.deepStrictEqual(flowsOf(flows, tenUsd), ["permit2"])
      assert.deepStrictEqual(flowsOf(flows, Limits.maxQuantity), ["permit2"])
    }
    assert.deepStrictEqual(flowsOf(["transfer"], tenUsd), ["transfer"])
  })

  it("counts only the allowance that the account's other payments leave", () => {
    const allowance = quantity(tenUsdOnBsc)
    const held = holding(usdcOnBsc, 10n ** 20n, { allowance })
    const other = { ...held.account, address: Samples.address("9") }
    const flowsWith = (...committed: ReadonlyArray<OptionRouting.Committed>) =>
      OptionRouting.route(
        request(),
        [offer(usdcOnBsc, { flows: ["permit2", "transfer"] })],
        [held],
        committed,
      ).map(({ option }) => option.flow)
    const { account, token } = held
    const one = quantity(1n)
    assert.deepStrictEqual(flowsWith(), ["permit2"])
    assert.sameMembers(flowsWith({ account, token, quantity: one }), ["permit2", "transfer"])
    assert.deepStrictEqual(
      flowsWith(
        { account: other, token, quantity: one },
        { account, token: { ...token, address: Samples.address("9") }, quantity: one },
      ),
      ["permit2"],
      "others' allowances, and those of other tokens, are their own",
    )
  })

  it("uses the operator's order for an equal number of steps, and puts fewer steps first in any case", () => {
    assert.deepStrictEqual(flowsOf(["permit2", "transfer"], 0n), ["permit2", "transfer"])
    assert.deepStrictEqual(flowsOf(["transfer", "permit2"], 0n), ["transfer", "permit2"])
    // This token's allowance must be set to 0 first.
    assert.deepStrictEqual(flowsOf(["permit2", "transfer"], 1n), ["transfer", "permit2"])
    assert.deepStrictEqual(flowsOf(["transfer", "eip3009"], 0n, usdcOnBase), [
      "eip3009",
      "transfer",
    ])
  })

  it("returns options that differ only in the flow, and so in their ids", () => {
    const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
    const [permit2, transfer, ...more] = routed(["permit2", "transfer"], 0n)
    if (permit2 === undefined || transfer === undefined) return assert.fail("there is one option")
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual({ ...permit2, flow: "transfer" }, transfer)
    const ids = [permit2, transfer].map((option) => PaymentOption.id(option, key))
    assert.strictEqual(new Set(ids).size, 2)
    for (const [index, option] of [permit2, transfer].entries()) {
      const read = PaymentOption.read(ids[index] ?? "", option.paymentId, key)
      assert.deepStrictEqual(Result.getOrThrow(read), option)
    }
  })

  it("offers a permit with the account's nonce, and none if the nonce is unknown", () => {
    const usdt = Samples.assetOf("USDT", 137)
    const route = (asset: Asset.Asset, permitNonce?: Money.Quantity) =>
      OptionRouting.route(
        request(),
        [offer(asset, { flows: ["permit2", "permit"] })],
        [holding(asset, tenUsd, permitNonce === undefined ? {} : { permitNonce })],
      ).map(({ option }) => [option.flow, option.permitNonce])
    const nonce = quantity(3n)
    assert.deepStrictEqual(route(usdt, nonce), [
      ["permit", nonce],
      ["permit2", undefined],
    ])
    assert.deepStrictEqual(route(usdt), [["permit2", undefined]])
    // A token without a domain signs no permits.
    assert.deepStrictEqual(route(usdtOnEthereum, nonce), [["permit2", undefined]])
  })

  it("has one minimum amount for all ways to pay", () => {
    const minimum = { minimum: quantity(tenUsd + 1n) }
    assert.deepStrictEqual(flowsOf(["permit2", "transfer"], 0n, usdtOnEthereum, minimum), [])
  })
})

describe("OptionRouting.route, for two families of chains", () => {
  const { coin, family } = Harbour
  const tenPier = 10_000n
  const enough = { allowance: quantity(tenPier) }
  const pier = (overrides: Partial<OptionRouting.Offer> = {}) =>
    offer(coin, { family, payTo: Harbour.collector, flows: ["pledge", "hand"], ...overrides })
  const held = (balance: bigint, overrides: Partial<OptionRouting.Holding> = {}) =>
    holding(coin, balance, {
      account: { chainId: coin.token.chainId, address: Harbour.payer },
      accountText: Harbour.option().accountText,
      ...overrides,
    })
  const shown = (routed: ReadonlyArray<OptionRouting.Routed>) =>
    routed.map(({ option, stepCount }) => `${option.flow}@${option.token.chainId} in ${stepCount}`)

  it("returns an option for each family, in that family's form", () => {
    const routed = OptionRouting.route(
      request(),
      [pier({ flows: ["pledge"] }), offer(usdcOnBase)],
      [holding(usdcOnBase, tenUsd), held(tenPier, { ...enough, permitNonce: quantity(3n) })],
    )
    assert.deepStrictEqual(shown(routed), [
      "eip3009@eip155:8453 in 1",
      "pledge@harbour:north1 in 1",
    ])
    const [, ofHarbour] = routed
    assert.deepStrictEqual(ofHarbour?.option, {
      ...Harbour.option(),
      expiresAt: nowInS + Limits.optionLifeMaxInS,
    })
    assert.strictEqual(ofHarbour?.asset, coin)
    // A number is given only where the way asks for one.
    assert.isFalse("permitNonce" in (ofHarbour?.option ?? {}))
  })

  it("asks each family which flows it offers, and how many steps they take", () => {
    const route = (balance: bigint, allowance: bigint) =>
      shown(
        OptionRouting.route(
          request(),
          [pier()],
          [held(balance, { allowance: quantity(allowance) })],
        ),
      )
    assert.deepStrictEqual(route(tenPier, 0n), ["hand@harbour:north1 in 2"])
    assert.deepStrictEqual(route(tenPier, tenPier - 1n), ["hand@harbour:north1 in 2"])
    assert.deepStrictEqual(route(tenPier, tenPier), [
      "pledge@harbour:north1 in 1",
      "hand@harbour:north1 in 2",
    ])
    assert.deepStrictEqual(route(tenPier - 1n, tenPier), [])
  })

  it("adds a nonce to an option of a flow that has one", () => {
    const numbered = { ...family, ways: { pledge: { sentBy: "us", isNumbered: true } } } as const
    const [routed] = OptionRouting.route(
      request(),
      [pier({ family: numbered })],
      [held(tenPier, { ...enough, permitNonce: quantity(3n) })],
    )
    assert.strictEqual(routed?.option.permitNonce, quantity(3n))
  })

  it("orders otherwise equal options by the text of their chain, not by a number in it", () => {
    const [nine, ten, eleven] = ["eip155:9", "eip155:10", "harbour:11"].map((text) =>
      Caip.ChainId.make(text),
    )
    assert(nine !== undefined && ten !== undefined && eleven !== undefined)
    const on = (asset: Asset.Asset, chainId: Caip.ChainId): Asset.Asset => ({
      ...asset,
      token: { ...asset.token, chainId },
    })
    const harbours = [on(coin, eleven), on(coin, Harbour.chainId("8453")), coin]
    const evms = [on(usdcOnBase, nine), on(usdcOnBase, ten), usdcOnBase]
    const offers = [
      ...harbours.map((asset) => pier({ asset, flows: ["pledge"] })),
      ...evms.map((asset) => offer(asset)),
    ]
    const holdings = [
      ...harbours.map((asset) =>
        held(tenPier, {
          ...enough,
          token: asset.token,
          account: { chainId: asset.token.chainId, address: Harbour.payer },
        }),
      ),
      ...evms.map((asset) => holding(asset, tenUsd)),
    ]
    for (const each of [holdings, holdings.toReversed()]) {
      assert.deepStrictEqual(
        OptionRouting.route(request(), offers, each).map(({ option }) => `${option.token.chainId}`),
        ["eip155:10", "eip155:8453", "eip155:9", "harbour:11", "harbour:8453", "harbour:north1"],
      )
    }
  })

  it("orders by wallet steps, then cost, then speed, in any family", () => {
    const route = (
      harbour: Partial<OptionRouting.Offer>,
      evm: Partial<OptionRouting.Offer> = {},
      flows: PaymentOption.Flows = ["pledge"],
    ) =>
      OptionRouting.route(
        request(),
        [pier({ flows, ...harbour }), offer(usdcOnBase, evm)],
        [
          held(2n * tenPier, { allowance: quantity(2n * tenPier) }),
          holding(usdcOnBase, 2n * tenUsd),
        ],
      ).map(({ option }) => Caip.namespaceOf(option.token.chainId))
    const dearer = { currency: "USD", numerator: 101n, denominator: 100n, observedAt: now } as const
    assert.deepStrictEqual(route({ etaInS: 1 }, {}, ["hand"]), ["eip155", "harbour"])
    assert.deepStrictEqual(route({ etaInS: 60 }, { price: dearer }), ["harbour", "eip155"])
    assert.deepStrictEqual(route({ etaInS: 29 }), ["harbour", "eip155"])
    assert.deepStrictEqual(route({ etaInS: 30 }), ["eip155", "harbour"])
  })

  it("offers nothing for the same token address and chain reference in another family", () => {
    const there = { ...coin.token, chainId: Eip155.chainId(8453) }
    const here = { ...coin.token, chainId: Harbour.chainId("8453") }
    const routed = OptionRouting.route(
      request(),
      [pier({ asset: { ...coin, token: here } })],
      [held(tenPier, { ...enough, token: there, account: { ...there, address: Harbour.payer } })],
    )
    assert.deepStrictEqual(routed, [])
    const astray = held(tenPier, {
      ...enough,
      token: here,
      account: { chainId: there.chainId, address: Harbour.payer },
    })
    assert.deepStrictEqual(
      OptionRouting.route(request(), [pier({ asset: { ...coin, token: here } })], [astray]),
      [],
    )
  })
})

const arbitraryHolding = Schema.Struct({
  asset: Schema.Literals(catalog.assets.map((_, index) => index)),
  account: Schema.Literals(["1", "2", "3", "4"]),
  balance: Schema.Literals([0n, 1n, tenUsd - 1n, tenUsd, tenUsdOnBsc - 1n, tenUsdOnBsc]),
  allowance: Schema.Literals([0n, 1n, tenUsd, tenUsdOnBsc]),
})

const holdingsOf = (
  rows: ReadonlyArray<typeof arbitraryHolding.Type>,
): ReadonlyArray<OptionRouting.Holding> =>
  rows.flatMap((row) => {
    const asset = catalog.assets[row.asset]
    if (asset === undefined) return []
    const account = { chainId: asset.token.chainId, address: Samples.address(row.account) }
    return [holding(asset, row.balance, { account, allowance: quantity(row.allowance) })]
  })

describe("OptionRouting.route, for any balances", () => {
  const offers = catalog.assets.map((asset) => offer(asset))
  const runs = { arbitrary: { runs: Counts.of({ usual: 300, full: 20_000 }) } }
  const rows = Schema.Array(arbitraryHolding).check(Schema.isMaxLength(30))

  it.prop(
    "never offers what the account cannot pay, nor an option twice",
    [rows],
    ([drawn]) => {
      const holdings = holdingsOf(drawn)
      const routed = OptionRouting.route(request(), offers, holdings)
      const keys = new Set<string>()
      for (const { option } of routed) {
        const funded = holdings.some(
          (each) =>
            Caip.sameAccount(each.account, option.account) &&
            Caip.sameToken(each.token, option.token) &&
            each.balance >= option.quantity,
        )
        assert.isTrue(funded)
        keys.add(`${option.account.address} ${option.token.chainId} ${option.token.address}`)
      }
      assert.strictEqual(keys.size, routed.length)
    },
    runs,
  )

  it.prop(
    "returns the same options in the same order for every order of the accounts",
    [
      Schema.UniqueArray(
        Schema.Struct({
          asset: arbitraryHolding.fields.asset,
          account: arbitraryHolding.fields.account,
        }),
      ).check(Schema.isMaxLength(30)),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 29 })),
    ],
    ([drawn, turn]) => {
      const holdings = holdingsOf(
        drawn.map((each) => ({ ...each, balance: tenUsdOnBsc, allowance: 0n })),
      )
      const rotated = [...holdings.slice(turn), ...holdings.slice(0, turn)]
      const first = OptionRouting.route(request(), offers, holdings)
      assert.deepStrictEqual(OptionRouting.route(request(), offers, rotated), first)
      assert.deepStrictEqual(OptionRouting.route(request(), offers, holdings.toReversed()), first)
    },
    runs,
  )

  it.prop(
    "orders by wallet steps, and so puts gas-free options before others",
    [rows],
    ([drawn]) => {
      const ranks = OptionRouting.route(request(), offers, holdingsOf(drawn)).map(
        ({ stepCount }) => stepCount,
      )
      assert.deepStrictEqual(
        ranks,
        ranks.toSorted((left, right) => left - right),
      )
    },
    runs,
  )
})
