import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Amount from "@florin/core/domain/money/Amount"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { RateSource } from "@florin/core/ports/RateSource"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as LocalChain from "@florin/localnet/LocalChain"
import { Clock, Effect, Layer, Schema } from "effect"
import * as Feed from "../../../evm/test-support/feed.ts"
import * as Tables from "../../../server/test-support/tables.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Configured from "../../src/serve/Configured.ts"
import * as Directory from "../directory.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453

const hourInMs = 60 * 60 * 1000
const iso = (at: number) => new Date(at).toISOString()

/** It starts a service: a machine with much else to do takes minutes. */
const timeout = 480_000
const patienceInMs = 120_000

const readOptions = Schema.decodeUnknownSync(
  Schema.Struct({
    options: Schema.Array(
      Schema.Struct({
        amount: Schema.Struct({
          unit: Schema.String,
          value: Schema.String,
          display: Schema.Struct({ assetSymbol: Schema.String }),
        }),
      }),
    ),
  }),
)

/** What a payer of the local chain is offered for payments in a currency, by token. */
const shopOf = (url: string, out: string) => {
  const found = (form: RegExp) => form.exec(out)?.[0] ?? assert.fail(`no ${form} in ${out}`)
  const [partnerKey, walletKey, merchantId] = [
    found(/flr_test_pk_\w+/u),
    found(/flr_test_wk_\w+/u),
    found(/mrch_\w+/u),
  ]
  const [payer] = LocalChains.wallets
  const accounts = payer === undefined ? [] : [Eip155.formatAccount(payer.account(chainId))]
  const partner = makePartner({ baseUrl: url, apiKey: partnerKey, merchantId })
  return {
    order: (currency: string, value: string) =>
      partner.payments.create({
        referenceId: `${currency} ${value}`,
        amount: { unit: `iso4217/${currency}`, value },
      }),
    offered: async (paymentId: string): Promise<{ readonly [symbol: string]: string }> => {
      const response = await fetch(`${url}/v1/gateway/payment/${paymentId}/options`, {
        method: "POST",
        headers: { "Api-Key": walletKey, "content-type": "application/json" },
        body: JSON.stringify({ accounts }),
      })
      const body: unknown = await response.json()
      assert.strictEqual(response.status, 200, JSON.stringify(body))
      return Object.fromEntries(
        readOptions(body).options.map(({ amount }) => [amount.display.assetSymbol, amount.value]),
      )
    },
  }
}

const usdc =
  BuiltIn.catalog.assets.find(({ symbol }) => symbol === "USDC") ?? assert.fail("no USDC")

/** What a unit of a currency buys of USDC, or why nothing. */
const usdcFor = (currency: Amount.Currency) =>
  Effect.flatMap(RateSource, ({ rate }) => rate(currency, usdc)).pipe(
    Effect.map(({ denominator, numerator }) => Number((numerator * 10_000n) / denominator) / 1e4),
    Effect.catch(({ message }) => Effect.succeed(message)),
  )

describe("the prices of florin serve", () => {
  it("are documented for every currency", () => {
    const page = readFileSync(new URL("../../../../docs/prices.md", import.meta.url), "utf8")
    const [, list = ""] = /^The currencies are ([A-Z, and]+)\.$/mu.exec(page) ?? []
    assert.deepStrictEqual(list.split(/, | and /u), [...Amount.Currency.literals])
  })

  it.live("are fixed rates, then feeds, then a table, and stop when a peg fails", () =>
    Effect.gen(function* () {
      const local = yield* LocalChain.make({ chainId: Eip155.chainId(chainId), blocks: "byHand" })
      yield* local.mine(1)
      const now = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000))
      const round = { roundId: 1n, answeredInRound: 1n, startedAt: now, updatedAt: now }
      const usual = { ...round, decimals: 8n, reverts: 0n }
      const feedOf = (answer: bigint, description: string) =>
        Feed.make(local, { ...usual, answer, description })
      const [euro, coin, ether] = [
        yield* feedOf(120_000_000n, "EUR / USD"),
        yield* feedOf(99_500_000n, "USDC / USD"),
        yield* feedOf(240_000_000_000n, "ETH / USD"),
      ]
      const directory = yield* Effect.acquireRelease(Effect.sync(Directory.make), (path) =>
        Effect.sync(() => Directory.remove(path)),
      )
      const file = join(directory, "rates.json")
      writeFileSync(file, Tables.json(iso(Date.now()), { USD: "1.1", GBP: "0.8", CHF: "0.96" }))
      const flags = {
        rate: ["CHF.USDC=2"],
        rateFile: [file],
        rateFeed: [
          `EUR.USD=${chainId}:${euro.address}/25h`,
          `USDC.USD=${chainId}:${coin.address}/25h`,
          `ETH.USD=${chainId}:${ether.address}/25h`,
        ],
        rateFeedRpc: [`${chainId}=${local.rpcUrl}`],
      }
      const seen = Effect.fnUntraced(function* (guard: string) {
        const { values } = yield* Configured.settle({ ...flags, pegGuard: [guard] }, {})
        const policies = Layer.provide(
          yield* Configured.policies(values),
          Layer.merge(Identifiers.layer, StorageMemory.layer),
        )
        const gas = Effect.flatMap(RateSource, ({ coinRate }) => coinRate("EUR", "ETH"))
        return yield* Effect.all({
          tokens: Effect.forEach(["CHF", "EUR", "GBP", "USD", "JPY"] as const, usdcFor),
          gas,
        }).pipe(Effect.provide(policies))
      })
      const { gas, tokens } = yield* seen("USDC=100")
      // The table has a franc at 1.1458 USD, a euro at 1.1, and a pound at 1.25 EUR.
      const none = "no source has a JPY rate of a token pegged to USD"
      assert.deepStrictEqual(tokens, [2, 1.2, 1.5, 1, none])
      assert.strictEqual(gas.numerator * 2000n, gas.denominator)

      const off = "USDC is more than 20 basis points off its peg"
      assert.deepStrictEqual((yield* seen("USDC=20")).tokens, [off, off, off, off, off])
    }).pipe(Effect.scoped),
  )
})

describe("florin serve with a table of rates", () => {
  it("offers tokens at the table's rates, and not while the table is stale", { timeout }, () =>
    Program.inDirectory(async (directory) => {
      const file = join(directory, "rates.xml")
      const today = () => iso(Date.now()).slice(0, 10)
      writeFileSync(file, Tables.ecb(today(), { USD: "1.1", GBP: "0.88" }))
      const served = await Serving.serve(
        { FLORIN_RATE_FILE: file, FLORIN_RATE: "JPY.USDC=0.0065@2026-01-01T00:00:00Z" },
        ...`--port 0 --storage memory --local-chains ${chainId}`.split(" "),
        "--rate-file-max-age-hours",
        "48",
        "--directory",
        directory,
      )
      const { offered, order } = shopOf(served.url, served.said.out)
      const [pounds, euros, dollars, yen] = await Promise.all([
        order("GBP", "1250"),
        order("EUR", "1000"),
        order("USD", "1000"),
        order("JPY", "1000"),
      ])
      // 12.50 GBP are 14.2045… EUR and 15.625 USD.
      assert.deepStrictEqual(await offered(pounds.paymentId), {
        USDC: "15625000",
        EURC: "14204546",
      })
      assert.deepStrictEqual(await offered(euros.paymentId), {
        USDC: "11000000",
        EURC: "10000000",
      })
      assert.deepStrictEqual(await offered(yen.paymentId), { USDC: "6500000" })

      writeFileSync(file, Tables.json(iso(Date.now() - 49 * hourInMs), { USD: "1", GBP: "1" }))
      const endsAt = Date.now() + patienceInMs
      const comes = async (
        paymentId: string,
        expected: { readonly [symbol: string]: string },
      ): Promise<void> => {
        const now = await offered(paymentId)
        if (JSON.stringify(now) === JSON.stringify(expected)) return undefined
        if (Date.now() > endsAt) assert.deepStrictEqual(now, expected)
        await new Promise((resolve) => setTimeout(resolve, 200))
        return comes(paymentId, expected)
      }
      await comes(pounds.paymentId, {})
      // The partner's fixed fee is stated in EUR, too, so that it needs no rate.
      assert.deepStrictEqual(await offered(euros.paymentId), { EURC: "10000000" })
      // At par nothing can be stale, and the fixed rate has no limit of age.
      assert.deepStrictEqual(await offered(dollars.paymentId), { USDC: "10000000" })
      assert.deepStrictEqual(await offered(yen.paymentId), { USDC: "6500000" })

      writeFileSync(file, Tables.json(iso(Date.now()), { USD: "1.2", GBP: "0.8" }))
      await comes(euros.paymentId, { EURC: "10000000", USDC: "12000000" })
      served.child.kill("SIGTERM")
      assert.strictEqual((await served.ended).code, 0)
    }),
  )
})
