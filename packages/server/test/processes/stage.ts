/**
 * A partner of several server processes with everything that it sees, judged by the oracle in the end.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Books from "@florin/testing/oracle/Books"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Oracle from "@florin/testing/oracle/Oracle"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import { assets, register, tokenOf } from "../operations/settlements.ts"
import * as Webhooks from "../operations/webhooks.ts"
import * as Scene from "../scene.ts"
import * as World from "../world.ts"
import * as Servers from "./servers.ts"

export type Ports = Scene.Ports | Servers.Servers

const asset = assets.usdcOnBase
const token = tokenOf(asset)
const { eip3009: chainId } = Scene.chains

/** What operators add, so that refunds do not wait for other people's money. */
const added = 10n ** 12n

const fund = Effect.gen(function* () {
  const chain = yield* SimulatedChain
  const ledger = yield* LedgerStore
  for (const { address } of collectingWallets) {
    yield* chain.mint(token, address, added)
    const quantity = Money.Quantity.make(added)
    const key = Idempotency.IdempotencyKey.make(Scene.fresh("float"))
    yield* ledger.post("test", key, Ledger.funding({ token, collecting: address, quantity }))
  }
}).pipe(Effect.orDie)

const parse = (text: string): Evidence.Json => {
  const parsed: Evidence.Json = JSON.parse(text)
  return parsed
}

/** What happened, in one order. */
const record = () => {
  const exchanges: Array<Evidence.Exchange> = []
  let moments = 0
  const moment = () => moments++
  /** Sends requests to some server, and keeps what was said. */
  const over = (respond: World.Service["respond"]) =>
    Effect.fnUntraced(function* (request: Request) {
      const sent = yield* Effect.promise(() => request.clone().text())
      const startedAt = moment()
      const response = yield* respond(request)
      const said = yield* Effect.promise(() => response.clone().text())
      const { pathname, search } = new URL(request.url)
      exchanges.push({
        startedAt,
        endedAt: moment(),
        process: new URL(response.url).port,
        method: request.method,
        path: `${pathname}${search}`,
        key: request.headers.get("Api-Key") ?? "",
        idempotencyKey: request.headers.get("Idempotency-Key"),
        body: sent === "" ? null : parse(sent),
        response: { status: response.status, body: parse(said) },
      })
      return response
    })
  return { exchanges, moment, over }
}

/** A partner with a merchant, a destination and a webhook. */
export const begin = Effect.gen(function* () {
  yield* fund
  const { exchanges, moment, over } = record()
  const { own, walletKey } = yield* Scene.make
  yield* register(own.key, own.merchantId, [asset])
  const url = `https://hooks.example.com/${Scene.fresh("hook")}`
  const hook = { ...(yield* Webhooks.make(own.key, { url })), url }
  const head = yield* (yield* SimulatedChain).head(chainId)
  return {
    own,
    walletKey,
    hook,
    exchanges,
    moment,
    beganAt: head?.number ?? 0,
    /** The merchant of each payment. */
    merchants: new Map<string, string>(),
    /** Sends requests to one of the servers, or to all in turn. */
    to: (server: Servers.Server | null) =>
      Effect.updateService(World.World, (service) => ({
        ...service,
        respond: over(server?.respond ?? service.respond),
      })),
  }
})

export type Stage = Effect.Success<typeof begin>

const passes = ["30 seconds", "30 seconds", "61 minutes", "30 seconds", "30 seconds"] as const

/** Time passes until nothing is left to do. */
export const rest = Effect.gen(function* () {
  const chain = yield* SimulatedChain
  const { running } = yield* Servers.Servers
  const deliver = Effect.forEach(running(), (server) => server.ask("deliver"), {
    concurrency: "unbounded",
  })
  for (const time of passes) {
    yield* Scene.work
    yield* chain.settle(chainId)
    yield* deliver
    yield* World.pass(time)
  }
  yield* Scene.work
  yield* deliver
})

const ledger = Effect.map(
  Effect.flatMap(LedgerStore, (store) => store.balances("test", null)),
  (balances): Evidence.Evidence["ledger"] =>
    [...balances.values()].map(({ account, balance, token: held }) => ({
      account: Ledger.accountKey(account),
      holds: account._tag === "Collecting" ? account.address : null,
      token: Eip155.formatToken(held).toLowerCase(),
      quantity: balance,
    })),
)

/** What is on the chain since this partner began: earlier ones have explained the rest. */
const chainOf = Effect.fnUntraced(function* ({ beganAt }: Stage) {
  const chain = yield* SimulatedChain
  const head = (yield* chain.head(chainId))?.number ?? 0
  const transactions = (yield* chain.history(chainId))
    .filter(({ blockNumber }) => blockNumber > beganAt)
    .map(({ blockNumber, hash, logs }) => ({
      hash,
      isFinal: blockNumber + chain.finalityDepth <= head,
      transfers: logs.map(({ from, quantity, to, token: moved }) => ({
        token: Eip155.formatToken(moved).toLowerCase(),
        from,
        to,
        quantity,
      })),
    }))
  const found: Evidence.Evidence["chain"] = {
    transactions,
    before: () => 0n,
    balances: (yield* chain.balances).map(({ address, quantity, token: held }) => ({
      token: Eip155.formatToken(held).toLowerCase(),
      address,
      quantity,
    })),
    own: new Set(collectingWallets.map(({ address }) => address)),
  }
  return found
})

const delivered = ({ hook }: Stage) =>
  Effect.map(Servers.Servers, ({ received }) =>
    received.filter(({ url }) => url === hook.url).map(({ body }) => parse(body)),
  )

/** Brings everything to rest, and says what contradicts a rule. */
export const judge = Effect.fnUntraced(function* (stage: Stage) {
  const { exchanges, merchants, own } = stage
  yield* rest
  const accepted = yield* delivered(stage)
  const books = yield* Books.read({
    key: own.key,
    get: (path, merchantId) =>
      Effect.map(
        Scene.send({
          path,
          key: own.key,
          headers: merchantId === null ? {} : { "Merchant-Id": merchantId },
        }),
        ({ body, status, text }) => {
          assert.strictEqual(status, 200, text)
          return body
        },
      ),
    network: Eip155.chainId(chainId),
    known: merchants,
    attempted: accepted,
    delivered: accepted,
    concurrency: 6,
  })
  const evidence: Evidence.Evidence = {
    exchanges,
    books: [books],
    ledger: yield* ledger,
    chain: yield* chainOf(stage),
  }
  const { differences, unsound } = yield* Reconciler.check("test")
  const audited = [...differences, ...unsound].map((each) => ({
    rule: "the reconciler finds nothing",
    what: String(each),
  }))
  return [...audited, ...Oracle.judge(evidence)]
})

/** A payment that nobody has paid. */
export const create = Effect.fnUntraced(function* (
  { merchants, own }: Stage,
  merchantId: string = own.merchantId,
  overrides: { readonly [member: string]: Scene.Json } = {},
) {
  const id = yield* Scene.createPayment(own.key, merchantId, overrides)
  merchants.set(id, merchantId)
  return id
})

/** The confirm of a payment, signed by a wallet and not sent. */
export const sign = Effect.fnUntraced(function* (
  { walletKey }: Stage,
  id: string,
  wallet: Wallet.Wallet = Scene.payer,
) {
  const option = yield* Scene.firstOption(walletKey, id, Scene.accountOf(wallet, chainId))
  const body = yield* Scene.confirmBody(walletKey, id, option, wallet)
  return { path: `/v1/gateway/payment/${id}/confirm`, key: walletKey, body }
})

/** A merchant of the partner, and where its money goes. */
export const openShop = Effect.fnUntraced(function* ({ own }: Stage) {
  const merchantId = yield* Scene.createMerchant(own.key)
  const [destinationId = ""] = yield* register(own.key, merchantId, [asset])
  return { merchantId, destinationId }
})

/** Collects what was confirmed, until it is final. */
export const collect = Effect.fnUntraced(function* (server: Servers.Server) {
  const chain = yield* SimulatedChain
  yield* server.ask("drain", "collector")
  yield* chain.settle(chainId)
  yield* World.pass("30 seconds")
  yield* server.ask("drain", "collector")
})

/** A payment that has succeeded: nothing was sent to its merchant yet. */
export const paid = Effect.fnUntraced(function* (
  stage: Stage,
  server: Servers.Server,
  merchantId?: string,
) {
  const id = yield* create(stage, merchantId)
  const confirmed = yield* Scene.send(yield* sign(stage, id))
  assert.strictEqual(confirmed.status, 200, confirmed.text)
  yield* collect(server)
  return id
})
