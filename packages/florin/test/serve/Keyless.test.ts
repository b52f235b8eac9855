/**
 * A process that answers without any key, next to one that works and has the keys: real processes on anvil.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Postgres from "@florin/postgres/Postgres"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted } from "effect"
import * as Databases from "../../../postgres/test/databases.ts"
import * as FirstPartner from "../../src/dev/FirstPartner.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/pay/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453
const payLinkHost = "pay.example.com"

/** It takes payments, and an older one drains: payments may still need it. */
const [relayer, older] = [Wallet.make(78), Wallet.make(79)]

const named = `${Eip155.formatAddress(relayer.address)} ${chainId}=draining:${Eip155.formatAddress(older.address)}`

const giveGas = (rpcUrl: string, address: string) =>
  fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "anvil_setBalance",
      params: [address, "0xde0b6b3a7640000"],
    }),
  })

const register = (database: string, baseUrl: string) =>
  FirstPartner.register(baseUrl).pipe(
    Effect.provide(
      Layer.merge(Postgres.layer({ url: Redacted.make(database) }), Identifiers.layer),
    ),
    Effect.map(({ test }) => test),
    Effect.runPromise,
  )

const pause = (waitInMs: number) => new Promise((resolve) => setTimeout(resolve, waitInMs))

/** A machine with much else to do takes minutes. */
const timeout = 360_000

const serveWithoutKeys = (reached: LocalChains.Reached, database: string) =>
  Program.inDirectory(async () => {
    await Promise.all([relayer, older].map(({ address }) => giveGas(reached.rpcUrl, address)))
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
    const keyless = {
      DATABASE_URL: database,
      FLORIN_CHAINS: `${chainId}.finality=2`,
      FLORIN_PAY_LINK_HOST: payLinkHost,
      FLORIN_SEAL_KEY: key(1),
      FLORIN_VAULT_KEY: key(2),
      FLORIN_TEST_RPC: `${chainId}=${reached.rpcUrl}`,
      FLORIN_TEST_RELAYERS: named,
    }
    const oneKey = { ...keyless, FLORIN_TEST_RELAYER_KEYS: `${chainId}=${relayer.privateKey}` }
    const keyed = {
      ...keyless,
      FLORIN_TEST_RELAYER_KEYS: `${chainId}=${relayer.privateKey} ${older.privateKey}`,
    }
    const begin = (variables: { readonly [name: string]: string }, role: "api" | "worker") =>
      Serving.serve(variables, "--role", role, "--port", "0")
    const api = await begin(keyless, "api")
    assert.notInclude(api.said.err, "holds keys")

    // Who works has the key of every account that it serves, also of one that drains.
    const refused = await Promise.all(
      [keyless, oneKey].map(
        (variables) => Program.start(["serve", "--role", "worker"], variables).ended,
      ),
    )
    for (const [index, lacking] of [relayer, older].entries()) {
      const { code, err } = refused[index] ?? assert.fail("it still runs")
      assert.strictEqual(code, 1)
      assert.include(
        err,
        `account ${Eip155.formatAddress(lacking.address)} of FLORIN_TEST_RELAYERS`,
      )
      assert.include(err, "give its key in FLORIN_TEST_RELAYER_KEYS")
    }

    // A payment is taken while nobody with a key is there, and collected once somebody is.
    const { merchantId, partnerKey, walletKey } = await register(database, api.url)
    const partner = makePartner({ baseUrl: api.url, apiKey: partnerKey, merchantId })
    const order = (referenceId: string) =>
      partner.payments.create({ referenceId, amount: { unit: "iso4217/USD", value: "1250" } })
    const payLink = (link: string, by: Wallet.Wallet) =>
      pay(link, {
        baseUrl: api.url,
        payLinkHost,
        apiKey: walletKey,
        accounts: [Eip155.formatAccount(by.account(chainId))],
        signer: Payer.signer(by, [reached]),
        maxPollMs: 1000,
      })
    const statusOf = async (paymentId: string) => (await partner.payments.get(paymentId)).status
    const reaches = async (paymentId: string, wanted: string): Promise<void> => {
      const status = await statusOf(paymentId)
      if (status === wanted) return undefined
      assert.include(["requires_action", "processing"], status)
      await pause(100)
      return reaches(paymentId, wanted)
    }
    const [payer = assert.fail("there is nobody")] = LocalChains.wallets
    const { gatewayUrl, paymentId } = await order("without a key")
    const paying = payLink(gatewayUrl, payer)
    await reaches(paymentId, "processing")
    const worker = await begin(keyed, "worker")
    assert.include(worker.said.err, Eip155.formatAddress(relayer.address))
    assert.strictEqual((await paying)._tag, "Succeeded")
    const isSettled = async (): Promise<void> => {
      if ((await partner.payments.get(paymentId)).settlement !== null) return undefined
      await pause(100)
      return isSettled()
    }
    await isSettled()

    // Commands that look need no key, and keys that are not needed are no reason to stop.
    const books = await Program.start(["reconcile"], keyless).ended
    assert.strictEqual(books.code, 0, books.out + books.err)
    const second = await begin(keyed, "api")
    assert.include(second.said.err, "this process holds keys that it does not need")
    assert.include(second.said.err, "give FLORIN_TEST_RELAYERS, the addresses")
    for (const { err } of [api.said, second.said, worker.said, ...refused]) {
      for (const { privateKey } of [relayer, older]) assert.notInclude(err, privateKey.slice(2))
    }
    await Promise.all([api, second, worker].map((each) => Serving.end(each, "SIGTERM")))
  })

describe("florin serve without keys", () => {
  it.live(
    "S16: takes a payment that a process with the keys collects, and works for no account without its key",
    () =>
      Effect.gen(function* () {
        const [reached] = yield* LocalChains.start([Eip155.chainId(chainId)], null)
        if (reached === undefined) assert.fail("there is no chain")
        const database = yield* Databases.address("empty")
        yield* Effect.promise(() => serveWithoutKeys(reached, database))
      }).pipe(Effect.scoped),
    timeout,
  )
})
