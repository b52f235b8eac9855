import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Result from "effect/Result"

/**
 * What issuers and explorers publish, written down apart from the table under test: the chain, the symbol, the contract
 * with its EIP-55 checksum, the decimals, how the payer signs, and the name and version of the token's own domain.
 */
const published = [
  [42161, "USDC", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 6, "eip3009", "USD Coin 2"],
  [8453, "USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 6, "eip3009", "USD Coin 2"],
  [137, "USDC", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 6, "eip3009", "USD Coin 2"],
  [1, "USDC", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6, "eip3009", "USD Coin 2"],
  [10, "USDC", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 6, "eip3009", "USD Coin 2"],
  [143, "USDC", "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", 6, "eip3009", "USDC 2"],
  [42220, "USDC", "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", 6, "eip3009", "USDC 2"],
  [56, "USDC", "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18, "permit2", null],
  [1, "EURC", "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c", 6, "eip3009", "Euro Coin 2"],
  [8453, "EURC", "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", 6, "eip3009", "EURC 2"],
  [42161, "USDT0", "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", 6, "eip3009", "USD\u20ae0 1"],
  [1, "PYUSD", "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8", 6, "eip3009", "PayPal USD 1"],
  [42161, "PYUSD", "0x46850aD61C2B7d64d08c9C754F45254596696984", 6, "eip3009", "PayPal USD 1"],
  [1, "USDG", "0xe343167631d89B6Ffc58B88d6b7fB0228795491D", 6, "eip3009", "Global Dollar 1"],
  [1, "USDT", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6, "permit2", null],
  [137, "USDT", "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", 6, "permit2", "USDT0 1"],
  [56, "USDT", "0x55d398326f99059fF775485246999027B3197955", 18, "permit2", null],
] as const

/** The domain separators that the contracts return. */
const separators: Readonly<Record<string, string>> = {
  "USDC on 42161": "0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78",
  "USDC on 8453": "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f",
  "USDC on 137": "0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca",
  "USDC on 1": "0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335",
  "USDC on 10": "0x26d9c34bb1a1c312f69c53b2d93b8be20faafba63af2438c6811713c9b1f933f",
  "USDC on 143": "0xfe22123edc0dd4aeb912eb7948c5f0e531592c2053b3067612f427db342c93c6",
  "USDC on 42220": "0xb2ce31d2838445fa765a491f550e7c78ac7280ab0f3bc9d6063a86df9c3fb578",
  "EURC on 1": "0x99f188f447f0c6eaf68589359cd2ead8c2faaaaee984ab926fdb734d0040073b",
  "EURC on 8453": "0xec4dcbded0afd42599589b79220899bbe000bb5ea66d6f1bc176e78d094203bb",
  "USDT0 on 42161": "0x566af68fb471b22d6421762f84aa7bd761c670a2e4d5c8a47d4085d5957b127c",
  "PYUSD on 1": "0xf0d0fba61e325ddcdbcc77a9b5287a77e018a2406a520bc665afa678188592de",
  "PYUSD on 42161": "0x5449794098641aa9d1786cc5721022f86c5fda3895bca2fdac52f92e8fe85de5",
  "USDG on 1": "0xc27ef8fcee57ed704c1b372ea478ed4fcec9d40984515733be9cf518e8e40862",
  "USDT on 137": "0x7b43b7deae87806d0ace67d6c8e9e347fc85db8ad198e756e5c17d126fef9a05",
}

const facts = published.map(([chainId, symbol, contract, decimals, signs, domain]) => {
  const [, name = "", version = ""] = /^(.+) (\d)$/u.exec(domain ?? "") ?? []
  // Polygon's USDT signs with a salt in the place of the chain id.
  const chain =
    symbol === "USDT" ? { salt: `0x${chainId.toString(16).padStart(64, "0")}` } : { chainId }
  const separator = separators[`${symbol} on ${chainId}`]
  return {
    chainId,
    symbol,
    contract,
    decimals,
    signs,
    domain: domain && { name, version, ...chain },
    separator,
  }
})
type Fact = (typeof facts)[number]

const named = (fact: Fact) => `${fact.symbol} on ${fact.chainId}`
const tokenOf = (fact: Fact): Caip.Token =>
  Result.getOrThrow(Eip155.parseToken(`eip155:${fact.chainId}/erc20:${fact.contract}`))

describe("Assets", () => {
  it("lists the 17 documented tokens and no other", () => {
    assert.lengthOf(Assets.all, 17)
    assert.deepStrictEqual(
      Assets.all.map((each) => `${each.symbol} on ${Eip155.numberOf(each.token.chainId)}`),
      facts.map(named),
    )
    assert.strictEqual(new Set(Assets.all.map(({ token }) => Eip155.formatToken(token))).size, 17)
  })

  for (const fact of facts) {
    describe(named(fact), () => {
      it("equals what the issuer publishes", () => {
        const asset = BuiltIn.catalog.find(tokenOf(fact))
        assert(asset !== undefined)
        assert.strictEqual(asset.symbol, fact.symbol)
        assert.strictEqual(asset.decimals, fact.decimals)
        assert.strictEqual(asset.peg, fact.symbol === "EURC" ? "EUR" : "USD")
        assert.strictEqual(asset.flow, fact.signs)
        const mustReset = named(fact) === "USDT on 1" ? true : undefined
        assert.strictEqual(Details.of(asset).approveResets, mustReset)
        assert.strictEqual(Eip155.formatAddress(asset.token.address), fact.contract)
        assert.strictEqual(
          Eip155.formatToken(asset.token),
          `eip155:${fact.chainId}/erc20:${fact.contract}`,
        )
        assert.isNotEmpty(asset.name)
      })

      it("has the signing domain that its contract returns, or none", () => {
        const asset = BuiltIn.catalog.find(tokenOf(fact))
        assert(asset !== undefined)
        const details = Details.of(asset)
        assert.strictEqual(details.separatorPin, fact.separator)
        if (fact.domain === null) return assert.notProperty(details, "domain")
        assert(details.domain !== undefined)
        assert.deepStrictEqual<Eip712.Domain>(details.domain, {
          ...fact.domain,
          verifyingContract: Caip.Address.make(fact.contract.toLowerCase()),
        })
        assert.strictEqual(Eip712.separator(details.domain), fact.separator)
      })
    })
  }

  it("has the common name of each token", () => {
    const names = new Map(Assets.all.map((each) => [each.symbol, each.name]))
    assert.deepStrictEqual(Object.fromEntries(names), {
      USDC: "USD Coin",
      EURC: "Euro Coin",
      USDT0: "USD\u20ae0",
      PYUSD: "PayPal USD",
      USDG: "Global Dollar",
      USDT: "Tether USD",
    })
    for (const each of Assets.all) assert.strictEqual(each.name, names.get(each.symbol))
  })

  it("offers no signature in a token's own flow if the token has no domain", () => {
    for (const each of Assets.all) {
      const { domain, separatorPin } = Details.of(each)
      if (each.flow === "eip3009") assert.isDefined(domain)
      assert.strictEqual(domain === undefined, separatorPin === undefined)
    }
  })

  it("has 18 decimals only on BNB Smart Chain", () => {
    for (const each of Assets.all) {
      assert.strictEqual(each.decimals, each.token.chainId === Eip155.chainId(56) ? 18 : 6)
    }
  })

  it("finds no token on another chain or at another contract", () => {
    const elsewhere = Eip155.chainId(11_155_111)
    for (const each of Assets.all) {
      assert.strictEqual(BuiltIn.catalog.find(each.token), each)
      assert.isUndefined(BuiltIn.catalog.find({ ...each.token, chainId: elsewhere }))
    }
    assert.isUndefined(
      BuiltIn.catalog.find({ chainId: Eip155.chainId(1), address: Eip155.permit2Address }),
    )
    assert.deepStrictEqual(Catalog.assetsOf(BuiltIn.catalog, elsewhere), [])
  })

  it("does not contain look-alike tokens", () => {
    const lookAlikes = [
      "eip155:42161/erc20:0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8",
      "eip155:137/erc20:0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174",
      "eip155:10/erc20:0x7F5c764cBc14f9669B88837ca1490cCa17c31607",
    ]
    for (const text of lookAlikes) {
      assert.isUndefined(BuiltIn.catalog.find(Result.getOrThrow(Eip155.parseToken(text))))
    }
  })

  it("lists the assets of a chain", () => {
    const on = (chainId: number) =>
      Catalog.assetsOf(BuiltIn.catalog, Eip155.chainId(chainId)).map((each) => each.symbol)
    assert.deepStrictEqual(on(1), ["USDC", "EURC", "PYUSD", "USDG", "USDT"])
    assert.deepStrictEqual(on(42161), ["USDC", "USDT0", "PYUSD"])
    assert.deepStrictEqual(on(8453), ["USDC", "EURC"])
    assert.deepStrictEqual(on(137), ["USDC", "USDT"])
    assert.deepStrictEqual(on(56), ["USDC", "USDT"])
    for (const chainId of [10, 143, 42220]) assert.deepStrictEqual(on(chainId), ["USDC"])
  })
})
