import { stdout } from "node:process"
import { assert, describe, layer } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import type { OfferedAsset } from "@florin/core/ports/Chain"
import * as Contracts from "@florin/localnet/Contracts"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { batchMax } from "../src/read/Link.ts"
import { hex } from "../src/read/Queries.ts"
import * as Views from "../src/read/Views.ts"
import * as Holdings from "../src/token/Holdings.ts"
import * as RememberedHoldings from "../src/token/RememberedHoldings.ts"
import * as Lies from "../test-support/lies.ts"
import * as Link from "../test-support/link.ts"
import * as Locals from "../test-support/locals.ts"
import * as Node from "../test-support/node.ts"
import * as Send from "../test-support/send.ts"

const everyChain = { concurrency: "unbounded" } as const

const offered = (chainId: Caip.ChainId, flow?: PaymentOption.Flow): ReadonlyArray<OfferedAsset> =>
  Catalog.assetsOf(BuiltIn.catalog, chainId).map((asset) => ({
    asset,
    flows: [flow ?? asset.flow],
    minimum: Money.zero,
    etaInS: 1,
    collectingAccounts: [],
  }))

const payersOf = (chainId: Caip.ChainId, count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => {
    const account = Wallet.make(from + index).account(chainId)
    return { account, accountText: `payer ${index}` }
  })

/** Opens once so many wait at it, and lets each go on after its own delay. */
const gateFor = (count: number) => {
  let waiting = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  return async (delayInMs: number) => {
    if (++waiting === count) resolve()
    await promise
    await new Promise((done) => void setTimeout(done, delayInMs))
  }
}

const multicallAddress = Caip.Address.make("0xca11bde05977b3631167028862be2a173976ca11")
/** What makes Multicall3, as viem has it. */
const multicall3: string = (
  await import(new URL("../constants/contracts.js", import.meta.resolve("viem")).href)
).multicall3Bytecode

const isWithoutRecipient = ({ method, params: [message] }: Node.Call): boolean =>
  method === "eth_call" && !JSON.stringify(message).includes('"to":')

/** What the first token of a chain is, and another. */
const [usdc, eurc] = Catalog.assetsOf(BuiltIn.catalog, Eip155.chainId(8453))
const base = usdc?.token ?? assert.fail("no USDC on Base")
const other = eurc?.token ?? assert.fail("no EURC on Base")

layer(Locals.Locals.layer, { excludeTestServices: true, timeout: Locals.startsWithinInMs })(
  "Holdings",
  (it) => {
    it.effect(
      "of 8 accounts on 8 chains need one request to each chain, all at the same time",
      () =>
        Effect.gen(function* () {
          const gate = gateFor(BuiltIn.catalog.networks.length)
          const heldUpInMs = 240
          const chains = yield* Effect.forEach(BuiltIn.catalog.networks, ({ chainId }, index) =>
            Effect.gen(function* () {
              const local = yield* Locals.of(chainId)
              const node = yield* Locals.inFrontOf(local, () =>
                gate((heldUpInMs * (index + 1)) / 8),
              )
              return {
                local,
                node,
                link: Link.make(chainId, node.url, { answerWithinInMs: 120_000 }),
              }
            }),
          )
          const expected = yield* Effect.forEach(
            chains,
            ({ local }, chain) =>
              Effect.forEach(payersOf(local.chainId, 8), ({ account }, payer) =>
                Effect.forEach(
                  Catalog.assetsOf(BuiltIn.catalog, local.chainId),
                  ({ token }, row) => {
                    const quantity = BigInt(chain * 10_000 + payer * 100 + row + 1)
                    return Effect.as(local.fund(token.address, account.address, quantity), quantity)
                  },
                ),
              ),
            everyChain,
          )
          const beganAt = performance.now()
          const tookInMs: Array<number> = []
          const found = yield* Effect.forEach(
            chains,
            ({ link, local: { chainId } }) =>
              Effect.tap(Holdings.of(link, payersOf(chainId, 8), offered(chainId)), () =>
                Effect.sync(() => tookInMs.push(performance.now() - beganAt)),
              ),
            everyChain,
          )
          const slowest = Math.max(...tookInMs)
          const all = performance.now() - beganAt
          stdout.write(
            `8 accounts on 8 chains, each held up for up to ${heldUpInMs} ms: ${all.toFixed(0)} ms, ${(all / slowest).toFixed(2)} times the slowest chain\n`,
          )
          assert.deepStrictEqual(
            chains.map(({ node }) => node.asked.length),
            chains.map(() => 1),
          )
          for (const [chain, holdings] of found.entries()) {
            const { chainId } = chains[chain]?.local ?? assert.fail()
            for (const [payer, { accountText }] of payersOf(chainId, 8).entries()) {
              assert.deepStrictEqual(
                holdings
                  .filter((each) => each.accountText === accountText)
                  .map((each) => each.balance),
                expected[chain]?.[payer]?.map((quantity) => Money.Quantity.make(quantity)),
              )
            }
            assert.strictEqual(
              holdings.length,
              8 * Catalog.assetsOf(BuiltIn.catalog, chainId).length,
            )
          }
        }),
    )

    it.effect("S20: of many accounts need one request for several calls within a second", () =>
      Effect.gen(function* () {
        const chainId = Eip155.chainId(8453)
        const local = yield* Locals.of(chainId)
        const node = yield* Locals.inFrontOf(local)
        const holdingsOf = yield* RememberedHoldings.make(Link.make(chainId, node.url))
        const ask = (count: number) => holdingsOf(payersOf(chainId, count), offered(chainId))
        const [first] = yield* Effect.all(
          Array.from({ length: 20 }, () => ask(11)),
          everyChain,
        )
        assert.deepStrictEqual(yield* ask(11), first)
        assert.strictEqual(node.asked.length, 1)
        yield* ask(12)
        assert.strictEqual(node.asked.length, 2)
        yield* TestClock.adjust("1 second")
        yield* ask(11)
        assert.strictEqual(node.asked.length, 3)
      }).pipe(Effect.provide(TestClock.layer())),
    )

    it.effect(
      "S20: of few accounts are read again for each new call, and once for simultaneous calls",
      () =>
        Effect.gen(function* () {
          const chainId = Eip155.chainId(8453)
          const local = yield* Locals.of(chainId)
          const node = yield* Locals.inFrontOf(local)
          const holdingsOf = yield* RememberedHoldings.make(Link.make(chainId, node.url))
          const ask = holdingsOf(payersOf(chainId, 10), offered(chainId))
          yield* Effect.all(
            Array.from({ length: 20 }, () => ask),
            everyChain,
          )
          assert.strictEqual(node.asked.length, 1)
          yield* ask
          assert.strictEqual(node.asked.length, 2)
        }),
    )

    it.effect("S20: are read again after a failed request", () =>
      Effect.gen(function* () {
        const chainId = Eip155.chainId(8453)
        const local = yield* Locals.of(chainId)
        let isDown = true
        const node = yield* Node.make(async (_, body) =>
          isDown ? { status: 500, body: "" } : { body: await Locals.passOn(local, body) },
        )
        const { config } = Link.make(chainId, node.url)
        const holdingsOf = yield* RememberedHoldings.make({
          config,
          // A node that failed is left alone for a while: each call has a connection of its own.
          get rpc() {
            return Link.make(chainId, node.url).rpc
          },
        })
        const ask = Effect.suspend(() => holdingsOf(payersOf(chainId, 1), offered(chainId)))
        yield* Effect.flip(ask)
        isDown = false
        assert.isAbove((yield* ask).length, 0)
      }),
    )

    it.effect("of the largest number of accounts need few requests, and are not mixed up", () =>
      Effect.gen(function* () {
        const chainId = Eip155.chainId(1)
        const local = yield* Locals.of(chainId)
        const node = yield* Locals.inFrontOf(local)
        const accounts = Array.from({ length: Limits.accountsPerCallMax }, (_, index) => ({
          account: {
            chainId,
            address: Caip.Address.make(`0x${(0xa0000 + index).toString(16).padStart(40, "0")}`),
          },
          accountText: String(index),
        }))
        const assets = offered(chainId)
        for (const [row, { asset }] of assets.entries()) {
          for (const index of [row, 500, accounts.length - 1 - row]) {
            const address = accounts[index]?.account.address ?? assert.fail()
            yield* local.fund(asset.token.address, address, BigInt(1000 * row + index + 1))
          }
        }
        const holdings = yield* Holdings.of(Link.make(chainId, node.url), accounts, assets)
        const rows = accounts.length * assets.length
        assert.strictEqual(holdings.length, rows)
        assert.deepStrictEqual(
          new Set(
            holdings
              .filter(({ balance }) => balance > 0n)
              .map(
                ({ accountText, balance, token }) => `${token.address} ${accountText} ${balance}`,
              ),
          ),
          new Set(
            assets.flatMap(({ asset: { token } }, row) =>
              [row, 500, accounts.length - 1 - row].map(
                (index) => `${token.address} ${index} ${1000 * row + index + 1}`,
              ),
            ),
          ),
        )
        const asked = node.asked.flat().filter(({ method }) => method === "eth_call")
        const permits =
          assets.filter(({ flows }) => flows.includes("permit2")).length * accounts.length
        const barring = assets.filter(
          ({ asset }) => Details.of(asset).issuer.blocklist !== null,
        ).length
        const views = rows + permits + barring * accounts.length
        // And one for which of the accounts have code.
        assert.strictEqual(asked.length, Math.ceil(views / Views.viewsPerCall) + 1)
        const calls = asked.length + 1
        assert.strictEqual(node.asked.length, Math.ceil(calls / batchMax))
      }),
    )

    it.effect("contain the allowance for Permit2, for tokens that use it", () =>
      Effect.gen(function* () {
        for (const chainId of [1, 56, 137]) {
          const local = yield* Locals.of(Eip155.chainId(chainId))
          const link = Link.make(local.chainId, Redacted.make(local.rpcUrl))
          const payer = Wallet.make(700 + chainId)
          const { address } = payer
          const account = payer.account(chainId)
          yield* local.fundGas(address, 10n ** 18n)
          for (const [index, { asset }] of offered(local.chainId).entries()) {
            yield* local.fund(asset.token.address, address, 5n)
            yield* Send.from(local, privateKeyToAccount(hex(payer.privateKey)), {
              to: asset.token.address,
              data: encodeFunctionData({
                abi: parseAbi(["function approve(address spender, uint256 value)"]),
                functionName: "approve",
                args: [hex(Eip155.permit2Address), 70n + BigInt(index)],
              }),
            })
            yield* local.mine(1)
            assert.strictEqual(
              yield* Holdings.allowance(link, account, asset.token),
              70n + BigInt(index),
            )
          }
          const holdings = yield* Holdings.of(
            link,
            [{ account, accountText: "text" }],
            offered(local.chainId),
          )
          assert.deepStrictEqual(
            holdings.map(({ allowance }) => allowance),
            offered(local.chainId).map(({ flows }, index) =>
              Money.Quantity.make(flows.includes("permit2") ? 70n + BigInt(index) : 0n),
            ),
          )
        }
      }),
    )

    it.effect(
      "contain the nonce of a permit, until one of the service's accounts has an allowance",
      () =>
        Effect.gen(function* () {
          for (const chainId of [1, 137]) {
            const local = yield* Locals.of(Eip155.chainId(chainId))
            // The last of our accounts drains: what it may take can still be taken.
            const link = Link.make(local.chainId, Redacted.make(local.rpcUrl), {
              accounts: Link.collecting.map(({ privateKey }, index) => ({
                ...privateKeyToAccount(hex(privateKey)),
                isDraining: index === Link.collecting.length - 1,
              })),
            })
            const payer = Wallet.make(720 + chainId)
            const account = payer.account(local.chainId)
            yield* local.fundGas(payer.address, 10n ** 18n)
            const signing = offered(local.chainId)
              .filter(({ asset }) => Details.of(asset).domain !== undefined)
              .map(({ asset, collectingAccounts, etaInS, minimum }): OfferedAsset => {
                return { asset, flows: ["permit"], minimum, etaInS, collectingAccounts }
              })
            const nonces = Effect.map(
              Holdings.of(link, [{ account, accountText: "text" }], signing),
              (holdings) => holdings.map(({ permitNonce }) => permitNonce),
            )
            assert.deepStrictEqual(
              yield* nonces,
              signing.map(() => Money.zero),
            )
            const [first = assert.fail()] = signing
            const spender = Link.collecting.at(-1)?.address ?? assert.fail()
            yield* Send.from(local, privateKeyToAccount(hex(payer.privateKey)), {
              to: first.asset.token.address,
              data: Actions.approveData(spender, Money.Quantity.make(1n)),
            })
            yield* local.mine(1)
            assert.deepStrictEqual(
              yield* nonces,
              signing.map((_, index) => (index === 0 ? undefined : Money.zero)),
            )
            const usual = yield* Holdings.of(
              link,
              [{ account, accountText: "text" }],
              offered(local.chainId),
            )
            for (const holding of usual) assert.notProperty(holding, "permitNonce")
          }
        }),
    )

    it.effect("S27: leave out an account that the token blocks, only for that token", () =>
      Effect.gen(function* () {
        for (const chainId of [1, 56, 137, 42161]) {
          const local = yield* Locals.of(Eip155.chainId(chainId))
          const node = yield* Locals.inFrontOf(local)
          const link = Link.make(local.chainId, node.url)
          const payers = payersOf(local.chainId, 2, 830)
          const [barred = assert.fail(), free = assert.fail()] = payers
          const assets = offered(local.chainId)
          const found = Effect.map(Holdings.of(link, payers, assets), (holdings) =>
            holdings.map(({ accountText, token }) => [accountText, token.address]),
          )
          const everything = assets.flatMap(({ asset }) =>
            payers.map(({ accountText }) => [accountText, asset.token.address]),
          )
          assert.deepStrictEqual(yield* found, everything)
          for (const { asset } of assets) {
            const { address } = asset.token
            if (!Contracts.can(asset, "blocks")) continue
            yield* local.block(address, barred.account.address, true)
            const before = node.asked.length
            assert.deepStrictEqual(
              yield* found,
              everything.filter(([text, token]) => token !== address || text === free.accountText),
            )
            assert.strictEqual(node.asked.length - before, 1)
            yield* local.block(address, barred.account.address, false)
          }
          assert.deepStrictEqual(yield* found, everything)
        }
      }),
    )

    it.effect("contain balances up to the largest quantity", () =>
      Effect.gen(function* () {
        const local = yield* Locals.of(Eip155.chainId(8453))
        const link = Link.make(local.chainId, Redacted.make(local.rpcUrl))
        const { address } = Wallet.make(810)
        assert.strictEqual(yield* Holdings.balance(link, base, address), 0n)
        yield* local.fund(base.address, address, Limits.maxQuantity)
        assert.strictEqual(yield* Holdings.balance(link, base, address), Limits.maxQuantity)
      }),
    )

    /** A node that refuses calls without a recipient, as some providers do. */
    const picky = (local: LocalChain.LocalChain) =>
      Node.make(async (calls, body) => {
        const truths = new Map(
          Lies.readAnswers(await Locals.passOn(local, body)).map((each) => [each.id, each]),
        )
        const error = { code: -32602, message: "missing field `to`" }
        return Node.json(
          Node.answersOf(local.chainId, calls, (call) =>
            isWithoutRecipient(call) ? { error } : truths.get(call.id),
          ),
        )
      })

    for (const isThere of [true, false]) {
      it.effect(
        `S26: are read ${isThere ? "through Multicall3" : "one by one"} from a node that refuses calls without a recipient`,
        () =>
          Effect.gen(function* () {
            const local = yield* LocalChain.make({ chainId: base.chainId, blocks: "byHand" })
            if (isThere) {
              const code = yield* local.request("eth_call", [{ data: multicall3 }, "latest"])
              yield* local.setCode(multicallAddress, hex(String(code)))
            }
            const payers = payersOf(local.chainId, 3)
            for (const [index, { account }] of payers.entries()) {
              yield* local.fund(base.address, account.address, BigInt(index + 1))
            }
            yield* local.setCode(other.address, hex("0x60006000fd"))
            const node = yield* picky(local)
            const link = Link.make(local.chainId, node.url)
            const ask = Effect.map(Holdings.of(link, payers, offered(local.chainId)), (holdings) =>
              holdings.map(({ balance, token }) => [token.address, balance]),
            )
            const expected = payers.map((_, index) => [base.address, BigInt(index + 1)])
            assert.deepStrictEqual(yield* ask, expected)
            const before = node.asked.length
            assert.deepStrictEqual(yield* ask, expected)
            // After Multicall3, a balance and a word of the blocklist for each of three payers and two tokens.
            const oneByOne = 1 + Math.ceil((2 * 3 * 2) / batchMax)
            const later = node.asked.slice(before)
            assert.isFalse(later.flat().some(isWithoutRecipient))
            assert.strictEqual(later.length, isThere ? 1 : oneByOne)
          }),
      )
    }

    const broken = {
      "that reverts": "0x60006000fd",
      "that burns all its gas": "0xfe",
      "that answers nothing": "0x00",
      "that answers half a word": "0x60106000f3",
      "that answers two words": "0x60406000f3",
      "that is not there": "0x",
    } as const
    for (const [which, code] of Object.entries(broken)) {
      it.effect(`leave out a token ${which}, and no other`, () =>
        Effect.gen(function* () {
          const chain = yield* LocalChain.make({ chainId: base.chainId, blocks: "byHand" })
          yield* chain.setCode(base.address, hex(code))
          const link = Link.make(chain.chainId, Redacted.make(chain.rpcUrl))
          // More than one call holds, and each of its contracts burns what it gets.
          const payers = payersOf(chain.chainId, 150)
          const holdings = yield* Holdings.of(link, payers, offered(chain.chainId))
          assert.deepStrictEqual(
            holdings.map(({ accountText, token }) => [token.address, accountText]),
            payers.map(({ accountText }) => [other.address, accountText]),
          )
          const error = yield* Effect.flip(
            Holdings.balance(link, base, payers[0]?.account.address ?? assert.fail()),
          )
          assert.strictEqual(error._tag, "ChainUnavailable")
        }),
      )
    }

    it.effect("leave out a token that uses Permit2 but does not return its allowance", () =>
      Effect.gen(function* () {
        const chain = yield* LocalChain.make({ chainId: base.chainId, blocks: "byHand" })
        // It answers 0 to balanceOf and isBlacklisted, and reverts in all else.
        yield* chain.setCode(
          base.address,
          hex("0x60003560e01c806370a0823114601e5763fe575a8714601e5760006000fd5b60206000f3"),
        )
        const link = Link.make(chain.chainId, Redacted.make(chain.rpcUrl))
        const held = (flow: PaymentOption.Flow) =>
          Effect.map(
            Holdings.of(link, payersOf(chain.chainId, 1), offered(chain.chainId, flow)),
            (holdings) => holdings.map(({ token }) => token.address),
          )
        assert.deepStrictEqual(yield* held("permit2"), [other.address])
        assert.deepStrictEqual(yield* held("eip3009"), [base.address, other.address])
      }),
    )

    describe("a node's response for many contracts", () => {
      const word = (value: number) => value.toString(16).padStart(64, "0")
      /** That the token does not bar the account. */
      const free = `01${word(0)}`
      const good = `0x01${word(7)}${free}01${word(8)}${free}`
      const answering = (result: unknown) =>
        Effect.gen(function* () {
          const node = yield* Node.make((calls) =>
            Node.json(
              Node.answersOf(base.chainId, calls, ({ method }) =>
                method === "eth_call"
                  ? { result }
                  : method === "eth_getCode"
                    ? { result: "0x" }
                    : undefined,
              ),
            ),
          )
          const assets = offered(base.chainId)
          return yield* Holdings.of(
            Link.make(base.chainId, node.url),
            payersOf(base.chainId, 1),
            assets,
          )
        })

      it.effect("has one word for each contract, or says that a contract has none", () =>
        Effect.gen(function* () {
          const balances = (text: string) =>
            Effect.map(answering(text), (holdings) => holdings.map(({ balance }) => balance))
          assert.deepEqual(yield* balances(good), [7n, 8n])
          assert.deepEqual(yield* balances(`0x00${word(7)}${free}01${word(8)}${free}`), [8n])
          // Whether it bars the account is not known.
          assert.deepEqual(yield* balances(`0x01${word(7)}00${word(0)}01${word(8)}${free}`), [8n])
        }),
      )

      const malformed = {
        "is nothing": "0x",
        "lacks a byte": good.slice(0, -2),
        "has a byte too many": `${good}00`,
        "has another flag": good.replace("01", "02"),
        "is longer and empty": `0x${"00".repeat(2 * 66 + 1)}`,
        "is no hex": good.replace("7", "g"),
        "is a number": 7,
        "is null": null,
      }
      for (const [what, result] of Object.entries(malformed)) {
        it.effect(`is unknown if the node ${what}, and never a balance of 0`, () =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(answering(result))
            assert.strictEqual(error._tag, "ChainUnavailable")
          }),
        )
      }
    })
  },
)
