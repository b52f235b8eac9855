import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result } from "effect"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { catalog, coin } = Harbour
const { now, usdcOnBase } = Samples

const read = (raw: PaymentFilter.Raw, of: Catalog.Catalog = catalog) =>
  Result.match(PaymentFilter.read(raw, false, of), {
    onFailure: ({ issues }) => ({ filter: PaymentFilter.unfiltered, issues }),
    onSuccess: (filter) => ({ filter, issues: [] }),
  })

const filterOf = (raw: PaymentFilter.Raw, of?: Catalog.Catalog): PaymentFilter.Filter => {
  const { filter, issues } = read(raw, of)
  assert.deepStrictEqual(issues, [])
  return filter
}

const refused = (name: "network" | "asset", text: string, of?: Catalog.Catalog) => {
  assert.deepStrictEqual(
    read({ [name]: text }, of).issues.map(({ field }) => field),
    [name],
    text,
  )
}

/** The same reference as Base has, in the other namespace. */
const otherBase = Harbour.chainId("8453")
const printed = "harbour:north1/coin:PIERCOINMINT00000001"

const asked = Samples.created()
const paidIn = (option: Payment.Attempt["option"]): Payment.Payment =>
  Result.getOrThrow(PaymentTransition.confirm(asked, Samples.attempt({ option }), now + 1000))
    .payment

const paidInCoin = paidIn(Harbour.option())
const paidInUsdc = paidIn(Samples.option())
const paidElsewhere = paidIn(
  Harbour.option({
    account: { chainId: otherBase, address: Harbour.payer },
    token: { chainId: otherBase, address: coin.token.address },
  }),
)
const askedInCoin: Payment.Payment = {
  ...asked,
  amount: { unit: Amount.token(coin.token), quantity: Samples.quantity(7n) },
}

const payments = { asked, paidInCoin, paidInUsdc, paidElsewhere, askedInCoin }
const passing = (raw: PaymentFilter.Raw, of?: Catalog.Catalog): ReadonlyArray<string> => {
  const filter = filterOf(raw, of)
  return Object.entries(payments).flatMap(([name, payment]) =>
    PaymentFilter.matches(payment, filter, now) ? [name] : [],
  )
}

describe("PaymentFilter by network", () => {
  it("reads chains of every family, each once and in alphabetical order", () => {
    assert.deepStrictEqual(
      filterOf({
        network: "harbour:south,eip155:9,harbour:8453,eip155:10,eip155:9,eip155:8453,harbour:North",
      }).chainIds,
      [
        "eip155:10",
        "eip155:8453",
        "eip155:9",
        "harbour:8453",
        "harbour:North",
        "harbour:south",
      ].map((text) => Caip.ChainId.make(text)),
    )
  })

  it("matches payments on these chains, not on other chains with the same reference", () => {
    assert.deepStrictEqual(passing({ network: "harbour:north1" }), ["paidInCoin", "askedInCoin"])
    assert.deepStrictEqual(passing({ network: "eip155:8453" }), ["paidInUsdc"])
    assert.deepStrictEqual(passing({ network: "harbour:8453" }), ["paidElsewhere"])
    assert.deepStrictEqual(passing({ network: "harbour:8453,eip155:8453" }), [
      "paidInUsdc",
      "paidElsewhere",
    ])
  })

  it("accepts the networkId that lists show, for every family that has such a chain", () => {
    assert.deepStrictEqual(passing({ network: "8453" }), ["paidInUsdc"])
    assert.deepStrictEqual(passing({ network: "north1" }), ["paidInCoin", "askedInCoin"])
    assert.deepStrictEqual(
      filterOf({ network: "eip155:1,8453,eip155:8453" }).chainIds,
      [1, 8453].map(Eip155.chainId),
    )
    const twin = { ...Harbour.network, chainId: otherBase }
    const both = Catalog.make({ ...catalog, networks: [...catalog.networks, twin] })
    assert.deepStrictEqual(passing({ network: "8453" }, both), ["paidInUsdc", "paidElsewhere"])
  })

  it("drops well-formed chains of unsupported namespaces, which no payment has", () => {
    for (const network of ["solana:main", "abc:_", `abcdefgh:${"A".repeat(32)}`, "eip1555:1"]) {
      assert.deepStrictEqual(filterOf({ network }).chainIds, [])
      assert.deepStrictEqual(passing({ network }), [])
      assert.deepStrictEqual(filterOf({ network: `${network},harbour:north1` }).chainIds, [
        Harbour.network.chainId,
      ])
    }
    // Without its adapter the family is foreign.
    assert.deepStrictEqual(
      filterOf({ network: "harbour:north1,eip155:1,harbour:no-harbour" }, Samples.catalog).chainIds,
      [Eip155.chainId(1)],
    )
  })

  it("refuses chain ids that a supported family cannot have, also next to unsupported ones", () => {
    const own =
      "eip155:north1 harbour:no-harbour harbour: harbour 84530 08453 HARBOUR:north1 harbour:north1:"
    const foreign = `ab:1 abcdefghi:1 abc:${"a".repeat(33)}`
    for (const text of ["", " harbour:north1", ...`${own} ${foreign}`.split(" ")]) {
      refused("network", text)
      refused("network", `solana:main,${text}`)
      refused("network", `${text},harbour:north1`)
    }
  })
})

describe("PaymentFilter by asset", () => {
  it("reads a token of every family, with or without prefix, in any case", () => {
    for (const text of [printed, printed.replace("PIER", "pieR"), `caip19/${printed}`]) {
      assert.deepStrictEqual(filterOf({ asset: text }).tokens, [coin.token])
      assert.deepStrictEqual(passing({ asset: text }), ["paidInCoin", "askedInCoin"])
    }
    const usdc = Eip155.formatToken(usdcOnBase.token)
    assert.deepStrictEqual(passing({ asset: usdc }), ["paidInUsdc"])
  })

  it("reads a token that is not listed, only on the chain that it names", () => {
    const elsewhere = printed.replace("north1", "8453")
    assert.deepStrictEqual(filterOf({ asset: elsewhere }).tokens, [
      { chainId: otherBase, address: coin.token.address },
    ])
    assert.deepStrictEqual(passing({ asset: elsewhere }), ["paidElsewhere"])
  })

  it("reads a symbol of any family", () => {
    const named = Catalog.make({ ...catalog, assets: [usdcOnBase, { ...coin, symbol: "USDC" }] })
    assert.deepStrictEqual(filterOf({ asset: "usdc" }, named).tokens, [
      usdcOnBase.token,
      coin.token,
    ])
    assert.deepStrictEqual(passing({ asset: "usdc" }, named), [
      "paidInCoin",
      "paidInUsdc",
      "askedInCoin",
    ])
    assert.deepStrictEqual(passing({ asset: "pier" }), ["paidInCoin", "askedInCoin"])
    assert.deepStrictEqual(passing({ token_symbol: ["PIER"] }), ["paidInCoin", "askedInCoin"])
  })

  it("matches nothing for a well-formed token of an unsupported namespace", () => {
    for (const asset of [
      "solana:main/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      "caip19/cosmos:cosmoshub-4/slip44:118",
      "abc:1/nft:a/1",
      `abc:1/coin:${"a".repeat(128)}/${"1".repeat(78)}`,
    ]) {
      assert.deepStrictEqual(filterOf({ asset }).tokens, [])
      assert.deepStrictEqual(passing({ asset }), [])
    }
    assert.deepStrictEqual(filterOf({ asset: printed }, Samples.catalog).tokens, [])
  })

  it("refuses tokens that a supported family or CAIP-19 does not allow", () => {
    const own = `harbour:north1/erc20:piercoinmint00000001 eip155:8453/coin:${usdcOnBase.token.address}`
    const short = `harbour:north1/coin:short ${printed}/1 harbour:north1 harbour:north1/coin`
    const long = `harbour:north1/coin:${"a".repeat(41)} abc:1/token:${"a".repeat(129)} abc:1/token:a/${"1".repeat(79)}`
    const foreign =
      "harbour:no-harbour/coin:piercoinmint00000001 abc:1/token: abc:1/to:a abc:1/token:a/1/1"
    for (const text of ["abc:1/token:a b", ...`${own} ${short} ${long} ${foreign}`.split(" ")]) {
      refused("asset", text)
      refused("asset", `caip19/${text}`)
    }
  })
})

describe("PaymentFilter of two families", () => {
  it("is the same list for every spelling of a filter, and another list for another namespace", () => {
    const texts = (raw: PaymentFilter.Raw) => PaymentFilter.texts(filterOf(raw))
    assert.deepStrictEqual(
      texts({ asset: printed, network: "harbour:8453,eip155:8453" }),
      texts({
        asset: `caip19/${printed.replace("PIERCOIN", "piercoin")}`,
        network: "eip155:8453,harbour:8453,eip155:8453,solana:main",
      }),
    )
    assert.notDeepEqual(texts({ network: "harbour:8453" }), texts({ network: "eip155:8453" }))
    assert.notDeepEqual(
      texts({ asset: printed }),
      texts({ asset: printed.replace("north1", "8453") }),
    )
  })

  it.prop(
    "reads only chains and tokens of its families from hostile text, or refuses it",
    [
      HostileText.near(["harbour:north1", "eip155:8453,harbour:8453", "solana:main,eip155:1"]),
      HostileText.near([printed, `caip19/${printed}`, "PIER", "abc:1/nft:a/1"]),
    ],
    ([network, asset]) => {
      const ofNetwork = read({ network })
      const ofAsset = read({ asset })
      for (const chainId of ofNetwork.filter.chainIds ?? []) {
        assert.isTrue(catalog.families.some((each) => chainId.startsWith(`${each.namespace}:`)))
      }
      for (const { chainId } of ofAsset.filter.tokens ?? []) {
        assert.isTrue(catalog.families.some((each) => chainId.startsWith(`${each.namespace}:`)))
      }
      assert.strictEqual(ofNetwork.filter.chainIds === null, ofNetwork.issues.length > 0)
      assert.strictEqual(ofAsset.filter.tokens === null, ofAsset.issues.length > 0)
      const both = read({ network, asset }).issues
      assert.sameDeepMembers([...both], [...ofNetwork.issues, ...ofAsset.issues])
    },
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 100_000 }) } },
  )
})

describe("filters of a family whose adapter was removed", () => {
  const without = Catalog.make(BuiltIn.catalog, catalog)

  it("finds payments on its chains, which are known from stored payments", () => {
    for (const network of [coin.token.chainId, `eip155:8453,${coin.token.chainId}`]) {
      assert.deepStrictEqual(passing({ network }, without), passing({ network }))
      assert.include(passing({ network }, without), "paidInCoin")
    }
    assert.deepStrictEqual(passing({ network: "harbour:north2" }, without), [])
  })

  it("finds payments in its tokens, by the earlier or the current spelling", () => {
    for (const text of [
      printed,
      `caip19/${printed}`,
      Family.formatToken(without, coin.token),
      `caip19/${Family.formatToken(without, coin.token)}`,
    ]) {
      assert.deepStrictEqual(passing({ asset: text }, without), passing({ asset: printed }), text)
    }
    assert.deepStrictEqual(
      passing({ asset: "harbour:north2/coin:PIERCOINMINT00000001" }, without),
      [],
    )
    assert.deepStrictEqual(
      passing({ asset: "harbour:north1/coin:PIERCOINMINT00000002" }, without),
      [],
    )
  })

  it("prefers the exact spelling if two addresses differ only in case", () => {
    const twin = {
      ...coin,
      token: { ...coin.token, address: Caip.Address.make(coin.token.address.toUpperCase()) },
    }
    const both = Catalog.make(
      BuiltIn.catalog,
      Catalog.join(catalog, { networks: [], assets: [twin] }),
    )
    for (const { token } of [coin, twin]) {
      const { filter } = read({ asset: `${token.chainId}/coin:${token.address}` }, both)
      assert.deepStrictEqual(filter.tokens, [token])
    }
  })
})
