import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import * as Pages from "@florin/pages"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Beside from "./beside.ts"
import * as Program from "./program.ts"

const { timeout } = Beside

const order = { referenceId: "till 4", amount: { unit: "iso4217/USD", value: "725" } }

const bnbChain = 56
const usdc = Catalog.assetsOf(BuiltIn.catalog, Eip155.chainId(bnbChain)).find(
  ({ symbol }) => symbol === "USDC",
)
/** In a token that payers' wallets send themselves, as local chains have it. */
const sentByPayer = {
  unit: usdc === undefined ? "?" : `caip19/${Eip155.formatToken(usdc.token)}`,
  value: `${725n * 10n ** 16n}`,
}

const typesIn = (out: string): ReadonlyArray<string> =>
  Array.from(out.matchAll(/^ {2}\d\d:\d\d:\d\d {3}(\S+) +evt_\w+$/gmu), ([, type = ""]) => type)

describe("florin pay and florin trigger next to florin dev", () => {
  const beside = Beside.dev()
  const create = (amount = order.amount) => beside.partner().payments.create({ ...order, amount })
  const find = (paymentId: string) => beside.partner().payments.get(paymentId)

  it(
    "shows the request and the ways to pay, pays, and prints a receipt",
    async () => {
      const { gatewayUrl, paymentId } = await create()
      const out = await beside.run("pay", gatewayUrl)
      assert.include(out, "Blue Door Coffee asks for 7.25 USD")
      assert.match(out, /^ 1 {2}7\.25 USDC on Base, in about 30 s$/mu)
      assert.include(out, "Signing (1 of 1)…")
      for (const line of out.split("\n")) assert.isAtMost(line.length, 80, line)
      const { info, status } = await find(paymentId)
      assert.strictEqual(status, "succeeded")
      assert.include(out, "Paid 7.25 USDC on Base.")
      assert.include(out, info?.txId ?? "nothing")
      assert.notInclude(out, beside.ready().wallets[0]?.privateKey ?? out)
      assert.match(await beside.run("payments", "show", paymentId), /paid +7\.25 USDC on Base\n/u)

      const again = await beside.fails(1, "pay", paymentId)
      assert.include(again, "the payment is succeeded already")
    },
    timeout,
  )

  it(
    "pays in the chosen token and network only",
    async () => {
      const { paymentId } = await create()
      const none = await beside.fails(1, "pay", paymentId, "--token", "USDC", "--network", "1")
      assert.match(none, /no way to pay fits [^]*: choose one of 7\.25\s+USDC\s+on\s+Base, /u)
      assert.strictEqual((await find(paymentId)).status, "requires_action")

      const choice = ["--token", "usdc", "--network", "eip155:56"]
      const out = await beside.run("pay", paymentId, ...choice)
      assert.include(out, "Sending a transaction and waiting for its block (1 of 2)…")
      assert.include(out, "Paid 7.25 USDC on BNB Smart Chain.")

      const { paymentId: named } = await create()
      await beside.run("pay", named, "--network", "bnb smart chain")
      assert.include((await find(named)).info?.optionAmount.unit, "eip155:56")
    },
    timeout,
  )

  it(
    "refuses links of other hosts, and wallets without money or with a wrong key",
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      const payWith = async (FLORIN_WALLET_KEY: string) => {
        const words = ["pay", gatewayUrl, "--directory", beside.directory()]
        const { code, err } = await Program.runIn({ FLORIN_WALLET_KEY }, ...words)
        assert.strictEqual(code, 1)
        return err
      }
      const forged = gatewayUrl.replace("http://", "http://x@")
      assert.match(
        await beside.fails(1, "pay", forged),
        /begins with http:\/\/localhost:[0-9]+, without user/u,
      )
      assert.include(
        await payWith(Wallet.make(77).privateKey),
        "the wallet cannot pay now: it does not hold enough of any token that is offered",
      )
      const wrong = await payWith("0xsecret")
      assert.include(wrong, "FLORIN_WALLET_KEY is not a valid private key")
      assert.notInclude(wrong, "secret")
      assert.strictEqual((await find(paymentId)).status, "requires_action")
    },
    timeout,
  )

  it(
    "prints the hash of tokens that were sent for a payment that is over",
    async () => {
      const { paymentId } = await beside.partner().payments.create({
        ...order,
        amount: sentByPayer,
        metadata: { testOutcome: "option_expired" },
      })
      const { code, out } = await beside.start("pay", paymentId, "--json").ended
      const { message, result, unpaid } = JSON.parse(out)
      assert.strictEqual(code, 1)
      assert.strictEqual(result, "OptionExpired")
      assert.include(message, `the tokens were sent in ${unpaid}: the payment timed out`)
    },
    timeout,
  )

  it(
    "triggers an event exactly as it is printed",
    async () => {
      const out = await beside.run("trigger", "payment.failed")
      assert.deepStrictEqual(typesIn(out), [
        "payment.created",
        "payment.processing",
        "payment.failed",
      ])
    },
    timeout,
  )

  it(
    "pays a payment with the outcome reorganised: its block is replaced once, and it succeeds",
    async () => {
      const { paymentId } = await beside.partner().payments.create({
        ...order,
        metadata: { testOutcome: "reorganised" },
      })
      const replaced = () => beside.said().err.match(/a block was replaced/gu)?.length ?? 0
      const before = replaced()
      await beside.run("pay", paymentId)
      assert.strictEqual(replaced() - before, 1, beside.said().err)
      const { info, status } = await find(paymentId)
      assert.strictEqual(status, "succeeded")
      assert.include(beside.said().err, info?.txId ?? "?")
      const settled = async (): Promise<unknown> => {
        const { settlement } = await find(paymentId)
        if (settlement !== null) return settlement
        await setTimeout(200)
        return settled()
      }
      await settled()
      assert.strictEqual(replaced() - before, 1)
    },
    timeout,
  )
})

describe("florin pay in another service", () => {
  const open = async () => {
    const florin = createFlorin({
      payLinkHost: "pay.example.com",
      chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance: 10_000 }),
      pages: await Pages.load({
        termsUrl: "https://example.com/terms",
        privacyUrl: "https://example.com/privacy",
      }),
      collectData: CollectDataPolicy.layerAlways,
    })
    await florin.workers.start()
    const listening = await NodeListener.listen(florin, { port: 0 })
    const { url: baseUrl } = listening
    const { id: partnerId } = await florin.operator.partners.create({ name: "Corner" })
    const named = { mode: "test", name: "a test" } as const
    const { secret: apiKey } = await florin.operator.keys.issue({ ...named, partnerId })
    const { merchant } = await makePartner({ baseUrl, apiKey }).merchants.create({
      merchantName: "Door",
      merchantEmail: "till@door.example",
    })
    const keyOf = async (mode: "live" | "test") =>
      (await florin.operator.keys.issue({ mode, wallet: "a test" })).secret
    const environment = {
      FLORIN_URL: baseUrl,
      FLORIN_API_KEY: await keyOf("test"),
      FLORIN_PAY_LINK_HOST: "pay.example.com",
    }
    const shop = makePartner({ baseUrl, apiKey, merchantId: merchant.id })
    return {
      shop,
      liveKey: await keyOf("live"),
      pay: (gatewayUrl: string, more: Readonly<Record<string, string>>, ...data: Array<string>) =>
        Program.runIn(
          { ...environment, ...more },
          "pay",
          gatewayUrl,
          "--json",
          ...data.flatMap((each) => ["--data", each]),
        ),
      close: async () => {
        await listening.close()
        await florin.dispose()
      },
    }
  }

  it(
    "sends the payer's data that flags give, refuses live keys and real chains, and prints JSON",
    async () => {
      const { close, liveKey, pay, shop } = await open()
      try {
        const { gatewayUrl, paymentId } = await shop.payments.create(order)
        const live = await pay(gatewayUrl, { FLORIN_API_KEY: liveKey })
        assert.strictEqual(live.code, 1)
        assert.include(live.err, "the key is for live payments: set FLORIN_API_KEY to a test key")
        assert.notInclude(live.err, liveKey)

        const own = await pay(gatewayUrl, { FLORIN_WALLET_KEY: Wallet.make(5).privateKey })
        assert.strictEqual(own.code, 1)
        assert.include(own.err, "FLORIN_WALLET_KEY is used on test networks only")

        const some = ["fullName=Ada Lovelace", "dob=1990-12-10", "porCountry=GB"]
        const without = await pay(gatewayUrl, {}, ...some)
        assert.strictEqual(without.code, 1)
        assert.strictEqual(JSON.parse(without.out).result, "DataMissing")
        assert.include(without.err, "add --data tosConfirmed=…")
        assert.notInclude(without.err, "Ada")

        const wrong = await pay(gatewayUrl, {}, ...some, "tosConfirmed=true")
        assert.strictEqual(wrong.code, 1)
        assert.notInclude(wrong.err, "Ada")

        const whole = [...some, "porAddress=London", "tosConfirmed=true"]
        const { code, err, out } = await pay(gatewayUrl, {}, ...whole)
        assert.strictEqual(code, 0, err + out)
        const paid = JSON.parse(out)
        assert.strictEqual(paid.result, "Succeeded")
        assert.strictEqual(paid.paymentId, paymentId)
        assert.deepStrictEqual(paid.paid, (await shop.payments.get(paymentId)).info)
        assert.notMatch(out + err, /Ada|London/u)
      } finally {
        await close()
      }
    },
    timeout,
  )
})
