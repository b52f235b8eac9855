/**
 * Batched payouts on a chain: every share is paid once, and gas is saved.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makeWallet } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import type * as Ledger from "@florin/core/domain/money/Ledger"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Payment from "@florin/core/domain/payment/Payment"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Counts from "@florin/testing/Counts"
import * as Shares from "@florin/testing/Shares"
import * as Stores from "@florin/testing/Stores"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseTransaction } from "viem/utils"
import * as Logs from "../src/read/Logs.ts"
import * as Queries from "../src/read/Queries.ts"
import { hex } from "../src/read/Queries.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Payers from "../test-support/payers.ts"
import * as Service from "../test-support/service.ts"
import * as Shop from "../test-support/shop.ts"

const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const paymentCount = Counts.of({ usual: 90, full: 1000 })
const merchantCount = Counts.of({ usual: 7, full: 20 })
/** What paying one by one costs is measured on so many payments. */
const singleCount = 4
const atOnce = 16

const token = Shop.tokens.eip3009
const price = 5_000_000n
/** One that is paid out, and then refunded: more than one later share, and less than two, pay it off. */
const refundedPrice = 7_500_000n

const minuteInMs = 60_000
const everyInMs = 15 * minuteInMs
/** Longer than the pauses of work that waits for blocks. */
const roundInMs = 2000
const roundsMax = 100
/** How long one of our transactions waits before more is bid for it. */
const outbidAfterInMs = 20_000

/** Of what two transactions for each payment cost, in percent. */
const gasMaxInPercent = 70

/** Where merchants are paid out to: the roles that the story has. */
const roles = ["shared", "blocked", "reverting"] as const
type Role = (typeof roles)[number]

/** The first, second and sixth merchant share a destination, and so do the fourth and fifth; later ones do in pairs. */
const destinationOf = (merchant: number): Role | number =>
  (["shared", "shared", "blocked", "reverting", "reverting", "shared"] as const)[merchant] ??
  Math.floor(merchant / 2)
const indebted = 5

/** Half of all payments are the first merchant's: in full that is more than one transfer pays. */
const merchantOf = (payment: number): number =>
  payment % 2 === 0 ? 0 : 1 + (((payment - 1) / 2) % (merchantCount - 1))

const sum = (quantities: Iterable<bigint>): bigint => {
  let all = 0n
  for (const each of quantities) all += each
  return all
}

const range = (length: number) => Array.from({ length }, (_, index) => index)

const sealKey = Result.getOrThrow(Seal.makeKeys([Service.sealKey]))
const Receipt = Schema.Struct({ gasUsed: Schema.String, status: Schema.String })
const readReceipt = Schema.decodeUnknownSync(Schema.NullOr(Receipt))
const isPayout = ({ raw }: Lane.Transaction): boolean =>
  parseTransaction(hex(raw)).data?.startsWith("0xa9059cbb") === true

interface Made {
  readonly id: PaymentId.PaymentId
  readonly merchant: number
  readonly option: PaymentOption.PaymentOption
}

interface Seller {
  readonly id: string
  readonly address: Caip.Address
}

let wallets = 2_800_000

/** A shop of several merchants, whose workers are moved by hand. */
const market = Effect.gen(function* () {
  const shop = yield* Shop.make({ florin: { sealKey: Service.sealKey } })
  const { client, florin, local } = shop
  const hand = ByHand.make(florin)
  const wallet = makeWallet({ ...shop.call, apiKey: shop.walletKey })

  const addresses = new Map<Role | number, Caip.Address>([["shared", shop.treasury.address]])
  const addressOf = (destination: Role | number): Caip.Address => {
    const address = addresses.get(destination) ?? Wallet.make(++wallets).address
    addresses.set(destination, address)
    return address
  }
  const sellers = yield* Effect.forEach(range(merchantCount), (merchant) =>
    Effect.promise(async (): Promise<Seller> => {
      const address = addressOf(destinationOf(merchant))
      if (merchant === 0) return { id: shop.merchantId, address }
      const created = await client.merchants.create({
        merchantName: `Stall ${merchant}`,
        merchantEmail: `till@stall-${merchant}.example`,
      })
      const { id } = created.merchant
      const destination = Eip155.formatAccount({ chainId: Shop.chainId, address })
      await client.settlements.create(id, {
        settlements: [{ asset: Eip155.formatToken(token), destination }],
      })
      return { id, address }
    }),
  )
  const sellerOf = (merchant: number): Seller =>
    sellers[merchant] ?? assert.fail(`no merchant ${merchant}`)

  /** A payment of a merchant, as far as the accepted confirm. */
  const take = Effect.fnUntraced(function* (merchant: number, quantity: bigint = price) {
    const payer = Wallet.make(++wallets)
    const value = `${quantity}`
    yield* local.fund(token.address, payer.address, quantity)
    return yield* Effect.promise(async (): Promise<Made> => {
      const { paymentId } = await client.payments.create({
        merchantId: sellerOf(merchant).id,
        referenceId: payer.address,
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value },
      })
      const accounts = [Eip155.formatAccount({ chainId: Shop.chainId, address: payer.address })]
      const { options } = await wallet.options(paymentId, { accounts })
      const [found = assert.fail("there is no option")] = options ?? []
      const id = PaymentId.PaymentId.make(paymentId)
      const option = Result.getOrThrow(PaymentOption.read(found.id, id, sealKey))
      const data = [Payers.sign(option, payer)]
      await wallet.confirm(id, { optionId: found.id, results: [{ type: "walletRpc", data }] })
      return { id, merchant, option }
    })
  })

  const succeeded = ({ id }: Made) =>
    Effect.map(shop.stored(id), ({ state }) =>
      state._tag === "Succeeded"
        ? { ...state, share: Shares.ofEntry(state.entry) }
        : assert.fail(`${id} is ${state._tag}`),
    )
  const shareOf = (made: Made) => Effect.map(succeeded(made), ({ share }) => share)
  const sharesOf = (all: ReadonlyArray<Made>) => Effect.forEach(all, shareOf)

  /** Workers of these kinds and blocks follow each other until this is so; time passes with each block. */
  const until = Effect.fnUntraced(function* (
    what: string,
    kinds: ReadonlyArray<ByHand.Kind>,
    isSo: Effect.Effect<boolean>,
  ) {
    for (let round = 0; round < roundsMax; round++) {
      yield* hand.due(...kinds)
      if (yield* isSo) return
      yield* local.mine(1)
      yield* hand.pass(roundInMs)
    }
    return assert.fail(`this did not come: ${what}`)
  })

  const collect = (all: ReadonlyArray<Made>) =>
    until(
      "the money",
      ["collect"],
      Effect.map(
        Effect.forEach(all, ({ id }) => shop.stored(id)),
        (payments) => payments.every(({ state }) => state._tag === "Succeeded"),
      ),
    )

  /** Pays out what is due, until each share is paid, netted or held. */
  const payOut = (all: ReadonlyArray<Made>) =>
    until(
      "the payouts",
      ["settle", "send"],
      Effect.map(sharesOf(all), (settlements) =>
        settlements.every(({ status }) => status !== "waiting" && status !== "processing"),
      ),
    )

  const refund = Effect.fnUntraced(function* ({ id, option }: Made) {
    yield* local.fund(token.address, option.payTo, option.quantity)
    yield* Effect.promise(() =>
      florin.operator.float.put({
        mode: "live",
        key: `float ${id}`,
        account: Eip155.formatAccount({ chainId: token.chainId, address: option.payTo }),
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: String(option.quantity) },
      }),
    )
    yield* Effect.promise(() => client.refunds.create({ paymentId: id }))
    yield* until(
      "the refund",
      ["send"],
      Effect.map(
        shop.stored(id),
        (payment) => Payment.refundOf(payment)?.state._tag === "Succeeded",
      ),
    )
  })

  const balance = (account: Ledger.Account) =>
    Effect.promise(() =>
      florin.run(
        Effect.flatMap(LedgerStore, (ledger) => Stores.balanceOf(ledger, "live", account, token)),
      ),
    )
  const merchantIdOf = (merchant: number) => MerchantId.MerchantId.make(sellerOf(merchant).id)

  /** Everything that our accounts committed to. */
  const committed = Effect.map(
    Effect.forEach(Service.collecting, ({ address }) => shop.committed(address)),
    (lanes) => lanes.flat(),
  )

  /** The gas that a transaction used. Exactly one of its versions was mined. */
  const gasOf = Effect.fnUntraced(function* (transaction: Lane.Transaction) {
    const receipts = yield* Effect.forEach(Lane.hashes(transaction), (hash) =>
      Effect.map(local.request("eth_getTransactionReceipt", [hash]), readReceipt),
    )
    const [receipt = assert.fail(), ...others] = receipts.filter((each) => each !== null)
    assert.deepStrictEqual(others, [])
    return { gas: BigInt(receipt.gasUsed), isReverted: BigInt(receipt.status) === 0n }
  })

  return {
    ...shop,
    hand,
    addressOf,
    sellerOf,
    merchantIdOf,
    take,
    succeeded,
    shareOf,
    sharesOf,
    collect,
    payOut,
    until,
    refund,
    owed: (merchant: number) =>
      Effect.map(
        Effect.forEach(Service.collecting, ({ address }) =>
          balance({ _tag: "Owed", merchantId: merchantIdOf(merchant), address }),
        ),
        (balances) => balances.reduce((total, each) => total + each, 0n),
      ),
    debt: (merchant: number) => balance({ _tag: "Debt", merchantId: merchantIdOf(merchant) }),
    ledgerOf: (id: PaymentId.PaymentId) =>
      Effect.promise(() =>
        florin.run(Effect.flatMap(LedgerStore, (ledger) => ledger.ledgerOf(id))),
      ),
    committed,
    gasOf,
    watch: Effect.promise(() => florin.run(Sentinel.round)),
  }
})

type Market = Effect.Success<typeof market>

/** The gas of single payouts, each of one share, to a destination that had money before: its average. */
const gasOfSinglePayout = Effect.fnUntraced(function* (world: Market) {
  const made: Array<Made> = []
  const singles: Array<Lane.Transaction> = []
  for (const index of range(singleCount + 1)) {
    const before = (yield* world.committed).length
    const one = yield* world.take(indebted, index === 0 ? refundedPrice : price)
    made.push(one)
    yield* world.collect([one])
    yield* world.payOut([one])
    const sent = yield* world.committed
    assert.strictEqual(sent.length, before + 2, "two transactions for each payment")
    const share = yield* world.shareOf(one)
    if (share.status !== "paid") return assert.fail(`it is ${share.status}`)
    const { txHash = "" } = share
    // The first payout makes room for the destination in the token: later ones are cheaper.
    if (index > 0) singles.push(...sent.filter((each) => Lane.hashes(each).includes(txHash)))
  }
  assert.strictEqual(singles.length, singleCount)
  const gas = yield* Effect.forEach(singles, world.gasOf)
  const [first = assert.fail()] = made
  return { first, gas: sum(gas.map((each) => each.gas)) / BigInt(singleCount) }
})

/** Holds back every share until its partner's time has come, and then gathers all of each destination. */
const gatherInTime = Effect.fnUntraced(function* (world: Market, all: ReadonlyArray<Made>) {
  const { hand } = world
  const since = (yield* Effect.forEach(all, world.succeeded)).map(({ succeededAt }) => succeededAt)
  const spreadInMs = Math.max(...since) - Math.min(...since)
  const tagsOf = Effect.map(world.sharesOf(all), (each) => each.map(({ status }) => status))
  yield* hand.due("settle")
  yield* hand.pass(everyInMs - spreadInMs - minuteInMs)
  yield* hand.due("settle")
  assert.deepStrictEqual([...new Set(yield* tagsOf)], ["waiting"], "nothing goes out early")
  yield* hand.pass(spreadInMs + minuteInMs)
  yield* hand.due("settle")
  // Two accounts of ours may pay off the same debt at the same moment: one of them tries again.
  yield* hand.pass(roundInMs)
  yield* hand.due("settle")
  assert.notInclude(yield* tagsOf, "waiting", "all of it goes out in time")
})

/** A share that is where it was before it was gathered. */
const areHeld = Effect.fnUntraced(function* (
  world: Market,
  all: ReadonlyArray<Made>,
  address: Caip.Address,
) {
  const outflowIds = new Set<OutflowId.OutflowId>()
  for (const made of all) {
    const share = yield* world.shareOf(made)
    if (share.status !== "held") return assert.fail(`${made.id} is ${share.status}`)
    assert.notStrictEqual(share.movedOtherwise, true)
    outflowIds.add(share.outflowId ?? assert.fail("it is in none"))
    const { settlement: shown } = yield* detailsOf(world, made)
    assert.isNull(shown, "it is not shown as settled")
  }
  for (const merchant of new Set(all.map((made) => made.merchant))) {
    const count = BigInt(all.filter((made) => made.merchant === merchant).length)
    assert.strictEqual(yield* world.owed(merchant), -count * world.netOf(price))
  }
  assert.strictEqual(yield* world.held(token, address), 0n)
  // What is held together is held for one destination, and for nobody else.
  const ids = new Set(all.map(({ id }) => id))
  const outflows = yield* Effect.forEach(outflowIds, world.outflowOf)
  for (const { movement, purpose } of outflows) {
    assert.strictEqual(movement.to, address)
    if (purpose._tag !== "Settle") return assert.fail(`it is for a ${purpose._tag}`)
    for (const { paymentId } of purpose.shares) assert.isTrue(ids.has(paymentId))
  }
  return outflows
})

const detailsOf = ({ client, sellerOf }: Market, { id, merchant }: Made) =>
  Effect.promise(() => client.payments.get(id, { merchantId: sellerOf(merchant).id }))

/** The operator retries one share of each outflow that is held: all of its shares are gathered again. */
const retryAll = Effect.fnUntraced(function* (
  world: Market,
  outflows: ReadonlyArray<Outflow.Outflow>,
) {
  for (const { purpose } of outflows) {
    const [first = assert.fail()] = purpose._tag === "Settle" ? purpose.shares : []
    yield* Effect.promise(() =>
      world.florin.operator.outflows.retrySettlement({ paymentId: first.paymentId }),
    )
  }
})

/** Each share is booked, shown and paid once; answers what each transfer is to move. */
const paidOnce = Effect.fnUntraced(function* (world: Market, all: ReadonlyArray<Made>) {
  const transfers = new Map<string, { readonly to: Caip.Address; quantity: bigint }>()
  const netted: Array<bigint> = []
  let sharesSent = 0
  for (const made of all) {
    const { id, merchant } = made
    const share = yield* world.shareOf(made)
    const lines = yield* world.ledgerOf(id)
    const count = (kind: Ledger.Kind) => lines.filter((line) => line.kind === kind).length
    assert.strictEqual(count("collect"), 1)
    if (share.status === "netted") {
      assert.deepStrictEqual([count("net"), count("settle") - count("reverse")], [1, 0], id)
      assert.strictEqual(share.netted, world.netOf(price))
      netted.push(share.netted)
      continue
    }
    if (share.status !== "paid") return assert.fail(`${id} is ${share.status}`)
    const { destination, quantity, txHash } = share
    if (destination === null || txHash === undefined) return assert.fail(`${id} was paid nowhere`)
    assert.deepStrictEqual([count("net"), count("settle") - count("reverse")], [0, 1], id)
    assert.strictEqual(quantity + share.netted, world.netOf(price), id)
    assert.strictEqual(destination.address, world.sellerOf(merchant).address)
    const { settlement: shown } = yield* detailsOf(world, made)
    assert.deepStrictEqual(
      shown?.successful,
      {
        txId: txHash,
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: `${quantity}` },
      },
      id,
    )
    netted.push(share.netted)
    sharesSent++
    const paid = transfers.get(txHash) ?? { to: destination.address, quantity: 0n }
    assert.strictEqual(paid.to, destination.address, "a transfer has one destination")
    paid.quantity += quantity
    transfers.set(txHash, paid)
  }
  return { transfers, netted: sum(netted), sharesSent }
})

const heightOf = ({ ask }: Market) =>
  Effect.map(ask(Queries.block("latest")), (newest) => newest?.number ?? 0)

/** Everything that our accounts paid out to somebody, as the chain shows it. */
const receivedBy = Effect.fnUntraced(function* (
  world: Market,
  to: Caip.Address,
  fromBlock: number,
) {
  const toBlock = yield* heightOf(world)
  const found = yield* Effect.forEach(Service.collecting, ({ address: from }) =>
    world.ask(
      Queries.logs({
        address: token.address,
        topics: Logs.transferTopics({ from, to }),
        fromBlock,
        toBlock,
      }),
    ),
  )
  return found
    .flat()
    .map(({ data, transactionHash }) => ({ txHash: transactionHash, quantity: BigInt(data) }))
})

const story = Effect.gen(function* () {
  const world = yield* market
  const { hand, local, netOf } = world
  const blocking = (role: Role, blocked: boolean) =>
    local.block(token.address, world.addressOf(role), blocked)

  const single = yield* gasOfSinglePayout(world)
  yield* world.refund(single.first)
  // The fee is not given back.
  assert.strictEqual(yield* world.debt(indebted), refundedPrice)

  yield* Effect.promise(() =>
    world.florin.operator.partners.change({
      partnerId: world.partner.id,
      payouts: PayoutPolicy.format({ _tag: "Batched", everyInMs }),
    }),
  )
  const earlier = new Set((yield* world.committed).map(({ hash }) => hash))
  const from = yield* heightOf(world)
  const before = yield* world.held(token, world.addressOf("shared"))
  const all = yield* Effect.forEach(range(paymentCount), (index) => world.take(merchantOf(index)), {
    concurrency: atOnce,
  })
  yield* world.collect(all)
  const to = (role: Role) => all.filter(({ merchant }) => destinationOf(merchant) === role)

  yield* blocking("blocked", true)
  yield* gatherInTime(world, all)
  // All of it is signed and broadcast, and before a block takes it, a token blocks where some of it goes.
  yield* hand.due("send")
  yield* blocking("reverting", true)
  yield* world.payOut(all)

  const held = [
    ...(yield* areHeld(world, to("blocked"), world.addressOf("blocked"))),
    ...(yield* areHeld(world, to("reverting"), world.addressOf("reverting"))),
  ]
  const others = all.filter(
    (made) => !to("blocked").includes(made) && !to("reverting").includes(made),
  )
  for (const { status } of yield* world.sharesOf(others)) {
    assert.include(["paid", "netted"], status, "nobody else is held up")
  }
  yield* world.balanced

  yield* blocking("blocked", false)
  yield* blocking("reverting", false)
  yield* retryAll(world, held)
  yield* world.payOut(all)

  const { netted, sharesSent, transfers } = yield* paidOnce(world, all)
  assert.strictEqual(netted, refundedPrice, "the debt is paid off once")
  assert.strictEqual(yield* world.debt(indebted), 0n)
  for (const merchant of range(merchantCount)) {
    assert.strictEqual(yield* world.owed(merchant), 0n, `merchant ${merchant} is owed nothing`)
  }
  for (const destination of new Set(range(merchantCount).map(destinationOf))) {
    const address = world.addressOf(destination)
    const due = [...transfers].filter(([, paid]) => paid.to === address)
    assert.sameDeepMembers(
      yield* receivedBy(world, address, from + 1),
      due.map(([txHash, { quantity }]) => ({ txHash, quantity })),
      `${destination}`,
    )
    const received = (yield* world.held(token, address)) - (destination === "shared" ? before : 0n)
    const shares = all.filter(({ merchant }) => destinationOf(merchant) === destination).length
    const nettedHere = destination === "shared" ? netted : 0n
    assert.strictEqual(received, BigInt(shares) * netOf(price) - nettedHere, `${destination}`)
  }
  // One for each account of ours and destination, unless there are more shares than one transfer pays.
  const groups = new Map<string, number>()
  for (const { merchant, option } of all) {
    const key = `${option.payTo} ${destinationOf(merchant)}`
    groups.set(key, (groups.get(key) ?? 0) + 1)
  }
  const transfersMax = [...groups.values()].map((each) =>
    Math.ceil(each / Limits.sharesPerOutflowMax),
  )
  assert.isAtMost(
    transfers.size,
    transfersMax.reduce((most, each) => most + each, 0),
  )
  yield* world.balanced
  yield* world.contiguous

  const sent = (yield* world.committed).filter(({ hash }) => !earlier.has(hash))
  const used = yield* Effect.forEach(sent, (transaction) =>
    Effect.map(world.gasOf(transaction), (each) => ({ ...each, isPayout: isPayout(transaction) })),
  )
  const collects = used.filter((each) => !each.isPayout)
  const payouts = used.filter((each) => each.isPayout)
  assert.strictEqual(collects.length, paymentCount)
  assert.strictEqual(
    payouts.length - payouts.filter(({ isReverted }) => isReverted).length,
    transfers.size,
  )
  assert.isAbove(payouts.filter(({ isReverted }) => isReverted).length, 0, "some were reverted")

  // Collecting costs the same either way; each payout of one costs what those at the start did.
  const gas = sum(used.map((each) => each.gas))
  const collecting = sum(collects.map((each) => each.gas))
  const oneByOne = collecting + BigInt(sharesSent) * single.gas
  const percent = Number((gas * 1000n) / oneByOne) / 10
  const figures = [
    `${paymentCount} payments of ${merchantCount} merchants in ${transfers.size} transfers`,
    `${payouts.length - transfers.size} more reverted`,
    `${collecting / BigInt(paymentCount)} gas to collect one, ${single.gas} to pay one out alone`,
    `${gas} gas in all, ${percent} % of ${oneByOne}`,
  ].join("; ")
  if (Counts.full) yield* Effect.logInfo(figures)
  assert.isAtMost(percent, gasMaxInPercent, figures)
}).pipe(Effect.scoped)

/** Shares that were gathered, and sent to a chain that makes no block; at least two of them go out together. */
const sentTogether = Effect.fnUntraced(function* (world: Market) {
  const all = yield* Effect.forEach(range(Service.collecting.length + 1), () => world.take(0))
  yield* world.collect(all)
  yield* world.hand.due("settle", "send")
  const outflowIds = new Set<OutflowId.OutflowId>()
  for (const share of yield* world.sharesOf(all)) {
    if (share.status !== "processing") return assert.fail(`it is ${share.status}`)
    outflowIds.add(share.outflowId ?? assert.fail("it is in none"))
  }
  assert.isBelow(outflowIds.size, all.length)
  const sent = yield* Effect.forEach(outflowIds, (id) =>
    Effect.flatMap(world.outflowOf(id), ({ state }) =>
      state._tag === "Sent" ? world.transactionAt(state.slot) : assert.fail(`it is ${state._tag}`),
    ),
  )
  return { all, sent }
})

/** Each share shows the transfer that paid it, and these are all that the destination got. */
const showTransfers = Effect.fnUntraced(function* (
  world: Market,
  all: ReadonlyArray<Made>,
  hashes: ReadonlyArray<string>,
) {
  const { transfers } = yield* paidOnce(world, all)
  assert.sameMembers([...transfers.keys()], [...hashes])
  for (const share of yield* world.sharesOf(all)) {
    if (share.status !== "paid") return assert.fail(`it is ${share.status}`)
    const { state } = yield* world.outflowOf(share.outflowId ?? assert.fail("it is in none"))
    if (state._tag !== "Paid") return assert.fail(`the outflow is ${state._tag}`)
    const receipt = yield* world.ask(Queries.receipt(share.txHash ?? ""))
    assert.strictEqual(state.transfer.blockHash, receipt?.blockHash)
  }
  assert.sameDeepMembers(
    yield* receivedBy(world, world.treasury.address, 0),
    [...transfers].map(([txHash, { quantity }]) => ({ txHash, quantity })),
  )
  yield* world.balanced
  yield* world.contiguous
})

/** Takes every payout back, although it was final. */
const undo = Effect.fnUntraced(function* (world: Market, height: number) {
  const depth = (yield* heightOf(world)) - height
  assert.isAbove(depth, Shop.finality, "it is deeper than the policy")
  yield* world.watch
  yield* world.local.reorg(depth, "forgotten")
  assert.deepStrictEqual(yield* receivedBy(world, world.treasury.address, 0), [])
  yield* world.local.mine(1)
  yield* world.watch
})

/** Looks for what was undone, and then for long enough that nothing more comes. */
const audit = Effect.fnUntraced(function* (world: Market, count: number) {
  const { hand, local, treasury, until } = world
  yield* until(
    "the transfers",
    ["audit", "recheck"],
    Effect.map(receivedBy(world, treasury.address, 0), ({ length }) => length === count),
  )
  for (let round = 0; round < 5 * Shop.finality; round++) {
    yield* hand.due("send", "audit", "recheck")
    yield* local.mine(1)
    yield* hand.pass(minuteInMs)
  }
})

const outbidStory = Effect.gen(function* () {
  const world = yield* market
  const { hand, local } = world
  const { all, sent } = yield* sentTogether(world)
  const height = yield* heightOf(world)
  yield* hand.pass(outbidAfterInMs)
  yield* hand.due("send")
  const bid = yield* Effect.forEach(sent, (each) => world.transactionAt(Lane.slotOf(each)))
  for (const [index, { hash }] of sent.entries()) assert.notStrictEqual(bid[index]?.hash, hash)
  // A miner that did not hear of the higher bids takes the first ones.
  yield* local.request("anvil_dropAllTransactions")
  yield* Effect.forEach(sent, ({ raw }) => local.request("eth_sendRawTransaction", [raw]))
  yield* local.mine(1)
  yield* world.payOut(all)
  yield* showTransfers(
    world,
    all,
    sent.map(({ hash }) => hash),
  )
  // The higher bids are mined in the end.
  yield* undo(world, height)
  yield* local.request("anvil_dropAllTransactions")
  yield* Effect.forEach(bid, ({ raw }) => local.request("eth_sendRawTransaction", [raw]))
  yield* local.mine(1)
  yield* audit(world, bid.length)
  yield* showTransfers(
    world,
    all,
    bid.map(({ hash }) => hash),
  )
}).pipe(Effect.scoped)

const reorgStory = Effect.gen(function* () {
  const world = yield* market
  const { all, sent } = yield* sentTogether(world)
  const height = yield* heightOf(world)
  yield* world.payOut(all)
  const settlements = yield* world.sharesOf(all)
  yield* undo(world, height)
  yield* audit(world, sent.length)
  assert.deepStrictEqual(yield* world.sharesOf(all), settlements, "nothing is paid again")
  yield* showTransfers(
    world,
    all,
    sent.map(({ hash }) => hash),
  )
}).pipe(Effect.scoped)

describe("batched payouts", () => {
  it.live(
    `pay every share of ${paymentCount} payments of ${merchantCount} merchants once, for at most ${gasMaxInPercent} % of the gas`,
    () => story,
    timeout,
  )

  it.live(
    "show each share the mined hash, whatever was bid, and the new one after a reorganisation",
    () => outbidStory,
  )

  it.live(
    "are sent again after a reorganisation that is deeper than the policy, and not paid twice",
    () => reorgStory,
  )
})
