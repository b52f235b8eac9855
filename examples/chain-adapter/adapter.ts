/**
 * The chain adapter: Florin's `Chain` port, implemented on a node of pebble.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as Lane from "@florin/core/domain/outflow/Lane"
import {
  AttemptRefused,
  Chain,
  ChainUnavailable,
  type Order,
  SendingHalted,
  TransferRefused,
} from "@florin/core/ports/Chain"
import { ed25519 } from "@noble/curves/ed25519.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { actions, catalog, chainId, etaInS, finalityDepth, pledgeOf, spelled } from "./family.ts"
import type { Block, Mined, Moved, Node } from "./node.ts"
import * as Sdk from "./sdk.ts"

/** How long one of our transfers may wait for its block before it is signed again. */
export const sendingLastsInS = 600

export interface Options {
  readonly node: Node
  /** The key of the account that collects and pays out. */
  readonly secretKey: Uint8Array
}

const reasons = {
  payee: "the payee may not receive this token",
  blocked: "a party may not send or receive this token",
  short: "the account does not hold enough",
  spent: "the pledge was used or revoked",
  late: "the pledge ends too soon to be sent",
}
type Reason = keyof typeof reasons

const isBetween =
  ({ from, to, token }: Pick<Transfer.Movement, "from" | "to" | "token">) =>
  (moved: Moved): boolean =>
    moved.token === token.address && moved.from === from && moved.to === to && moved.quantity > 0n

/** Every field counts: a transfer of a larger or smaller amount is a different transfer. */
const isMovement =
  (movement: Transfer.Movement) =>
  (moved: Moved): boolean =>
    isBetween(movement)(moved) && moved.quantity === movement.quantity

const movementOf = ({ from, quantity, to, token }: Moved): Transfer.Movement => ({
  token: { chainId, address: Caip.Address.make(token) },
  from: Caip.Address.make(from),
  to: Caip.Address.make(to),
  quantity: Money.Quantity.make(quantity),
})

/** The movement of a transaction, and its place on the chain. */
const logOf = ({ block, hash, index }: Mined, moved: Moved): Transfer.Log => ({
  movement: movementOf(moved),
  txHash: hash,
  logIndex: index,
  blockNumber: block.number,
  blockHash: block.hash,
})

/** The transfer that an option requires. */
const soughtBy = (option: PaymentOption.PaymentOption): Transfer.Movement => ({
  token: option.token,
  from: option.account.address,
  to: option.payTo,
  quantity: option.quantity,
})

/** The amount of a token that our transaction moved, if it differs from the amount it was meant to move. */
const insteadOf = (movement: Transfer.Movement, mined: Mined, moved: Moved): Transfer.Moved => {
  const evidence = { ...logOf(mined, moved), txNonce: mined.memo }
  const sought = { ...evidence, movement }
  const nothing: Transfer.Moved = {
    transfer: { ...sought, movement: { ...movement, quantity: Money.zero } },
    left: Money.zero,
    transfers: [],
  }
  const isOfToken = moved.token === movement.token.address && moved.from === movement.from
  return (isOfToken ? Transfer.movedBy([evidence], sought) : null) ?? nothing
}

const unseen: Transfer.Observation = { _tag: "Unseen" }

const make = ({ node, secretKey }: Options): Chain["Service"] => {
  const collecting = Caip.Address.make(Sdk.addressOf(ed25519.getPublicKey(secretKey)))

  /** Asks the node. A missing or unreadable response is a failure, never a result. */
  const ask = <A>(question: () => Promise<A>): Effect.Effect<A, ChainUnavailable> =>
    Effect.tryPromise({
      try: question,
      catch: () => new ChainUnavailable({ chainId, message: `chain ${chainId}: no answer` }),
    })
  const head = ask(node.head)

  /** The later of our clock and the chain's time. A transfer that has expired by either of them is not sent. */
  const timeInS = Effect.map(Effect.all([head, Clock.currentTimeMillis]), ([newest, now]) =>
    Math.max(newest.timeInS, Math.floor(now / 1000)),
  )

  /** A block that the node does not have yet counts as a failure. */
  const blockAt = Effect.fnUntraced(function* (number: number) {
    const block = yield* ask(() => node.block(number))
    const message = `chain ${chainId}: the node is behind`
    return block ?? (yield* new ChainUnavailable({ chainId, message }))
  })

  /** The newest final block; null while the chain is too young. */
  const finalBlock = Effect.flatMap(head, ({ number }) =>
    number < finalityDepth ? Effect.succeed(null) : blockAt(number - finalityDepth),
  )

  const balance = (token: Caip.Token, address: Caip.Address) =>
    ask(async () => Money.Quantity.make(await node.balance(token.address, address)))

  /** Why a transfer would fail now; null if it would succeed. */
  const obstacle = Effect.fnUntraced(function* (movement: Transfer.Movement) {
    const { from, quantity, to, token } = movement
    const isBlocked = (party: string) => ask(() => node.isBlocked(token.address, party))
    if (yield* isBlocked(from)) return "blocked"
    if ((yield* balance(token, from)) < quantity) return "short"
    return (yield* isBlocked(to)) ? "payee" : null
  })

  const pledgeUse = (option: PaymentOption.PaymentOption) => {
    const { nonce, payer } = pledgeOf(option)
    return ask(() => node.pledgeUse(payer, nonce))
  }

  /** Reads a mined transaction: the transfer that counts or, once the block is final, the fact that there is none. */
  const read = (
    mined: Mined,
    final: Block | null,
    counts: (moved: Moved) => boolean,
  ): Transfer.Observation => {
    const { block, hash, moved } = mined
    const isFinal = final !== null && block.number <= final.number
    if (moved === null || !counts(moved)) {
      return isFinal
        ? {
            _tag: "Impossible",
            reason: "the transaction moved no such money",
            txHash: hash,
            ...(moved !== null && { movedOtherwise: true }),
          }
        : unseen
    }
    return {
      _tag: isFinal ? "Final" : "Included",
      evidence: { ...logOf(mined, moved), txNonce: mined.memo },
    }
  }

  /** Looks for a transfer from our own account. Once the final blocks are past its expiry, it can be signed again. */
  const lookOwn = Effect.fnUntraced(function* (
    movement: Transfer.Movement,
    relayed: Lane.Transaction,
    final: Block | null,
  ) {
    for (const hash of Lane.hashes(relayed)) {
      const mined = yield* ask(() => node.mined(hash))
      if (mined === null) continue
      const seen = read(mined, final, isMovement(movement))
      return seen._tag === "Impossible" && mined.moved !== null
        ? { ...seen, moved: insteadOf(movement, mined, mined.moved) }
        : seen
    }
    const isOver = final !== null && final.timeInS >= Sdk.decode(relayed.raw).transaction.until
    return isOver ? ({ _tag: "Replaced" } satisfies Transfer.Observation) : unseen
  })

  /**
   * Looks for a pledge, no matter who submitted it. The chain shows which transaction used it up, and its expiry rules
   * out all others.
   */
  const lookPledge = Effect.fnUntraced(function* (
    movement: Transfer.Movement,
    option: PaymentOption.PaymentOption,
    final: Block | null,
  ) {
    const used = yield* pledgeUse(option)
    if (used !== null) return read(used, final, isMovement(movement))
    const isOver = final !== null && final.timeInS >= pledgeOf(option).endsAt
    const ranOut: Transfer.Observation = { _tag: "Impossible", reason: "the pledge has expired" }
    return isOver ? ranOut : unseen
  })

  const refusal = Effect.fnUntraced(function* (order: Order) {
    if (order._tag === "Send") return yield* obstacle(order.movement)
    const { option } = order.attempt
    if ((yield* pledgeUse(option)) !== null) return "spent"
    const sendsBefore = pledgeOf(option).endsAt - Limits.authorizationSendMarginInS
    if ((yield* timeInS) >= sendsBefore) return "late"
    return yield* obstacle(soughtBy(option))
  })

  const callOf = Effect.fnUntraced(function* (order: Order) {
    // Pledges need this as well: nothing is signed while the chain does not respond.
    const now = yield* timeInS
    if (order._tag === "Send") {
      const { quantity, to, token } = order.movement
      const call = { _tag: "Pay", token: token.address, to, quantity } as const
      return { until: now + sendingLastsInS, call }
    }
    const { option, outputs } = order.attempt
    const pledge = pledgeOf(option)
    const text = Sdk.pledgeText(pledge)
    const call = { _tag: "Collect", pledge: { text, signature: outputs.signature } } as const
    return { until: pledge.endsAt, call }
  })

  const refuse = (message: string) => new AttemptRefused({ message })

  return {
    catalog,
    chainIds: [chainId],
    accounts: [{ chainId, address: collecting }],
    keyless: [],
    finalCheckpoint: Effect.fn("Chain.finalCheckpoint")(function* () {
      const final = yield* finalBlock
      return final === null ? null : { number: final.number, hash: final.hash }
    }),
    stands: Effect.fn("Chain.stands")(function* (_, checkpoint) {
      return (yield* blockAt(checkpoint.number)).hash === checkpoint.hash
    }),
    offered: Effect.succeed(
      catalog.assets.map((asset) => ({
        asset,
        flows: [asset.flow] as const,
        minimum: Money.zero,
        etaInS,
        collectingAccounts: [collecting],
      })),
    ),
    faults: Effect.succeed([]),
    lacks: Effect.succeed([]),
    nodes: Effect.fn("Chain.nodes")(() =>
      timeInS.pipe(
        Effect.map((seconds) => [{ newestBlockAt: seconds * 1000 }]),
        Effect.orElseSucceed(() => [{ newestBlockAt: null }]),
      ),
    ),
    holdings: Effect.fn("Chain.holdings")((accounts, assets) =>
      Effect.forEach(
        accounts
          .flatMap((each) => assets.map(({ asset }) => ({ ...each, token: asset.token })))
          .filter(({ account }) => account.chainId === chainId),
        (each) =>
          Effect.map(balance(each.token, each.account.address), (held) => ({
            ...each,
            balance: held,
            allowance: Money.zero,
          })),
      ),
    ),
    actions: (chosen) => Effect.succeed(actions(chosen)),
    // The balance is read last: what was taken by then is not in it.
    funds: Effect.fn("Chain.funds")(function* ({ option }, others) {
      const used = yield* Effect.filter([option, ...others], (each) =>
        Effect.map(pledgeUse(each), (use) => use !== null),
      )
      return {
        balance: used.includes(option)
          ? Money.largest
          : yield* balance(option.token, option.account.address),
        allowance: Money.largest,
        taken: used.map(({ paymentId }) => paymentId),
      }
    }),
    balance: Effect.fn("Chain.balance")(balance),
    verify: Effect.fn("Chain.verify")(function* ({ option, outputs }) {
      const signature = spelled(outputs.signature)
      const pledge = pledgeOf(option)
      if (!Sdk.isSigned(Sdk.pledgeText(pledge), signature, pledge.payer)) {
        return yield* refuse("the signature is not by the option's account")
      }
      const movement = soughtBy(option)
      const used = yield* pledgeUse(option)
      if (used !== null) {
        const isPaid = used.moved !== null && isMovement(movement)(used.moved)
        return isPaid ? { ...outputs, signature } : yield* refuse(reasons.spent)
      }
      if ((yield* timeInS) >= pledge.endsAt) return yield* refuse("the pledge has expired")
      const reason = yield* obstacle(movement)
      return reason === null ? { ...outputs, signature } : yield* refuse(reasons[reason])
    }),
    isSignedBy: Effect.fn("Chain.isSignedBy")(({ address }, text, signature) =>
      Effect.succeed(Sdk.isSigned(text, spelled(signature), address)),
    ),
    rehearse: Effect.fn("Chain.rehearse")(function* (order) {
      const reason: Reason | null = yield* refusal(order)
      if (reason !== null) return yield* new TransferRefused({ reason, message: reasons[reason] })
    }),
    // Pebble does not number transactions. The lane counts them, and each transaction carries its number as a memo.
    nonceFloor: () => Effect.succeed(null),
    sign: Effect.fn("Chain.sign")(function* (lane, nonce, order) {
      if (lane.sender !== collecting) {
        const message = `chain ${chainId}: the key of account ${lane.sender} is not here`
        return yield* new SendingHalted({ chainId, message })
      }
      const chain = Caip.referenceOf(chainId)
      const common = { _tag: "Transaction", chain, sender: lane.sender, memo: nonce } as const
      const body = { ...common, ...(yield* callOf(order)) }
      const signedAt = yield* Clock.currentTimeMillis
      return { lane, nonce, signedAt, ...Sdk.encode(body, secretKey) }
    }),
    // Transactions are free, so none waits for a higher fee. They have no nonces, so none can be missing.
    outbid: () => Effect.succeed(null),
    fill: () =>
      new SendingHalted({ chainId, message: `chain ${chainId}: no number is ever missing here` }),
    coins: () => Effect.succeed(0n),
    gasCost: () => null,
    payerCost: () => ({ coin: "PBL", unitsPerCoin: 1n, quantity: 0n }),
    spendPerHour: () => null,
    broadcast: Effect.fn("Chain.broadcast")(({ raw }) => ask(() => node.submit(raw))),
    look: Effect.fn("Chain.look")(function* ({ attempt, movement, relayed }) {
      // Read this first: a transfer that is not found afterwards was not in this block or an earlier one.
      const final = yield* finalBlock
      if (attempt !== null) return yield* lookPledge(movement, attempt.option, final)
      return relayed === null ? unseen : yield* lookOwn(movement, relayed, final)
    }),
    progress: Effect.fn("Chain.progress")(function* ({ hashes }) {
      const found = yield* Effect.forEach(hashes, (hash) => ask(() => node.mined(hash)))
      const mined = found.find((each) => each !== null)
      if (mined === undefined || mined === null) return { hash: hashes[0], blocks: null }
      const { number } = yield* head
      const confirmed = Math.min(finalityDepth, number - mined.block.number)
      return { hash: mined.hash, blocks: { confirmed, needed: finalityDepth } }
    }),
    outgoing: Effect.fn("Chain.outgoing")(function* (txHash) {
      const mined = yield* ask(() => node.mined(txHash))
      const moved = mined?.sender === collecting ? mined.moved : null
      return moved?.from === collecting ? [movementOf(moved)] : []
    }),
    arrivals: Effect.fn("Chain.arrivals")(function* (_, { fromBlock, toBlock }) {
      yield* blockAt(toBlock)
      const numbers = Array.from(
        { length: toBlock - fromBlock + 1 },
        (__, index) => fromBlock + index,
      )
      const all = yield* Effect.forEach(numbers, (number) => ask(() => node.minedIn(number)))
      return all.flat().flatMap((mined) => {
        const { moved } = mined
        const isOurs = moved !== null && moved.to === collecting && moved.from !== collecting
        return isOurs && moved.quantity > 0n ? [logOf(mined, moved)] : []
      })
    }),
    shows: Effect.fn("Chain.shows")(function* (log) {
      const final = yield* finalBlock
      const mined = yield* ask(() => node.mined(log.txHash))
      return (
        final !== null &&
        mined !== null &&
        mined.moved !== null &&
        mined.block.number <= final.number &&
        mined.block.hash === log.blockHash &&
        mined.index === log.logIndex &&
        isMovement(log.movement)(mined.moved)
      )
    }),
    lookLate: Effect.fn("Chain.lookLate")(function* ({ option, txHash }) {
      const final = yield* finalBlock
      const mined = yield* ask(() => node.mined(txHash))
      const ends = { token: option.token, from: option.account.address, to: option.payTo }
      return mined === null ? unseen : read(mined, final, isBetween(ends))
    }),
  }
}

/**
 * @example
 * const chains = Chains.layerShared.pipe(Layer.provide(Adapter.layer({ node, secretKey })))
 */
export const layer = (options: Options): Layer.Layer<Chain> => Layer.succeed(Chain, make(options))
