/**
 * One simulated chain: its blocks, its mempool, and what its accounts hold as of any recent block.
 *
 * Everything here is synchronous and deterministic. Empty blocks are counted, not stored.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Tokens from "./Tokens.ts"
import type * as Transaction from "./Transaction.ts"

/** When blocks are made: by hand, with each transaction, or by time. */
export type Blocks = "manual" | "instant" | { readonly everyInMs: number }

export interface Options {
  readonly chainId: Caip.ChainId
  readonly blocks: Blocks
  readonly finalityDepth: number
  readonly rules: Tokens.Rules
  /** The balance of an untouched account. */
  readonly unseen: (token: Caip.Address, owner: Caip.Address) => bigint
  readonly isAuthorized: Tokens.IsAuthorized
}

export interface Mined {
  readonly hash: string
  readonly transaction: Transaction.Transaction
  readonly blockNumber: number
  readonly blockHash: string
  /** Unix seconds. */
  readonly at: number
  readonly succeeded: boolean
  readonly logs: ReadonlyArray<Tokens.Log & { readonly logIndex: number }>
  readonly authorization: string | null
}

export interface Header {
  readonly number: number
  readonly hash: string
  readonly parent: string
  /** Unix seconds. */
  readonly at: number
}

/** Consecutive blocks of one branch at one pace. */
interface Stretch {
  readonly from: number
  readonly atInMs: number
  readonly everyInMs: number
  readonly fork: number
}

interface Block {
  readonly number: number
  readonly transactions: Array<string>
  /** What each write replaced, so that the block can be undone, or older state can be read. */
  journal: Array<{ readonly key: string; previous: bigint | undefined }>
}

/** Older blocks can no longer be undone. */
const journalledBlocks = 128
/** After a longer pause, the chain counts as stopped during the pause. */
const blocksPerPauseMax = 100_000
const genesis = 100

export const make = (options: Options) => {
  const { chainId, finalityDepth, rules } = options
  const cells = new Map<string, bigint>()
  const known = new Map<string, Transaction.Transaction>()
  const pending = new Set<string>()
  const delegating = new Set<Caip.Address>()
  const mined = new Map<string, Mined>()
  const byNonce = new Map<string, string>()
  const byAuthorization = new Map<string, string>()
  let blocks: Array<Block> = []
  let stretches: Array<Stretch> = []
  /** How many of the oldest blocks no longer have a journal. */
  let forgotten = 0
  let head = genesis
  let fork = 0
  let halted = false
  /** When the last block of a timed chain was made; set at the first call. */
  let lastAtInMs: number | undefined

  const stretchOf = (number: number): Stretch | undefined =>
    stretches.findLast((stretch) => stretch.from <= number) ?? stretches[0]

  const timeInMs = (number: number): number => {
    const stretch = stretchOf(number)
    return stretch === undefined
      ? 0
      : stretch.atInMs + Math.max(0, number - stretch.from) * stretch.everyInMs
  }
  /** The time of a block in unix seconds. */
  const timeOf = (number: number): number => Math.floor(timeInMs(number) / 1000)

  const hashes = new Map<string, string>()
  const hashOf = (number: number): string => {
    const name = `${chainId}/${number}/${stretchOf(number)?.fork ?? 0}`
    const hash = hashes.get(name) ?? `0x${bytesToHex(keccak_256(utf8ToBytes(name)))}`
    hashes.set(name, hash)
    return hash
  }

  const header = (number: number): Header => ({
    number,
    hash: hashOf(number),
    parent: hashOf(number - 1),
    at: timeOf(number),
  })

  // Memory

  const balanceKey = (token: Caip.Address, owner: Caip.Address) => `balance:${token}:${owner}`
  const allowanceKey = (
    token: Caip.Address,
    owner: Caip.Address,
    spender: Caip.Address = rules.kit.contract,
  ) => `allowance:${token}:${owner}:${spender}`
  const permitKey = (token: Caip.Address, owner: Caip.Address) => `permit:${token}:${owner}`
  const nonceKey = (owner: Caip.Address) => `nonce:${owner}`

  const read = (key: string, number: number): bigint | undefined => {
    for (const block of blocks.slice(blocks.findLastIndex((each) => each.number <= number) + 1)) {
      const entry = block.journal.find((each) => each.key === key)
      if (entry !== undefined) return entry.previous
    }
    return cells.get(key)
  }

  /** What accounts hold as of a recent block. */
  const memory = (number: number): Tokens.Memory => ({
    balance: (token, owner) =>
      read(balanceKey(token, owner), number) ?? options.unseen(token, owner),
    allowance: (token, owner, spender) => read(allowanceKey(token, owner, spender), number) ?? 0n,
    permitNonce: (token, owner) => read(permitKey(token, owner), number) ?? 0n,
  })

  const nonceOf = (owner: Caip.Address, number: number = head): number =>
    Number(read(nonceKey(owner), number) ?? 0n)

  const writableMemory = (block: Block): Tokens.WritableMemory => {
    const write = (key: string, value: bigint) => {
      block.journal.push({ key, previous: cells.get(key) })
      cells.set(key, value)
    }
    return {
      balance: (token, owner) =>
        cells.get(balanceKey(token, owner)) ?? options.unseen(token, owner),
      allowance: (token, owner, spender) => cells.get(allowanceKey(token, owner, spender)) ?? 0n,
      permitNonce: (token, owner) => cells.get(permitKey(token, owner)) ?? 0n,
      setBalance: (token, owner, quantity) => write(balanceKey(token, owner), quantity),
      setAllowance: (token, owner, quantity, spender) =>
        write(allowanceKey(token, owner, spender), quantity),
      setPermitNonce: (token, owner, nonce) => write(permitKey(token, owner), nonce),
      isUsed: (authorization) => byAuthorization.has(authorization),
    }
  }

  /** Changes memory from outside, as if it had always been so: a reorganisation does not undo it. */
  const adjust = (key: string, change: (value: bigint | undefined) => bigint): void => {
    cells.set(key, change(cells.get(key)))
    for (const entry of blocks.flatMap((block) => block.journal)) {
      if (entry.key === key) entry.previous = change(entry.previous)
    }
  }
  const mint = (token: Caip.Address, owner: Caip.Address, quantity: bigint): void =>
    adjust(balanceKey(token, owner), (value) => (value ?? options.unseen(token, owner)) + quantity)
  const setAllowance = (token: Caip.Address, owner: Caip.Address, quantity: bigint): void =>
    adjust(allowanceKey(token, owner), () => quantity)

  // Blocks

  const run = (hash: string, transaction: Transaction.Transaction, block: Block): void => {
    const at = timeOf(block.number)
    const outcome = Tokens.execute(
      transaction,
      at,
      writableMemory(block),
      rules,
      options.isAuthorized,
    )
    const key = nonceKey(transaction.sender)
    block.journal.push({ key, previous: cells.get(key) })
    // If the chain has no nonces, a later number may come first.
    cells.set(key, BigInt(Math.max(transaction.nonce + 1, nonceOf(transaction.sender))))
    const before = block.transactions.reduce(
      (count, each) => count + (mined.get(each)?.logs.length ?? 0),
      0,
    )
    block.transactions.push(hash)
    mined.set(hash, {
      hash,
      transaction,
      blockNumber: block.number,
      blockHash: hashOf(block.number),
      at,
      succeeded: outcome.succeeded,
      logs: outcome.logs.map((log, index) => ({ ...log, logIndex: before + index })),
      authorization: outcome.authorization,
    })
    byNonce.set(`${transaction.sender}:${transaction.nonce}`, hash)
    if (outcome.authorization !== null) byAuthorization.set(outcome.authorization, hash)
  }

  /** Whether it is a transaction's turn: if the chain has nonces, it waits for earlier ones. */
  const isTurn = ({ nonce, sender }: Transaction.Transaction): boolean =>
    !rules.kit.isNumbered || nonce === nonceOf(sender)
  const isUsed = (hash: string, { nonce, sender }: Transaction.Transaction): boolean =>
    mined.has(hash) || (rules.kit.isNumbered && nonce < nonceOf(sender))

  /** Whether nodes refuse a transaction for now: of an account that delegates, they take only the next one. */
  const isHeldBack = (hash: string, transaction: Transaction.Transaction): boolean =>
    delegating.has(transaction.sender) && !isUsed(hash, transaction) && !isTurn(transaction)

  /** Runs the transactions that can run, in order of arrival and of nonce; those with used nonces are dropped. */
  const include = (waiting: Set<string>, block: Block): void => {
    let progress = true
    while (progress) {
      progress = false
      for (const hash of waiting) {
        const transaction = known.get(hash)
        if (transaction === undefined || isUsed(hash, transaction)) {
          waiting.delete(hash)
        } else if (isTurn(transaction)) {
          waiting.delete(hash)
          run(hash, transaction, block)
          progress = true
        }
      }
    }
  }

  const store = (block: Block): void => {
    if (block.transactions.length === 0) return
    blocks.push(block)
    while ((blocks[forgotten]?.number ?? head) < head - journalledBlocks) {
      const old = blocks[forgotten]
      if (old !== undefined) old.journal = []
      forgotten += 1
    }
  }

  const extend = (count: number, atInMs: number, everyInMs: number): void => {
    const last = stretches.at(-1)
    const continues =
      last !== undefined &&
      last.fork === fork &&
      last.everyInMs === everyInMs &&
      timeInMs(head) + everyInMs === atInMs
    if (!continues) stretches.push({ from: head + 1, atInMs, everyInMs, fork })
    head += count
  }

  /** Makes some blocks, all at one time or at a pace; the first includes the waiting transactions. */
  const mine = (count: number, atInMs: number, everyInMs: number): void => {
    if (halted || count <= 0) return
    const block: Block = { number: head + 1, transactions: [], journal: [] }
    // No block is older than its parent, whatever the clock shows.
    extend(count, Math.max(atInMs, timeInMs(head)), everyInMs)
    // While a block is made, it is read as the newest.
    include(pending, block)
    store(block)
  }

  /** Advances to the current time: a timed chain makes the blocks that are due by now. */
  const advance = (nowInMs: number): void => {
    if (stretches.length === 0) {
      stretches.push({ from: genesis, atInMs: nowInMs, everyInMs: 0, fork })
    }
    if (typeof options.blocks === "string") return
    const { everyInMs } = options.blocks
    if (lastAtInMs === undefined || halted) {
      lastAtInMs = nowInMs
      return
    }
    const due = Math.floor((nowInMs - lastAtInMs) / everyInMs)
    if (due <= 0) return
    const skipped = Math.max(0, due - blocksPerPauseMax)
    mine(due - skipped, lastAtInMs + everyInMs, everyInMs)
    lastAtInMs += due * everyInMs
  }

  /** Accepts a transaction; submitting the same one again is harmless. */
  const submit = (hash: string, transaction: Transaction.Transaction, nowInMs: number): void => {
    known.set(hash, transaction)
    if (!isUsed(hash, transaction)) pending.add(hash)
    if (options.blocks === "instant" && pending.size > 0) {
      mine(1, nowInMs, 0)
      mine(finalityDepth, nowInMs, 0)
    }
  }

  /** The nonce of an account's next transaction, after the waiting ones. */
  const nextNonce = (owner: Caip.Address): number => {
    let next = nonceOf(owner)
    for (const hash of pending) {
      const transaction = known.get(hash)
      if (transaction?.sender === owner) next = Math.max(next, transaction.nonce + 1)
    }
    return next
  }

  const undo = (block: Block): void => {
    for (const { key, previous } of block.journal.toReversed()) {
      if (previous === undefined) cells.delete(key)
      else cells.set(key, previous)
    }
    for (const hash of block.transactions) {
      const undone = mined.get(hash)
      mined.delete(hash)
      if (undone === undefined) continue
      byNonce.delete(`${undone.transaction.sender}:${undone.transaction.nonce}`)
      if (undone.authorization !== null) byAuthorization.delete(undone.authorization)
    }
  }

  /**
   * Replaces the newest blocks with as many others at the same times. The first of them holds `conflicting`.
   * Transactions of the old blocks wait again, except for those in `drop`.
   */
  const reorg = (
    depth: number,
    drop: ReadonlySet<string> | "all",
    conflicting: ReadonlyArray<string>,
  ): void => {
    const cut = Math.max(genesis, head - Math.min(depth, journalledBlocks))
    const kept = blocks.filter((block) => block.number <= cut)
    const orphans = blocks.slice(kept.length)
    for (const block of orphans.toReversed()) undo(block)
    blocks = kept
    fork += 1
    const first = stretchOf(cut + 1)
    const replayed = stretches.filter((stretch) => stretch.from > cut + 1)
    stretches = stretches.filter((stretch) => stretch.from <= cut)
    if (first !== undefined && cut < head) {
      const atInMs = first.atInMs + (cut + 1 - first.from) * first.everyInMs
      stretches.push({ ...first, from: cut + 1, atInMs, fork })
    }
    for (const stretch of replayed) stretches.push({ ...stretch, fork })

    const block: Block = { number: cut + 1, transactions: [], journal: [] }
    const orphaned = orphans.flatMap((each) => each.transactions)
    const waiting = [...orphaned, ...pending].filter((hash) => drop !== "all" && !drop.has(hash))
    pending.clear()
    if (cut < head) {
      include(new Set(conflicting), block)
      store(block)
    }
    for (const hash of waiting) pending.add(hash)
  }

  return {
    chainId,
    finalityDepth,
    rules,
    head: () => head,
    header,
    timeOf,
    memory,
    nonceOf,
    nextNonce,
    mint,
    setAllowance,
    mine,
    advance,
    submit,
    isHeldBack,
    delegate: (sender: Caip.Address, delegates: boolean): void => {
      if (delegates) delegating.add(sender)
      else delegating.delete(sender)
    },
    reorg,
    /** Makes a transaction known without sending it. */
    learn: (hash: string, transaction: Transaction.Transaction) =>
      void known.set(hash, transaction),
    /** Forgets a waiting transaction, as nodes do. */
    forget: (hash: string) => pending.delete(hash),
    pending: (): ReadonlyArray<string> => [...pending],
    halt: (value: boolean) => {
      halted = value
    },
    transaction: (hash: string) => known.get(hash),
    mined: (hash: string) => mined.get(hash),
    /** The account's mined transaction with this nonce, on a chain with nonces. */
    minedByNonce: (sender: Caip.Address, nonce: number) =>
      rules.kit.isNumbered ? mined.get(byNonce.get(`${sender}:${nonce}`) ?? "") : undefined,
    minedByAuthorization: (authorization: string) =>
      mined.get(byAuthorization.get(authorization) ?? ""),
    /** The mined transactions of some blocks, oldest first. */
    minedIn: (from: number, to: number): ReadonlyArray<Mined> =>
      blocks
        .filter(({ number }) => number >= from && number <= to)
        .flatMap((block) => block.transactions.flatMap((hash) => mined.get(hash) ?? [])),
    /** Every mined transaction of the canonical chain, oldest first. */
    history: (): ReadonlyArray<Mined> =>
      blocks.flatMap((block) => block.transactions.flatMap((hash) => mined.get(hash) ?? [])),
    /** Every balance that was ever touched, with the `token` and `owner` of its key. */
    touched: (): ReadonlyArray<{ readonly key: string; readonly quantity: bigint }> =>
      [...cells].flatMap(([key, quantity]) =>
        key.startsWith("balance:") ? [{ key: key.slice("balance:".length), quantity }] : [],
      ),
  }
}

export type Blockchain = ReturnType<typeof make>
