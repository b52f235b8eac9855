/**
 * A wallet's own transaction. Its signed form shows its hash and its nonce, and so its fate can be determined.
 *
 * A chain includes one transaction for each nonce. So a transaction that is in no block is ruled out, for good, only by
 * another one that took its nonce. A transaction that no node shows may be hidden or held by others, and may be mined
 * at any time.
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

/** The options of a viem client, for a wallet and a node. */
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

/** How many transactions of the account the chain has: all with a nonce smaller than this. */
const countAt = (client: Client, blockTag: "latest" | "pending" | "finalized"): Promise<number> =>
  client.getTransactionCount({ address: client.account.address, blockTag })

const isPassedOver = async (client: Client, signed: Hex): Promise<boolean> =>
  (await countAt(client, "latest")) > nonceOf(signed)

/**
 * The place of the transaction: mined in a block, waiting for one, passed over because another one used its nonce, or
 * not seen anywhere.
 */
type Place = "Mined" | "Waiting" | "PassedOver" | "Unseen"

export const place = async (client: Client, signed: Hex): Promise<Place> => {
  // This order matters: a transaction that is mined between the two calls is found by the second.
  const isPast = await isPassedOver(client, signed)
  const found = await find(client, signed)
  if (found === undefined) return isPast ? "PassedOver" : "Unseen"
  return found.blockNumber === null ? "Waiting" : "Mined"
}

/** Sends it to the node, which may already have it. */
export const broadcast = async (client: Client, signed: Hex): Promise<void> => {
  try {
    await client.sendRawTransaction({ serializedTransaction: signed })
  } catch (error) {
    // The node may have received it although the response was lost.
    if ((await find(client, signed)) === undefined) throw error
  }
}

/** The fate of the transaction. `Replaced` and `Reverted` are permanent, because its nonce is used in a final block. */
export type Fate = "Succeeded" | "Reverted" | "Replaced"

interface Waiting {
  /** Stops the waiting. */
  readonly signal?: AbortSignal | undefined
  /** Called from time to time while its nonce is free. */
  readonly whileFree?: () => Promise<void>
}

const receiptOf = (client: Client, signed: Hex) =>
  client
    .getTransactionReceipt({ hash: hashOf(signed) })
    .catch(unlessMissing(TransactionReceiptNotFoundError))

/** Looks once; undefined if the transaction is not settled, or if the responses contradict each other. */
const look = async (client: Client, signed: Hex): Promise<Fate | undefined> => {
  // This order matters: a final block that is counted has its receipts.
  const isFinal = (await countAt(client, "finalized")) > nonceOf(signed)
  const receipt = await receiptOf(client, signed)
  if (receipt?.status === "success") return "Succeeded"
  if (!isFinal) return undefined
  if (receipt !== undefined) return "Reverted"
  return (await find(client, signed)) === undefined ? "Replaced" : undefined
}

/**
 * How many times in a row the transaction must be seen to have moved nothing. One address may stand for many nodes, and
 * one that lags does not know what another has counted.
 */
const looksForGood = 10

/** The result that the last looks have in common. */
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

/** Resolves once the fate is known. */
export const fate = (client: Client, signed: Hex, waiting: Waiting = {}): Promise<Fate> =>
  lookOn(client, signed, waiting)

/**
 * Empty transactions that should take another transaction's nonce, each for a higher fee. They are stored, so that they
 * are known after a crash.
 */
export interface Instead {
  /** All of them, because a node may have another one than the last. */
  readonly kept: () => ReadonlyArray<string>
  /** Stores a transaction; it is sent only after this returns. */
  readonly keep: (signed: string) => void
}

/** A node replaces a transaction only if the new one bids at least a tenth more. */
const raised = (bid = 0n): bigint => bid + bid / 8n + 1n

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Bids more than the last transaction if that bid is now too low. */
const outbid = async (client: Client, signed: Hex, { keep, kept }: Instead): Promise<void> => {
  const empty = kept().map(hex)
  const last = empty.at(-1)
  const found = await Promise.all([signed, ...empty].map((each) => find(client, each)))
  if (found.every((each) => each === undefined)) {
    // Another transaction of the wallet has the nonce, and must not be cancelled.
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
    // A block may have used the nonce in the meantime.
    if (!(await isPassedOver(client, signed))) throw error
  }
}

/** `Emptied` if the empty transaction took its nonce, for good; `Replaced` if another one did. */
export type TakenBack = Fate | "Emptied"

/** Takes the transaction back, if no block has it, with an empty one that has the same nonce; resolves to its fate. */
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
