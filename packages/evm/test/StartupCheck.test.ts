import { assert, describe, it, layer } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Contracts from "@florin/localnet/Contracts"
import type * as LocalChain from "@florin/localnet/LocalChain"
import { Effect, Redacted } from "effect"
import { concatHex, keccak256, pad, toHex } from "viem/utils"
import type * as ChainConfig from "../src/config/ChainConfig.ts"
import { batchMax } from "../src/read/Link.ts"
import { hex } from "../src/read/Queries.ts"
import * as Fees from "../src/send/Fees.ts"
import * as StartupCheck from "../src/StartupCheck.ts"
import * as Permit2 from "../src/token/Permit2.ts"
import * as Lies from "../test-support/lies.ts"
import * as Link from "../test-support/link.ts"
import * as Locals from "../test-support/locals.ts"
import * as Node from "../test-support/node.ts"

const assetOf = (chainId: number, symbol: string): Asset.Asset =>
  BuiltIn.catalog.assets.find(
    (each) => each.token.chainId === Eip155.chainId(chainId) && each.symbol === symbol,
  ) ?? assert.fail(`no ${symbol} on ${chainId}`)

const linkTo = (local: LocalChain.LocalChain, options?: Parameters<typeof Link.make>[2]) =>
  Link.make(local.chainId, Redacted.make(local.rpcUrl), options)

/** Checks every asset of a chain. */
const check = (link: ReturnType<typeof Link.make>) => StartupCheck.run(link, link.config.assets)

/** What is wrong with each asset of a chain, by symbol; who has nothing wrong is left out. */
const faultsOf = (link: ReturnType<typeof Link.make>) =>
  Effect.map(check(link), (findings) =>
    Object.fromEntries(
      findings.flatMap(({ asset, faults }) =>
        faults.length === 0 ? [] : [[asset.symbol, faults] as const],
      ),
    ),
  )

/** A call that changes a chain from outside. */
interface Change {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const write = (
  token: Caip.Address,
  slot: `0x${string}` | number,
  value: bigint | `0x${string}`,
): Change => ({
  method: "anvil_setStorageAt",
  params: [
    token,
    typeof slot === "number" ? toHex(slot, { size: 32 }) : slot,
    typeof value === "bigint" ? toHex(value, { size: 32 }) : value,
  ],
})
const setCode = (address: Caip.Address, code: string): Change => ({
  method: "anvil_setCode",
  params: [address, code],
})

/** Changes a chain for as long as a test looks. */
const changed = <A, E, R>(
  local: LocalChain.LocalChain,
  changes: ReadonlyArray<Change>,
  looking: Effect.Effect<A, E, R>,
) =>
  Effect.acquireUseRelease(
    Effect.tap(local.request("evm_snapshot"), () =>
      Effect.forEach(changes, ({ method, params }) => local.request(method, params)),
    ),
    () => looking,
    (snapshot) => Effect.orDie(local.request("evm_revert", [snapshot])),
  )

const blocked = ({ token }: Asset.Asset, account: Caip.Address) => {
  const { slot, value } = Contracts.blockedWord(account, true)
  return write(token.address, slot, value)
}

const [first, second] = Link.collecting
const ours = [first, second].map((wallet) => wallet?.address ?? assert.fail())

const { readAnswers } = Lies

/** A node in front of a chain that answers some calls otherwise. */
const lying = (local: LocalChain.LocalChain, lie: (call: Node.Call) => Node.Outcome | undefined) =>
  Node.make(async (calls, body) => {
    const honest = new Map(
      readAnswers(await Locals.passOn(local, body)).map((each) => [each.id, each]),
    )
    return Node.json(
      Node.answersOf(local.chainId, calls, (call) => lie(call) ?? honest.get(call.id)),
    )
  })

const bytesOverload = "0x88b7ab63"
const isGarbage = ({ method, params }: Node.Call): boolean =>
  method === "eth_call" && JSON.stringify(params).includes(bytesOverload)

layer(Locals.Locals.layer, { excludeTestServices: true, timeout: Locals.startsWithinInMs })(
  "the check of a chain's assets",
  (rules) => {
    rules.effect("accepts all 17 tokens unchanged, in as few requests as their calls need", () =>
      Effect.gen(function* () {
        const passed: Array<string> = []
        for (const { chainId } of BuiltIn.catalog.networks) {
          const node = yield* Locals.inFrontOf(yield* Locals.of(chainId))
          const findings = yield* check(Link.make(chainId, node.url))
          assert.deepStrictEqual(
            findings.flatMap(({ faults }) => faults),
            [],
          )
          passed.push(...findings.map(({ asset }) => Eip155.formatToken(asset.token)))
          const calls = node.asked.flat().length
          assert.strictEqual(node.asked.length, Math.ceil(calls / batchMax))
        }
        assert.deepStrictEqual(
          passed.toSorted(),
          BuiltIn.catalog.assets.map(({ token }) => Eip155.formatToken(token)).toSorted(),
        )
        assert.strictEqual(passed.length, 17)
      }),
    )

    const decimalsSlot = 6
    const nameSlot = 3
    const pausedSlot = 7
    const rateSlot = 8
    const deprecatedSlot = 10
    const nobodysWord = pad("0x1", { size: 32 })
    const usedSlot = keccak256(
      concatHex([nobodysWord, keccak256(concatHex([nobodysWord, toHex(8, { size: 32 })]))]),
    )

    /** What is done to an asset, and what is then found of it. */
    const breaks: ReadonlyArray<{
      readonly rule: string
      readonly asset: Asset.Asset
      readonly by: (token: Caip.Address) => Change
      readonly found: RegExp
    }> = [
      ...[assetOf(1, "USDC"), assetOf(1, "USDT"), assetOf(56, "USDT"), assetOf(137, "USDT")].map(
        (asset) => ({
          rule: "has no contract",
          asset,
          by: (token: Caip.Address) => setCode(token, "0x"),
          found: /there is no contract/u,
        }),
      ),
      ...BuiltIn.catalog.assets.map((asset) => ({
        rule: "has other decimals",
        asset,
        by: (token: Caip.Address) => write(token, decimalsSlot, 8n),
        found: new RegExp(`decimals\\(\\) is not ${asset.decimals}`, "u"),
      })),
      ...BuiltIn.catalog.assets
        .filter((asset) => Details.of(asset).separatorPin !== undefined)
        .map((asset) => ({
          rule: "signs with another name",
          asset,
          by: (token: Caip.Address) => write(token, nameSlot, pad("0x02", { size: 32 })),
          found:
            Details.of(asset).domain?.salt === undefined
              ? /DOMAIN_SEPARATOR\(\) is not 0x/u
              : /getDomainSeperator\(\) is not 0x/u,
        })),
      ...BuiltIn.catalog.assets
        .filter(({ flow }) => flow === "eip3009")
        .map((asset) => ({
          rule: "reports an unused authorization as used",
          asset,
          by: (token: Caip.Address) => write(token, usedSlot, 1n),
          found: /authorizationState\(\) does not return false/u,
        })),
      ...BuiltIn.catalog.assets
        .filter((asset) => Contracts.can(asset, "pauses"))
        .map((asset) => ({
          rule: "is paused",
          asset,
          by: (token: Caip.Address) => write(token, pausedSlot, 1n),
          found: /paused\(\) is on/u,
        })),
      {
        rule: "keeps a fee",
        asset: assetOf(1, "USDT"),
        by: (token) => write(token, rateSlot, 1n),
        found: /basisPointsRate\(\) is on/u,
      },
      {
        rule: "is deprecated",
        asset: assetOf(1, "USDT"),
        by: (token) => write(token, deprecatedSlot, 1n),
        found: /deprecated\(\) is on/u,
      },
    ]
    for (const { asset, by, found, rule } of breaks) {
      rules.effect(`finds that ${asset.symbol} on ${asset.token.chainId} ${rule}`, () =>
        Effect.gen(function* () {
          const { address, chainId } = asset.token
          const local = yield* Locals.of(chainId)
          const faults = yield* changed(local, [by(address)], faultsOf(linkTo(local)))
          assert.deepStrictEqual(Object.keys(faults), [asset.symbol])
          const said = faults[asset.symbol] ?? []
          // A Paxos token takes any signature for an authorization that it calls used.
          assert.strictEqual(
            said.filter((each) => !each.includes("accepts a forged signature")).length,
            1,
          )
          assert.isTrue(said.some((each) => found.test(each)))
          for (const each of said) assert.include(each, Eip155.formatToken(asset.token))
        }),
      )
    }

    const barring = BuiltIn.catalog.assets.filter((asset) => Contracts.can(asset, "blocks"))

    rules.effect("finds any of the service's accounts that a token blocks", () =>
      Effect.gen(function* () {
        assert.strictEqual(barring.length, 15)
        for (const asset of barring) {
          const local = yield* Locals.of(asset.token.chainId)
          for (const account of ours) {
            const faults = yield* changed(local, [blocked(asset, account)], faultsOf(linkTo(local)))
            assert.deepStrictEqual(Object.keys(faults), [asset.symbol])
            const said = faults[asset.symbol] ?? []
            assert.strictEqual(said.length, 1)
            assert.include(said[0] ?? "", Eip155.formatAddress(account))
          }
        }
      }),
    )

    rules.effect("S27: finds that a token blocks Permit2, if it is collected by Permit2", () =>
      Effect.gen(function* () {
        for (const asset of barring) {
          const local = yield* Locals.of(asset.token.chainId)
          const bars = [blocked(asset, Eip155.permit2Address)]
          const taken = linkTo(local, {
            flow: ({ flow }) => (flow === "permit2" ? [flow] : [flow, "permit2"]),
          })
          if (asset.flow !== "permit2") {
            const faults = yield* changed(local, bars, faultsOf(taken))
            assert.deepStrictEqual(Object.keys(faults), [asset.symbol])
            const [said = "", ...others] = faults[asset.symbol] ?? []
            assert.deepStrictEqual(others, [])
            assert.match(said, /bars Permit2, so nothing could be taken by it/u)
          }
          const usual = yield* changed(local, bars, faultsOf(linkTo(local)))
          assert.deepStrictEqual(Object.keys(usual), asset.flow === "permit2" ? [asset.symbol] : [])
        }
      }),
    )

    rules.effect(
      "S27: notes a blocked account that takes no new payments, and offers the token",
      () =>
        Effect.gen(function* () {
          const asset = assetOf(8453, "USDC")
          const local = yield* Locals.of(Eip155.chainId(8453))
          const [taking = assert.fail(), draining = assert.fail()] =
            linkTo(local).config.accounts.values()
          const link = linkTo(local, { accounts: [taking, { ...draining, isDraining: true }] })
          const faults = yield* changed(
            local,
            [blocked(asset, ours[1] ?? assert.fail())],
            faultsOf(link),
          )
          assert.deepStrictEqual(faults, {})
          const findings = yield* changed(
            local,
            [blocked(asset, ours[1] ?? assert.fail())],
            check(link),
          )
          const [note = "", ...others] = findings.flatMap(({ notes }) => notes)
          assert.deepStrictEqual(others, [])
          assert.include(note, `${Eip155.formatAddress(ours[1] ?? assert.fail())}, which drains`)
          assert.include(note, Eip155.formatToken(asset.token))
        }),
    )

    rules.effect("finds any of the service's accounts that cannot pay for a transfer's gas", () =>
      Effect.gen(function* () {
        for (const { chainId } of BuiltIn.catalog.networks) {
          const local = yield* Locals.of(chainId)
          const cost = yield* Fees.ofTransfer(linkTo(local))
          const holding = (account: Caip.Address, wei: bigint): Change => ({
            method: "anvil_setBalance",
            params: [account, toHex(wei)],
          })
          for (const account of ours) {
            const link = linkTo(local)
            const short = yield* changed(local, [holding(account, cost - 1n)], faultsOf(link))
            assert.deepStrictEqual(
              Object.entries(short).map(([symbol, { length }]) => [symbol, length]),
              link.config.assets.map(({ symbol }) => [symbol, 1]),
            )
            for (const [said = ""] of Object.values(short)) {
              assert.include(said, `${Eip155.formatAddress(account)} is short of gas`)
            }
            assert.deepStrictEqual(
              yield* changed(local, [holding(account, cost)], faultsOf(link)),
              {},
            )
          }
          // Who pays the gas of their own transfer needs none of ours.
          const paying = linkTo(local, { flow: () => "transfer" })
          const poor = ours.map((account) => holding(account, 0n))
          assert.deepStrictEqual(yield* changed(local, poor, faultsOf(paying)), {})
          const either = linkTo(local, { flow: ({ flow }) => ["transfer", flow] })
          assert.deepStrictEqual(
            Object.keys(yield* changed(local, poor, faultsOf(either))),
            either.config.assets.map(({ symbol }) => symbol),
          )
        }
      }),
    )

    rules.effect("reports everything that is wrong together, for each asset", () =>
      Effect.gen(function* () {
        const local = yield* Locals.of(Eip155.chainId(1))
        const [usdc, pyusd] = [assetOf(1, "USDC"), assetOf(1, "PYUSD")]
        const faults = yield* changed(
          local,
          [
            write(usdc.token.address, pausedSlot, 1n),
            write(usdc.token.address, decimalsSlot, 18n),
            blocked(pyusd, ours[0] ?? assert.fail()),
          ],
          faultsOf(linkTo(local)),
        )
        assert.deepStrictEqual(
          Object.entries(faults).map(([symbol, { length }]) => [symbol, length]),
          [
            ["USDC", 2],
            ["PYUSD", 1],
          ],
        )
      }),
    )

    describe("of a signature as bytes", () => {
      const usdc = assetOf(10, "USDC")
      const found = (outcome: Node.Outcome) =>
        Effect.gen(function* () {
          const local = yield* Locals.of(Eip155.chainId(10))
          const node = yield* lying(local, (call) => (isGarbage(call) ? outcome : undefined))
          return yield* faultsOf(Link.make(usdc.token.chainId, node.url))
        })
      const error = (code: number, message: string, data?: string) => ({
        error: { code, message, data },
      })

      const reasons = {
        "data and text": error(3, "execution reverted: ECRecover: invalid signature", "0x08c379a0"),
        "data alone": error(3, "execution reverted", "0x815e1d64"),
        "text alone": error(-32000, "execution reverted: ECRecover: invalid signature"),
        "data behind a word": error(-32015, "VM execution error.", "Reverted 0x08c379a0"),
      }
      for (const [how, outcome] of Object.entries(reasons)) {
        rules.effect(`accepts a revert reason as ${how}`, () =>
          Effect.map(found(outcome), (faults) => {
            assert.deepStrictEqual(faults, {})
          }),
        )
      }

      const empty = {
        "empty data": error(3, "execution reverted", "0x"),
        "no data": error(-32000, "execution reverted"),
        "empty data behind a word": error(-32015, "VM execution error.", "Reverted 0x"),
      }
      for (const [how, outcome] of Object.entries(empty)) {
        rules.effect(`reports a missing function for a revert with ${how}`, () =>
          Effect.map(found(outcome), (faults) => {
            assert.deepStrictEqual(Object.keys(faults), ["USDC"])
            assert.match(faults["USDC"]?.[0] ?? "", /bytes is missing/u)
          }),
        )
      }

      rules.effect("reports a token that accepts a forged signature", () =>
        Effect.map(found({ result: "0x" }), (faults) => {
          assert.match(faults["USDC"]?.[0] ?? "", /accepts a forged signature/u)
        }),
      )

      rules.effect("is unavailable if the node refuses to respond", () =>
        Effect.gen(function* () {
          const unknown = yield* Effect.flip(found(error(-32000, "header not found")))
          assert.strictEqual(unknown._tag, "ChainUnavailable")
        }),
      )
    })

    describe("of permits", () => {
      const isSigner = (asset: Asset.Asset): boolean => Details.of(asset).domain !== undefined
      const taking = (local: LocalChain.LocalChain) =>
        linkTo(local, { flow: (asset) => (isSigner(asset) ? "permit" : asset.flow) })
      const signers = BuiltIn.catalog.assets.filter(isSigner)

      rules.effect("accepts every token with permits, in few requests to each chain", () =>
        Effect.gen(function* () {
          assert.strictEqual(signers.length, 14)
          for (const { chainId } of BuiltIn.catalog.networks) {
            const node = yield* Locals.inFrontOf(yield* Locals.of(chainId))
            const link = Link.make(chainId, node.url, {
              flow: (asset) => (isSigner(asset) ? "permit" : asset.flow),
            })
            const findings = yield* check(link)
            assert.deepStrictEqual(
              findings.flatMap(({ faults }) => faults),
              [],
            )
            const most = Math.max(...node.asked.map(({ length }) => length))
            const calls = node.asked.reduce((sum, { length }) => sum + length, 0)
            assert.isAtMost(most, 10)
            assert.strictEqual(node.asked.length, Math.ceil(calls / 10))
          }
        }),
      )

      for (const [chainId, symbol] of [
        [137, "USDT"],
        [1, "USDC"],
      ] as const) {
        rules.effect(`reports that ${symbol} on ${chainId} has no permits or no nonces`, () =>
          Effect.gen(function* () {
            const { token } = assetOf(chainId, symbol)
            const local = yield* Locals.of(token.chainId)
            const without = [setCode(token.address, Contracts.code("PlainToken"))]
            const said = yield* changed(local, without, faultsOf(taking(local)))
            assert.isTrue(said[symbol]?.some((each) => each.includes("permit() is missing")))
            assert.isTrue(
              said[symbol]?.some((each) =>
                /does not implement (?:nonces|getNonce)\(\)/u.test(each),
              ),
            )
            // Where nobody is to pay so, nobody asks.
            const usual = yield* changed(local, without, faultsOf(linkTo(local)))
            assert.isFalse(usual[symbol]?.some((each) => each.includes("permit()")))
          }),
        )
      }

      rules.effect("reports a token that accepts any permit", () =>
        Effect.gen(function* () {
          const local = yield* Locals.of(Eip155.chainId(137))
          const node = yield* lying(local, ({ method, params }) =>
            method === "eth_call" && JSON.stringify(params).includes("0xd505accf")
              ? { result: "0x" }
              : undefined,
          )
          const link = Link.make(local.chainId, node.url, {
            flow: ({ symbol, flow }) => (symbol === "USDT" ? "permit" : flow),
          })
          const faults = yield* faultsOf(link)
          assert.deepStrictEqual(Object.keys(faults), ["USDT"])
          assert.match(faults["USDT"]?.[0] ?? "", /permit\(\) accepts a forged signature/u)
        }),
      )
    })

    describe("of Permit2", () => {
      const permit2Chains = [1, 56, 137].map((number) => Eip155.chainId(number))
      const symbolsOfAll = (chainId: Caip.ChainId) =>
        Catalog.assetsOf(BuiltIn.catalog, chainId).map(({ symbol }) => symbol)
      const symbolsOf = (chainId: Caip.ChainId) =>
        Catalog.assetsOf(BuiltIn.catalog, chainId)
          .filter(({ flow }) => flow === "permit2")
          .map(({ symbol }) => symbol)

      const finds = (rule: string, code: string, found: RegExp) => {
        rules.effect(`finds that ${rule}, for the assets that need it`, () =>
          Effect.gen(function* () {
            for (const chainId of permit2Chains) {
              const local = yield* Locals.of(chainId)
              const changes = [setCode(Eip155.permit2Address, code)]
              const faults = yield* changed(local, changes, faultsOf(linkTo(local)))
              assert.deepStrictEqual(Object.keys(faults), symbolsOf(local.chainId))
              for (const said of Object.values(faults).flat()) assert.match(said, found)
            }
          }),
        )
      }
      rules.effect("checks Permit2 only if it is one of the configured flows", () =>
        Effect.gen(function* () {
          const local = yield* Locals.of(Eip155.chainId(1))
          const without = [setCode(Eip155.permit2Address, "0x")]
          const found = (flow: NonNullable<ChainConfig.Options["flow"]>) =>
            Effect.map(changed(local, without, faultsOf(linkTo(local, { flow }))), Object.keys)
          assert.deepStrictEqual(
            yield* found(() => ["transfer", "permit2"]),
            symbolsOfAll(local.chainId),
          )
          assert.deepStrictEqual(yield* found(() => "transfer"), [])
        }),
      )

      finds("it is not deployed", "0x", /Permit2 is not at its address/u)
      finds("another contract is at its address", Contracts.code("PlainToken"), /is not Permit2/u)

      rules.effect("refuses the test version of Permit2 on a chain that is not local", () =>
        Effect.gen(function* () {
          const local = yield* Locals.of(Eip155.chainId(56))
          const said = (version: string) =>
            Effect.gen(function* () {
              const node = yield* lying(local, ({ method }) =>
                method === "web3_clientVersion" ? { result: version } : undefined,
              )
              return Object.keys(yield* faultsOf(Link.make(local.chainId, node.url)))
            })
          assert.deepStrictEqual(yield* said("anvil/v1.7.1"), [])
          assert.deepStrictEqual(yield* said("Geth/v1.16.0/anvil/"), symbolsOf(local.chainId))
          const elsewhere = linkTo(local, {
            rpcUrls: [Redacted.make(local.rpcUrl), Redacted.make("http://node.example.com/")],
          })
          assert.deepStrictEqual(
            Object.keys(yield* faultsOf({ ...elsewhere, rpc: linkTo(local).rpc })),
            symbolsOf(local.chainId),
          )
        }),
      )
    })

    rules.effect("detects an upgraded token by its code, and by the storage slots of proxies", () =>
      Effect.gen(function* () {
        const asset = assetOf(8453, "USDC")
        const { address } = asset.token
        const local = yield* Locals.of(Eip155.chainId(8453))
        const version = Effect.map(
          StartupCheck.run(linkTo(local), [asset]),
          ([finding]) => finding?.version ?? assert.fail(),
        )
        const text = (name: string) => keccak256(toHex(name))
        const slots = [
          toHex(BigInt(text("eip1967.proxy.implementation")) - 1n),
          text("org.zeppelinos.proxy.implementation"),
          text("matic.network.proxy.implementation"),
        ]
        const versions = [
          yield* version,
          ...(yield* Effect.forEach(slots, (slot) =>
            changed(local, [write(address, slot, 7n)], version),
          )),
          yield* changed(local, [setCode(address, `${Contracts.code("FiatToken")}00`)], version),
        ]
        assert.strictEqual(new Set(versions).size, 5)
        assert.strictEqual(yield* version, versions[0])
      }),
    )

    const silence: Readonly<Record<string, (call: Node.Call) => Node.Outcome | undefined>> = {
      "has no code to show": ({ method }) =>
        method === "eth_getCode" ? { result: null } : undefined,
      "has no storage to show": ({ method }) =>
        method === "eth_getStorageAt" ? { error: { code: -32601, message: "no" } } : undefined,
      "answers short": ({ method, params }) =>
        method === "eth_call" && !JSON.stringify(params).includes(bytesOverload)
          ? { result: "0x" }
          : undefined,
    }
    for (const [how, lie] of Object.entries(silence)) {
      rules.effect(`reports nothing about a token if the node ${how}`, () =>
        Effect.gen(function* () {
          const node = yield* lying(yield* Locals.of(Eip155.chainId(8453)), lie)
          const unknown = yield* Effect.flip(check(Link.make(Eip155.chainId(8453), node.url)))
          assert.strictEqual(unknown._tag, "ChainUnavailable")
        }),
      )
    }
  },
)

describe("Permit2's code", () => {
  const [ethereum, bsc] = [1, 56].map((chainId) => Eip155.chainId(chainId))
  /** Made as Permit2 is: it pushes the chain's id and its own separator. */
  const codeOn = (chainId: Caip.ChainId, rest = "00") => {
    const id = Eip155.numberOf(chainId).toString(16).padStart(64, "0")
    return hex(`0x6080467f${id}0361576f7f${Permit2.separator(chainId).slice(2)}90${rest}`)
  }

  it("has the same hash on every chain, except for two words", () => {
    assert.isDefined(ethereum)
    assert.isDefined(bsc)
    const expected = keccak256(codeOn(ethereum))
    assert.strictEqual(Permit2.codeHash(codeOn(ethereum), ethereum), expected)
    assert.strictEqual(Permit2.codeHash(codeOn(bsc), bsc), expected)
    assert.strictEqual(Permit2.codeHash(hex(codeOn(bsc).toUpperCase()), bsc), expected)
    assert.notStrictEqual(Permit2.codeHash(codeOn(bsc, "01"), bsc), expected)
    assert.notStrictEqual(Permit2.codeHash(codeOn(ethereum), bsc), keccak256("0x"))
    assert.notStrictEqual(Permit2.codeHash(codeOn(bsc), ethereum), expected)
    assert.isFalse(Permit2.isCanonical(codeOn(bsc), bsc))
  })

  it("has the same domain separator as on Ethereum", () => {
    assert.isDefined(ethereum)
    assert.strictEqual(
      Permit2.separator(ethereum),
      "0x866a5aba21966af95d6c7ab78eb2b2fc913915c28be3b9aa07cc04ff903e3f28",
    )
  })
})
