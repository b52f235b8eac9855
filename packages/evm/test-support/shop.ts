/**
 * A shop that is paid on one chain: payers of every kind, and the chain's own view of their payments, read without the
 * proxies in front of its node.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type { PayResult, Resume } from "@florin/client"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { OutflowStore, findOutflow } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Shares from "@florin/testing/Shares"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import { privateKeyToAccount } from "viem/accounts"
import type { Query } from "../src/node/Rpc.ts"
import * as Logs from "../src/read/Logs.ts"
import * as Queries from "../src/read/Queries.ts"
import { hex } from "../src/read/Queries.ts"
import type { ByHand } from "./byHand.ts"
import * as Payers from "./payers.ts"
import * as Send from "./send.ts"
import * as Service from "./service.ts"
import * as Signers from "./signers.ts"
import { comes } from "./until.ts"

export const chainId = Eip155.chainId(1)
export const price = 5_000_000n
export const finality = 3
/** How far the chain's own word for it is behind. */
const finalizedBehind = 2

export type Flow = Eip155.Flow
export const { flows } = Eip155

const assetOf = (symbol: string): Asset.Asset => {
  const found = Catalog.assetsOf(BuiltIn.catalog, chainId).find((each) => each.symbol === symbol)
  assert.isDefined(found, `there is no ${symbol}`)
  return found
}

/** One token for each way to pay. */
export const tokens: { readonly [F in Flow]: Caip.Token } = {
  eip3009: assetOf("USDC").token,
  permit2: assetOf("USDT").token,
  transfer: assetOf("EURC").token,
  permit: assetOf("USDG").token,
}

/** How the shop's chain takes a token. */
export const flowOf = (asset: Asset.Asset): Flow =>
  flows.find((each) => Caip.sameToken(asset.token, tokens[each])) ??
  (asset.flow === "permit2" ? "permit2" : "eip3009")

/** A payment whose payer is there, with the money. */
export interface Order {
  readonly id: PaymentId.PaymentId
  readonly link: string
  readonly flow: Flow
  readonly token: Caip.Token
  readonly payer: Wallet.Wallet
  readonly signer: Service.Signer
}

/** An order whose confirm was accepted; `paid` is what the payer's wallet is told at the end. */
export interface Confirmed extends Order {
  readonly paid: Promise<PayResult>
  readonly option: PaymentOption.PaymentOption
}

let wallets = 2_400_000

/** More than the rounds from a confirm to the end of a settlement, and not so many that nobody sees a payment hang. */
const roundsMax = 20
/** Between two tries of a patient payer. */
const pauseInMs = 100
const dayInMs = 24 * 60 * 60 * 1000
/** From here on no authorization of a payment is good. */
const authorizationsEndInS = 700

/** Whether a payment is paid out, or takes no money any more. */
const isEnded = ({ state }: Payment.Payment): boolean =>
  state._tag === "Failed" ||
  state._tag === "Expired" ||
  state._tag === "Cancelled" ||
  (state._tag === "Succeeded" && Shares.ofEntry(state.entry).status === "paid")

/** Whether nothing is left to do for a payment by itself: what was reported for it was found, or is given up. */
const isOver = (payment: Payment.Payment): boolean =>
  payment.reports.length === 0 && isEnded(payment)

/** A shop of a service on this chain; the merchant is paid out to an account of nobody else. */
export const make = Effect.fnUntraced(function* (options: Omit<Service.Options, "chainIds"> = {}) {
  const service = yield* Service.make({
    chainIds: [chainId],
    finality,
    flow: flowOf,
    ...options,
  })
  const { client, florin, merchantId } = service
  const local = service.local(chainId)
  const confirmations = options.finality === "finalized" ? finalizedBehind : finality
  const treasury = Wallet.make(++wallets)
  yield* Effect.promise(() =>
    client.settlements.create(merchantId, {
      settlements: flows.map((flow) => ({
        asset: Eip155.formatToken(tokens[flow]),
        destination: Eip155.formatAccount({ chainId, address: treasury.address }),
      })),
    }),
  )

  /** Asks the chain itself. */
  const ask = <A>({ method, params, read }: Query<A>): Effect.Effect<A> =>
    Effect.orDie(
      Effect.flatMap(local.request(method, params), (answer) => Effect.fromOption(read(answer))),
    )

  const stored = (id: PaymentId.PaymentId): Effect.Effect<Payment.Payment> =>
    Effect.promise(() =>
      florin.run(Effect.flatMap(PaymentStore, (payments) => payments.payment(id))),
    )

  // Money that comes before the first look is found, too.
  yield* Effect.promise(() => florin.run(Scanner.moveScan("live", chainId, {}, 0)))

  /** Money that was reported for a payment, and that it does not take. */
  const inflowsOf = (paymentId: PaymentId.PaymentId): Effect.Effect<ReadonlyArray<Inflow.Inflow>> =>
    Effect.promise(() =>
      florin.run(
        Effect.flatMap(InflowStore, (inflows) => inflows.inflows({ _tag: "Payment", paymentId })),
      ),
    )

  const outflowOf = (id: OutflowId.OutflowId): Effect.Effect<Outflow.Outflow> =>
    Effect.promise(() =>
      florin.run(Effect.flatMap(OutflowStore, (outflows) => findOutflow(outflows, id))),
    )

  const statusOf = (id: PaymentId.PaymentId) =>
    Effect.promise(async () => (await client.payments.get(id, { merchantId })).status)

  const order = Effect.fnUntraced(function* (flow: Flow) {
    const seed = ++wallets
    const [payer, signer] = [Wallet.make(seed), Signers.viem(seed)]
    const token = tokens[flow]
    // Reorganisations and tests move the chain's time, and a transfer in a block from before its option pays nothing.
    const atLeastInS = Math.ceil(Date.now() / 1000)
    if ((yield* local.nowInS) < atLeastInS) yield* local.request("evm_setTime", [atLeastInS])
    yield* local.fund(token.address, payer.address, price)
    const created = yield* Effect.promise(() =>
      client.payments.create({
        merchantId,
        referenceId: `order ${seed}`,
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: price.toString() },
      }),
    )
    const made: Order = {
      id: PaymentId.PaymentId.make(created.paymentId),
      link: created.gatewayUrl,
      flow,
      token,
      payer,
      signer,
    }
    return made
  })

  const acceptedOf = ({ id }: Order) =>
    comes(
      "the confirm",
      Effect.map(stored(id), (payment) => Payment.attemptOf(payment)?.option ?? null),
    )

  /** Pays an order as far as the accepted confirm. */
  const confirm = Effect.fnUntraced(function* (made: Order) {
    const paid = service.pay(made.link, made.signer)
    const refused = Effect.flatMap(
      Effect.promise(() => paid),
      (ending) => Effect.die(`the confirm was not accepted: ${JSON.stringify(ending)}`),
    )
    const option = yield* Effect.raceFirst(acceptedOf(made), refused)
    const confirmed: Confirmed = { ...made, paid, option }
    return confirmed
  })

  /** Pays an order as a patient payer does: whatever is in the way is tried again, and nothing is signed or sent twice. */
  const insisted = Effect.fnUntraced(function* (made: Order) {
    let kept: Resume | undefined
    const paying = async (): Promise<PayResult> => {
      const paid = await service.pay(made.link, made.signer, kept)
      if ("resume" in paid) kept = paid.resume
      if (paid._tag !== "Stopped" && paid._tag !== "NoOption") return paid
      await new Promise((resolve) => {
        setTimeout(resolve, pauseInMs)
      })
      return paying()
    }
    const paid = paying()
    const confirmed: Confirmed = { ...made, paid, option: yield* acceptedOf(made) }
    return confirmed
  })

  /** The canonical transfers of exactly this quantity between two accounts. */
  const transfers = Effect.fnUntraced(function* (movement: Transfer.Movement) {
    const { address } = movement.token
    const topics = Logs.transferTopics(movement)
    const newest = yield* ask(Queries.block("latest"))
    const filter = { address, topics, fromBlock: 0, toBlock: newest?.number ?? 0 }
    return (yield* ask(Queries.logs(filter))).filter(Logs.isMovement(movement))
  })

  /** Whether a transfer that was called final is in a block of the canonical chain, with all its confirmations. */
  const isFinal = Effect.fnUntraced(function* (evidence: Transfer.Evidence) {
    const [found, newest] = yield* Effect.all([
      transfers(evidence.movement),
      ask(Queries.block("latest")),
    ])
    return found.some(
      (log) =>
        log.transactionHash === evidence.txHash &&
        log.blockHash === evidence.blockHash &&
        log.blockNumber <= (newest?.number ?? 0) - confirmations,
    )
  })

  /** The transaction in a slot, as it is stored. */
  const transactionAt = (slot: Lane.Slot) =>
    Effect.promise(() => florin.run(Relayer.transactionAt(slot)))
  const laneOf = (sender: Caip.Address): Lane.Lane => ({ chainId, sender })
  const committed = (sender: Caip.Address) =>
    Effect.promise(() =>
      florin.run(Effect.flatMap(LaneStore, (lanes) => lanes.laneTransactions(laneOf(sender), 0))),
    )

  /** A transaction of a payer's own; it waits for a block. */
  const sendAs = (wallet: Wallet.Wallet, to: Caip.Address, data: string) =>
    Send.from(local, privateKeyToAccount(hex(wallet.privateKey)), { to, data })

  /** What this shop's merchant was paid out for. */
  let settled = 0
  const balanced = Effect.map(service.reconciled, ({ differences, unsound }) => {
    assert.deepStrictEqual(differences, [])
    assert.deepStrictEqual(unsound, [])
  })

  /** Holds what payments say against what the chain shows: nothing may say more than it. */
  const believed = Effect.fnUntraced(function* (orders: ReadonlyArray<Order>) {
    for (const { id } of orders) {
      const { state } = yield* stored(id)
      if (state._tag !== "Succeeded") continue
      assert.isTrue(yield* isFinal(state.transfer), `${id} says succeeded`)
      const { outflowId, status } = Shares.ofEntry(state.entry)
      if (status !== "paid" || outflowId === null) continue
      const outflow = yield* outflowOf(outflowId)
      if (outflow.state._tag !== "Paid") return assert.fail(`${id} says settled`)
      assert.isTrue(yield* isFinal(outflow.state.transfer), `${id} says settled`)
    }
  })

  const areOver = (orders: ReadonlyArray<Order>, is = isOver) =>
    Effect.map(
      Effect.forEach(orders, ({ id }) => stored(id)),
      (payments) => payments.every(is),
    )

  /** Lets workers and blocks follow each other until all payments are over; answers whether they are. */
  const follow = Effect.fnUntraced(function* (hand: ByHand, orders: ReadonlyArray<Order>) {
    for (let round = 0; round < roundsMax; round++) {
      if (yield* areOver(orders)) return true
      yield* hand.round
      yield* believed(orders)
      yield* local.mine(1)
    }
    return yield* areOver(orders)
  })

  /**
   * Brings payments to their end: as the chain goes on, else as authorizations run out, a wallet's transfer is waited for
   * no longer, and late money is not looked for any more.
   */
  const finish = Effect.fnUntraced(function* (hand: ByHand, orders: ReadonlyArray<Order>) {
    if (yield* follow(hand, orders)) return
    yield* local.pass(authorizationsEndInS)
    yield* local.mine(finality + 1)
    for (const days of [0, 1, 8]) {
      yield* hand.pass(days * dayInMs)
      if (yield* follow(hand, orders)) break
    }
    yield* local.request("evm_setTime", [Math.ceil(Date.now() / 1000)])
    // No reorganisation goes back to where time did.
    yield* local.mine(4 * finality)
    assert.isTrue(yield* areOver(orders), "every payment comes to an end")
  })

  return {
    ...service,
    local,
    insisted,
    follow,
    finish,
    /** Waits until all payments are ended. A transfer that nobody made is looked for much longer. */
    over: (orders: ReadonlyArray<Order>) =>
      comes(
        "the end of all payments",
        Effect.map(areOver(orders, isEnded), (over) => (over ? true : null)),
      ),
    treasury,
    ask,
    inflowsOf,
    stored,
    outflowOf,
    transactionAt,
    /** The chains on which nothing is sent. */
    halted: Effect.map(
      Effect.promise(() => florin.operator.chains.halted({ mode: "live" })),
      ({ chains }) => chains,
    ),
    statusOf,
    order,
    confirm,
    /** A new order, as far as the accepted confirm. */
    confirmed: (flow: Flow) => Effect.flatMap(order(flow), confirm),
    transfers,
    committed,
    sendAs,
    /** The payer takes back what he promised. */
    revoke: ({ option, payer }: Confirmed) => {
      const { address } = option.token
      switch (option.flow) {
        case "permit2":
          return sendAs(payer, Eip155.permit2Address, Payers.call.invalidate(option))
        case "permit":
          return sendAs(
            payer,
            address,
            Payers.call.permitElsewhere(option, payer, Wallet.make(1).address),
          )
        default:
          return sendAs(
            payer,
            address,
            Payers.call.cancel(option, Payers.cancellation(option, payer)),
          )
      }
    },
    /** The payer's money goes elsewhere. */
    spend: ({ payer, token }: Order) =>
      sendAs(payer, token.address, Payers.call.transfer(Wallet.make(1).address, Payers.price)),

    believed,
    /** Each payment came to the end that the chain shows, once, and so did its settlement. */
    agreed: Effect.fnUntraced(function* (orders: ReadonlyArray<Order>) {
      for (const { id, token, payer } of orders) {
        const parties = { token, from: payer.address, to: service.payTo(id) }
        const found = yield* transfers({ ...parties, quantity: Payers.price })
        assert.isAtMost(found.length, 1, `${id} was collected once`)
        const { state } = yield* stored(id)
        assert.strictEqual(state._tag, found.length === 1 ? "Succeeded" : "Failed", id)
        if (state._tag !== "Succeeded") continue
        assert.strictEqual(state.transfer.txHash, found[0]?.transactionHash)
        assert.strictEqual(Shares.ofEntry(state.entry).status, "paid", `${id} is settled`)
        settled++
      }
      let paidOut = 0n
      for (const flow of flows) paidOut += yield* service.held(tokens[flow], treasury.address)
      const owed = BigInt(settled) * service.netOf(price)
      assert.strictEqual(paidOut, owed, "each payment is settled once")
      yield* balanced
    }),

    /** Every nonce that was committed to is used, and none was left out. */
    contiguous: Effect.gen(function* () {
      for (const { address } of Service.collecting) {
        const nonces = (yield* committed(address)).map(({ nonce }) => nonce)
        const used = yield* ask(Queries.nonce(address, "latest"))
        assert.deepStrictEqual(
          nonces,
          Array.from({ length: used }, (_, index) => index),
        )
      }
    }),
    balanced,
  }
})

export type Shop = Effect.Success<ReturnType<typeof make>>
