import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as AssetFile from "@florin/evm/AssetFile"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Result } from "effect"
import * as Extra from "../../evm/src/config/Extra.ts"
import * as Harbour from "../../evm/test-support/harbour.ts"
import { comes } from "../../evm/test-support/until.ts"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Payer from "../src/dev/Payer.ts"
import * as Commands from "./commands.ts"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

const timeout = 240_000

/** A chain that nobody has heard of. */
const chainId = 7_313_131
const payer = Wallet.make(41)
const relayer = Wallet.make(42)
const treasury = Wallet.make(43)

const network = Harbour.network(chainId)
const signed = Harbour.token(chainId)
/** A token that knows nothing but ERC-20. */
const plain = {
  chainId,
  address: Harbour.addressOf("b0b"),
  symbol: "PIER",
  name: "Pier Dollar",
  decimals: 18,
  peg: "USD",
  flow: "permit2",
  blocklist: null,
}
const file = { networks: [network], assets: [signed, plain] }

/** The chain with both tokens, and everybody's money on it. */
const harbour = Effect.gen(function* () {
  const { catalog } = Result.getOrThrow(AssetFile.parse(JSON.stringify(file), []))
  const own = Eip155.chainId(chainId)
  const local = yield* LocalChain.make({ chainId: own, blocks: { everyInMs: 200 }, catalog })
  for (const { address } of [payer, relayer]) yield* local.fundGas(address, 10n ** 20n)
  for (const { decimals, token } of catalog.assets.filter((each) => each.token.chainId === own)) {
    yield* local.fund(token.address, payer.address, 1000n * 10n ** BigInt(decimals))
  }
  return local
})

const payLinkHost = "pay.example.com"
const secret = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const variablesOf = (url: string) => ({
  DATABASE_URL: url,
  FLORIN_PAY_LINK_HOST: payLinkHost,
  FLORIN_SEAL_KEY: secret(1),
  FLORIN_VAULT_KEY: secret(2),
  FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
})

const run = (variables: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => Program.runIn(variables, ...args))

/** Runs commands of the operator on a database that no service has. */
const operating = <A, E, R>(
  url: string,
  work: Effect.Effect<A, E, R>,
  variables: { readonly [name: string]: string } = {},
) => Effect.scoped(Effect.andThen(Commands.serve(url, variables), work))

/** Runs one of these; returns what it printed. */
const operate = (url: string, ...words: ReadonlyArray<string>) =>
  Effect.map(
    Effect.promise(() => Commands.run(url, ...words)),
    ({ code, err, out }) => {
      assert.strictEqual(code, 0, err + out)
      return out.trim()
    },
  )

const statusOf = async (url: string) => (await fetch(url)).status

describe("an operator's own tokens and chain", () => {
  it.live(
    "are checked, paid in, settled, refunded and reconciled; after their removal, payments still end",
    () =>
      Effect.gen(function* () {
        const local = yield* harbour
        const directory = yield* Effect.acquireRelease(Effect.sync(Directory.make), (made) =>
          Effect.sync(() => {
            Program.killAll()
            Directory.remove(made)
          }),
        )
        const assets = join(directory, "assets.json")
        writeFileSync(assets, JSON.stringify(file))
        const node = `--test-rpc=${chainId}=${local.rpcUrl}`

        const checked = yield* run({}, "assets", "check", assets, node)
        assert.strictEqual(checked.code, 0, checked.out + checked.err)
        assert.include(checked.out, "2 rows are valid.")
        assert.notInclude(checked.out, "built-in")

        const url = yield* Databases.address("migrated")
        const variables = variablesOf(url)
        const [apiKey, walletKey] = yield* operating(
          url,
          Effect.gen(function* () {
            const partner = yield* operate(url, "partners", "create", "--name=Docks")
            const create = ["keys", "create", "--mode=test"]
            return [
              yield* operate(url, ...create, "--partner", partner),
              yield* operate(url, ...create, "--wallet", "Pocket Wallet"),
            ] as const
          }),
        )

        const args = ["--port=0", node, "--assets", assets]
        const served = yield* Effect.promise(() => Serving.serve(variables, ...args))
        const shop = makePartner({ baseUrl: served.url, apiKey })

        const { assets: listed } = yield* Effect.promise(() => shop.assets.list())
        const own = listed.filter((each) => each.network.name === "Harbour")
        assert.deepStrictEqual(
          own.map((each) => [each.symbol, each.decimals, each.flows, each.isOffered, each.reason]),
          [
            ["HARB", 8, ["eip3009"], true, null],
            ["PIER", 18, ["permit2"], true, null],
          ],
        )

        const { merchant } = yield* Effect.promise(() =>
          shop.merchants.create({ merchantName: "Quay 7", merchantEmail: "till@quay.example" }),
        )
        const till = makePartner({ baseUrl: served.url, apiKey, merchantId: merchant.id })
        yield* Effect.promise(() =>
          till.settlements.create(merchant.id, {
            settlements: own.map(({ asset }) => ({
              asset,
              destination: Eip155.formatAccount(treasury.account(chainId)),
            })),
          }),
        )
        const paidIn = Effect.fnUntraced(function* (symbol: string) {
          const created = yield* Effect.promise(() =>
            till.payments.create({
              referenceId: symbol,
              amount: { unit: "iso4217/USD", value: "1250" },
            }),
          )
          const answer = yield* Effect.promise(() =>
            pay(created.gatewayUrl, {
              baseUrl: served.url,
              payLinkHost,
              apiKey: walletKey,
              accounts: [Eip155.formatAccount(payer.account(chainId))],
              signer: Payer.signer(payer, [{ chainId, rpcUrl: local.rpcUrl }]),
              chooseOption: (options) =>
                options.find(({ amount }) => amount.display.assetSymbol === symbol),
              maxPollMs: 25_000,
            }),
          )
          assert.strictEqual(answer._tag, "Succeeded", JSON.stringify(answer))
          return created.paymentId
        })
        const harb = yield* paidIn("HARB")
        const pier = yield* paidIn("PIER")
        const settled = (paymentId: string) =>
          comes(
            "the payout",
            Effect.map(
              Effect.promise(() => till.payments.get(paymentId)),
              ({ info, settlement }) => (settlement === null ? null : { info, settlement }),
            ),
          )
        const first = yield* settled(harb)
        assert.strictEqual(first.info?.optionAmount.value, "1250000000")
        assert.deepInclude(first.info?.optionAmount.display, {
          assetSymbol: "HARB",
          decimals: 8,
          networkName: "Harbour",
        })
        assert.strictEqual((yield* settled(pier)).info?.optionAmount.value, `${125n * 10n ** 17n}`)

        const page = yield* Effect.promise(() => till.payments.list({ token_symbol: ["harb"] }))
        assert.deepStrictEqual(
          page.data.map(({ paymentId }) => paymentId),
          [harb],
        )
        const icon = `${served.url}/icons/harb.svg`
        assert.strictEqual(yield* Effect.promise(() => statusOf(icon)), 200)

        // What the operator put on the account is booked, so that a refund has something to come from.
        yield* local.fund(
          Caip.Address.make(signed.address.toLowerCase()),
          relayer.address,
          2_000_000_000n,
        )
        yield* Effect.promise(() => Serving.end(served, "SIGTERM"))
        const token = `eip155:${chainId}/erc20:${signed.address}`
        const account = Eip155.formatAccount(relayer.account(chainId))
        const hash = `0x${"ab".repeat(32)}`
        const named = ["--mode=test", "--transaction", hash]
        const put = yield* operating(
          url,
          operate(url, "float", "put", token, account, "20", ...named),
          { FLORIN_ASSETS: assets },
        )
        assert.match(put, /20\.00 HARB .*came to/u)

        // Without its row the token takes no new payment, and what it has is refunded and shown as before.
        writeFileSync(assets, JSON.stringify({ ...file, assets: [plain] }))
        const again = yield* Effect.promise(() => Serving.serve(variables, ...args))
        const then = makePartner({ baseUrl: again.url, apiKey, merchantId: merchant.id })
        const refused = yield* Effect.promise(() =>
          then.payments
            .create({ referenceId: "gone", amount: { unit: `caip19/${token}`, value: "1" } })
            .then(
              () => "created",
              (error: unknown) => String(error),
            ),
        )
        assert.include(refused, "the token is not supported on this chain")
        const { refundId } = yield* Effect.promise(() => then.refunds.create({ paymentId: harb }))
        const refund = yield* comes(
          "the refund",
          Effect.map(
            Effect.promise(() => then.refunds.get(refundId)),
            (found) => (found.status === "succeeded" ? found : null),
          ),
        )
        assert.deepInclude(refund.amount.display, { assetSymbol: "HARB", decimals: 8 })
        yield* Effect.promise(() => Serving.end(again, "SIGTERM"))

        const books = yield* operating(url, operate(url, "reconcile"), {
          ...variables,
          FLORIN_TEST_RPC: `${chainId}=${local.rpcUrl}`,
          FLORIN_ASSETS: assets,
        })
        assert.include(books, "Harbour")
        assert.match(books, /: 7\.50 HARB in both/u)
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "a test network is enabled by setting a node for it, for test payments only",
    () =>
      Effect.gen(function* () {
        const sepolia = 84_532
        const catalog = Extra.catalogFor([sepolia])
        const local = yield* LocalChain.make({
          chainId: Eip155.chainId(sepolia),
          blocks: "byHand",
          catalog,
        })
        yield* local.fundGas(relayer.address, 10n ** 18n)
        const directory = yield* Effect.acquireRelease(Effect.sync(Directory.make), (made) =>
          Effect.sync(() => Directory.remove(made)),
        )
        const url = yield* Databases.address("migrated")
        const variables = variablesOf(url)
        const node = `${sepolia}=${local.rpcUrl}`
        const key = yield* operating(
          url,
          Effect.gen(function* () {
            const partner = yield* operate(url, "partners", "create", "--name=Docks")
            return yield* operate(url, "keys", "create", "--partner", partner, "--mode=test")
          }),
        )
        const served = yield* Effect.promise(() =>
          Serving.serve(variables, "--port=0", "--test-rpc", node),
        )
        const list = yield* run(
          { FLORIN_URL: served.url, FLORIN_API_KEY: key },
          "assets",
          "list",
          "--json",
        )
        const {
          assets,
        }: {
          assets: ReadonlyArray<{ network: { name: string }; symbol: string; isOffered: boolean }>
        } = JSON.parse(list.out)
        assert.deepStrictEqual(
          assets
            .filter(({ isOffered }) => isOffered)
            .map((each) => [each.network.name, each.symbol]),
          [
            ["Base Sepolia", "USDC"],
            ["Base Sepolia", "EURC"],
          ],
        )
        yield* Effect.promise(() => Serving.end(served, "SIGTERM"))

        // The row says what the built-in one says, except for its decimals.
        const ownRow = join(directory, "assets.json")
        const row = {
          chainId: sepolia,
          address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          flow: "eip3009",
          domain: { name: "USDC", version: "2" },
          switches: ["paused"],
          blocklist: "isBlacklisted",
        }
        const check = Effect.fnUntraced(function* (decimals: number) {
          writeFileSync(ownRow, JSON.stringify({ assets: [{ ...row, decimals }] }))
          return yield* run({}, "assets", "check", ownRow, "--test-rpc", node)
        })
        const right = yield* check(6)
        assert.strictEqual(right.code, 0, right.out + right.err)
        assert.include(right.out, "replaces the built-in row of this token")
        const wrong = yield* check(8)
        assert.strictEqual(wrong.code, 1)
        assert.include(wrong.err, "the row is wrong: correct it, or leave it out")

        const live = { ...variables, FLORIN_RELAYER_KEYS: payer.privateKey }
        const refused = yield* run(live, "serve", "--port=0", "--rpc", node)
        assert.strictEqual(refused.code, 1)
        assert.include(refused.err, "chain eip155:84532 is a test network")
      }).pipe(Effect.ensuring(Effect.sync(Program.killAll)), Effect.scoped),
    timeout,
  )
})
