/**
 * Our own transactions: how they are priced, signed and sent to nodes.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import {
  ChainUnavailable,
  InFlightLimit,
  type Order,
  SendingHalted,
} from "@florin/core/ports/Chain"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keccak256, parseTransaction } from "viem/utils"
import * as ChainConfig from "../config/ChainConfig.ts"
import * as Rpc from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import type { Link } from "../read/Link.ts"
import * as Queries from "../read/Queries.ts"
import * as Calls from "../token/Calls.ts"
import * as Permit from "../token/Permit.ts"
import * as Signature from "../token/Signature.ts"
import * as CollectGas from "./CollectGas.ts"
import * as Fees from "./Fees.ts"
import * as Signer from "./Signer.ts"

/** All signed fields of a transaction. */
interface Draft extends Fees.Bid {
  readonly nonce: number
  readonly to: `0x${string}`
  readonly data: `0x${string}`
  readonly gas: bigint
}

/** Enough for each of our calls, if a node cannot estimate it because the call would fail now. */
const gasWithoutEstimate = 400_000n

/**
 * The extra cost of a transfer whose recipient holds nothing: the recipient may be emptied between the estimate and the
 * block.
 */
const gasForAnEmptyRecipient = 20_000n

/** How long a transaction waits before the bid is raised. */
const outbidAfterInMs = 20_000

const percentMore = (value: bigint, percent: number): bigint =>
  (value * BigInt(100 + percent) + 99n) / 100n

const isHarmless = (message: string): boolean =>
  /already known|already imported|known transaction|nonce too low|underpriced|same hash/iu.test(
    message,
  )

const callOf = Effect.fnUntraced(function* (link: Link, order: Order) {
  const { rpc } = link
  if (order._tag === "Send") return Calls.send(order.movement)
  const { option, outputs } = order.attempt
  const { chainId } = rpc
  if (option.flow === "permit") {
    const step = Permit.stepOf(option, yield* Permit.stateOf(link, option))
    if (step === "take") return Calls.take(option)
    if (step !== "permit") {
      return yield* ChainUnavailable.of(
        chainId,
        "the account's allowance has changed, so the permit is no longer needed: retry",
      )
    }
  }
  const code =
    option.flow === "permit2"
      ? "0x"
      : yield* rpc.ask(Queries.code(option.account.address, "latest"))
  return Calls.collect(option, Signature.effective(outputs.signature), code !== "0x")
})

/** The simulation of an account with code may lower its gas limit, and never raises it. */
const gasForCode = Effect.fnUntraced(function* (link: Link, call: Calls.ContractCall) {
  const [most, estimate] = yield* Together.all([
    CollectGas.most(link, call),
    link.rpc.attempt(Queries.gas(call)),
  ])
  if (Result.isFailure(estimate)) return most
  const usual = withHeadroom(link, estimate.success)
  return usual < most ? usual : most
})

const withHeadroom = ({ config: { gas } }: Link, estimate: bigint): bigint =>
  percentMore(estimate, gas.headroom) + gasForAnEmptyRecipient

const gasOf = Effect.fnUntraced(function* (link: Link, call: Calls.ContractCall) {
  const { config, rpc } = link
  const estimate = yield* Rpc.called(rpc, Queries.gas(call))
  if (Result.isFailure(estimate)) return gasWithoutEstimate
  const { chainId, gas } = config
  if (estimate.success > gas.most) {
    return yield* SendingHalted.of(
      chainId,
      `the transfer would take ${estimate.success} units of gas, more than ${gas.most}`,
    )
  }
  return withHeadroom(link, estimate.success)
})

/** The signer of one of our accounts; fails if only its address is known. */
const signerOf = (
  { chainId }: Link["config"],
  sender: Caip.Address,
  account: ChainConfig.OwnAccount,
) =>
  ChainConfig.hasKey(account)
    ? Effect.succeed(account)
    : SendingHalted.of(
        chainId,
        `${Eip155.formatAddress(sender)} has no key in this process: only a process with the key can send from it`,
      )

/** Signs a draft and records its maximum cost. */
const signed = Effect.fnUntraced(function* (
  { config }: Link,
  account: ChainConfig.RelayerAccount,
  lane: Lane.Lane,
  draft: Draft,
  feeMax: bigint,
) {
  const raw = yield* Signer.sign(account, {
    type: "eip1559",
    chainId: Eip155.numberOf(config.chainId),
    value: 0n,
    ...draft,
  })
  const relayed: Lane.Transaction = {
    lane,
    nonce: draft.nonce,
    hash: keccak256(raw),
    raw,
    signedAt: yield* Clock.currentTimeMillis,
    feeMax: Money.Quantity.make(feeMax),
  }
  return relayed
})

/** Signs a call after it was priced and the account's balance was checked. */
const signCall = Effect.fnUntraced(function* (
  link: Link,
  lane: Lane.Lane,
  nonce: number,
  calling: Effect.Effect<Calls.ContractCall, ChainUnavailable>,
  limits: { readonly gasOf: typeof gasOf; readonly costMax?: bigint | undefined } = { gasOf },
) {
  const { config, rpc } = link
  const own = config.accounts.get(lane.sender)
  if (own === undefined) {
    return yield* ChainUnavailable.of(
      config.chainId,
      "this account is not configured: add it, as draining, until its payments are done",
    )
  }
  const account = yield* signerOf(config, lane.sender, own)
  const called = Effect.flatMap(calling, (call) => {
    const unpriced = { nonce, to: Queries.hex(call.to), data: call.data }
    return Together.all({
      unpriced: Effect.succeed(unpriced),
      gas: limits.gasOf(link, call),
      extra: Fees.extra(link, unpriced),
    })
  })
  const [{ extra, gas, unpriced }, rate, held] = yield* Together.all([
    called,
    Fees.currentRate(link),
    rpc.ask(Queries.coins(lane.sender)),
  ])
  const bid = yield* Effect.fromResult(Fees.bid(config, { rate, extra }, gas))
  const feeMax = Fees.most(gas, bid, extra)
  const { costMax } = limits
  if (costMax !== undefined && feeMax > costMax) {
    return yield* SendingHalted.of(
      config.chainId,
      `collecting from an account with code may cost ${feeMax} wei, more than ${costMax}, which is its payment's fee or gasAllowance: it is sent when gas is cheaper, or with a higher gasAllowance`,
    )
  }
  // Nodes accept it only if the balance pays for the most expensive case, and otherwise it would block its lane.
  if (held < feeMax) {
    return yield* SendingHalted.of(
      config.chainId,
      `${Eip155.formatAddress(lane.sender)} holds ${held} wei, and a transaction may cost ${feeMax}: send it some`,
    )
  }
  return yield* signed(link, account, lane, { ...unpriced, gas, ...bid }, feeMax)
})

/** Signs the transaction of an order. */
export const sign = (link: Link, lane: Lane.Lane, nonce: number, order: Order) => {
  const runsCode = order._tag === "Collect" && order.attempt.option.hasCode === true
  const limits = runsCode ? { gasOf: gasForCode, costMax: order.costMax } : undefined
  return signCall(link, lane, nonce, callOf(link, order), limits)
}

/** Signs a transaction of the account to itself, which moves nothing. */
export const fill = (link: Link, lane: Lane.Lane, nonce: number) =>
  signCall(link, lane, nonce, Effect.succeed({ from: lane.sender, to: lane.sender, data: "0x" }))

/** Decodes a transaction that was signed here; null if it was not. */
const draftOf = ({ raw }: Lane.Transaction): Draft | null => {
  const {
    data = "0x",
    gas,
    maxFeePerGas,
    // The parser leaves out what is 0.
    maxPriorityFeePerGas = 0n,
    nonce = 0,
    to,
  } = parseTransaction(Queries.hex(raw))
  return to && gas && maxFeePerGas
    ? { nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas }
    : null
}

/** Signs a transaction that waits too long again, with a higher fee; null if the fee is not the reason for the wait. */
export const outbid = Effect.fnUntraced(function* (link: Link, relayed: Lane.Transaction) {
  const { sender } = relayed.lane
  const own = link.config.accounts.get(sender)
  if (own === undefined) return null
  const account = yield* signerOf(link.config, sender, own)
  const waitedInMs = (yield* Clock.currentTimeMillis) - relayed.signedAt
  if (waitedInMs < outbidAfterInMs) return null
  const draft = draftOf(relayed)
  if (draft === null) return null
  const [rate, extra, held] = yield* Together.all([
    Fees.currentRate(link),
    Fees.extra(link, draft),
    link.rpc.ask(Queries.coins(sender)),
  ])
  const bid = Fees.higherBid(draft, rate, Fees.bidMax(link.config, draft.gas, extra))
  if (bid === null) return null
  const feeMax = Fees.most(draft.gas, bid, extra)
  // No node would accept it, and the version with the earlier bid could no longer be sent.
  if (feeMax > held) return null
  // Any version may be mined, so the most expensive one counts.
  const before = relayed.feeMax ?? 0n
  const next = yield* signed(
    link,
    account,
    relayed.lane,
    { ...draft, ...bid },
    feeMax > before ? feeMax : before,
  )
  const result: Lane.Transaction = {
    ...next,
    earlierHashes: [relayed.hash, ...(relayed.earlierHashes ?? [])],
  }
  return result
})

/**
 * Whether nodes refuse a transaction until earlier ones of its account are mined. Geth, reth and Nethermind take one
 * transaction at a time from an account that delegates (EIP-7702).
 */
const isInFlightLimit = (message: string): boolean =>
  /delegated account|delegation nonce gap|NotCurrentNonceForDelegation/iu.test(message)

const inFlightLimit = (
  { chainId }: Link["config"],
  { lane, nonce }: Pick<Lane.Transaction, "lane" | "nonce">,
) =>
  InFlightLimit.of(
    chainId,
    `${Eip155.formatAddress(lane.sender)} delegates (EIP-7702), so nodes take one of its transactions at a time: nonce ${nonce} is sent when the earlier ones are mined`,
  )

/** Keeps back what waits for earlier transactions of an account that nodes limit, as long as the account delegates. */
const requireTurn = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  transaction: Pick<Lane.Transaction, "lane" | "nonce">,
) {
  const { sender } = transaction.lane
  const { limited } = rpc.learnt
  if (!limited.has(sender)) return
  const [next, code] = yield* Together.all([
    rpc.ask(Queries.nonce(sender, "latest")),
    rpc.ask(Queries.code(sender, "latest")),
  ])
  if (code === "0x") limited.delete(sender)
  else if (transaction.nonce > next) return yield* inFlightLimit(config, transaction)
})

/** Remembers that nodes limit an account, and logs it once. */
const learnLimit = Effect.fnUntraced(function* ({ rpc }: Link, { chainId, sender }: Lane.Lane) {
  const { limited } = rpc.learnt
  if (limited.has(sender)) return
  limited.add(sender)
  yield* Effect.logWarning(
    "an account delegates (EIP-7702), so nodes take one of its transactions at a time: payments wait for each other until the delegation is removed, or another account collects",
    { chainId, account: Eip155.formatAddress(sender) },
  )
})

/**
 * Sends stored bytes to every node; one node that accepts them, or has them, is enough. Of an account that nodes limit,
 * only the next transaction is sent: a node without the limit would otherwise hold several that the others never see.
 */
export const broadcast = Effect.fnUntraced(function* (
  link: Link,
  transaction: Pick<Lane.Transaction, "lane" | "nonce" | "raw">,
) {
  const { config, rpc } = link
  yield* requireTurn(link, transaction)
  const responses = yield* Together.each(rpc.nodes, (node) =>
    Effect.result(node.attempt(Queries.send(transaction.raw))),
  )
  const verdicts = responses.map((response) => {
    if (Result.isFailure(response)) return response.failure
    if (Result.isSuccess(response.success)) return "accepted"
    const { failure } = response.success
    if (isInFlightLimit(failure.message)) return "limited"
    return isHarmless(failure.message) ? "accepted" : Rpc.unavailable(config.chainId)(failure)
  })
  const isLimited = verdicts.includes("limited")
  if (isLimited) yield* learnLimit(link, transaction.lane)
  if (verdicts.includes("accepted")) return
  if (isLimited) return yield* inFlightLimit(config, transaction)
  return yield* (
    verdicts.findLast((each) => typeof each !== "string") ??
      ChainUnavailable.of(config.chainId, "no node accepted the transaction")
  )
})
