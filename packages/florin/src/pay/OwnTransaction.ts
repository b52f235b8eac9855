/**
 * A transaction of one's own: whoever has it as it was signed knows its hash and its nonce, and so what became of it.
 *
 * A chain takes one transaction for each nonce. So one that is in no block is ruled out by nothing but another one that
 * took its nonce, for good: what no node shows may be hidden, or held by others, and may land at any time.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import type * as Wallet from "@florin/testing/Wallet"
import {
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseTransaction,
  publicActions,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Chain,
  type HttpTransport,
  type PublicClient,
  type WalletClient,
} from "viem"
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts"
import type * as LocalChains from "../dev/LocalChains.ts"

export type Hex = `0x${string}`

export const hex = (text: string): Hex => `0x${text.slice("0x".length)}`

/** What a client of viem is made of, for a wallet and a node. */
export const connection = (wallet: Wallet.Payer, { chainId, rpcUrl }: LocalChains.Reached) => ({
  account: privateKeyToAccount(hex(wallet.privateKey)),
  chain: defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  }),
  transport: http(),
})

export type Client = PublicClient<HttpTransport, Chain, PrivateKeyAccount> &
  WalletClient<HttpTransport, Chain, PrivateKeyAccount>

export const connect = (
  wallet: Wallet.Wallet,
  node: LocalChains.Reached,
  pollingInterval: number,
): Client =>
  createWalletClient({ ...connection(wallet, node), pollingInterval }).extend(publicActions)

export const hashOf = (signed: Hex): Hex => keccak256(signed)

const nonceOf = (signed: Hex): number => parseTransaction(signed).nonce ?? 0

const unlessMissing =
  (kind: typeof TransactionNotFoundError | typeof TransactionReceiptNotFoundError) =>
  (error: unknown): undefined => {
    if (error instanceof kind) return undefined
    throw error
  }

const find = (client: Client, signed: Hex) =>
  client.getTransaction({ hash: hashOf(signed) }).catch(unlessMissing(TransactionNotFoundError))

/** How many of the account's transactions the chain has: all that have a smaller nonce than this. */
const countAt = (client: Client, blockTag: "latest" | "pending" | "finalized"): Promise<number> =>
  client.getTransactionCount({ address: client.account.address, blockTag })

const isPassedOver = async (client: Client, signed: Hex): Promise<boolean> =>
  (await countAt(client, "latest")) > nonceOf(signed)

/** Where the chain has it: in a block, waiting for one, nowhere as another one has its nonce, or nowhere to be seen. */
type Place = "Mined" | "Waiting" | "PassedOver" | "Unseen"

export const place = async (client: Client, signed: Hex): Promise<Place> => {
  // In this order: what a block takes in between is known by then.
  const isPast = await isPassedOver(client, signed)
  const found = await find(client, signed)
  if (found === undefined) return isPast ? "PassedOver" : "Unseen"
  return found.blockNumber === null ? "Waiting" : "Mined"
}

/** Gives it to the node, which may have it already. */
export const broadcast = async (client: Client, signed: Hex): Promise<void> => {
  try {
    await client.sendRawTransaction({ serializedTransaction: signed })
  } catch (error) {
    // It may have arrived though the answer did not.
    if ((await find(client, signed)) === undefined) throw error
  }
}

/** What became of it. `Replaced` and `Reverted` are so for good, as its nonce is used in a final block. */
export type Fate = "Succeeded" | "Reverted" | "Replaced"

interface Waiting {
  /** Stops the waiting. */
  readonly signal?: AbortSignal | undefined
  /** Done now and then, as long as its nonce is free. */
  readonly whileFree?: () => Promise<void>
}

const receiptOf = (client: Client, signed: Hex) =>
  client
    .getTransactionReceipt({ hash: hashOf(signed) })
    .catch(unlessMissing(TransactionReceiptNotFoundError))

/** One look at it; undefined where it is not settled, or where the answers do not fit each other. */
const look = async (client: Client, signed: Hex): Promise<Fate | undefined> => {
  // In this order: a final block that is counted has its receipts.
  const isFinal = (await countAt(client, "finalized")) > nonceOf(signed)
  const receipt = await receiptOf(client, signed)
  if (receipt?.status === "success") return "Succeeded"
  if (!isFinal) return undefined
  if (receipt !== undefined) return "Reverted"
  return (await find(client, signed)) === undefined ? "Replaced" : undefined
}

/**
 * How often in a row it is seen to have moved nothing before that is believed: behind one address there are many nodes,
 * and one that lags knows nothing of what another one has counted.
 */
const looksForGood = 10

/** What the last looks have seen alike. */
interface Seen {
  readonly found: Fate | undefined
  readonly times: number
}

const lookOn = async (
  client: Client,
  signed: Hex,
  waiting: Waiting,
  last: Seen = { found: undefined, times: 0 },
): Promise<Fate> => {
  const found = await look(client, signed)
  const times = found === last.found ? last.times + 1 : 1
  if (found === "Succeeded" || (found !== undefined && times === looksForGood)) return found
  if (found === undefined && !(await isPassedOver(client, signed))) await waiting.whileFree?.()
  await setTimeout(client.pollingInterval, undefined, { signal: waiting.signal })
  return lookOn(client, signed, waiting, { found, times })
}

/** Resolves once it is known. */
export const fate = (client: Client, signed: Hex, waiting: Waiting = {}): Promise<Fate> =>
  lookOn(client, signed, waiting)

/** Empty transactions that are to take another's nonce, each for a higher fee, kept so that they are known after a crash. */
export interface Instead {
  /** All of them: whichever was sent last, a node may have another one. */
  readonly kept: () => ReadonlyArray<string>
  /** It is sent only once this returns. */
  readonly keep: (signed: string) => void
}

/** A node takes one transaction for another only where it bids at least a tenth more. */
const raised = (bid = 0n): bigint => bid + bid / 8n + 1n

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Bids more than the last one, where that is too little by now. */
const outbid = async (client: Client, signed: Hex, { keep, kept }: Instead): Promise<void> => {
  const empty = kept().map(hex)
  const last = empty.at(-1)
  const found = await Promise.all([signed, ...empty].map((each) => find(client, each)))
  if (found.every((each) => each === undefined)) {
    // Another one of the wallet has the nonce, and is not for us to call off.
    if ((await countAt(client, "pending")) > nonceOf(signed)) return
  }
  const market = await client.estimateFeesPerGas()
  const bid = parseTransaction(last ?? signed)
  const isEnough = last !== undefined && market.maxFeePerGas <= (bid.maxFeePerGas ?? 0n)
  const next = isEnough
    ? last
    : await client.signTransaction(
        await client.prepareTransactionRequest({
          to: client.account.address,
          value: 0n,
          nonce: nonceOf(signed),
          maxFeePerGas: larger(market.maxFeePerGas, raised(bid.maxFeePerGas)),
          maxPriorityFeePerGas: larger(
            market.maxPriorityFeePerGas,
            raised(bid.maxPriorityFeePerGas),
          ),
        }),
      )
  if (!isEnough) keep(next)
  try {
    await broadcast(client, next)
  } catch (error) {
    // A block may have taken the nonce meanwhile.
    if (!(await isPassedOver(client, signed))) throw error
  }
}

/** `Emptied` where the empty one has its nonce, for good; `Replaced` where another one has. */
export type TakenBack = Fate | "Emptied"

/** Takes it back where no block has it, by an empty one with its nonce; resolves to what became of it. */
export const takeBack = async (
  client: Client,
  signed: Hex,
  instead: Instead,
  signal: AbortSignal,
): Promise<TakenBack> => {
  const whileFree = () => outbid(client, signed, instead)
  const known = await fate(client, signed, { signal, whileFree })
  if (known !== "Replaced") return known
  const receipts = await Promise.all(instead.kept().map((each) => receiptOf(client, hex(each))))
  return receipts.some((each) => each !== undefined) ? "Emptied" : known
}
