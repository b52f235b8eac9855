/**
 * A shop from an attacker's view: any HTTP request, and any transaction on its chain, while a test runs the workers.
 *
 * @module
 */
import { inspect } from "node:util"
import { assert } from "@effect/vitest"
import { makeWallet } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Worker from "@florin/core/workers/Worker"
import * as Contracts from "@florin/localnet/Contracts"
import type { Florin } from "@florin/server/Florin"
import * as Shares from "@florin/testing/Shares"
import * as Wallet from "@florin/testing/Wallet"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { privateKeyToAccount } from "viem/accounts"
import { parseTransaction } from "viem/utils"
import * as Logs from "../../src/read/Logs.ts"
import * as Queries from "../../src/read/Queries.ts"
import { hex } from "../../src/read/Queries.ts"
import * as ByHand from "../../test-support/byHand.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Service from "../../test-support/service.ts"
import * as Shop from "../../test-support/shop.ts"

export const { price } = Payers

/** USDC, USDT and EURC as the shop takes them, and a token whose used authorizations succeed and do nothing. */
export const tokens: { readonly [name in Shop.Flow | "paxos"]: Caip.Token } = {
  ...Shop.tokens,
  paxos:
    Catalog.assetsOf(BuiltIn.catalog, Shop.chainId).find(({ symbol }) => symbol === "PYUSD")
      ?.token ?? assert.fail(),
}

/** An option of a payment, as the wire names it and as the service reads it. */
export interface Choice {
  readonly paymentId: PaymentId.PaymentId
  readonly optionId: string
  readonly option: PaymentOption.PaymentOption
}

export interface Reply {
  readonly status: number
  readonly code: string | null
}

const readCode = Schema.decodeUnknownSync(
  Schema.Struct({ code: Schema.optionalKey(Schema.String) }),
)
export const readReceipt = Schema.decodeUnknownSync(
  Schema.Struct({
    status: Schema.Literals(["0x0", "0x1"]),
    gasUsed: Contracts.HexText,
    effectiveGasPrice: Contracts.HexText,
  }),
)
const readNumber = Schema.decodeUnknownSync(Schema.FiniteFromString)
const sealKey = Result.getOrThrow(Seal.makeKeys([Service.sealKey]))

let wallets = 2_600_000

/** A key that nobody used. */
export const unused = (): Wallet.Wallet => Wallet.make(++wallets)

/**
 * What is still the same after so many rounds and blocks, and so much of the workers' time that each piece of work was
 * tried again, waits for something that does not come by itself.
 */
const quietRoundsMax = 10
const quietMaxInMs = 2 * Worker.pauseLongestInMs

const make = Effect.fnUntraced(function* (options: Omit<Service.Options, "chainIds">) {
  const shop = yield* Shop.make({
    ...options,
    florin: { sealKey: Service.sealKey, vault: Service.vault, ...options.florin },
  })
  const { ask, client, florin, local, merchantId, sendAs } = shop
  const { round } = ByHand.make(florin)
  const wallet = makeWallet({ ...shop.call, apiKey: shop.walletKey })
  const payments: Array<PaymentId.PaymentId> = []

  const create = Effect.fnUntraced(function* (token: Caip.Token, quantity: bigint = price) {
    const { paymentId } = yield* Effect.promise(() =>
      client.payments.create({
        merchantId,
        referenceId: `attacked ${payments.length}`,
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: quantity.toString() },
      }),
    )
    const id = PaymentId.PaymentId.make(paymentId)
    payments.push(id)
    return id
  })

  /** An order of the shop, which is audited with the others. */
  const order = (flow: Shop.Flow) =>
    Effect.tap(shop.order(flow), ({ id }) => Effect.sync(() => payments.push(id)))

  /** The option of an account that holds enough. */
  const choose = Effect.fnUntraced(function* (
    paymentId: PaymentId.PaymentId,
    address: Caip.Address,
  ) {
    const accounts = [Eip155.formatAccount({ chainId: Shop.chainId, address })]
    const { options: offered } = yield* Effect.promise(() =>
      wallet.options(paymentId, { accounts }),
    )
    const [found] = offered ?? []
    assert.isDefined(found, "there is no option")
    const option = Result.getOrThrow(PaymentOption.read(found.id, paymentId, sealKey))
    const choice: Choice = { paymentId, optionId: found.id, option }
    return choice
  })

  /** A new payment in a token, and the option of an account that is given the money for it. */
  const offer = Effect.fnUntraced(function* (
    token: Caip.Token,
    address: Caip.Address,
    quantity: bigint = price,
  ) {
    yield* local.fund(token.address, address, quantity)
    return yield* choose(yield* create(token, quantity), address)
  })

  /** What an honest wallet does for an option; its transactions are mined. */
  const execute = Effect.fnUntraced(function* ({ option }: Choice, payer: Wallet.Wallet) {
    const signature = Payers.sign(option, payer)
    const { flow, payTo, quantity, token } = option
    if (flow === "eip3009") return [signature]
    const data =
      flow === "transfer" ? Payers.call.transfer(payTo, quantity) : Payers.call.approve(quantity)
    const hash = yield* sendAs(payer, token.address, data)
    yield* local.mine(1)
    return [hash, signature]
  })

  /** A confirm in any form, at this service or at another one over the same storage. */
  const attempt = (
    { optionId, paymentId }: Pick<Choice, "optionId" | "paymentId">,
    results: ReadonlyArray<ReadonlyArray<string>>,
    {
      headers,
      service = florin,
    }: {
      readonly headers?: { readonly [name: string]: string }
      readonly service?: Pick<Florin, "handler">
    } = {},
  ) =>
    Effect.promise(async (): Promise<Reply> => {
      const { status, ...response } = await readResponse(
        await service.handler(
          new Request(`${shop.call.baseUrl}/v1/gateway/payment/${paymentId}/confirm`, {
            method: "POST",
            headers: {
              "Api-Key": shop.walletKey,
              "Content-Type": "application/json",
              ...headers,
            },
            body: JSON.stringify({
              optionId,
              results: results.map((data) => ({ type: "walletRpc", data })),
            }),
          }),
        ),
      )
      return { status, code: response.code ?? null }
    })

  /** A confirm with all outputs in one result. */
  const attemptWith = (choice: Choice, outputs: ReadonlyArray<string>) => attempt(choice, [outputs])

  const tagOf = (id: PaymentId.PaymentId) => Effect.map(shop.stored(id), ({ state }) => state._tag)

  /** The transaction that a payment says it was paid by. */
  const paidBy = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
    const { state } = yield* shop.stored(id)
    return state._tag === "Succeeded" ? state.transfer.txHash : assert.fail(`it is ${state._tag}`)
  })

  let floats = 0
  /** Money of the operator's own on the account that collects an option. */
  const putFloat = Effect.fnUntraced(function* (
    { payTo, token }: PaymentOption.PaymentOption,
    quantity: bigint,
  ) {
    yield* local.fund(token.address, payTo, quantity)
    yield* Effect.promise(() =>
      florin.operator.float.put({
        mode: "live",
        key: `float ${++floats}`,
        account: Eip155.formatAccount({ chainId: token.chainId, address: payTo }),
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: String(quantity) },
      }),
    )
  })

  /** How many transactions our accounts have sent, those that wait for a block too. */
  const sent = Effect.gen(function* () {
    let count = 0
    for (const { address } of Service.collecting) {
      count += readNumber(yield* local.request("eth_getTransactionCount", [address, "pending"]))
    }
    return count
  })

  /** What our transactions cost that were mined and reverted. */
  const losses = Effect.gen(function* () {
    const found = { reverted: 0, gas: 0n, wei: 0n }
    for (const { address } of Service.collecting) {
      for (const { hash } of yield* shop.committed(address)) {
        const answer = yield* local.request("eth_getTransactionReceipt", [hash])
        if (answer === null) continue
        const { effectiveGasPrice, gasUsed, status } = readReceipt(answer)
        if (status === "0x1") continue
        found.reverted += 1
        found.gas += BigInt(gasUsed)
        found.wei += BigInt(gasUsed) * BigInt(effectiveGasPrice)
      }
    }
    return found
  })

  /** Every transfer of the shop's tokens to or from one of our accounts. */
  const moved = Effect.fnUntraced(function* (which: "in" | "out") {
    const newest = yield* ask(Queries.block("latest"))
    const found: Array<Queries.Log> = []
    for (const { address } of Object.values(tokens)) {
      for (const ours of Service.collecting) {
        const [event = null, from = null, to = null] = Logs.transferTopics({
          from: ours.address,
          to: ours.address,
        })
        const topics = which === "in" ? [event, null, to] : [event, from]
        found.push(
          ...(yield* ask(
            Queries.logs({ address, topics, fromBlock: 0, toBlock: newest?.number ?? 0 }),
          )),
        )
      }
    }
    return found
  })

  /** Sends the same call with the same nonce and a higher fee, as another process with our key may. */
  const outbid = Effect.fnUntraced(function* ({ lane, raw }: Lane.Transaction) {
    const ours = Service.collecting.find(({ address }) => address === lane.sender)
    assert.isDefined(ours)
    const stored = parseTransaction(hex(raw))
    const signed = yield* Effect.promise(() =>
      privateKeyToAccount(hex(ours.privateKey)).signTransaction({
        chainId: Eip155.numberOf(Shop.chainId),
        nonce: stored.nonce ?? 0,
        to: stored.to ?? null,
        data: stored.data ?? "0x",
        gas: stored.gas ?? 0n,
        maxFeePerGas: 2n * (stored.maxFeePerGas ?? 0n),
        maxPriorityFeePerGas: 2n * (stored.maxPriorityFeePerGas ?? 0n),
      }),
    )
    return yield* ask(Queries.send(signed))
  })

  /**
   * Lets workers and blocks follow each other for as long as anything changes or is due; answers the rounds at the end in
   * which nothing changed.
   */
  const finish = Effect.gen(function* () {
    let quiet: Array<ByHand.Done> = []
    for (;;) {
      const done = yield* round
      if (done === null) return quiet
      yield* local.mine(1)
      if (done.hasChanged) quiet = []
      else quiet.push(done)
      const [first = done] = quiet
      if (quiet.length > quietRoundsMax && done.now - first.now > quietMaxInMs) return quiet
    }
  })

  const nameOf = ({ logIndex, txHash }: Pick<Transfer.Evidence, "logIndex" | "txHash">) =>
    `${txHash} ${logIndex}`

  /**
   * M22: what ended well has one transfer of its own, no transfer came that nobody is told of, each share went out once,
   * and the ledger says what the chain says.
   */
  const audit = Effect.gen(function* () {
    const quiet = yield* finish
    const collected: Array<string> = []
    const settled = new Set<string>()
    for (const id of payments) {
      const { state } = yield* shop.stored(id)
      if (state._tag === "Processing") {
        const tries = quiet.flatMap(({ tried }) => tried.get(id) ?? [])
        const waiting = { tries: tries.length, failures: tries.at(-1)?.failures, state }
        assert.fail(`${id} comes to no end: ${inspect(waiting, { depth: null })}`)
      }
      if (state._tag !== "Succeeded") continue
      collected.push(nameOf(state.transfer))
      const { outflowId, status } = Shares.ofEntry(state.entry)
      if (status !== "paid" || outflowId === null) continue
      const outflow = yield* shop.outflowOf(outflowId)
      if (outflow.state._tag === "Paid") settled.add(nameOf(outflow.state.transfer))
    }
    const named = (logs: ReadonlyArray<Queries.Log>) =>
      logs.map(({ logIndex, transactionHash }) => nameOf({ logIndex, txHash: transactionHash }))
    assert.sameMembers(named(yield* moved("in")), collected)
    assert.includeMembers(named(yield* moved("out")), [...settled])
    yield* shop.balanced
  })

  return {
    ...shop,
    order,
    create,
    choose,
    offer,
    execute,
    attempt,
    attemptWith,
    tagOf,
    paidBy,
    sent,
    losses,
    putFloat,
    outbid,
    round,
    finish,
    audit,
  }
})

const readResponse = async (response: Response) => ({
  status: response.status,
  ...readCode(await response.json()),
})

export type Scene = Effect.Success<ReturnType<typeof make>>

/** A scene of one's own, until the scope closes. */
export const alone = make

/** A scene for the tests of one file. */
export class World extends Context.Service<World, Scene>()("@florin/evm/test/threats/World") {
  static readonly layer = (options: Omit<Service.Options, "chainIds"> = {}) =>
    Layer.effect(World, make(options))
}

/** M22: after every attack the books are held against the chain. */
export const play = <E, R>(attack: (scene: Scene) => Effect.Effect<void, E, R>) =>
  Effect.flatMap(World, (scene) => Effect.andThen(attack(scene), scene.audit))

/** Fails unless all of these were refused, with this status. */
export const areRefused = (answers: ReadonlyArray<Reply>, status: number) =>
  assert.deepStrictEqual(
    answers.map((each) => each.status),
    answers.map(() => status),
  )
