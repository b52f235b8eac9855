import { stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Issuer from "@florin/core/domain/eip155/Issuer"
import * as Networks from "@florin/core/domain/eip155/Networks"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Rates from "@florin/core/domain/money/Rates"
import * as OptionRouting from "@florin/core/domain/payment/OptionRouting"
import { Chain, type OfferedAsset } from "@florin/core/ports/Chain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Schema } from "effect"
import * as Evm from "../src/Evm.ts"
import * as Node from "../test-support/node.ts"

const networksCount = 40
const tokensCount = 100
const payers = Array.from({ length: 8 }, (_, index) => Wallet.make(60 + index))
const collecting = Wallet.make(70)

const [usual = assert.fail()] = BuiltIn.catalog.networks
const chainIds = Array.from({ length: networksCount }, (_, index) => 900_000 + index)
const catalog = Catalog.make({
  families: [Eip155.family],
  networks: chainIds.map((chainId) =>
    Networks.network({
      ...usual,
      gas: Gas.of(usual),
      chainId,
      name: `Chain ${chainId}`,
      icon: `chain-${chainId}`,
      explorer: "scan.example",
    }),
  ),
  assets: Array.from({ length: tokensCount }, (_, index) =>
    Assets.asset({
      chainId: chainIds[index % networksCount] ?? assert.fail(),
      address: `0x${(index + 1).toString(16).padStart(40, "0")}`,
      symbol: `T${index}`,
      name: `Token ${index}`,
      flow: "eip3009",
      issuer: Issuer.binance,
    }),
  ),
})

const assets: ReadonlyArray<OfferedAsset> = catalog.assets.map((asset) => ({
  asset,
  flows: ["eip3009"],
  minimum: Money.zero,
  etaInS: 5,
  collectingAccounts: [collecting.address],
}))

const accounts = chainIds.flatMap((chainId) =>
  payers.map((payer) => {
    const account = payer.account(Eip155.chainId(chainId))
    return { account, accountText: Eip155.formatAccount(account) }
  }),
)

const held = 10n ** 9n
/** One view's answer: that there is one, and the word. */
const answered = `01${held.toString(16).padStart(64, "0")}`

const Data = Schema.Struct({ data: Schema.String })
const decodeData = Schema.decodeUnknownSync(Data)
/** An address, a byte that counts the data, and a call of one address: 4 + 32 bytes. */
const viewDigits = 2 * (20 + 1 + 36)

/** Whether it asks what the payers hold. The tokens themselves are asked about at other times, also while a test waits. */
const isQuestion = (calls: ReadonlyArray<Node.Call>): boolean =>
  calls.some(
    ({ method, params }) =>
      method === "eth_call" &&
      payers.some(({ address }) =>
        decodeData(params[0]).data.includes(address.slice("0x".length).toLowerCase()),
      ),
  )

/** Every balance that a call asks for, and which chain it is; nothing else. */
const balances =
  (chainId: number) =>
  (calls: ReadonlyArray<Node.Call>): Node.Reply => ({
    body: JSON.stringify(
      calls.map(({ id, method, params }) => {
        if (method === "eth_chainId") {
          return { jsonrpc: "2.0", id, result: `0x${chainId.toString(16)}` }
        }
        if (method === "eth_getCode") return { jsonrpc: "2.0", id, result: "0x" }
        if (method !== "eth_call") return { jsonrpc: "2.0", id, error: { code: -1, message: "no" } }
        const { data } = decodeData(params[0])
        const views = Math.floor((data.length - 2 - 150) / viewDigits)
        return { jsonrpc: "2.0", id, result: `0x${answered.repeat(views)}` }
      }),
    ),
  })

describe(`options of ${networksCount} networks and ${tokensCount} tokens`, () => {
  it.live("need one request to each network, all at the same time", () =>
    Effect.gen(function* () {
      // No node answers before all were asked; what is asked at the start is refused.
      const gate = Promise.withResolvers<void>()
      let waiting: number | null = null
      const nodes = yield* Effect.forEach(chainIds, (chainId) =>
        Node.make(async (calls) => {
          if (waiting === null) return { status: 500, body: "" }
          if (isQuestion(calls) && ++waiting === networksCount) gate.resolve()
          await gate.promise
          return balances(chainId)(calls)
        }),
      )
      const signer = {
        address: collecting.address,
        signTransaction: () => Promise.reject(new Error()),
      }
      const chains = nodes.map(({ url }, index) => ({
        chainId: chainIds[index] ?? 0,
        rpcUrls: [url],
        accounts: [signer],
        // On a busy machine the gate may stay closed for longer than nodes are waited for, and they are asked again.
        answerWithinInMs: 120_000,
      }))
      const questions = () => nodes.map(({ asked }) => asked.filter(isQuestion).length)
      const { atStart, holdings } = yield* Effect.gen(function* () {
        const chain = yield* Chain
        yield* chain.offered
        waiting = 0
        return { atStart: questions(), holdings: yield* chain.holdings(accounts, assets) }
      }).pipe(Effect.provide(Evm.layer(chains, catalog)))
      assert.deepStrictEqual(
        questions().map((count, index) => count - (atStart[index] ?? 0)),
        chainIds.map(() => 1),
      )
      assert.strictEqual(holdings.length, payers.length * tokensCount)
      assert.isTrue(holdings.every(({ balance }) => balance === held))
      const price = Rates.peg("USD", 0)
      const request = {
        paymentId: PaymentId.PaymentId.make("pay_many"),
        amount: { unit: Amount.fiat("USD"), quantity: Money.Quantity.make(100n) },
        feeTerms: Fees.none,
        expiresAt: 2_000_000_000,
        nowInS: 1_900_000_000,
      }
      const offers = assets.map(({ asset, etaInS, flows, minimum }) => ({
        asset,
        family: Eip155.family,
        etaInS,
        flows,
        minimum,
        payTo: collecting.address,
        price,
        feePrice: undefined,
      }))
      const beganAt = performance.now()
      const times = 20
      for (let time = 0; time < times; time++) {
        assert.strictEqual(OptionRouting.route(request, offers, holdings).length, holdings.length)
      }
      const eachInUs = ((performance.now() - beganAt) * 1000) / (times * holdings.length)
      stdout.write(`routing: ${eachInUs.toFixed(1)} µs for each account and asset\n`)
    }).pipe(Effect.scoped),
  )
})
