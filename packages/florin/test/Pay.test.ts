import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import { Schema } from "effect"
import * as Beside from "./beside.ts"
import * as Program from "./program.ts"

const beside = Beside.dev()

const create = () =>
  beside.partner().payments.create({
    referenceId: "till 4",
    amount: { unit: "iso4217/USD", value: "725" },
  })

const statusOf = async (paymentId: string): Promise<string> =>
  (await beside.partner().payments.get(paymentId)).status

const decodeCount = Schema.decodeUnknownSync(Schema.Struct({ result: Schema.String }))

/** How many transactions an account has sent. */
const sentBy = async (rpcUrl: string, address: string): Promise<number> => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "eth_getTransactionCount",
    params: [address, "latest"],
  })
  const headers = { "content-type": "application/json" }
  const response = await fetch(rpcUrl, { method: "POST", headers, body })
  return Number(decodeCount(await response.json()).result)
}

const unfinished = () => join(beside.directory(), "unfinished")
const left = () => (existsSync(unfinished()) ? readdirSync(unfinished()) : [])

describe("florin pay", () => {
  it(
    "shows what is asked for and how it can be paid, pays, and prints a receipt",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create()
      const out = await beside.run("pay", gatewayUrl, "--yes")
      assert.include(out, "Blue Door Coffee asks for 7.25 USD")
      assert.match(out, /^ 1 {2}7\.25 USDC on Base, in about 30 s$/mu)
      assert.include(out, "Signing (1 of 1)…")
      const { info, status } = await beside.partner().payments.get(paymentId)
      assert.strictEqual(status, "succeeded")
      assert.include(out, "Paid 7.25 USDC on Base.")
      assert.include(out, info?.txId ?? "nothing")
      assert.isEmpty(left())
      assert.notInclude(out, beside.ready().wallets[0]?.privateKey ?? out)
      assert.match(await beside.run("payments", "show", paymentId), /paid +7\.25 USDC on Base\n/u)

      const again = await beside.fails(1, "pay", gatewayUrl, "--yes")
      assert.include(again, "the payment is succeeded already")
    },
  )

  it(
    "takes everything from the environment, and answers JSON",
    { timeout: Beside.timeout },
    async () => {
      const { baseUrl, chains, payLinkHost, walletKey, wallets } = beside.ready()
      const { gatewayUrl, paymentId } = await create()
      const elsewhere = join(beside.directory(), "elsewhere")
      const nodes = chains.flatMap(({ chainId, rpcUrl }) => ["--rpc", `${chainId}=${rpcUrl}`])
      const { code, err, out } = await Program.start(
        ["pay", gatewayUrl, "--yes", "--json", "--directory", elsewhere, ...nodes],
        {
          FLORIN_URL: baseUrl,
          FLORIN_API_KEY: walletKey,
          FLORIN_WALLET_KEY: wallets[1]?.privateKey ?? "",
          FLORIN_PAY_LINK_HOST: payLinkHost,
        },
      ).ended
      assert.strictEqual(code, 0, err)
      const answer = JSON.parse(out)
      assert.strictEqual(answer.result, "Succeeded")
      assert.strictEqual(answer.paymentId, paymentId)
      const details = await beside.partner().payments.get(paymentId)
      assert.deepStrictEqual(answer.paid, details.info)
    },
  )

  it(
    "pays nothing where nobody chooses, and ends with 2",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create()
      assert.include(await beside.fails(2, "pay", gatewayUrl), "add --yes")
      assert.include(await beside.fails(2, "pay", gatewayUrl, "--json"), "add --yes")
      assert.strictEqual(await statusOf(paymentId), "requires_action")
    },
  )

  it(
    "refuses links that are not the trusted host's, and wallets that hold nothing",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create()
      const links = [
        `https://pay.localhost.evil.example/?pid=${paymentId}`,
        `https://x@pay.localhost/?pid=${paymentId}`,
      ]
      for (const link of links) {
        // oxlint-disable-next-line no-await-in-loop -- One after the other, as a process is heavy.
        assert.match(await beside.fails(1, "pay", link, "--yes"), /no payment link|begins with/u)
      }
      const keyFile = join(beside.directory(), "poor")
      writeFileSync(keyFile, Wallet.make(77).privateKey)
      const poor = await beside.fails(1, "pay", gatewayUrl, "--yes", "--key-file", keyFile)
      assert.include(poor, "the wallet holds nothing that the payment can be paid with")
      writeFileSync(keyFile, "0xsecret")
      const wrong = await beside.fails(1, "pay", gatewayUrl, "--yes", "--key-file", keyFile)
      assert.include(wrong, "a wallet's key is 0x and 64 hex digits")
      assert.notInclude(wrong, "secret")
      assert.strictEqual(await statusOf(paymentId), "requires_action")
    },
  )

  it(
    "goes on after it was killed, and sends nothing twice",
    { timeout: Beside.timeout },
    async () => {
      const { chains, wallets } = beside.ready()
      const rpcUrl = chains.find(({ chainId }) => chainId === 56)?.rpcUrl ?? ""
      const address = wallets[0]?.address ?? ""
      const { gatewayUrl, paymentId } = await create()
      const args = ["pay", gatewayUrl, "--yes", "--rpc", `56=${rpcUrl}`]
      const sent = await sentBy(rpcUrl, address)
      const { child, ended } = Program.start([...args, "--directory", beside.directory()])
      await new Promise<void>((resolve) => {
        const looking = setInterval(() => {
          if (left().length === 0) return
          clearInterval(looking)
          resolve()
        }, 20)
      })
      child.kill("SIGKILL")
      assert.strictEqual((await ended).code, null)
      assert.deepStrictEqual(left(), [`${paymentId}.json`])

      const out = await beside.run(...args)
      assert.include(out, "Going on where the last attempt stopped")
      assert.strictEqual(await statusOf(paymentId), "succeeded")
      assert.strictEqual(await sentBy(rpcUrl, address), sent + 1)
      assert.isEmpty(left())
    },
  )
})
