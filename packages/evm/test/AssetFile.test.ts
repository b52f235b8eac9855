import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Gas from "@florin/core/domain/eip155/Gas"
import { Result } from "effect"
import * as AssetFile from "../src/config/AssetFile.ts"
import * as Harbour from "../test-support/harbour.ts"

const harbour = Eip155.chainId(31_338)
const network = Harbour.network(31_338)
const token = Harbour.token(31_338)
const usdt = "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7"
const celoUsdt = "eip155:42220/erc20:0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e"

const parse = (file: object | undefined, chainIds: ReadonlyArray<number> = [31_338]) =>
  AssetFile.parse(file === undefined ? "{" : JSON.stringify(file), chainIds)
const parsed = (...from: Parameters<typeof parse>) => Result.getOrThrow(parse(...from))
const why = (...from: Parameters<typeof parse>): string =>
  Result.match(parse(...from), {
    onFailure: ({ message }) => message,
    onSuccess: () => assert.fail("the file was taken"),
  })
const tokenOf = (text: string) => Result.getOrThrow(Eip155.parseToken(text, "ignored"))

describe("AssetFile", () => {
  it("adds tokens and networks to the built-in ones, with their domain separators", () => {
    const { added, catalog } = parsed({ networks: [network], assets: [token] })
    assert.strictEqual(catalog.assets.length, BuiltIn.catalog.assets.length + 1)
    const [row] = added
    assert.isFalse(row?.isUpgradeable)
    const domain = {
      name: "Harbour Dollar",
      version: "7",
      chainId: 31_338,
      verifyingContract: Caip.Address.make(token.address.toLowerCase()),
    }
    const { asset } = row ?? assert.fail("it is not there")
    assert.strictEqual(asset.decimals, 8)
    assert.deepInclude(Details.of(asset), { domain, separatorPin: Eip712.separator(domain) })
    const network31338 = catalog.network(harbour) ?? assert.fail("it is not there")
    assert.deepInclude(network31338, { coin: "ETH", icon: "chain-31338", explorerUrl: null })
    assert.deepStrictEqual(Gas.of(network31338), {
      priceMax: 100_000_000_000n,
      tipMin: 1_000_000n,
      headroom: 20,
      most: 1_000_000n,
      isDataExtra: false,
    })
  })

  it("reads every field of a network", () => {
    const { catalog } = parsed({
      networks: [
        {
          ...network,
          coin: "HBR",
          isTest: true,
          minimum: 0.01,
          explorer: "https://scan.example/tx/",
          gas: {
            maxFeeInGwei: 0.5,
            minTipInGwei: 0.25,
            headroomInPercent: 50,
            limit: 2_000_000,
            chargesForData: true,
          },
        },
      ],
    })
    assert.deepStrictEqual(catalog.network(harbour), {
      chainId: harbour,
      name: "Harbour",
      icon: "chain-31338",
      coin: "HBR",
      isTest: true,
      etaInS: 4,
      explorerUrl: "https://scan.example/tx/",
      finality: 2,
      minimum: 0.01,
      details: Gas.encode({
        priceMax: 500_000_000n,
        tipMin: 250_000_000n,
        headroom: 50,
        most: 2_000_000n,
        isDataExtra: true,
      }),
    })
  })

  it("limits the tip to the highest gas price on a very cheap network", () => {
    const { catalog } = parsed({ networks: [{ ...network, gas: { maxFeeInGwei: 0.0001 } }] })
    const { priceMax, tipMin } = Gas.of(catalog.network(harbour) ?? assert.fail("it is not there"))
    assert.deepStrictEqual([priceMax, tipMin], [100_000n, 100_000n])
  })

  it("reads every field of a token", () => {
    const { added } = parsed({
      networks: [network],
      assets: [
        {
          ...token,
          flow: "permit2",
          domain: { name: "Harbour Dollar", salt: true },
          switches: ["paused"],
          blocklist: "isFrozen",
          approveResets: true,
          upgradeable: true,
        },
      ],
    })
    const domain = {
      name: "Harbour Dollar",
      verifyingContract: Caip.Address.make(token.address.toLowerCase()),
      // 31338
      salt: `0x${"7a6a".padStart(64, "0")}`,
    }
    assert.deepStrictEqual(added, [
      {
        isUpgradeable: true,
        asset: {
          token: { chainId: harbour, address: domain.verifyingContract },
          symbol: "HARB",
          name: "Harbour Dollar",
          decimals: 8,
          peg: "USD",
          flow: "permit2",
          details: Details.encode({
            issuer: { switches: ["paused"], blocklist: "isFrozen" },
            domain,
            separatorPin: Eip712.separator(domain),
            approveResets: true,
          }),
        },
      },
    ])
    const plain = { ...token, domain: { ...token.domain, version: "1", salt: false } }
    const [row] = parsed({ networks: [network], assets: [plain] }).added
    assert.deepStrictEqual(Details.of(row?.asset ?? assert.fail("it is not there")).domain, {
      name: "Harbour Dollar",
      version: "1",
      chainId: 31_338,
      verifyingContract: domain.verifyingContract,
    })
  })

  it("removes control characters from its error message", () => {
    const said = why({ without: ["\u001b[2J\nUSDT"] })
    assert.include(said, "without:  [2J USDT is not one of these tokens")
  })

  it("enables the tokens of a network only if it has a node", () => {
    const avalanche = Eip155.chainId(43_114)
    assert.isUndefined(parsed({}, []).catalog.network(avalanche))
    const { catalog } = parsed({}, [43_114])
    const own = catalog.assets.filter(({ token: { chainId } }) => chainId === avalanche)
    assert.deepStrictEqual(
      own.map(({ symbol }) => symbol),
      ["USDC", "EURC"],
    )
  })

  it("enables a token that is off by default, and disables one that is on, by name", () => {
    assert.isUndefined(parsed({}).catalog.find(tokenOf(celoUsdt)))
    const { added, catalog } = parsed({ also: [celoUsdt], without: [usdt] })
    // Its issuer is known, and may replace its code.
    assert.deepStrictEqual(
      added.map(({ isUpgradeable }) => isUpgradeable),
      [true],
    )
    assert.strictEqual(catalog.find(tokenOf(celoUsdt))?.symbol, "USDT")
    assert.isUndefined(catalog.find(tokenOf(usdt)))
  })

  for (const [what, file, expected] of [
    ["no JSON", undefined, "it is not JSON"],
    ["a member that it does not know", { tokens: [] }, "tokens: is not known"],
    ["a missing member", { assets: [{ ...token, peg: undefined }] }, "assets[0].peg: is missing"],
    ["a symbol that no address can hold", { assets: [{ ...token, symbol: "A/B" }] }, "symbol"],
    ["too many decimals", { assets: [{ ...token, decimals: 37 }] }, "decimals"],
    [
      "a wrong checksum",
      { assets: [{ ...token, address: token.address.replace("A11cE", "a11CE") }] },
      "EIP-55",
    ],
    [
      "a token without its domain",
      { networks: [network], assets: [{ ...token, domain: undefined }] },
      "domain",
    ],
    ["a token on an unknown chain", { assets: [token] }, "chain eip155:31338 is not known"],
    ["two rows of a token", { networks: [network], assets: [token, token] }, "two rows"],
    ["two rows of a network", { networks: [network, network] }, "two rows"],
    ...[0, -1, 1.5, 2 ** 53, "eip155:31338", "31338"].flatMap(
      (chainId) =>
        [
          [
            `a network on chain ${chainId}`,
            { networks: [{ ...network, chainId }] },
            "networks[0].chainId",
          ],
          [`a token on chain ${chainId}`, { assets: [{ ...token, chainId }] }, "assets[0].chainId"],
        ] as const,
    ),
    ...["transfer", "permit", "wire"].map(
      (flow) =>
        [`a token that is taken by ${flow}`, { assets: [{ ...token, flow }] }, "flow"] as const,
    ),
    ["a name that is no token", { without: ["USDT"] }, "without: USDT"],
    ["a file without end", { without: ["x".repeat(2_000_000)] }, "characters"],
    ["a network that is built in", { networks: [{ ...network, chainId: 84_532 }] }, "Base Sepolia"],
    [
      "a minimum above every amount",
      { networks: [{ ...network, minimum: 1e70 }] },
      "networks[0].minimum",
    ],
    [
      "a finality that never comes",
      { networks: [{ ...network, finality: Number.MAX_SAFE_INTEGER }] },
      "networks[0].finality",
    ],
    ["a wait without end", { networks: [{ ...network, etaInS: 1e15 }] }, "networks[0].etaInS"],
    [
      "a tip above the most that gas may cost",
      { networks: [{ ...network, gas: { maxFeeInGwei: 1, minTipInGwei: 2 } }] },
      "nothing could be sent",
    ],
    [
      "gas for nothing",
      { networks: [{ ...network, gas: { maxFeeInGwei: 1e-10 } }] },
      "nothing could be sent",
    ],
    ["a symbol that is a currency", { assets: [{ ...token, symbol: "GBP" }] }, "is a currency"],
    [
      "a peg in which nothing is asked",
      { assets: [{ ...token, peg: "EUL" }] },
      "EUL is not a supported currency",
    ],
    [
      "a name without visible characters",
      { assets: [{ ...token, name: "\u202e " }] },
      "assets[0].name",
    ],
    [
      "a network by the name of another",
      { networks: [{ ...network, name: "Base" }] },
      "two networks are called Base",
    ],
    [
      "a second token of one symbol on a chain",
      {
        networks: [network],
        assets: [token, { ...token, address: BuiltIn.catalog.assets[0]?.token.address }],
      },
      "two tokens on chain eip155:31338",
    ],
    ["a token by name that is enabled already", { also: [usdt] }, "is enabled already"],
    [
      "an explorer that is no address",
      { networks: [{ ...network, explorer: "javascript:x" }] },
      "explorer",
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.include(why(file), expected)
    })
  }
})
