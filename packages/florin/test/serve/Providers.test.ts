/**
 * Real processes on PostgreSQL whose only node is a provider's: it takes few calls in a request and fewer later, refuses
 * calls without a recipient, answers the calls of a request in another order, is asked too often now and then, and keeps
 * no old states.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay, type PayResult, type Resume } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Redacted } from "effect"
import * as Lies from "../../../evm/test-support/lies.ts"
import * as Locals from "../../../evm/test-support/locals.ts"
import * as Node from "../../../evm/test-support/node.ts"
import * as Databases from "../../../postgres/test-support/databases.ts"
import type * as ReadyFile from "../../src/access/ReadyFile.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const number = 1
const chainId = Eip155.chainId(number)
/** A machine with much else to do takes minutes. */
const timeout = 360_000
const betweenBlocksInMs = 400

/** A token for each way to pay. */
const flows = { eip3009: "USDC", permit2: "USDT", transfer: "EURC", permit: "USDG" } as const
const tokens = Object.entries(flows).map(([flow, symbol]) => {
  const found = BuiltIn.catalog.assets.find(
    (each) => each.symbol === symbol && each.token.chainId === chainId,
  )
  const { token } = found ?? assert.fail(`there is no ${symbol}`)
  return { flow, token, text: Eip155.formatToken(token) }
})
const price = 5_000_000n
/** The operator's own, from which a merchant's refund is paid after its payout. */
const float = 100_000_000n

const relayer = Wallet.make(140)
/** How many calls the provider takes in a request, as time goes on; with 1 it takes no lists. */
const plans = [10, 3, 1]

/** Of each plan, the call and the request at which the provider says that it is asked too often. */
const limited = { call: 40, request: 80 }
/** Of so many blocks it keeps the state. */
const statesKept = 8

/** Where in the parameters of a call the block is named whose state it reads. */
const stateAt: { readonly [method: string]: number } = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
}

/** What it would not do, by what for. */
const begin = (local: LocalChain.LocalChain) =>
  Effect.gen(function* () {
    let callsMax = plans[0] ?? 1
    let [calls, requests] = [0, 0]
    const refused = { batch: 0, plan: 0, state: 0, often: 0 }
    const answer = async ({ id, method, params }: Node.Call): Promise<object> => {
      calls += 1
      const refuse = (why: keyof typeof refused, code: number, message: string) => {
        refused[why] += 1
        return { jsonrpc: "2.0", id, error: { code, message } }
      }
      if (calls === limited.call) return refuse("often", -32005, "limit exceeded")
      if (method === "eth_call" && !JSON.stringify(params[0]).includes('"to":')) {
        return refuse("plan", -32602, "missing field `to`")
      }
      const pass = async (call: Pick<Node.Call, "method" | "params">) => {
        const body = JSON.stringify([{ jsonrpc: "2.0", id, ...call }])
        return Lies.readAnswers(await Locals.passOn(local, body))[0]
      }
      const at = params[stateAt[method] ?? -1]
      if (typeof at === "string" && at.startsWith("0x")) {
        const newest = await pass({ method: "eth_blockNumber", params: [] })
        if (Number(at) < Number(newest?.result) - statesKept) {
          return refuse("state", -32000, "missing trie node")
        }
      }
      return { jsonrpc: "2.0", ...(await pass({ method, params })) }
    }
    const node = yield* Node.make(async (asked, body) => {
      requests += 1
      if (requests === limited.request) {
        refused.often += 1
        return { status: 429, body: JSON.stringify({ error: "too many requests" }) }
      }
      const isList = body.startsWith("[")
      if (asked.length > callsMax || (isList && callsMax === 1)) {
        refused.batch += 1
        const error = { code: -32600, message: "batch too large" }
        return { status: 400, body: JSON.stringify({ error }) }
      }
      const answers = await Promise.all(asked.map(answer))
      return Node.json(isList ? answers.toReversed() : answers[0])
    })
    return {
      url: Redacted.value(node.url),
      refused,
      take: (most: number) => {
        callsMax = most
        calls = 0
        requests = 0
      },
    }
  })

const payThere = async (
  local: LocalChain.LocalChain,
  node: Effect.Success<ReturnType<typeof begin>>,
  database: string,
) => {
  const reached = { chainId: number, rpcUrl: local.rpcUrl }
  const variables = {
    ...Serving.variables(database, [reached]),
    FLORIN_TEST_RPC: `${number}=${node.url}`,
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
    FLORIN_FLOW: tokens.map(({ flow, text }) => `${text}=${flow}`).join(" "),
  }
  const serve = (role: string) => Serving.serve(variables, "--role", role, "--port", "0")
  const [{ url: baseUrl }] = await Promise.all([serve("api"), serve("worker")])
  const account = Eip155.formatAccount({ chainId, address: relayer.address })
  const puts = tokens.map(({ text }, index) => {
    const hash = `0x${`${index + 1}`.repeat(64)}`
    return ["float", "put", text, account, "100", "--mode", "test", "--transaction", hash]
  })
  for (const { code, err } of await Program.several(puts, variables)) {
    assert.strictEqual(code, 0, err)
  }

  let wallets = 140
  /** A patient payer pays, the merchant is paid out, and refunds. */
  const payBy = async (
    { text, token }: (typeof tokens)[number],
    { merchantId, partnerKey, walletKey }: ReadyFile.Issued,
  ) => {
    const partner = makePartner({ baseUrl, apiKey: partnerKey, merchantId })
    const wallet = Wallet.make(++wallets)
    await Effect.runPromise(
      Effect.andThen(
        local.fund(token.address, wallet.address, price),
        local.fundGas(wallet.address, 10n ** 18n),
      ),
    )
    const { gatewayUrl, paymentId } = await partner.payments.create({
      referenceId: wallet.address,
      amount: { unit: `caip19/${text}`, value: `${price}` },
    })
    const insist = async (resume?: Resume): Promise<PayResult> => {
      const paid = await pay(gatewayUrl, {
        baseUrl,
        payLinkHost: Serving.payLinkHost,
        apiKey: walletKey,
        accounts: [Eip155.formatAccount(wallet.account(chainId))],
        signer: Payer.signer(wallet, [reached]),
        maxPollMs: 1000,
        ...(resume !== undefined && { resume }),
      })
      if (paid._tag !== "NoOption" && paid._tag !== "Stopped") return paid
      await Serving.pause(500)
      return insist("resume" in paid ? paid.resume : undefined)
    }
    const { _tag } = await insist()
    assert.include(["Succeeded", "AlreadyFinal"], _tag)
    const settled = async () => {
      const { settlement, status } = await partner.payments.get(paymentId)
      assert.strictEqual(status, "succeeded")
      return settlement !== null
    }
    await Serving.until(settled)
    const { refundId } = await partner.refunds.create({ paymentId })
    await Serving.until(async () => (await partner.refunds.get(refundId)).status === "succeeded")
  }
  for (const most of plans) {
    node.take(most)
    // oxlint-disable-next-line no-await-in-loop -- Another merchant: what one had refunded, its next payments pay off.
    const issued = await Serving.register(database, baseUrl)
    // oxlint-disable-next-line no-await-in-loop -- One plan after the other.
    await Promise.all(tokens.map((each) => payBy(each, issued)))
  }
  const { batch, often, plan } = node.refused
  for (const count of [batch, often, plan]) assert.isAbove(count, 0)
  const books = await Program.runIn(variables, "reconcile")
  assert.strictEqual(books.code, 0, books.out + books.err)
}

describe("florin serve on a provider's node", () => {
  it.live(
    "S26: collects, pays out and refunds in every way, with any of the provider's limits",
    () =>
      Effect.gen(function* () {
        const local = yield* LocalChain.make({ chainId, blocks: { everyInMs: betweenBlocksInMs } })
        yield* local.fundGas(relayer.address, 10n ** 18n)
        for (const { token } of tokens) yield* local.fund(token.address, relayer.address, float)
        const node = yield* begin(local)
        const database = yield* Databases.address("empty")
        yield* Effect.promise(() => Program.inDirectory(() => payThere(local, node, database)))
      }).pipe(Effect.scoped),
    timeout,
  )
})
