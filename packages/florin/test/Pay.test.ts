import { existsSync, readdirSync, writeFileSync } from "node:fs"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import * as PaymentId from "@florin/core/domain/PaymentId"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Schema } from "effect"
import * as Unfinished from "../src/Unfinished.ts"
import * as Beside from "./beside.ts"
import * as Program from "./program.ts"

const beside = Beside.dev()

const order = { referenceId: "till 4", amount: { unit: "iso4217/USD", value: "725" } }
const create = (amount = order.amount) => beside.partner().payments.create({ ...order, amount })

const bnbChain = Caip.ChainId.make(56)
const usdc = Asset.onChain(bnbChain).find(({ symbol }) => symbol === "USDC")
/** In a token that payers' wallets send themselves, as local chains have it. */
const sentByPayer = {
  unit: usdc === undefined ? "?" : `caip19/${Caip.formatToken(usdc.token)}`,
  value: `${725n * 10n ** 16n}`,
}

const statusOf = async (paymentId: string): Promise<string> =>
  (await beside.partner().payments.get(paymentId)).status

const decodeCount = Schema.decodeUnknownSync(Schema.Struct({ result: Schema.String }))

/** How many transactions of an account are in blocks. */
const sentBy = async (node: string, address: string): Promise<number> => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "eth_getTransactionCount",
    params: [address, "latest"],
  })
  const headers = { "content-type": "application/json" }
  const response = await fetch(node, { method: "POST", headers, body })
  return Number(decodeCount(await response.json()).result)
}

const unfinished = () => join(beside.directory(), "unfinished")
const left = () => (existsSync(unfinished()) ? readdirSync(unfinished()) : [])

const listen = async (answer: RequestListener) => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A node that hands on every call, and can end a process that sends a transaction: before the chain has it, or after. */
const deadlyNode = async (behind: string) => {
  const sends: Array<string> = []
  const deadly: { when: "before" | "after" | undefined; kill: () => void } = {
    when: undefined,
    kill: () => undefined,
  }
  const handOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const isSend = body.includes('"eth_sendRawTransaction"')
    if (isSend) sends.push(JSON.stringify(JSON.parse(body).params))
    if (isSend && deadly.when === "before") return deadly.kill()
    const headers = { "content-type": "application/json" }
    const answer = await fetch(behind, { method: "POST", headers, body })
    const answered = await answer.text()
    if (isSend && deadly.when === "after") return deadly.kill()
    response.writeHead(answer.status, headers).end(answered)
  }
  const { close, url } = await listen((request, response) => void handOn(request, response))
  return {
    url,
    /** Each transaction that it was sent, as it came. */
    sends,
    deadly,
    close,
  }
}

const elsewhere = PaymentId.PaymentId.make("pay_1")
const ownHash = `0x${"aa".repeat(32)}`
const othersHash = `0x${"bb".repeat(32)}`

/** What is kept of a payment whose money the wallet has sent. */
const sentForNothing: Unfinished.Unfinished = {
  begun: {
    paymentId: elsewhere,
    optionId: "opt_1",
    account: Caip.formatAccount(Wallet.make(5).account(bnbChain)),
    actions: [
      {
        type: "walletRpc",
        data: {
          chain_id: `eip155:${bnbChain}`,
          method: "eth_sendTransaction",
          params: [JSON.stringify({ from: Wallet.make(5).address, to: "0x", data: "0x" })],
        },
      },
    ],
    outputs: [ownHash],
  },
  expiresAt: 1_800_000_000,
}

/** A service that takes no confirm any more, as another one of the payment is under way, and then pays. */
const paidElsewhere = async () => {
  let txId = othersHash
  let asked = 0
  const display = { assetSymbol: "USDC", assetName: "USD Coin", decimals: 18 }
  const optionAmount = { ...sentByPayer, display }
  const { close, url } = await listen((request, response) => {
    const isStatus = request.url?.includes("/status") === true
    const isFinal = isStatus && (asked += 1) % 2 === 0
    const info = isFinal ? { optionAmount, txId } : null
    const status = isFinal ? "succeeded" : "processing"
    const problem = { code: "invalid_state", message: "it is under way", requestId: "req_1" }
    response
      .writeHead(isStatus ? 200 : 400, { "content-type": "application/json" })
      .end(JSON.stringify(isStatus ? { status, isFinal, info, pollInMs: 0 } : problem))
  })
  return {
    url,
    /** Says in which transaction it was paid. */
    pays: (hash: string) => {
      txId = hash
    },
    close,
  }
}

const rpcUrl = (): string =>
  beside.ready().chains.find(({ chainId }) => chainId === bnbChain)?.rpcUrl ?? ""

/** Pays on a chain where the wallet sends the money itself, through a node that may end it. */
const onDeadlyNode = async (
  gatewayUrl: string,
  work: (paying: {
    readonly node: Awaited<ReturnType<typeof deadlyNode>>
    readonly start: () => Program.Started
    readonly killed: (when: "before" | "after") => Promise<Program.Ended>
    /** Starts one, and resolves once it waits for an answer to the transaction that it sent. */
    readonly waiting: () => Promise<Program.Started>
    /** How many transactions of the wallet are in blocks. */
    readonly sent: () => Promise<number>
  }) => Promise<void>,
): Promise<void> => {
  const node = await deadlyNode(rpcUrl())
  const start = () => {
    const where = ["--rpc", `${bnbChain}=${node.url}`, "--directory", beside.directory()]
    return Program.start(["pay", gatewayUrl, "--yes", ...where])
  }
  try {
    await work({
      node,
      start,
      killed: (when) => {
        const { child, ended } = start()
        node.deadly.when = when
        node.deadly.kill = () => {
          node.deadly.when = undefined
          child.kill("SIGKILL")
        }
        return ended
      },
      waiting: () =>
        new Promise((resolve) => {
          const started = start()
          node.deadly.when = "before"
          node.deadly.kill = () => resolve(started)
        }),
      sent: () => sentBy(rpcUrl(), beside.ready().wallets[0]?.address ?? ""),
    })
  } finally {
    node.close()
  }
}

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
    "pays nothing where nobody chooses, and ends with 2",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create()
      const refused = await Promise.all([
        beside.fails(2, "pay", gatewayUrl),
        beside.fails(2, "pay", gatewayUrl, "--json"),
      ])
      for (const err of refused) assert.include(err, "add --yes")
      assert.strictEqual(await statusOf(paymentId), "requires_action")
    },
  )

  it(
    "refuses links that are not the trusted host's, and wallets that hold nothing",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create()
      const poorFile = join(beside.directory(), "poor")
      writeFileSync(poorFile, Wallet.make(77).privateKey)
      const wrongFile = join(beside.directory(), "wrong")
      writeFileSync(wrongFile, "0xsecret")
      const [forged, poor, wrong] = await Promise.all([
        beside.fails(1, "pay", `https://x@pay.localhost/?pid=${paymentId}`, "--yes"),
        beside.fails(1, "pay", gatewayUrl, "--yes", "--key-file", poorFile),
        beside.fails(1, "pay", gatewayUrl, "--yes", "--key-file", wrongFile),
      ])
      assert.match(forged, /no payment link|begins with/u)
      assert.include(poor, "the wallet holds nothing that the payment can be paid with")
      assert.include(wrong, "a wallet's key is 0x and 64 hex digits")
      assert.notInclude(wrong, "secret")
      assert.strictEqual(await statusOf(paymentId), "requires_action")
    },
  )

  it(
    "killed before the chain has its transaction, and after, it sends that one and no other",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, node, sent, start }) => {
        const before = await sent()
        assert.strictEqual((await killed("before")).code, null)
        assert.strictEqual(await sent(), before)
        assert.deepStrictEqual(left(), [`${paymentId}.json`])

        const second = await killed("after")
        assert.strictEqual(second.code, null)
        assert.include(second.out, "Going on where the last attempt stopped")
        assert.deepStrictEqual(left(), [`${paymentId}.json`])

        const third = start()
        // Nobody reads on, as after `| head -1`: the payment goes on all the same.
        third.child.stdout?.destroy()
        const { code, err } = await third.ended
        assert.strictEqual(code, 0, err)
        assert.strictEqual(await statusOf(paymentId), "succeeded")
        assert.strictEqual(await sent(), before + 1)
        assert.strictEqual(node.sends.length, 2)
        assert.strictEqual(node.sends[0], node.sends[1])
        assert.isEmpty(left())
      })
    },
  )

  it(
    "does nothing while another one is at the same payment, and says which",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ node, start, waiting }) => {
        const first = await waiting()
        const second = await start().ended
        assert.strictEqual(second.code, 1)
        assert.include(second.err, `another florin pay (process ${first.child.pid})`)
        assert.strictEqual(second.out, "")

        first.child.kill("SIGKILL")
        await first.ended
        node.deadly.when = undefined
        const third = await start().ended
        assert.strictEqual(third.code, 0, third.err)
        assert.isEmpty(readdirSync(join(beside.directory(), "paying")))
      })
    },
  )

  it(
    "says where the money is when the payment was called off after it was sent",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, start }) => {
        await killed("after")
        await beside.partner().payments.cancel(paymentId)
        const { code, err } = await start().ended
        assert.strictEqual(code, 1)
        assert.match(
          err,
          /the money that was sent in 0x[0-9a-f]{64} did not pay \(the payment is cancelled already\)/u,
        )
        assert.isEmpty(left())
      })
    },
  )

  it(
    "keeps a transaction that may still land until another takes its place, however late it is",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, start }) => {
        await killed("before")
        await beside.partner().payments.cancel(paymentId)
        const open = await start().ended
        assert.strictEqual(open.code, 1)
        assert.match(open.err, /0x[0-9a-f]{64} .*may still land.* with the nonce \d+/u)
        assert.deepStrictEqual(left(), [`${paymentId}.json`])

        // Of the same amount it would be the very same transaction where gas costs the same.
        const next = await create({ ...sentByPayer, value: `${sentByPayer.value}0` })
        await beside.run("pay", next.gatewayUrl, "--yes", "--rpc", `${bnbChain}=${rpcUrl()}`)
        const { code, err } = await start().ended
        assert.strictEqual(code, 1)
        assert.include(err, "another transaction of the wallet took the place of")
        assert.isEmpty(left())
      })
    },
  )

  it(
    "tells of money that it sent for a payment which another paid, and ends with 1",
    { timeout: Beside.timeout },
    async () => {
      const service = await paidElsewhere()
      const pay = (...args: ReadonlyArray<string>) => {
        Unfinished.file(join(beside.directory(), "unfinished"), elsewhere).write(sentForNothing)
        const where = ["--directory", beside.directory(), "--rpc", "56=http://127.0.0.1:1"]
        return Program.start(["pay", elsewhere, "--yes", ...where, ...args], {
          FLORIN_URL: service.url,
          FLORIN_API_KEY: "wk_1",
          FLORIN_WALLET_KEY: Wallet.make(5).privateKey,
          FLORIN_PAY_LINK_HOST: "pay.example.com",
        }).ended
      }
      try {
        const told = await pay()
        assert.strictEqual(told.code, 1)
        assert.notInclude(told.out, "Paid")
        assert.include(told.err, othersHash)
        assert.include(told.err, `the money that was sent in ${ownHash} did not pay`)
        const { code, out } = await pay("--json")
        const answer = JSON.parse(out)
        assert.strictEqual(code, 1)
        assert.strictEqual(answer.paid.txId, othersHash)
        assert.include(answer.message, ownHash)

        service.pays(ownHash)
        const own = await pay()
        assert.strictEqual(own.code, 0, own.err)
        assert.include(own.out, ownHash)
      } finally {
        service.close()
      }
    },
  )

  it(
    "takes everything from the environment and from files, tells what it must of the payer, and answers JSON",
    { timeout: Beside.timeout },
    async () => {
      const florin = createFlorin({
        payLinkHost: "pay.example.com",
        chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance: 10_000 }),
        collectData: CollectDataPolicy.layerAlways,
      })
      await florin.workers.start()
      const listening = await NodeListener.listen(florin, { port: 0 })
      const { id: partnerId } = await florin.operator.createPartner({ name: "Corner" })
      const named = { mode: "test", name: "a test" } as const
      const { text: apiKey } = await florin.operator.issueKey({ ...named, partnerId })
      const { text: walletKey } = await florin.operator.issueWalletKey(named)
      const { merchant } = await makePartner({ baseUrl: listening.url, apiKey }).merchants.create({
        merchantName: "Door",
        merchantEmail: "till@door.example",
      })
      const shop = makePartner({ baseUrl: listening.url, apiKey, merchantId: merchant.id })
      const { gatewayUrl, paymentId } = await shop.payments.create(order)

      const directory = join(beside.directory(), "elsewhere")
      const run = async (...args: ReadonlyArray<string>) => {
        const rest = [
          "--yes",
          "--json",
          "--directory",
          directory,
          "--rpc",
          "8453=http://127.0.0.1:1",
        ]
        const environment = {
          FLORIN_URL: listening.url,
          FLORIN_API_KEY: walletKey,
          FLORIN_WALLET_KEY: Wallet.make(5).privateKey,
          FLORIN_PAY_LINK_HOST: "pay.example.com",
        }
        const ended = await Program.start(["pay", gatewayUrl, ...rest, ...args], environment).ended
        return { ...ended, answer: ended.out === "" ? {} : JSON.parse(ended.out) }
      }
      const data = { fullName: "Ada Lovelace", dob: "1990-12-10", porCountry: "GB" }
      const file = (name: string, content: object) => {
        const path = join(beside.directory(), name)
        writeFileSync(path, JSON.stringify(content))
        return path
      }
      try {
        const without = await run()
        const wrong = await run("--data", file("wrong.json", data))
        assert.strictEqual(without.code, 1)
        assert.strictEqual(without.answer.result, "DataNeeded")
        assert.include(without.answer.message, "--data")
        assert.strictEqual(wrong.code, 1)
        assert.include(wrong.err, "porAddress: Address of residence is needed")
        assert.notInclude(wrong.err, "Ada")

        const whole = { ...data, porAddress: "London", tosConfirmed: true }
        const { answer, code, err, out } = await run("--data", file("whole.json", whole))
        assert.strictEqual(code, 0, err + out)
        assert.strictEqual(answer.result, "Succeeded")
        assert.strictEqual(answer.paymentId, paymentId)
        assert.deepStrictEqual(answer.paid, (await shop.payments.get(paymentId)).info)
        assert.notMatch(out + err, /Ada|London/u)
      } finally {
        await listening.close()
        await florin.dispose()
      }
    },
  )
})
