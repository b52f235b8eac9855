import { assert, layer } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as AssetCheck from "../src/AssetCheck.ts"
import * as AssetFile from "../src/config/AssetFile.ts"
import * as Harbour from "../test-support/harbour.ts"
import * as Lies from "../test-support/lies.ts"

const chainId = 31_338
const holder = Wallet.make(51)
const network = Harbour.network(chainId)
/** As Circle's token. */
const signed = Harbour.token(chainId)
/** As Ethereum's USDT: its owner may let it keep a part of each transfer. */
const taking = {
  chainId,
  address: Harbour.addressOf("cafe"),
  symbol: "TOLL",
  name: "Toll Dollar",
  decimals: 6,
  peg: "USD",
  flow: "permit2",
  switches: ["paused", "deprecated", "basisPointsRate"],
  blocklist: "isBlackListed",
  approveResets: true,
}

const parse = (...assets: ReadonlyArray<object>) =>
  Result.getOrThrow(AssetFile.parse(JSON.stringify({ networks: [network], assets }), [chainId]))

class Chain extends Context.Service<Chain, LocalChain.LocalChain>()("test/Chain") {
  static readonly layer = Layer.effect(
    Chain,
    Effect.gen(function* () {
      const { catalog } = parse(signed, taking)
      const chain = yield* LocalChain.make({
        chainId: Eip155.chainId(chainId),
        blocks: "byHand",
        catalog,
      })
      const mint = encodeFunctionData({
        abi: parseAbi(["function mint(address to, uint256 value)"]),
        functionName: "mint",
        args: [`0x${holder.address.slice(2)}`, 1_000_000n],
      })
      // By a transaction, so that the log of it names somebody who holds the tokens.
      yield* chain.fundGas(holder.address, 10n ** 18n)
      yield* chain.request("anvil_impersonateAccount", [holder.address])
      for (const { address } of [signed, taking]) {
        yield* chain.request("eth_sendTransaction", [
          { from: holder.address, to: address, data: mint },
        ])
      }
      yield* chain.mine(1)
      return chain
    }),
  )
}

const check = Effect.fnUntraced(function* (rows: ReadonlyArray<object>, url?: string) {
  const { added, catalog } = parse(...rows)
  const { rpcUrl } = yield* Chain
  return yield* AssetCheck.check(
    [
      {
        chainId,
        rpcUrls: [Redacted.make(url ?? rpcUrl)],
        accounts: [{ address: holder.address, signTransaction: () => Promise.reject(new Error()) }],
      },
    ],
    catalog,
    added,
  )
})

/** What is found of one row, as text. */
const faultsOf = (row: object) =>
  Effect.map(check([row]), ([finding]) => finding?.faults.join("\n") ?? "")

layer(Chain.layer, { excludeTestServices: true, timeout: 60_000 })("AssetCheck", (it) => {
  it.effect("accepts rows that match their contracts", () =>
    Effect.gen(function* () {
      const findings = yield* check([signed, taking])
      assert.deepStrictEqual(
        findings.map(({ asset, faults, unknown }) => [asset.symbol, faults, unknown]),
        [
          ["HARB", [], []],
          ["TOLL", [], []],
        ],
      )
    }),
  )

  for (const [what, row, expected] of [
    ["other decimals", { ...signed, decimals: 6 }, "(it is 8)"],
    [
      "a switch that the contract does not have",
      { ...signed, switches: ["paused", "basisPointsRate"] },
      "does not implement basisPointsRate()",
    ],
    [
      "another domain",
      { ...signed, domain: { name: "Harbour Dollar", version: "2" } },
      "DOMAIN_SEPARATOR() is not",
    ],
    [
      "a switch that it does not name",
      { ...signed, switches: [] },
      "paused(), but the row does not have it: add it to switches",
    ],
    [
      "a blocklist that it does not name",
      { ...signed, blocklist: null },
      "isBlacklisted(), but the row does not have it: add it to blocklist",
    ],
    [
      "a flow that the token does not have",
      { ...taking, flow: "eip3009", domain: signed.domain },
      "authorizationState()",
    ],
    [
      "no contract at all",
      { ...signed, address: Harbour.addressOf("dead") },
      "there is no contract",
    ],
  ] as const) {
    it.effect(`refuses a row with ${what}`, () =>
      Effect.map(faultsOf(row), (faults) => assert.include(faults, expected)),
    )
  }

  it.effect("accepts rows on a node that searches few blocks for logs", () =>
    Effect.gen(function* () {
      const node = yield* Lies.make(yield* Chain)
      node.tell(({ method, params: [filter] }) => {
        const { fromBlock, toBlock } = Object(filter)
        return method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 1
          ? { error: { code: -32000, message: "up to 1 block is searched" } }
          : undefined
      })
      const [finding] = yield* check([signed], node.url)
      assert.deepStrictEqual([finding?.faults, finding?.unknown], [[], []])
    }),
  )

  it.effect("refuses a proxy, unless the row says that its issuer may replace the code", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      yield* chain.request("anvil_setStorageAt", [
        signed.address,
        "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
        `0x${"c0de".padStart(64, "0")}`,
      ])
      assert.include(yield* faultsOf(signed), `it is a proxy for 0x${"c0de".padStart(40, "0")}`)
      assert.strictEqual(yield* faultsOf({ ...signed, upgradeable: true }), "")
      yield* chain.request("anvil_setStorageAt", [
        signed.address,
        "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
        `0x${"0".repeat(64)}`,
      ])
    }),
  )

  it.effect("refuses a token that keeps a fee of each transfer, by simulating one", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const token = Caip.Address.make(taking.address.toLowerCase())
      yield* chain.setTransferFee(token, 100n, 1_000_000n)
      assert.include(yield* faultsOf(taking), "a transfer of 1000000 delivers 990000")
      yield* chain.setTransferFee(token, 0n, 0n)
      assert.strictEqual(yield* faultsOf(taking), "")
    }),
  )
})
