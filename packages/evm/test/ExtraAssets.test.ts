import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Assets from "@florin/core/domain/eip155/Assets"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Issuer from "@florin/core/domain/eip155/Issuer"
import * as chains from "viem/chains"
import * as ExtraAssets from "../src/config/ExtraAssets.ts"
import * as ExtraNetworks from "../src/config/ExtraNetworks.ts"

/**
 * What issuers, token lists and chains publish, written down apart from the table under test: chain, token, contract with
 * its EIP-55 checksum, and the name and version of its domain.
 */
const facts: ReadonlyArray<readonly [number, string, string, string]> = [
  [43114, "USDC", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin 2"],
  [43114, "EURC", "0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD", "Euro Coin 2"],
  [59144, "USDC", "0x176211869cA2b568f2A7D4EE941E073a821EE1ff", "USDC 2"],
  [130, "USDC", "0x078D782b760474a361dDA0AF3839290b0EF57AD6", "USDC 2"],
  [480, "USDC", "0x79A02482A880bCE3F13e09Da970dC34db4CD24d1", "USDC 2"],
  [146, "USDC", "0x29219dd400f2Bf60E5a23d13Be72B486D4038894", "USDC 2"],
  [1329, "USDC", "0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392", "USDC 2"],
  [999, "USDC", "0xb88339CB7199b77E23DB6E890353E22632Ba630f", "USDC 2"],
  [50, "USDC", "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1", "USDC 2"],
  [57073, "USDC", "0x2D270e6886d130D724215A266106e6832161EAEd", "USDC 2"],
  [57073, "USDG", "0xe343167631d89B6Ffc58B88d6b7fB0228795491D", "Global Dollar 1"],
  [196, "USDT0", "0x779Ded0c9e1022225f8E0630b35a9b54bE713736", "USD\u20ae0 1"],
  [196, "USDG", "0x4ae46a509F6b1D9056937BA4500cb143933D2dc8", "Global Dollar 1"],
  [9745, "USDT0", "0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb", "USDT0 1"],
  [4663, "USDG", "0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168", "Global Dollar 1"],
  [42220, "USDT", "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e", "Tether USD 1"],
  [84532, "USDC", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC 2"],
  [84532, "EURC", "0x808456652fdb597867f38412077A9182bf77359F", "EURC 2"],
  [11155111, "USDC", "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238", "USDC 2"],
  [11155420, "USDC", "0x5fd84259d66Cd46123540766Be93DFE6D43130D7", "USDC 2"],
  [421614, "USDC", "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin 2"],
  [80002, "USDC", "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582", "USDC 2"],
  [43113, "USDC", "0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin 2"],
]

/** The separators of these domains, in the same order. */
const pins = [
  "0xbbea200329a938bc3438984a49cb0732e66d66d7bd59c127abacc1710e77f7b3",
  "0x094e957ad84a5711a2d13ea2ddcfe3947fe1704472f07bf8a49718f55a65f4b1",
  "0x175b79ed2b358e1a27efa17563a81216a922ec7265bbb33e190840dc9e09c633",
  "0x565b4c4095d739dada6adeb9a89bc6dc4d102500ebd4a88bef1ec1d0f69d83b8",
  "0x936533d5f85622a8261854e20bb87f4e849dde486f429bc1fb66202b7cde09ec",
  "0x47ff53f4cb866f027068ac56dedd98f6818c3ea4f1f60a1850d746944543ac12",
  "0x0a19136106ae98d2c245cbbd451f3cb2bbbb1670e1ee191abacb5a5e255c0255",
  "0x70a72998ad787d1a9152a8f88ccfe0766b1cb293b6b4011b34523035da10b0a3",
  "0xe3bb44ae105af7e23bb39b117e22bbcbf435066554f45b3a9bbcba42c80fe56d",
  "0xf519297f2d44354cc4501c0409de6f010d00751a8bae0722beac00aeb58b0217",
  "0x5de3d26cd3d40e25dbd43fcc9a155714520eb0b6dd7c084be8943e793cadf0e3",
  "0xd591d9baf744328d9400b923cb02c9474d367d591ca1ab24d8c4068be527599d",
  "0x415f0706e345fcaf25d5be24c4fd7830d0054fc5742c51a0db9319c759bd3743",
  "0x9b623ce5cf92b52a645d79ae1a57a50aa3d0506ebc752db1847ef4f21c7f8461",
  "0x7a3d7400b27830f4f91c2c16a082486d67c1befecaec2f53b33f1f35d5b62036",
  "0xbcb4d62e4834b598d0eacecd84c0b397a0254e077c41cf2143e394d5701d1088",
  "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818",
  "0x0f014fc929bd4eb3577a01319a281f49da27c70057520f1e1debc8272d1ac57e",
  "0xb90e5057db141a932946e64d09ccb7ffc9b00bd79fec26f698d29af0c83320a6",
  "0x09d038a3e46040fc37eb01174dbbcdb7981fbd8eafd9e1a857b1c67805dfb29e",
  "0x85944e1292d007732838d6eadfa67589b78ffcededbd4df60488d0af251308bb",
  "0x5cddc98319864e897e4469bd1d13c2288c677047b54b8cca12bd342adb6be9eb",
  "0xfe9fa105a0e9629446730e544caa6b8d05d8d4fc93451750dc50e2ddd6d374b3",
]

const mainnets = [
  chains.xdc,
  chains.unichain,
  chains.sonic,
  chains.xLayer,
  chains.worldchain,
  chains.hyperEvm,
  chains.sei,
  chains.robinhood,
  chains.plasma,
  chains.avalanche,
  chains.ink,
  chains.linea,
]
const testnets = [
  chains.avalancheFuji,
  chains.polygonAmoy,
  chains.baseSepolia,
  chains.arbitrumSepolia,
  chains.sepolia,
  chains.optimismSepolia,
]

/** On these chains a symbol stands for the same issuer's code everywhere. */
const issuers: ReadonlyMap<string, Issuer.Issuer> = new Map([
  ["USDC", Issuer.circle],
  ["EURC", Issuer.circle],
  ["USDG", Issuer.paxos],
  ["USDT0", Issuer.usdt0],
  ["USDT", Issuer.usdt0],
])

const addressOf = (row: Assets.Row) => Caip.Address.make(row.address.toLowerCase())
const keyOf = (row: Assets.Row) =>
  Caip.tokenKey({ chainId: Eip155.chainId(row.chainId), address: addressOf(row) })
const named = (row: Assets.Row) => `${row.symbol} on ${Eip155.chainId(row.chainId)}`

const signing = (row: Assets.Row): Eip712.Domain => {
  assert(row.signs !== undefined)
  const { name, version, salt } = row.signs
  assert.isUndefined(salt)
  return {
    name,
    version,
    chainId: row.chainId,
    verifyingContract: addressOf(row),
  }
}

describe("ExtraAssets", () => {
  it("equals what issuers, token lists and chains publish", () => {
    assert.deepStrictEqual<unknown>(
      ExtraAssets.rows.map((row) => [
        row.chainId,
        row.symbol,
        row.address,
        `${row.signs?.name} ${row.signs?.version}`,
      ]),
      facts,
    )
    assert.deepStrictEqual(
      ExtraAssets.rows.map(({ pin }) => pin),
      pins,
    )
  })

  for (const row of ExtraAssets.rows) {
    it(`has the domain separator that follows from the row of ${named(row)}`, () => {
      assert.strictEqual(Eip712.separator(signing(row)), row.pin)
    })
  }

  it("writes every contract with its checksum", () => {
    for (const row of ExtraAssets.rows) {
      assert.strictEqual(Eip155.formatAddress(addressOf(row)), row.address)
    }
  })

  it("lists no token twice, and no built-in token", () => {
    const keys = ExtraAssets.rows.map(keyOf)
    assert.lengthOf(new Set(keys), keys.length)
    const builtIn = new Set(BuiltIn.catalog.assets.map(({ token }) => Caip.tokenKey(token)))
    assert.isEmpty(keys.filter((key) => builtIn.has(key)))
    const onChain = [
      ...ExtraAssets.rows.map(named),
      ...BuiltIn.catalog.assets.map(({ symbol, token }) => `${symbol} on ${token.chainId}`),
    ]
    assert.lengthOf(new Set(onChain), onChain.length)
  })

  it("collects every token by the payer's signature, with its issuer's rules", () => {
    for (const row of ExtraAssets.rows) {
      assert.strictEqual(row.flow, "eip3009")
      assert.strictEqual(row.issuer, issuers.get(row.symbol))
      assert.isUndefined(row.approveResets)
    }
  })

  it("has 6 decimals and the currency of each token", () => {
    for (const row of ExtraAssets.rows) {
      assert.isUndefined(row.decimals)
      assert.strictEqual(row.peg ?? "USD", row.symbol === "EURC" ? "EUR" : "USD")
    }
  })

  it("has the same names as the built-in rows", () => {
    const names = new Map(BuiltIn.catalog.assets.map(({ symbol, name }) => [symbol, name]))
    for (const row of ExtraAssets.rows) assert.strictEqual(row.name, names.get(row.symbol))
  })
})

describe("ExtraNetworks", () => {
  it("has a network for every token, and a token on every network", () => {
    const builtIn = BuiltIn.catalog.networks.map(({ chainId }) => Eip155.numberOf(chainId))
    const ids = ExtraNetworks.rows.map(({ chainId }) => chainId)
    const used = new Set(ExtraAssets.rows.map(({ chainId }) => chainId))
    for (const chainId of used) assert.include([...ids, ...builtIn], chainId)
    for (const chainId of ids) assert.isTrue(used.has(chainId))
  })

  it("lists no chain, name or icon twice, and no built-in one", () => {
    const both = [...ExtraNetworks.all, ...BuiltIn.catalog.networks]
    for (const key of ["chainId", "name", "icon"] as const) {
      assert.lengthOf(new Set(both.map((each) => String(each[key]))), both.length)
    }
  })

  it("has the coin and explorer that viem has for each chain", () => {
    assert.deepStrictEqual(
      ExtraNetworks.rows.map((row) => [row.chainId, row.coin, `https://${row.explorer}`]),
      [...mainnets, ...testnets].map((chain) => [
        chain.id,
        chain.nativeCurrency.symbol,
        chain.blockExplorers.default.url,
      ]),
    )
  })

  it("marks exactly the test networks as tests", () => {
    assert.deepStrictEqual(
      ExtraNetworks.rows.filter(({ isTest }) => isTest).map(({ chainId }) => chainId),
      testnets.map(({ id }) => id),
    )
  })

  it("gives a test network the policy of the network that it stands for", () => {
    const pairs = [
      [84532, 8453],
      [11155420, 10],
      [11155111, 1],
      [421614, 42161],
      [80002, 137],
      [43113, 43114],
    ] as const
    const policies = [...BuiltIn.catalog.networks, ...ExtraNetworks.all]
    const policyOf = (chainId: number) => {
      const found = policies.find((each) => each.chainId === Eip155.chainId(chainId))
      assert(found !== undefined)
      const { finality, etaInS } = found
      const { isDataExtra, tipMin, most, priceMax } = Gas.of(found)
      return { finality, etaInS, priceMax, tipMin, most, isDataExtra }
    }
    for (const [test, real] of pairs) assert.deepStrictEqual(policyOf(test), policyOf(real))
  })

  it("has a duration in whole seconds, an icon that fits into a path, and a tip below the highest price", () => {
    for (const { etaInS, icon, gas } of ExtraNetworks.rows) {
      assert.isTrue(Number.isInteger(etaInS) && etaInS > 0)
      assert.match(icon, /^[a-z0-9]+$/u)
      assert.isTrue((gas.tipMin ?? 0n) < gas.priceMax)
    }
  })
})
