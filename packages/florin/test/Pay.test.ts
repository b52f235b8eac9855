import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import * as Pages from "@florin/pages"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Schema } from "effect"
import * as OwnTransaction from "../src/pay/OwnTransaction.ts"
import * as Unfinished from "../src/pay/Unfinished.ts"
import * as Ways from "../src/pay/Ways.ts"
import * as Beside from "./beside.ts"
import * as Program from "./program.ts"

const beside = Beside.dev()

const order = { referenceId: "till 4", amount: { unit: "iso4217/USD", value: "725" } }
const create = (amount = order.amount) => beside.partner().payments.create({ ...order, amount })

const bnbChain = 56
const usdc = Catalog.assetsOf(BuiltIn.catalog, Eip155.chainId(bnbChain)).find(
  ({ symbol }) => symbol === "USDC",
)
/** In a token that payers' wallets send themselves, as local chains have it. */
const sentByPayer = {
  unit: usdc === undefined ? "?" : `caip19/${Eip155.formatToken(usdc.token)}`,
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

const decodeKept = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ instead: Schema.Array(Schema.String) })),
)

const waitUntil = async (isSo: () => Promise<boolean>): Promise<void> => {
  if (await isSo()) return
  await setTimeout(100)
  await waitUntil(isSo)
}

const unfinished = () => join(beside.directory(), "unfinished")
const fileOf = (paymentId: string): string => join(unfinished(), `${paymentId}.json`)
const isKept = (paymentId: string): boolean => existsSync(fileOf(paymentId))

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
    const headers = { "content-type": "application/json" }
    const isSend = body.includes('"eth_sendRawTransaction"')
    const end = () => {
      // Who has the head of an answer waits for the rest, and does not give up after a while.
      response.writeHead(200, headers).flushHeaders()
      deadly.kill()
    }
    if (isSend) sends.push(JSON.stringify(JSON.parse(body).params))
    if (isSend && deadly.when === "before") return end()
    const answer = await fetch(behind, { method: "POST", headers, body })
    const answered = await answer.text()
    if (isSend && deadly.when === "after") return end()
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
    account: Eip155.formatAccount(Wallet.make(5).account(bnbChain)),
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

/** What a service answers to a confirm, and how the payment stands whenever it is asked next. */
interface Refusing {
  readonly confirm: { readonly code: number; readonly answer: object }
  readonly statuses: ReadonlyArray<object>
}

const problem = (code: string, message: string) => ({ code, message, requestId: "req_1" })
const display = { assetSymbol: "USDC", assetName: "USD Coin", decimals: 18 }
const underWay = { status: "processing", isFinal: false, info: null, pollInMs: 0 }

/** It takes no confirm, as another one of the payment is under way, and then pays. */
const paidIn = (txId: string): Refusing => ({
  confirm: { code: 400, answer: problem("invalid_state", "it is under way") },
  statuses: [
    underWay,
    {
      status: "succeeded",
      isFinal: true,
      info: { optionAmount: { ...sentByPayer, display }, txId },
    },
  ],
})

const declining: Refusing = {
  confirm: { code: 200, answer: { status: "failed", isFinal: true, info: null } },
  statuses: [{ status: "failed", isFinal: true, info: null, failureCode: "declined_user" }],
}

const notUnderstanding: Refusing = {
  confirm: { code: 400, answer: problem("invalid_request", "that is not the transfer") },
  statuses: [],
}

const expired: Refusing = {
  confirm: { code: 410, answer: problem("payment_expired", "it is too late") },
  statuses: [{ status: "expired", isFinal: true, info: null }],
}

/** Hands in money that was sent, to a service that does not take it. */
const handingIn = async (
  { confirm, statuses }: Refusing,
  work: (pay: (...args: ReadonlyArray<string>) => Promise<Program.Ended>) => Promise<void>,
  kept = sentForNothing,
  node = "http://127.0.0.1:1",
): Promise<void> => {
  let asked = 0
  const { close, url } = await listen((request, response) => {
    const isStatus = request.url?.includes("/status") === true
    const answer = isStatus ? statuses[asked % statuses.length] : confirm.answer
    if (isStatus) asked += 1
    response
      .writeHead(isStatus ? 200 : confirm.code, { "content-type": "application/json" })
      .end(JSON.stringify(answer))
  })
  try {
    await work((...args) => {
      Unfinished.file(unfinished(), elsewhere).write(kept)
      const where = ["--directory", beside.directory(), "--rpc", `${bnbChain}=${node}`]
      const environment = {
        FLORIN_URL: url,
        FLORIN_API_KEY: "wk_1",
        FLORIN_WALLET_KEY: Wallet.make(5).privateKey,
        FLORIN_PAY_LINK_HOST: "pay.example.com",
      }
      return Program.runIn(environment, "pay", elsewhere, "--yes", ...where, ...args)
    })
  } finally {
    close()
    Unfinished.file(unfinished(), elsewhere).remove()
  }
}

const rpcUrl = (): string =>
  beside.ready().chains.find(({ chainId }) => chainId === bnbChain)?.rpcUrl ?? ""

/**
 * Puts another node in the place of a chain's own, as commands beside the service find it: they ask such a node often,
 * and one named with `--rpc` every other second, of which a transaction that is given up takes ten.
 */
const insteadOfOwnNode = (url: string) => {
  const file =
    readdirSync(beside.directory())
      .map((name) => join(beside.directory(), name, "ready.json"))
      .find(existsSync) ?? assert.fail("it did not start")
  const before = readFileSync(file, "utf8")
  const ready = beside.ready()
  const chains = ready.chains.map((each) =>
    each.chainId === bnbChain ? { ...each, rpcUrl: url } : each,
  )
  writeFileSync(file, JSON.stringify({ ...ready, chains }))
  return { restore: () => writeFileSync(file, before) }
}

/** Pays on a chain where the wallet sends the money itself, through a node that may end it. */
const onDeadlyNode = async (
  gatewayUrl: string,
  work: (paying: {
    readonly node: Awaited<ReturnType<typeof deadlyNode>>
    readonly start: (...args: ReadonlyArray<string>) => Program.Started
    readonly killed: (
      when: "before" | "after",
      ...args: ReadonlyArray<string>
    ) => Promise<Program.Ended>
    /** Starts one, and resolves once it waits for an answer to the transaction that it sent. */
    readonly waiting: () => Promise<Program.Started>
    /** How many transactions of the wallet are in blocks. */
    readonly sent: () => Promise<number>
  }) => Promise<void>,
): Promise<void> => {
  const node = await deadlyNode(rpcUrl())
  const { restore } = insteadOfOwnNode(node.url)
  const start = (...args: ReadonlyArray<string>) => {
    const where = ["--directory", beside.directory()]
    return Program.start(["pay", gatewayUrl, ...where, ...(args.length > 0 ? args : ["--yes"])])
  }
  try {
    await work({
      node,
      start,
      killed: (when, ...args) => {
        const { child, ended } = start(...args)
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
    restore()
    node.close()
  }
}

describe("the ways to pay", () => {
  const way = (
    networkName: string,
    action: Parameters<typeof Ways.lines>[0][number]["actions"][number],
  ): Parameters<typeof Ways.lines>[0][number] => ({
    id: "opt_1",
    account: Eip155.formatAccount(Wallet.make(5).account(bnbChain)),
    actions: [action],
    amount: {
      ...sentByPayer,
      display: { assetSymbol: "USDC", assetName: "USD Coin", decimals: 18, networkName },
    },
    collectData: null,
    etaS: 15,
    expiresAt: 1_800_000_000,
  })
  const asks = (
    method: "eth_sendTransaction" | "eth_signTypedData_v4",
    typed = '{"primaryType":"ReceiveWithAuthorization"}',
  ) => ({
    type: "walletRpc" as const,
    data: { chain_id: "eip155:56", method, params: ["0x", typed] },
  })

  it("name the flow of a token that could be paid in several", () => {
    assert.deepStrictEqual(
      Ways.lines([
        way("Base", asks("eth_signTypedData_v4")),
        way("BNB", { type: "build", data: "b" }),
        way("BNB", asks("eth_sendTransaction")),
        way("BNB", asks("eth_signTypedData_v4")),
        way("BNB", asks("eth_signTypedData_v4", '{"primaryType":"Permit"}')),
      ]),
      [
        "7.25 USDC on Base, in about 15 s",
        "7.25 USDC on BNB, signed with Permit2, in about 15 s",
        "7.25 USDC on BNB, sent by the wallet, in about 15 s",
        "7.25 USDC on BNB, signed, in about 15 s",
        "7.25 USDC on BNB, signed as a permit, in about 15 s",
      ],
    )
  })
})

describe("florin pay", () => {
  it(
    "shows the request and the ways to pay, pays, and prints a receipt",
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
      assert.isFalse(isKept(paymentId))
      assert.notInclude(out, beside.ready().wallets[0]?.privateKey ?? out)
      assert.match(await beside.run("payments", "show", paymentId), /paid +7\.25 USDC on Base\n/u)

      const again = await beside.fails(1, "pay", gatewayUrl, "--yes")
      assert.include(again, "the payment is succeeded already")
    },
  )

  it("pays nothing without a choice, with exit code 2", { timeout: Beside.timeout }, async () => {
    const { gatewayUrl, paymentId } = await create()
    const refused = await Promise.all([
      beside.fails(2, "pay", gatewayUrl),
      beside.fails(2, "pay", gatewayUrl, "--json"),
    ])
    for (const err of refused) assert.include(err, "add --yes")
    assert.strictEqual(await statusOf(paymentId), "requires_action")
  })

  it(
    "refuses links of other hosts, and wallets without money",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create()
      const poorFile = join(beside.directory(), "poor")
      writeFileSync(poorFile, Wallet.make(77).privateKey)
      const wrongFile = join(beside.directory(), "wrong")
      writeFileSync(wrongFile, "0xsecret")
      const [forged, poor, wrong] = await Promise.all([
        beside.fails(1, "pay", gatewayUrl.replace("http://", "http://x@"), "--yes"),
        beside.fails(1, "pay", gatewayUrl, "--yes", "--key-file", poorFile),
        beside.fails(1, "pay", gatewayUrl, "--yes", "--key-file", wrongFile),
      ])
      assert.match(forged, /begins with http:\/\/localhost:[0-9]+, without user/u)
      assert.include(
        poor,
        "the wallet cannot pay now: it does not hold enough of any token that is offered",
      )
      assert.include(wrong, "a wallet's key is 0x and 64 hex digits")
      assert.notInclude(wrong, "secret")
      assert.strictEqual(await statusOf(paymentId), "requires_action")
    },
  )

  it(
    "killed before or after the chain has its transaction, sends that one and no other",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, node, sent, start }) => {
        const before = await sent()
        assert.strictEqual((await killed("before")).code, null)
        assert.strictEqual(await sent(), before)
        assert.isTrue(isKept(paymentId))

        const second = await killed("after")
        assert.strictEqual(second.code, null)
        assert.include(second.out, "Resuming the last attempt")
        assert.isTrue(isKept(paymentId))

        const third = start()
        // Nobody reads on, as after `| head -1`: the payment goes on all the same.
        third.child.stdout?.destroy()
        const { code, err } = await third.ended
        assert.strictEqual(code, 0, err)
        assert.strictEqual(await statusOf(paymentId), "succeeded")
        assert.strictEqual(await sent(), before + 1)
        assert.strictEqual(node.sends.length, 2)
        assert.strictEqual(node.sends[0], node.sends[1])
        assert.isFalse(isKept(paymentId))
      })
    },
  )

  it(
    "does nothing while another process pays the same payment, and names that process",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
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
        assert.isFalse(existsSync(join(beside.directory(), "paying", paymentId)))
      })
    },
  )

  it(
    "keeps a transaction that may still be mined until another one replaces it",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, start }) => {
        await killed("before")
        await beside.partner().payments.cancel(paymentId)
        const open = await start().ended
        assert.strictEqual(open.code, 1)
        assert.match(open.err, /0x[0-9a-f]{64} .*may still land.* with --abandon/u)
        assert.isTrue(isKept(paymentId))

        // Of the same amount it would be the very same transaction where gas costs the same.
        const next = await create({ ...sentByPayer, value: `${sentByPayer.value}0` })
        await beside.run("pay", next.gatewayUrl, "--yes", "--rpc", `${bnbChain}=${rpcUrl()}`)
        const { code, err } = await start().ended
        assert.strictEqual(code, 1)
        assert.include(err, "another transaction of the wallet replaced")
        assert.isFalse(isKept(paymentId))
      })
    },
  )

  it(
    "with --abandon cancels a transaction that was never sent, also if killed before or after",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, node, sent, start }) => {
        const before = await sent()
        await killed("before")
        await beside.partner().payments.cancel(paymentId)
        assert.strictEqual((await killed("before", "--abandon")).code, null)
        const { instead } = decodeKept(readFileSync(fileOf(paymentId), "utf8"))
        assert.strictEqual(instead.length, 1)
        assert.include(node.sends.at(-1), instead[0])
        assert.strictEqual((await killed("after", "--abandon")).code, null)
        assert.isTrue(isKept(paymentId))
        const { code, err, out } = await start("--abandon").ended
        assert.strictEqual(code, 0, err)
        assert.match(
          out,
          /The transaction 0x[0-9a-f]{64} can never be mined: the empty transaction used its nonce/u,
        )
        assert.isFalse(isKept(paymentId))
        assert.strictEqual(await sent(), before + 1)
        const [transfer, ...empty] = node.sends
        assert.notInclude(empty, transfer)
        assert.strictEqual(new Set(empty).size, 1)

        const again = await start("--abandon", "--json").ended
        assert.strictEqual(again.code, 0, again.err)
        assert.strictEqual(JSON.parse(again.out).result, "NothingKept")
        const open = await start().ended
        assert.strictEqual(open.code, 1)
        assert.include(open.err, "the payment is cancelled already")
        assert.notInclude(open.err, "money")
      })
    },
  )

  it(
    "with --abandon reports that another payment used the nonce of the saved transaction",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, start }) => {
        await killed("before")
        assert.strictEqual((await killed("before", "--abandon")).code, null)
        const next = await create({ ...sentByPayer, value: `${sentByPayer.value}0` })
        await beside.run("pay", next.gatewayUrl, "--yes", "--rpc", `${bnbChain}=${rpcUrl()}`)
        const { code, err, out } = await start("--abandon").ended
        assert.strictEqual(code, 0, err)
        assert.include(
          out,
          "another transaction of the wallet used its nonce. Check what that one moved",
        )
        assert.isFalse(isKept(paymentId))
        assert.strictEqual(await statusOf(next.paymentId), "succeeded")
      })
    },
  )

  it("with --abandon needs no service", { timeout: Beside.timeout }, async () => {
    const directory = join(beside.directory(), "alone")
    const run = (...args: ReadonlyArray<string>) =>
      Program.start(
        [
          "pay",
          elsewhere,
          "--directory",
          directory,
          "--rpc",
          `${bnbChain}=http://127.0.0.1:1`,
        ].concat(args),
        {
          FLORIN_WALLET_KEY: Wallet.make(5).privateKey,
          FLORIN_PAY_LINK_HOST: "pay.example.com",
        },
      ).ended
    Unfinished.file(join(directory, "unfinished"), elsewhere).write(sentForNothing)
    assert.include(
      (await run("--abandon")).err,
      `the money was sent in ${ownHash}, and the transaction cannot be cancelled`,
    )
    assert.include((await run("--yes")).err, "set FLORIN_URL and FLORIN_API_KEY")
  })

  it(
    "with --abandon does not cancel a mined transaction, or one of another wallet",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, sent, start }) => {
        const before = await sent()
        await killed("after")
        const keyFile = join(beside.directory(), "another")
        writeFileSync(keyFile, Wallet.make(77).privateKey)
        const another = await start("--abandon", "--key-file", keyFile).ended
        assert.strictEqual(another.code, 1)
        assert.include(
          another.err,
          "an unfinished attempt of this payment is saved for the account eip155:56:0x",
        )
        assert.include(another.err, `remove ${fileOf(paymentId)}`)

        await waitUntil(async () => (await sent()) > before)
        const { code, err, out } = await start("--abandon", "--json").ended
        assert.strictEqual(code, 1)
        assert.include(err, "is in a block, and cannot be cancelled")
        assert.strictEqual(JSON.parse(out).result, "NotTakenBack")
        const paid = await start().ended
        assert.strictEqual(paid.code, 0, paid.err)
        assert.strictEqual(await statusOf(paymentId), "succeeded")
        assert.strictEqual(await sent(), before + 1)
      })
    },
  )

  it(
    "reports money that it sent for a payment which another transaction paid, with exit code 1",
    { timeout: Beside.timeout },
    async () => {
      await handingIn(paidIn(othersHash), async (pay) => {
        const told = await pay()
        assert.strictEqual(told.code, 1)
        assert.notInclude(told.out, "Paid")
        assert.include(told.err, `the payment was paid in ${othersHash}`)
        assert.include(told.err, `the money that was sent in ${ownHash} did not pay`)
        assert.isFalse(isKept(elsewhere))
        const { code, out } = await pay("--json")
        const answer = JSON.parse(out)
        assert.strictEqual(code, 1)
        assert.strictEqual(answer.paid.txId, othersHash)
        assert.strictEqual(answer.unpaid, ownHash)
        assert.include(answer.message, "was reported to the service")
        assert.notInclude(answer.message, "keeps")
      })
      await handingIn(paidIn(ownHash), async (pay) => {
        const own = await pay("--json")
        assert.strictEqual(own.code, 0, own.err)
        assert.strictEqual(JSON.parse(own.out).paid.txId, ownHash)
        assert.notProperty(JSON.parse(own.out), "unpaid")
      })
    },
  )

  it(
    "reports where the money is if the payer is refused, or the service does not accept it",
    { timeout: Beside.timeout },
    async () => {
      await handingIn(declining, async (pay) => {
        const { code, err } = await pay()
        assert.strictEqual(code, 1)
        assert.include(
          err,
          `the payment was declined, and the money that was sent in ${ownHash} did not pay. The transaction was reported to the service`,
        )
        assert.isFalse(isKept(elsewhere))
      })
      await handingIn(notUnderstanding, async (pay) => {
        const { code, err } = await pay()
        assert.strictEqual(code, 1)
        assert.include(err, `the money was sent in ${ownHash}: that is not the transfer`)
        assert.include(err, "run the same command again to resume")
        assert.isTrue(isKept(elsewhere))
        const { err: kept } = await pay("--abandon")
        assert.include(
          kept,
          `the money was sent in ${ownHash}, and the transaction cannot be cancelled`,
        )
        assert.isTrue(isKept(elsewhere))
      })
    },
  )

  it(
    "forgets an approval that is too late for its payment, because it moves no money",
    { timeout: Beside.timeout },
    async () => {
      const wallet = Wallet.make(5)
      const node = { chainId: bnbChain, rpcUrl: rpcUrl() }
      const client = OwnTransaction.connect(wallet, node, 100)
      const to = OwnTransaction.hex(wallet.address)
      const approval = await client.prepareTransactionRequest({ to, gas: 60_000n })
      const { begun } = sentForNothing
      const kept: Unfinished.Unfinished = {
        ...sentForNothing,
        begun: {
          ...begun,
          actions: [
            ...begun.actions,
            {
              type: "walletRpc",
              data: {
                chain_id: `eip155:${bnbChain}`,
                method: "eth_signTypedData_v4",
                params: [wallet.address, "{}"],
              },
            },
          ],
          outputs: [],
        },
        signed: await client.signTransaction(approval),
      }
      const settles = async (pay: (...args: ReadonlyArray<string>) => Promise<Program.Ended>) => {
        const { code, err } = await pay()
        assert.strictEqual(code, 1)
        assert.match(err, /nothing was paid: the transaction 0x[0-9a-f]{64} moves no money/u)
        assert.isFalse(isKept(elsewhere))
        assert.strictEqual(await sentBy(rpcUrl(), wallet.address), 0)
      }
      await handingIn(expired, settles, kept, rpcUrl())
    },
  )

  it(
    "reads its settings from the environment and files, sends the payer's data, and prints JSON",
    { timeout: Beside.timeout },
    async () => {
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
        const ended = await Program.runIn(environment, "pay", gatewayUrl, ...rest, ...args)
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

  it(
    "reports where the money is if the payment was cancelled after it was sent",
    { timeout: Beside.timeout },
    async () => {
      const { gatewayUrl, paymentId } = await create(sentByPayer)
      await onDeadlyNode(gatewayUrl, async ({ killed, sent, start }) => {
        const before = await sent()
        await killed("after")
        await waitUntil(async () => (await sent()) > before)
        await beside.partner().payments.cancel(paymentId)
        const { code, err } = await start().ended
        assert.strictEqual(code, 1)
        const [, hash = "?"] =
          /the payment is cancelled already, and the money that was sent in (0x[0-9a-f]{64}) did not pay. The transaction was reported to the service/u.exec(
            err,
          ) ?? assert.fail(err)
        assert.isFalse(isKept(paymentId))

        // An embedded storage is one process's at a time.
        await beside.stop()
        const story = await beside.run("explain", paymentId)
        assert.match(story, /that it does not take/u)
        assert.include(story, hash)
      })
    },
  )
})
