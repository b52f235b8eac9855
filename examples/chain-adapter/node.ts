/**
 * The toy chain as a program sees it over a network, and the functions with which a test controls it.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Sdk from "./sdk.ts"

export interface Block {
  readonly number: number
  readonly hash: string
  readonly timeInS: number
}

export interface Moved {
  readonly token: string
  readonly from: string
  readonly to: string
  readonly quantity: bigint
}

/** A transaction in a block of the canonical chain. */
export interface Mined {
  readonly hash: string
  readonly sender: string
  readonly memo: number
  readonly block: Block
  /** Its position in the block, from 0. */
  readonly index: number
  /** Null if the transaction failed or moves nothing. */
  readonly moved: Moved | null
}

/** A node. Every call rejects while the node does not respond. */
export interface Node {
  readonly head: () => Promise<Block>
  readonly block: (number: number) => Promise<Block | null>
  readonly mined: (hash: string) => Promise<Mined | null>
  /** The transactions of a block, in block order. */
  readonly minedIn: (number: number) => Promise<ReadonlyArray<Mined>>
  /** The transaction that used up a payer's pledge. */
  readonly pledgeUse: (payer: string, nonce: string) => Promise<Mined | null>
  readonly balance: (token: string, address: string) => Promise<bigint>
  /** Whether the token's issuer prevents an address from sending and receiving it. */
  readonly isBlocked: (token: string, address: string) => Promise<boolean>
  readonly submit: (raw: string) => Promise<void>
}

/** One chain with its node, and the functions that control it. Blocks are made only by these functions. */
export const make = (chain: string, now: () => number) => {
  const holdings = new Map<string, bigint>()
  const blocked = new Set<string>()
  const mined = new Map<string, Mined>()
  const pledges = new Map<string, Mined>()
  let waiting: ReadonlyArray<Sdk.Decoded> = []
  let connected = true
  let aheadInS = 0
  let forks = 0

  const nowInS = (): number => Math.floor(now() / 1000) + aheadInS
  const blockOf = (number: number, timeInS: number) => {
    const hash = bytesToHex(sha256(utf8ToBytes(`${chain}/${number}/${forks}`)))
    return { number, hash, timeInS, holds: new Array<Sdk.Decoded>() }
  }
  let blocks = [blockOf(0, nowInS())]

  const key = (one: string, other: string): string => `${one}:${other}`
  const held = (token: string, address: string): bigint => holdings.get(key(token, address)) ?? 0n
  const add = (token: string, address: string, quantity: bigint) =>
    void holdings.set(key(token, address), held(token, address) + quantity)
  const move = ({ from, quantity, to, token }: Moved) => {
    add(token, from, -quantity)
    add(token, to, quantity)
  }

  const wishOf = ({ pledge, transaction: { call, sender } }: Sdk.Decoded): Moved | null => {
    if (pledge !== null) return { ...pledge, from: pledge.payer, to: pledge.payee }
    return call._tag === "Pay" ? { ...call, from: sender } : null
  }

  /** The money that a transaction moves. It moves the full amount or nothing. */
  const movedBy = (each: Sdk.Decoded): Moved | null => {
    const wish = wishOf(each)
    const isPossible =
      wish !== null &&
      !blocked.has(key(wish.token, wish.from)) &&
      !blocked.has(key(wish.token, wish.to)) &&
      held(wish.token, wish.from) >= wish.quantity
    return isPossible ? wish : null
  }

  /** The pledge that a transaction uses up. */
  const usedBy = ({ pledge, transaction: { call, sender } }: Sdk.Decoded): string | null => {
    if (pledge !== null) return key(pledge.payer, pledge.nonce)
    return call._tag === "Revoke" ? key(sender, call.nonce) : null
  }

  const include = (each: Sdk.Decoded, { holds, ...block }: (typeof blocks)[number]) => {
    const { hash, pledge, transaction } = each
    const { memo, sender, until } = transaction
    const used = usedBy(each)
    const endsAt = Math.min(until, pledge?.endsAt ?? until)
    if (mined.has(hash) || (used !== null && pledges.has(used)) || block.timeInS >= endsAt) return
    const moved = movedBy(each)
    const result: Mined = { hash, sender, memo, block, index: holds.length, moved }
    if (moved !== null) move(moved)
    mined.set(hash, result)
    if (used !== null) pledges.set(used, result)
    holds.push(each)
  }

  const undo = (each: Sdk.Decoded) => {
    const moved = mined.get(each.hash)?.moved
    const used = usedBy(each)
    if (moved) move({ ...moved, from: moved.to, to: moved.from })
    mined.delete(each.hash)
    if (used !== null) pledges.delete(used)
  }

  const head = () => blocks.at(-1) ?? blockOf(0, 0)

  const mine = (count = 1) => {
    for (let made = 0; made < count; made++) {
      const block = blockOf(head().number + 1, Math.max(nowInS(), head().timeInS))
      for (const each of waiting) include(each, block)
      waiting = []
      blocks.push(block)
    }
  }

  const reorg = (depth: number, orphans: "forgotten" | "waiting") => {
    const gone = blocks.slice(-depth)
    const orphaned = gone.flatMap(({ holds }) => holds)
    for (const each of orphaned.toReversed()) undo(each)
    forks += 1
    blocks = blocks
      .slice(0, -depth)
      .concat(gone.map(({ number, timeInS }) => blockOf(number, timeInS)))
    waiting = orphans === "waiting" ? [...orphaned, ...waiting] : []
  }

  const answer = <A>(read: () => A): Promise<A> =>
    connected ? Promise.resolve(read()) : Promise.reject(new Error("the node does not answer"))

  const node: Node = {
    head: () => answer(head),
    block: (number) => answer(() => blocks[number] ?? null),
    mined: (hash) => answer(() => mined.get(hash) ?? null),
    minedIn: (number) =>
      answer(() =>
        [...mined.values()]
          .filter(({ block }) => block.number === number)
          .toSorted((left, right) => left.index - right.index),
      ),
    pledgeUse: (payer, nonce) => answer(() => pledges.get(key(payer, nonce)) ?? null),
    balance: (token, address) => answer(() => held(token, address)),
    isBlocked: (token, address) => answer(() => blocked.has(key(token, address))),
    submit: (raw) =>
      answer(() => {
        const each = Sdk.decode(raw)
        const { chain: named = chain } = each.pledge ?? {}
        if (each.transaction.chain !== chain || named !== chain) throw new Error("another chain")
        waiting = [...waiting, each]
      }),
  }

  return {
    node,
    nowInS,
    mine,
    reorg,
    fund: add,
    pass: (seconds: number) => void (aheadInS += seconds),
    connect: (isConnected: boolean) => void (connected = isConnected),
    block: (token: string, address: string, isBlocked: boolean) =>
      void (isBlocked ? blocked.add(key(token, address)) : blocked.delete(key(token, address))),
  }
}

/** A chain that a test controls. */
export type World = ReturnType<typeof make>
