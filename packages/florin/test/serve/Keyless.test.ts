/**
 * A process without keys that serves requests, next to a worker that has the keys: real processes on anvil.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = 8453

/** It takes payments, and an older one drains: payments may still need it. */
const [relayer, older] = [Wallet.make(78), Wallet.make(79)]

const named = `${Eip155.formatAddress(relayer.address)} ${chainId}=draining:${Eip155.formatAddress(older.address)}`

/** A machine with much else to do takes minutes. */
const timeout = 360_000

const serveWithoutKeys = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  await Promise.all([relayer, older].map(({ address }) => Serving.giveGas(reached, address)))
  const keyless = { ...Serving.variables(database, chains), FLORIN_TEST_RELAYERS: named }
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
    assert.include(err, `account ${Eip155.formatAddress(lacking.address)} of FLORIN_TEST_RELAYERS`)
    assert.include(err, "set its key in FLORIN_TEST_RELAYER_KEYS")
  }

  // A payment is taken while nobody with a key is there, and collected once somebody is.
  const { merchantId, partnerKey, walletKey } = await Serving.register(database, api.url)
  const partner = makePartner({ baseUrl: api.url, apiKey: partnerKey, merchantId })
  const order = (referenceId: string) =>
    partner.payments.create({ referenceId, amount: { unit: "iso4217/USD", value: "1250" } })
  const payLink = (link: string, by: Wallet.Wallet) =>
    pay(link, {
      baseUrl: api.url,
      payLinkHost: Serving.payLinkHost,
      apiKey: walletKey,
      accounts: [Eip155.formatAccount(by.account(chainId))],
      signer: Payer.signer(by, [reached]),
      maxPollMs: 1000,
    })
  const get = (paymentId: string) => partner.payments.get(paymentId)
  const [payer = assert.fail("there is nobody")] = LocalChains.wallets
  const { gatewayUrl, paymentId } = await order("without a key")
  const paying = payLink(gatewayUrl, payer)
  await Serving.until(async () => {
    const { status } = await get(paymentId)
    assert.include(["requires_action", "processing"], status)
    return status === "processing"
  })
  const worker = await begin(keyed, "worker")
  assert.include(worker.said.err, Eip155.formatAddress(relayer.address))
  assert.strictEqual((await paying)._tag, "Succeeded")
  await Serving.until(async () => (await get(paymentId)).settlement !== null)

  // Commands that look need no key, and keys that are not needed are no reason to stop.
  const books = await Program.runIn(keyless, "reconcile")
  assert.strictEqual(books.code, 0, books.out + books.err)
  const second = await begin(keyed, "api")
  assert.include(second.said.err, "this process has private keys that it does not need")
  assert.include(second.said.err, "set FLORIN_TEST_RELAYERS to the addresses")
  for (const { err } of [api.said, second.said, worker.said, ...refused]) {
    for (const { privateKey } of [relayer, older]) assert.notInclude(err, privateKey.slice(2))
  }
  await Promise.all([api, second, worker].map((each) => Serving.end(each, "SIGTERM")))
}

describe("florin serve without keys", () => {
  it.live(
    "S16: accepts a payment that a process with keys collects, and does no work for an account without a key",
    () => Serving.on([chainId], serveWithoutKeys),
    timeout,
  )
})
