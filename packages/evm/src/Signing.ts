/**
 * Our own transactions: what they cost, how they are signed and handed to nodes.
 *
 * @module
 */
import * as Money from "@florin/core/domain/Money"
import type * as Transfer from "@florin/core/domain/Transfer"
import { ChainUnavailable, type Order, SendingHalted } from "@florin/core/ports/Chain"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keccak256, parseTransaction } from "viem/utils"
import * as Calls from "./Calls.ts"
import type { RelayerAccount } from "./ChainConfig.ts"
import type { Link } from "./Link.ts"
import * as Queries from "./Queries.ts"
import * as Rpc from "./Rpc.ts"
import * as Signature from "./Signature.ts"

/** What is bid for gas, in wei for each unit. */
interface Bid {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Everything of a transaction that is signed. */
interface Draft extends Bid {
  readonly nonce: number
  readonly to: `0x${string}`
  readonly data: `0x${string}`
  readonly gas: bigint
}

/** Enough for every call of ours, where a node cannot tell because the call would fail now. */
const gasWithoutEstimate = 400_000n

/** What a transfer costs more where its recipient holds nothing: he may be emptied between the estimate and the block. */
const gasForAnEmptyRecipient = 20_000n

/** How long a transaction waits before more is bid for it. */
const outbidAfterInMs = 20_000
/** What nodes ask at least for a replacement is a tenth more. */
const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n

const percentMore = (value: bigint, percent: number): bigint =>
  (value * BigInt(100 + percent) + 99n) / 100n

const isHarmless = (message: string): boolean =>
  /already known|already imported|known transaction|nonce too low|underpriced|same hash/iu.test(
    message,
  )

/** What the chain asks for gas now; the base fee may double before it is not enough. */
const goingRate = Effect.fnUntraced(function* ({ config, rpc }: Link) {
  const [newest, priority] = yield* Effect.all(
    [rpc.ask(Queries.block("latest")), rpc.attempt(Queries.priorityFee)],
    { concurrency: "unbounded" },
  )
  const base = newest?.baseFeePerGas ?? 0n
  const offered = Result.isSuccess(priority) ? priority.success : 0n
  const tip = offered > config.gas.tipMin ? offered : config.gas.tipMin
  return { base, tip }
})

const bidAtRate = Effect.fnUntraced(function* (link: Link) {
  const { base, tip } = yield* goingRate(link)
  const { chainId, maxFeePerGas: limit } = link.config
  if (base + tip > limit) {
    return yield* new SendingHalted({
      chainId,
      message: `chain ${chainId}: gas costs ${base + tip} wei, more than maxFeePerGas (${limit}): it goes on when gas is cheaper, or with a higher limit`,
    })
  }
  const wanted = 2n * base + tip
  const bid: Bid = {
    maxFeePerGas: wanted < limit ? wanted : limit,
    maxPriorityFeePerGas: tip,
  }
  return bid
})

const callOf = Effect.fnUntraced(function* ({ rpc }: Link, order: Order) {
  if (order._tag === "Send") return Calls.send(order.movement)
  const { option, outputs } = order.attempt
  const code =
    option.flow === "permit2"
      ? "0x"
      : yield* rpc.ask(Queries.code(option.account.address, "latest"))
  return Calls.collect(option, Signature.effective(outputs.signature), code !== "0x")
})

const gasOf = Effect.fnUntraced(function* ({ config, rpc }: Link, call: Calls.ContractCall) {
  const estimate = yield* rpc.attempt(Queries.gas(call))
  if (Result.isSuccess(estimate)) {
    return percentMore(estimate.success, config.gas.headroom) + gasForAnEmptyRecipient
  }
  return Rpc.isRevert(estimate.failure)
    ? gasWithoutEstimate
    : yield* Rpc.unavailable(config.chainId)(estimate.failure)
})

const keyless = ({ chainId }: Link["config"]) =>
  new ChainUnavailable({
    chainId,
    message: `chain ${chainId}: this account is not configured: add it, as draining, until its payments are done`,
  })

/** Signs what was drafted. What the signer's own error says is not passed on. */
const signed = Effect.fnUntraced(function* (
  { config }: Link,
  account: RelayerAccount,
  lane: Transfer.Lane,
  draft: Draft,
) {
  const { chainId } = config
  const raw = yield* Effect.tryPromise({
    try: () => account.signTransaction({ type: "eip1559", chainId, value: 0n, ...draft }),
    catch: () =>
      new ChainUnavailable({ chainId, message: `chain ${chainId}: the account could not sign` }),
  })
  const relayed: Transfer.Relayed = {
    lane,
    nonce: draft.nonce,
    hash: keccak256(raw),
    raw,
    signedAt: yield* Clock.currentTimeMillis,
    feeMax: Money.Quantity.make(draft.gas * draft.maxFeePerGas),
  }
  return relayed
})

/** Signs the transaction of an order. */
export const sign = Effect.fnUntraced(function* (
  link: Link,
  lane: Transfer.Lane,
  nonce: number,
  order: Order,
) {
  const account = link.config.accounts.get(lane.sender)
  if (account === undefined) return yield* keyless(link.config)
  const [call, bid] = yield* Effect.all([callOf(link, order), bidAtRate(link)], {
    concurrency: "unbounded",
  })
  const gas = yield* gasOf(link, call)
  const draft: Draft = { nonce, to: Queries.hex(call.to), data: call.data, gas, ...bid }
  return yield* signed(link, account, lane, draft)
})

/** Signs a transaction of the account to itself, which moves nothing. */
export const fill = Effect.fnUntraced(function* (link: Link, lane: Transfer.Lane, nonce: number) {
  const account = link.config.accounts.get(lane.sender)
  if (account === undefined) return yield* keyless(link.config)
  const call: Calls.ContractCall = { from: lane.sender, to: lane.sender, data: "0x" }
  const [bid, gas] = yield* Effect.all([bidAtRate(link), gasOf(link, call)], {
    concurrency: "unbounded",
  })
  const draft: Draft = { nonce, to: Queries.hex(call.to), data: call.data, gas, ...bid }
  return yield* signed(link, account, lane, draft)
})

/** What was signed, where it was signed here. */
const draftOf = ({ raw }: Transfer.Relayed): Draft | null => {
  const {
    data = "0x",
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    nonce = 0,
    to,
  } = parseTransaction(Queries.hex(raw))
  return to && gas && maxFeePerGas && maxPriorityFeePerGas
    ? { nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas }
    : null
}

/** Signs a transaction that waits too long again, with a higher fee; null where it waits for something else. */
export const outbid = Effect.fnUntraced(function* (link: Link, relayed: Transfer.Relayed) {
  const waitedInMs = (yield* Clock.currentTimeMillis) - relayed.signedAt
  if (waitedInMs < outbidAfterInMs) return null
  const account = link.config.accounts.get(relayed.lane.sender)
  const draft = draftOf(relayed)
  if (account === undefined || draft === null) return null
  const { base, tip } = yield* goingRate(link)
  const higher = (left: bigint, right: bigint): bigint => (left > right ? left : right)
  const maxPriorityFeePerGas = higher(raised(draft.maxPriorityFeePerGas), tip)
  const maxFeePerGas = higher(raised(draft.maxFeePerGas), 2n * base + maxPriorityFeePerGas)
  if (maxFeePerGas > link.config.maxFeePerGas) return null
  const next = yield* signed(link, account, relayed.lane, {
    ...draft,
    maxFeePerGas,
    maxPriorityFeePerGas,
  })
  const result: Transfer.Relayed = {
    ...next,
    earlierHashes: [relayed.hash, ...(relayed.earlierHashes ?? [])],
  }
  return result
})

/** Hands stored bytes to every node; one that takes them, or has them, is enough. */
export const broadcast = Effect.fnUntraced(function* ({ config, rpc }: Link, raw: string) {
  const answers = yield* Effect.forEach(
    rpc.nodes,
    (node) => Effect.result(node.attempt(Queries.send(raw))),
    { concurrency: "unbounded" },
  )
  let last = new ChainUnavailable({
    chainId: config.chainId,
    message: `chain ${config.chainId}: no node took the transaction`,
  })
  for (const answer of answers) {
    if (Result.isFailure(answer)) last = answer.failure
    else if (Result.isSuccess(answer.success)) return
    else if (isHarmless(answer.success.failure.message)) return
    else last = Rpc.unavailable(config.chainId)(answer.success.failure)
  }
  return yield* last
})
