/**
 * Finds what became of a payer's authorization: the transaction that used it, or the log by which the payer revoked it.
 *
 * Nodes search logs only in ranges of blocks. Some take only small ranges, and some have no logs. The search starts at
 * the newest block and stops at the block before the option was created, because nobody can have known its nonce
 * earlier. A search without a result proves nothing: a node's index may be behind.
 *
 * @module
 */
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decodeFunctionData, encodeEventTopics } from "viem/utils"
import type { Ask } from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Abi from "../read/Abi.ts"
import * as Head from "../read/Head.ts"
import type { Link } from "../read/Link.ts"
import * as LogRange from "../read/LogRange.ts"
import * as Logs from "../read/Logs.ts"
import * as Queries from "../read/Queries.ts"
import { hex } from "../read/Queries.ts"
import * as Permit from "./Permit.ts"

interface Filter {
  readonly address: Queries.Log["address"]
  readonly topics: ReadonlyArray<string | null>
}

/**
 * Searches one node, newest range first. Returns the result of `find` for the first range in which it finds something.
 */
const searchOn = Effect.fnUntraced(function* <A>(
  { rpc }: Link,
  node: Ask,
  option: PaymentOption.PaymentOption,
  filter: Filter,
  find: (logs: ReadonlyArray<Queries.Log>) => Effect.Effect<A | null, ChainUnavailable>,
) {
  const { ask } = node
  // Not another node's: this one may not have that block yet.
  let toBlock = (yield* Head.latest({ ...rpc, ask })).number
  for (;;) {
    const blocks = yield* LogRange.of(rpc, node)
    if (blocks === 0) return LogRange.noLogs
    const ranges = LogRange.below(toBlock, blocks)
    const fromBlock = ranges.at(-1)?.fromBlock ?? 0
    const [logs, oldest] = yield* Together.all([
      LogRange.search(rpc, node, blocks, filter, ranges),
      node.ask(Queries.block(fromBlock)),
    ])
    if (oldest === null) return yield* Head.unsound(rpc.chainId)
    if (logs === null) continue
    const found = yield* find(logs.filter((log) => Logs.isAbout(log, filter)))
    if (found !== null) return found
    if (fromBlock === 0 || PaymentOption.isAfter(option, oldest.timestamp)) return null
    toBlock = fromBlock - 1
  }
})

/** Searches the first node that responds and has logs. */
const search = <A>(
  link: Link,
  option: PaymentOption.PaymentOption,
  filter: Filter,
  find: (logs: ReadonlyArray<Queries.Log>) => Effect.Effect<A | null, ChainUnavailable>,
) => LogRange.onAnyNode(link.rpc, (node) => searchOn(link, node, option, filter, find))

const none = Effect.succeed(null)

const receiptOf = Effect.fnUntraced(function* ({ rpc }: Link, txHash: string) {
  const receipt = yield* rpc.ask(Queries.receipt(txHash))
  return receipt ?? (yield* Head.unsound(rpc.chainId))
})

const authorizationTopics = (
  eventName: "AuthorizationUsed" | "AuthorizationCanceled",
  option: PaymentOption.PaymentOption,
) =>
  encodeEventTopics({
    abi: Abi.events,
    eventName,
    args: {
      authorizer: hex(option.account.address),
      nonce: hex(PaymentOption.authorizationNonce(option)),
    },
  }).flat()

const readPermit2Call = Option.liftThrowable((input: string) =>
  decodeFunctionData({ abi: [Abi.permitTransferFrom], data: hex(input) }),
)

/** Whether a transaction hands this option's permit to Permit2. No other option of any account has its nonce. */
const usesPermit =
  (option: PaymentOption.PaymentOption) =>
  ({ input, to }: Queries.Transaction): boolean => {
    const call = Option.getOrUndefined(readPermit2Call(input))
    const nonce = BigInt(PaymentOption.authorizationNonce(option))
    return to === Eip155.permit2Address && call?.args[0].nonce === nonce
  }

/**
 * Whether one of our transactions took the money of this option's permit. Extra bytes after its call data name the
 * payment.
 */
const takes =
  (option: PaymentOption.PaymentOption) =>
  ({ from, input, to }: Queries.Transaction): boolean =>
    from === option.payTo && to === option.token.address && input === Permit.takeData(option)

/** Neither kind of permit logs its use, so the transactions behind the account's transfers to us are read instead. */
const permitUsedIn = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  logs: ReadonlyArray<Queries.Log>,
) {
  const hashes = new Set(logs.map(({ transactionHash }) => transactionHash))
  const transactions = yield* Together.each(hashes, (hash) =>
    link.rpc.ask(Queries.transaction(hash)),
  )
  const known = transactions.filter((transaction) => transaction !== null)
  const isUser = option.flow === "permit" ? takes(option) : usesPermit(option)
  const user = known.find(isUser)
  if (user !== undefined) return yield* receiptOf(link, user.hash)
  return known.length < hashes.size ? yield* Head.unsound(link.rpc.chainId) : null
})

/** The transaction in which an authorization was used, no matter what it moved. */
export const usedIn = (
  link: Link,
  option: PaymentOption.PaymentOption,
): Effect.Effect<Queries.Receipt | typeof LogRange.noLogs | null, ChainUnavailable> => {
  const { address } = option.token
  if (option.flow !== "eip3009") {
    const topics = Logs.transferTopics({ from: option.account.address, to: option.payTo })
    return search(link, option, { address, topics }, (logs) => permitUsedIn(link, option, logs))
  }
  const topics = authorizationTopics("AuthorizationUsed", option)
  return search(link, option, { address, topics }, ([log]) =>
    log === undefined ? none : receiptOf(link, log.transactionHash),
  )
}

/** The position of an option's nonce in Permit2's bitmap. */
export const permitBit = (
  option: PaymentOption.PaymentOption,
): { readonly word: bigint; readonly mask: bigint } => {
  const nonce = BigInt(PaymentOption.authorizationNonce(option))
  return { word: nonce >> 8n, mask: 1n << (nonce & 0xffn) }
}

/** Whether a log of revoked nonces, which holds a word's number and a mask, includes this option's nonce. */
const revokesPermit =
  (option: PaymentOption.PaymentOption) =>
  ({ data }: Queries.Log): boolean => {
    const { mask, word } = permitBit(option)
    return (
      data.length === 130 &&
      BigInt(data.slice(0, 66)) === word &&
      (BigInt(`0x${data.slice(66)}`) & mask) > 0n
    )
  }

/**
 * The log by which the payer revoked an authorization. Permit2 also lets a payer revoke a used one, so look for its use
 * first.
 */
export const revokedIn = (
  link: Link,
  option: PaymentOption.PaymentOption,
): Effect.Effect<Queries.Log | typeof LogRange.noLogs | null, ChainUnavailable> => {
  if (option.flow === "permit2") {
    const topics = encodeEventTopics({
      abi: Abi.events,
      eventName: "UnorderedNonceInvalidation",
      args: { owner: hex(option.account.address) },
    }).flat()
    return search(link, option, { address: Eip155.permit2Address, topics }, (logs) =>
      Effect.succeed(logs.find(revokesPermit(option)) ?? null),
    )
  }
  const topics = authorizationTopics("AuthorizationCanceled", option)
  return search(link, option, { address: option.token.address, topics }, ([log]) =>
    Effect.succeed(log ?? null),
  )
}
