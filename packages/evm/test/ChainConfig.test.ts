import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Network from "@florin/core/domain/chain/Network"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Money from "@florin/core/domain/ground/Money"
import * as Wallet from "@florin/testing/Wallet"
import { Redacted, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as ChainConfig from "../src/config/ChainConfig.ts"
import { hex } from "../src/read/Queries.ts"

type Flow = NonNullable<ChainConfig.Options["flow"]>

const node = Redacted.make("https://node.example")
const accountOf = (seed: number) => privateKeyToAccount(hex(Wallet.make(seed).privateKey))

const described = (
  chainId: number,
  options: Partial<ChainConfig.Options> = {},
  catalog: Catalog.Catalog = BuiltIn.catalog,
) => ChainConfig.make({ chainId, rpcUrls: [node], accounts: [accountOf(1)], ...options }, catalog)

const made = (chainId: number, flow?: Flow) =>
  described(chainId, flow === undefined ? {} : { flow })

const flowsOf = (chainId: number, flow?: Flow): Record<string, PaymentOption.Flows> => {
  const { assets, flows } = Result.getOrThrow(made(chainId, flow))
  return Object.fromEntries(assets.map((asset) => [asset.symbol, flows(asset)]))
}

const only =
  (symbol: string, flows: PaymentOption.Flow | PaymentOption.Flows): Flow =>
  (asset: Asset.Asset) =>
    asset.symbol === symbol ? flows : asset.flow

describe("the flows of a chain's tokens", () => {
  it("are by default those of the asset table, one for each token", () => {
    for (const { chainId } of BuiltIn.catalog.networks) {
      for (const { flow, symbol, token } of BuiltIn.catalog.assets) {
        if (token.chainId === chainId)
          assert.deepStrictEqual(flowsOf(Eip155.numberOf(chainId))[symbol], [flow])
      }
    }
  })

  it("are one or several, as configured", () => {
    assert.deepStrictEqual(flowsOf(137, only("USDT", "transfer")), {
      USDC: ["eip3009"],
      USDT: ["transfer"],
    })
    assert.deepStrictEqual(flowsOf(137, only("USDT", ["permit2", "transfer"])), {
      USDC: ["eip3009"],
      USDT: ["permit2", "transfer"],
    })
  })

  it("can be permits only for a token with a domain", () => {
    assert.deepStrictEqual(
      flowsOf(137, () => "permit"),
      { USDC: ["permit"], USDT: ["permit"] },
    )
    const result = made(56, only("USDT", ["permit2", "permit"]))
    if (Result.isSuccess(result)) return assert.fail("it was taken")
    assert.match(result.failure.message, /has no EIP-712 domain for permits: choose another flow$/u)
  })

  it("are refused if the token does not support them, or if one is given twice", () => {
    const refused = [
      [only("USDT", "eip3009"), /^chain 137: USDT \(eip155:137\/.*\) has no EIP-3009/u],
      [only("USDT", ["permit2", "eip3009"]), /has no EIP-3009: choose another flow$/u],
      [only("USDC", ["transfer", "transfer"]), /^chain 137: USDC .* names a flow twice$/u],
      [only("USDC", ["eip3009", "wire"]), /choose from eip3009, permit2, transfer, permit$/u],
    ] as const
    for (const [flow, message] of refused) {
      const result = made(137, flow)
      if (Result.isSuccess(result)) return assert.fail("it was taken")
      assert.match(result.failure.message, message)
    }
  })
})

describe("a chain's configuration", () => {
  it("defaults to its network's row", () => {
    const config = Result.getOrThrow(described(8453))
    const network =
      BuiltIn.catalog.network(Eip155.chainId(8453)) ?? assert.fail("Base is not there")
    assert.deepInclude(config, {
      network,
      finality: network.finality,
      minimum: network.minimum,
      maxFeePerGas: Gas.of(network).priceMax,
      spendPerHour: null,
      trustOneNode: false,
    })
  })

  it("uses the operator's settings", () => {
    const said = {
      finality: 10_000,
      minimum: Network.minimumMost,
      maxFeePerGas: 7n,
      spendPerHour: 8n,
      trustOneNode: true,
    } as const
    const config = Result.getOrThrow(described(8453, said))
    assert.deepInclude(config, said)
    assert.strictEqual(Result.getOrThrow(described(8453, { finality: 1, minimum: 0 })).minimum, 0)
  })

  it("S30: gives draining accounts no new payments, and keeps them among its own", () => {
    const [one, two, three] = [accountOf(1), accountOf(2), accountOf(3)]
    const accounts = [one, { ...two, isDraining: true }, { ...three, isDraining: false }]
    const config = Result.getOrThrow(described(8453, { accounts }))
    const addressOf = ({ address }: ChainConfig.RelayerAccount) =>
      Caip.Address.make(address.toLowerCase())
    assert.deepStrictEqual(config.collecting, [one, three].map(addressOf))
    assert.deepStrictEqual([...config.accounts.keys()], [one, two, three].map(addressOf))
  })

  it("has the tokens that are served now, and none that were served earlier", () => {
    const { assets, families, networks } = BuiltIn.catalog
    const served = assets.filter(({ symbol }) => symbol === "USDC")
    const catalog = Catalog.make({ families, networks, assets: served }, BuiltIn.catalog)
    assert.deepStrictEqual(
      Result.getOrThrow(described(137, {}, catalog)).assets.map(({ symbol }) => symbol),
      ["USDC"],
    )
  })

  it("is found by its number, only among EVM chains", () => {
    const { assets, families, networks } = BuiltIn.catalog
    const [network = assert.fail("there is no network")] = networks
    const number = Eip155.numberOf(network.chainId)
    assert.strictEqual(Result.getOrThrow(described(number)).chainId, network.chainId)
    const elsewhere = { ...network, chainId: Caip.ChainId.make(`harbour:${number}`) }
    const catalog = Catalog.make({ families, assets, networks: [elsewhere] })
    for (const chainId of [number, -number, 0]) {
      const result = described(chainId, {}, catalog)
      if (Result.isSuccess(result)) return assert.fail("it was taken")
      assert.include(result.failure.message, `chain ${chainId}: is not served: choose from `)
    }
  })

  const refused: ReadonlyArray<
    readonly [what: string, options: Partial<ChainConfig.Options>, says: string]
  > = [
    ["without a node", { rpcUrls: [] }, "needs the address of a node"],
    ["without an account", { accounts: [] }, "needs an account that takes new payments"],
    [
      "whose accounts all drain",
      { accounts: [{ ...accountOf(1), isDraining: true }] },
      "needs an account that takes new payments",
    ],
    ["with an account twice", { accounts: [accountOf(1), accountOf(1)] }, "is named twice"],
    [
      "with an account that is no address",
      { accounts: [{ ...accountOf(1), address: "0x1" }] },
      "an account: ",
    ],
    ...[0, -1, 1.5, 10_001, Number.NaN].map(
      (finality) =>
        [
          `with the finality ${finality}`,
          { finality },
          "a whole number of blocks from 1 to 10000",
        ] as const,
    ),
    ...[-0.01, Network.minimumMost + 1, Number.NaN].map(
      (minimum) =>
        [`with the minimum ${minimum}`, { minimum }, "minimum is whole units of a token"] as const,
    ),
  ]
  it.each(refused)("is refused %s", (_, options, says) => {
    const result = described(8453, options)
    if (Result.isSuccess(result)) return assert.fail("it was taken")
    assert.include(result.failure.message, `chain 8453: `)
    assert.include(result.failure.message, says)
  })
})

describe("rows without the details that EVM chains need", () => {
  const withDetails = (
    network: Network.Network,
    change: Pick<Network.Network, "details"> | undefined,
  ): Network.Network => (change === undefined ? network : { ...network, ...change })

  const rows = (change: {
    readonly asset?: Partial<Asset.Asset>
    readonly network?: Pick<Network.Network, "details">
  }) =>
    Catalog.make({
      families: BuiltIn.catalog.families,
      assets: BuiltIn.catalog.assets.map((asset) =>
        asset.symbol === "USDC" ? { ...asset, ...change.asset } : asset,
      ),
      networks: BuiltIn.catalog.networks.map((network) => withDetails(network, change.network)),
    })

  it("are refused when the chain is configured, for each missing detail", () => {
    for (const details of [{}, { issuer: {} }, { issuer: { switches: [], blocklist: 7 } }]) {
      for (const flow of ["eip3009", "permit2", "transfer"]) {
        const refused = Result.getOrThrow(
          Result.flip(described(8453, { flow: () => flow }, rows({ asset: { details } }))),
        )
        assert.strictEqual(refused._tag, "InvalidChain")
        assert.include(refused.message, "USDC (eip155:8453/erc20:0x833589")
        assert.include(refused.message, "details")
      }
    }
  })

  it("are refused for a network too", () => {
    for (const details of [{}, { priceMax: "much" }]) {
      const refused = Result.getOrThrow(
        Result.flip(described(8453, {}, rows({ network: { details } }))),
      )
      assert.strictEqual(refused._tag, "InvalidChain")
      assert.include(refused.message, "details")
    }
  })
})

describe("ChainConfig.forTransfer", () => {
  const quantity = (value: bigint) => Money.Quantity.make(value)
  const isLarge = (
    options: Partial<ChainConfig.Options>,
    [of, token = usdc]: readonly [Money.Quantity | null, Caip.Token?],
  ) => {
    const config = Result.getOrThrow(described(8453, options))
    return ChainConfig.forTransfer(config, token, of).isLarge === true
  }
  const usdc =
    BuiltIn.catalog.assets.find(
      ({ symbol, token }) => symbol === "USDC" && token.chainId === Eip155.chainId(8453),
    )?.token ?? assert.fail("Base has no USDC")

  it("S28: waits for finalized from a number of whole units on", () => {
    const options = { finality: 10, finalizedFrom: 1000.5 }
    assert.isFalse(isLarge(options, [quantity(1_000_499_999n)]))
    assert.isTrue(isLarge(options, [quantity(1_000_500_000n)]))
    assert.isTrue(isLarge({ ...options, finalizedFrom: 0 }, [quantity(1n)]))
  })

  it("S28: treats an unknown quantity or token as large", () => {
    const options = { finality: 10, finalizedFrom: 1000 }
    const gone = { ...usdc, address: Caip.Address.make(`0x${"9".repeat(40)}`) }
    assert.isTrue(isLarge(options, [null]))
    assert.isTrue(isLarge(options, [quantity(1n), gone]))
  })

  it("S28: changes nothing by default, or if all payments wait for finalized", () => {
    assert.isFalse(isLarge({ finality: 10 }, [null]))
    assert.isFalse(isLarge({ finality: "finalized", finalizedFrom: 0 }, [null]))
  })

  for (const finalizedFrom of [-1, Number.NaN, Infinity]) {
    it(`refuses ${finalizedFrom} as a number of whole units`, () => {
      assert.isTrue(Result.isFailure(described(8453, { finalizedFrom })))
    })
  }
})
