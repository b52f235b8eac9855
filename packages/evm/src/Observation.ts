/**
 * Observes a movement on the canonical chain.
 *
 * Two things end a payment, and both need proof: its exact Transfer log in a final block, or something final that rules
 * the log out for ever. A node that does not know a transaction proves nothing, so a nonce counts as taken by another
 * transaction only when that transaction is found.
 *
 * Several machines may share one node's address, and some are behind or lack an index. So any result that would end a
 * payment is checked again: by a receipt, by a block number, or by the state after one block.
 *
 * @module
 */
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type {
  Awaited,
  ChainUnavailable,
  Progress,
  Sought,
  SoughtLate,
} from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseTransaction } from "viem/utils"
import * as Rpc from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Head from "./read/Head.ts"
import type { Link } from "./read/Link.ts"
import * as LogRange from "./read/LogRange.ts"
import * as Logs from "./read/Logs.ts"
import * as Queries from "./read/Queries.ts"
import * as Standing from "./Standing.ts"
import * as Authorization from "./token/Authorization.ts"
import * as AuthorizationState from "./token/AuthorizationState.ts"
import * as Holdings from "./token/Holdings.ts"
import * as Permit from "./token/Permit.ts"

type Observation = Transfer.Observation
type Counts = (log: Queries.Log) => boolean

/** The filter for logs that count, without logs that already count for something else. */
const free =
  (counts: Counts, except: Sought["except"] = []): Counts =>
  (log) =>
    counts(log) && !Transfer.isOneOf(except, Logs.nameOf(log))

const unseen: Observation = { _tag: "Unseen" }
const impossible = (reason: string): Observation => ({ _tag: "Impossible", reason })

/** A receipt on the canonical chain. */
interface Mined {
  readonly receipt: Queries.Receipt
  readonly block: Queries.Block
  readonly isFinal: boolean
}

const receiptsOf = ({ rpc }: Link, hashes: ReadonlyArray<string>) =>
  Effect.map(
    Together.each(hashes, (hash) => rpc.ask(Queries.receipt(hash))),
    (receipts) => receipts.filter((each) => each !== null),
  )

/** Which of some receipts is on the canonical chain; `headOf` is requested together with their blocks. */
const stand = Effect.fnUntraced(function* (
  { rpc }: Link,
  headOf: Effect.Effect<Head.Head, ChainUnavailable>,
  receipts: ReadonlyArray<Queries.Receipt>,
) {
  const blocksOf = Together.each(receipts, (each) => rpc.ask(Queries.block(each.blockNumber)))
  const [head, blocks] = yield* Together.all([headOf, blocksOf])
  const { final } = head
  const [mined = null] = receipts.flatMap((receipt, index): ReadonlyArray<Mined> => {
    const block = blocks[index]
    return block?.hash === receipt.blockHash
      ? [{ receipt, block, isFinal: final !== null && block.number <= final.number }]
      : []
  })
  return { head, mined }
})

/** How many blocks on top of a transaction make it final; null if a node decides that, or has a say in it. */
const countedBy = ({ finality, isLarge }: Link["config"]): number | null =>
  typeof finality === "number" && isLarge !== true ? finality : null

/** How far a transaction has got. If blocks are not counted and it has one hash only, nothing is asked. */
export const progress = Effect.fnUntraced(function* (link: Link, { hashes }: Awaited) {
  const needed = countedBy(link.config)
  if (needed === null && hashes.length === 1) return { hash: hashes[0], blocks: null }
  const [newest, [receipt]] = yield* Together.all([
    needed === null ? Effect.succeed(null) : Head.latest(link.rpc),
    receiptsOf(link, hashes),
  ])
  if (receipt === undefined) return { hash: hashes[0], blocks: null }
  const { blockNumber, transactionHash: hash } = receipt
  if (needed === null || newest === null) return { hash, blocks: null }
  // Machines behind one address may differ, so the newest block may be older than the transaction's.
  const onTop = Math.max(0, newest.number - blockNumber)
  const found: Progress = { hash, blocks: { confirmed: Math.min(needed, onTop), needed } }
  return found
})

/** The head of the chain, and which of some transactions is on it: two requests. */
interface Standing {
  readonly head: Head.Head
  readonly mined: Mined | null
}

const standingOf: (
  link: Link,
  hashes: ReadonlyArray<string>,
) => Effect.Effect<Standing, ChainUnavailable> = Effect.fnUntraced(function* (link, hashes) {
  const [newest, receipts] = yield* Together.all([Head.latest(link.rpc), receiptsOf(link, hashes)])
  return yield* stand(link, Head.read(link.rpc, link.config, newest), receipts)
})

/**
 * What a mined transaction shows of a movement: the log that counts or, once final, that there is none. Its nonce is
 * null if the node has the receipt but not yet the transaction.
 */
const read = Effect.fnUntraced(function* (
  link: Link,
  { isFinal, receipt }: Mined,
  counts: Counts,
  txNonce: number | null,
  otherwise: string,
  isBetter: Counts = counts,
) {
  const txHash = receipt.transactionHash
  const all = receipt.logs.filter(counts)
  const log = all.find(isBetter) ?? all[0]
  if (log === undefined) {
    if (!isFinal) return unseen
    // One response alone may lack its logs.
    const again = yield* link.rpc.ask(Queries.receipt(txHash))
    const isSame = again?.blockHash === receipt.blockHash && again.status === receipt.status
    if (!isSame || again.logs.some(counts)) return unseen
    const observation: Observation = {
      _tag: "Impossible",
      reason: otherwise,
      txHash,
      ...(receipt.status === 1 && { movedOtherwise: true }),
    }
    return observation
  }
  if (txNonce === null) return unseen
  const evidence = Logs.evidence(link.config.chainId, log, txNonce)
  const observation: Observation = { _tag: isFinal ? "Final" : "Included", evidence }
  return observation
})

/**
 * The block in which an account's nonce was used, found by binary search: the first block after which the account's
 * count is higher. Null if the node dropped the states that show it.
 */
const blockOfNonce = Effect.fnUntraced(function* (
  node: Rpc.Ask,
  { lane, nonce }: Pick<Lane.Transaction, "lane" | "nonce">,
  newest: Queries.Block,
) {
  let dropped = -1
  const isUsedAfter = Effect.fnUntraced(function* (number: number) {
    const next = yield* node.attempt(Queries.nonce(lane.sender, number))
    if (Result.isFailure(next)) dropped = Math.max(dropped, number)
    return Result.isSuccess(next) && next.success > nonce
  })
  let used = newest.number
  let step = 1
  let unused = Math.max(0, used - step)
  while (unused > 0 && (yield* isUsedAfter(unused))) {
    used = unused
    step *= 2
    unused = Math.max(0, used - step)
  }
  while (used - unused > 1) {
    const middle = Math.floor((used + unused) / 2)
    if (yield* isUsedAfter(middle)) used = middle
    else unused = middle
  }
  // It was used in that block, or in an earlier one whose state is not kept.
  return unused === dropped ? null : used
})

/**
 * The block of a nonce, from the first node that knows it. It is cached, because nodes drop those states after some
 * hours.
 */
const usedInBlock = Effect.fnUntraced(function* (
  link: Link,
  relayed: Pick<Lane.Transaction, "lane" | "nonce">,
  newest: Queries.Block,
) {
  const { learnt, nodes } = link.rpc
  const key = `${relayed.lane.sender}:${relayed.nonce}`
  const known = learnt.nonceBlocks.get(key)
  if (known !== undefined) return known
  for (const node of nodes) {
    const number = yield* blockOfNonce(node, relayed, newest)
    if (number === null) continue
    Rpc.learn(learnt.nonceBlocks, key, number)
    return number
  }
  return null
})

/** The final transaction that used a nonce, with its receipt; null if there is none yet, or it cannot be found. */
const winnerOf = Effect.fnUntraced(function* (
  link: Link,
  relayed: Pick<Lane.Transaction, "lane" | "nonce">,
  head: Head.Head,
) {
  const { lane, nonce } = relayed
  const { final, latest } = head
  if (final === null) return null
  // Every node has the newest state; the state of a final block may be hours old.
  const next = yield* link.rpc.ask(Queries.nonce(lane.sender, latest.number))
  if (next <= nonce) return null
  const number = yield* usedInBlock(link, relayed, latest)
  if (number === null || number > final.number) return null
  const block = yield* link.rpc.ask(Queries.blockOfTransactions(number))
  const transaction = block?.transactions.find(
    (each) => each.from === lane.sender && each.nonce === nonce,
  )
  if (transaction === undefined) {
    // A reorganisation moved it: the next look finds it again.
    link.rpc.learnt.nonceBlocks.delete(`${lane.sender}:${nonce}`)
    return null
  }
  const receipts = yield* receiptsOf(link, [transaction.hash])
  const { mined } = yield* stand(link, Effect.succeed(head), receipts)
  return mined?.isFinal === true ? { transaction, mined } : null
})

/** Whether a transaction makes the same call as ours: it is then one of our versions, whatever its bid. */
const isVersionOf = ({ raw }: Lane.Transaction, winner: Queries.Transaction): boolean => {
  const { data, to } = parseTransaction(Queries.hex(raw))
  return to?.toLowerCase() === winner.to && data === winner.input
}

/** The result of one of our transactions. */
const own = Effect.fnUntraced(function* (
  link: Link,
  counts: Counts,
  relayed: Lane.Transaction,
  { head, mined }: Standing,
) {
  const found = mined ?? (yield* minedByNonce(link, relayed, head))
  if (found === "replaced") return { _tag: "Replaced" } satisfies Observation
  if (found === null) return unseen
  return yield* read(link, found, counts, relayed.nonce, "the transaction moved no such money")
})

/** Adds what one of our transactions moved instead: from its logs, or else from the accounts' balances. */
const withMoved = Effect.fnUntraced(function* (
  link: Link,
  movement: Transfer.Movement,
  { nonce: txNonce }: Lane.Transaction,
  observation: Extract<Observation, { readonly _tag: "Impossible" }>,
) {
  const { chainId } = link.config
  const { from, to, token } = movement
  const receipt =
    observation.txHash === undefined
      ? null
      : yield* link.rpc.ask(Queries.receipt(observation.txHash))
  if (receipt === null) return unseen
  const { blockHash, blockNumber, transactionHash: txHash } = receipt
  const sought: Transfer.Evidence = {
    movement,
    txHash,
    logIndex: 0,
    blockNumber,
    blockHash,
    txNonce,
  }
  const logs = receipt.logs
    .filter((log) => Logs.isTransfer(log) && log.address === token.address)
    .map((log) => Logs.evidence(chainId, log, txNonce))
    .filter((log) => log.movement.from === from && log.movement.to !== from)
  const moved = Transfer.movedBy(logs, sought) ?? (yield* movedUnlogged(link, sought, { from, to }))
  return moved === null ? observation : { ...observation, moved }
})

/**
 * What moved without a log, by the accounts' balances before and after its block. Null if the node dropped these
 * states, or if the account sent something else in that block.
 */
const movedUnlogged = Effect.fnUntraced(function* (
  { rpc }: Link,
  sought: Transfer.Evidence,
  { from, to }: Pick<Transfer.Movement, "from" | "to">,
) {
  const { blockNumber, movement } = sought
  const change = <A extends bigint | number>(query: (block: number) => Rpc.Query<A>) =>
    Effect.map(
      Together.each([blockNumber - 1, blockNumber], (block) => rpc.attempt(query(block))),
      ([before, after]) =>
        before !== undefined &&
        after !== undefined &&
        Result.isSuccess(before) &&
        Result.isSuccess(after)
          ? BigInt(after.success) - BigInt(before.success)
          : null,
    )
  const [sent, taken, given] = yield* Together.all([
    change((block) => Queries.nonce(from, block)),
    change((block) => Holdings.balanceAfter(movement.token, from, block)),
    change((block) => Holdings.balanceAfter(movement.token, to, block)),
  ])
  if (sent !== 1n || taken === null || given === null) return null
  const left = Money.clamp(-taken, Money.largest)
  const moved: Transfer.Moved = {
    transfer: { ...sought, movement: { ...movement, quantity: Money.clamp(given, left) } },
    left,
    transfers: [],
  }
  return moved
})

/**
 * Finds the transaction that used our nonce if none of our hashes is known: one of our versions, or another transaction.
 */
const minedByNonce = Effect.fnUntraced(function* (
  link: Link,
  relayed: Lane.Transaction,
  head: Head.Head,
) {
  const winner = yield* winnerOf(link, relayed, head)
  if (winner === null) return null
  return isVersionOf(relayed, winner.transaction) ? winner.mined : "replaced"
})

/** The result of an authorization that we, or others, submit. */
const authorized = Effect.fnUntraced(function* (
  link: Link,
  counts: Counts,
  option: PaymentOption.PaymentOption,
  relayed: Lane.Transaction | null,
) {
  const [standing, isSpent] = yield* Together.all([
    standingOf(link, relayed === null ? [] : Lane.hashes(relayed)),
    link.rpc.ask(AuthorizationState.isSpent(option, "latest")),
  ])
  // Our transaction is found by its hash, which is cheap; only somebody else's needs a search.
  const ours = relayed === null ? unseen : yield* own(link, counts, relayed, standing)
  if (ours._tag === "Final" || ours._tag === "Included") return ours
  if (isSpent) return yield* spent(link, counts, option, standing.head, { relayed, ours })
  const end = ours._tag === "Impossible" ? ours : ranOut(option, standing.head)
  if (end === null) return ours
  // An authorization that is unused in the newest block was not used in a final one.
  return (yield* isSpentAfter(link, option, standing.head.latest)) ? unseen : end
})

/**
 * The result of a permit, and of the transaction that takes its money. The permit's end does not end that transaction:
 * once it was signed, only its mining decides. Otherwise a payment is over when a final block shows that the nonce is
 * used and allows nothing, or when a final block is past the permit's end, because nothing is signed after that.
 */
const permitted = Effect.fnUntraced(function* (
  link: Link,
  counts: Counts,
  option: PaymentOption.PaymentOption,
  relayed: Lane.Transaction | null,
): Effect.fn.Return<Observation, ChainUnavailable> {
  const [standing, state] = yield* Together.all([
    standingOf(link, relayed === null ? [] : Lane.hashes(relayed)),
    Permit.stateOf(link, option),
  ])
  const { head } = standing
  const isTaking = relayed !== null && Permit.isTake(option, relayed.raw)
  const ours = isTaking ? yield* own(link, counts, relayed, standing) : unseen
  if (ours._tag === "Final" || ours._tag === "Included") return ours
  const step = Permit.stepOf(option, state)
  if (step === "none") {
    // An earlier process of the service may have taken it without a record in the ledger.
    const used = yield* usedBy(link, counts, option, head)
    if (used !== null && used !== LogRange.noLogs) return used
  }
  if (isTaking && ours._tag !== "Replaced") return ours
  if (step === "none") {
    if (!(yield* isSpentFinally(link, option, head))) return unseen
    // One response alone may lack its use. Without logs, no transaction that we know of took the money.
    const after = yield* Authorization.usedIn(link, option)
    return after === null || after === LogRange.noLogs
      ? impossible("the payer used the permit's nonce otherwise")
      : unseen
  }
  const { final, latest } = head
  const replaced = ours._tag === "Replaced" ? "replaced" : null
  const sent =
    replaced ??
    (relayed === null ? null : (standing.mined ?? (yield* minedByNonce(link, relayed, head))))
  // A reverted one is not sent again: a contract could pass the simulation and revert in the block, again and again.
  const isRefused =
    sent !== null && sent !== "replaced" && sent.isFinal && sent.receipt.status === 0
  const isLate = final !== null && final.timestamp >= AuthorizationState.refusedFrom(option)
  if (isLate || (isRefused && step !== "take")) {
    // If it is unused in the newest block, it was not used in a final one, whose state nodes may have dropped.
    const now = yield* Standing.after(latest, (at) => Permit.stateOf(link, option, at))
    if (Permit.stepOf(option, now) !== step) return unseen
    return impossible(isLate ? "the permit has expired" : "the token refused the permit")
  }
  if (sent === "replaced") return { _tag: "Replaced" }
  return step === "take" || (step === "permit" && relayed === null) ? { _tag: "Due" } : unseen
})

/** What the transaction that used an authorization shows; null if the available logs name none. */
const usedBy = Effect.fnUntraced(function* (
  link: Link,
  counts: Counts,
  option: PaymentOption.PaymentOption,
  head: Head.Head,
) {
  const used = yield* Authorization.usedIn(link, option)
  if (used === null || used === LogRange.noLogs) return used
  const [{ mined }, transaction] = yield* Together.all([
    stand(link, Effect.succeed(head), [used]),
    link.rpc.ask(Queries.transaction(used.transactionHash)),
  ])
  const otherwise = "the authorization was used up without this transfer"
  return mined === null
    ? unseen
    : yield* read(link, mined, counts, transaction?.nonce ?? null, otherwise)
})

/** What used up an authorization: a transaction, or the payer's own revocation. */
const spent = Effect.fnUntraced(function* (
  link: Link,
  counts: Counts,
  option: PaymentOption.PaymentOption,
  head: Head.Head,
  byUs: Own,
) {
  const used = yield* usedBy(link, counts, option, head)
  if (used !== null && used !== LogRange.noLogs) return used
  const revoked = used === null ? yield* Authorization.revokedIn(link, option) : used
  if (revoked === null || revoked === LogRange.noLogs) {
    // Logs may be behind. Nodes that dropped them never show any, so the view decides once the authorization ran out.
    const mayCome = revoked === null && ranOut(option, head) === null
    return !mayCome && (yield* isSpentByOthers(link, option, head, byUs))
      ? impossible("the authorization was used or revoked without this transfer")
      : unseen
  }
  if (head.final === null || revoked.blockNumber > head.final.number) return unseen
  // One response alone may lack its use: Permit2 lets a payer revoke a used nonce.
  const [block, usedAfterAll] = yield* Together.all([
    link.rpc.ask(Queries.block(revoked.blockNumber)),
    Authorization.usedIn(link, option),
  ])
  return block?.hash === revoked.blockHash && usedAfterAll === null
    ? impossible("the payer revoked the authorization")
    : unseen
})

/** The transaction with which we collect an authorization, and its result. */
interface Own {
  readonly relayed: Lane.Transaction | null
  readonly ours: Observation
}

const isSpentAfter = (link: Link, option: PaymentOption.PaymentOption, block: Queries.Block) =>
  Standing.after(block, (at) => Standing.isSpent(link, option, at))

/**
 * Whether nothing more is taken by an authorization after a final block. The state of a block is remembered until that
 * block is final, because nodes drop the states of old blocks.
 */
const isSpentFinally = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  { final, latest }: Head.Head,
) {
  const { ask, learnt } = link.rpc
  const key = `${option.token.address}:${PaymentOption.authorizationNonce(option)}`
  const known = learnt.spentBlocks.get(key)
  const block = known === undefined ? null : yield* ask(Queries.block(known.number))
  if (known === undefined || block?.hash !== known.hash) {
    learnt.spentBlocks.delete(key)
    if (yield* isSpentAfter(link, option, latest)) {
      Rpc.learn(learnt.spentBlocks, key, { number: latest.number, hash: latest.hash })
    }
    return false
  }
  return final !== null && known.number <= final.number
})

/** Whether an authorization is finally spent by a transaction that is not ours. */
const isSpentByOthers = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  head: Head.Head,
  { ours, relayed }: Own,
) {
  if (!(yield* isSpentFinally(link, option, head))) return false
  if (relayed === null || ours._tag === "Replaced") return true
  // If our nonce is used, the transaction may be ours, with its receipt missing.
  const next = yield* link.rpc.ask(Queries.nonce(relayed.lane.sender, head.latest.number))
  return next <= relayed.nonce
})

/** Why an unused authorization will stay unused: a final block is past its end. */
const ranOut = (option: PaymentOption.PaymentOption, { final }: Head.Head): Observation | null =>
  final === null || final.timestamp < AuthorizationState.refusedFrom(option)
    ? null
    : impossible("the authorization has expired")

/** The result of a transfer that a wallet sent itself, by the hash that it reported. */
const named = Effect.fnUntraced(function* (
  link: Link,
  txHash: string,
  option: Pick<PaymentOption.PaymentOption, "account">,
  counts: (log: Queries.Log, mined: Mined) => boolean,
  mayBeOurs: boolean,
  isBetter?: Counts,
): Effect.fn.Return<Observation, ChainUnavailable> {
  const { address } = option.account
  const [{ head, mined }, transaction, code] = yield* Together.all([
    standingOf(link, [txHash]),
    link.rpc.ask(Queries.transaction(txHash)),
    link.rpc.ask(Queries.code(address, "latest")),
  ])
  if (mined !== null) {
    // Another account sends a contract's transfer for it. A transfer that we collected pays only its own payment.
    const isOurs = link.config.accounts.has(mined.receipt.from)
    const isPayers = mined.receipt.from === address || (code !== "0x" && !isOurs)
    const isTheirs = (log: Queries.Log): boolean =>
      (isPayers || (isOurs && mayBeOurs)) && counts(log, mined)
    const otherwise = "the transaction is not this transfer by the payer"
    return yield* read(link, mined, isTheirs, transaction?.nonce ?? null, otherwise, isBetter)
  }
  if (transaction === null || transaction.from !== address) return unseen
  const lane: Lane.Lane = { chainId: link.config.chainId, sender: address }
  const winner = yield* winnerOf(link, { lane, nonce: transaction.nonce }, head)
  return winner === null || winner.transaction.hash === txHash
    ? unseen
    : impossible("the wallet replaced the transaction")
})

/** Where a movement stands. */
export const look = (
  link: Link,
  { attempt, except, movement, relayed }: Sought,
): Effect.Effect<Observation, ChainUnavailable> => {
  const counts = free(Logs.isMovement(movement), except)
  if (attempt === null) {
    return relayed === null
      ? Effect.succeed(unseen)
      : standingOf(link, Lane.hashes(relayed)).pipe(
          Effect.flatMap((standing) => own(link, counts, relayed, standing)),
          Effect.flatMap((observation) =>
            observation._tag === "Impossible" && observation.movedOtherwise === true
              ? withMoved(link, movement, relayed, observation)
              : Effect.succeed(observation),
          ),
        )
  }
  const { option, outputs } = attempt
  if (outputs._tag === "Authorized") {
    return option.flow === "permit"
      ? permitted(link, counts, option, relayed)
      : authorized(link, counts, option, relayed)
  }
  return named(
    link,
    outputs.txHash,
    option,
    (log, { block }) => !PaymentOption.isAfter(option, block.timestamp) && counts(log),
    false,
  )
}

/** Finds late money. It counts in any quantity: it is held for the payer, and pays nothing. */
export const lookLate = (
  link: Link,
  { except, option, txHash }: SoughtLate,
): Effect.Effect<Observation, ChainUnavailable> => {
  const { account, payTo, quantity, token } = option
  const isBetween = Logs.isBetween(token.address, account.address, payTo)
  return named(
    link,
    txHash,
    option,
    free((log) => isBetween(log) && Logs.quantity(log) > 0n, except),
    true,
    (log) => Logs.quantity(log) === quantity,
  )
}

/** The accounts between which tokens moved in a transaction that one of our accounts sent. */
export const outgoingTransfers = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  txHash: string,
) {
  const receipt = yield* rpc.ask(Queries.receipt(txHash))
  if (receipt === null || !config.accounts.has(receipt.from)) return []
  return receipt.logs.filter(Logs.isTransfer).flatMap((log) => {
    const { from, to, token } = Logs.ends(config.chainId, log)
    return config.accounts.has(from) ? [{ from, to, token }] : []
  })
})
