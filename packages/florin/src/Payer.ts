/**
 * A payer's wallet, as a wallet's developer would plug it in: what is to be signed it signs, what is to be sent it sends,
 * and waits for it.
 *
 * A wallet that has the key itself knows a transaction before anybody else does. So it is kept as signed before it is
 * sent, and after a crash the very same one is sent again: a chain takes it once at most.
 *
 * @module
 */
import type { SignerRequest } from "@florin/client"
import type * as Wallet from "@florin/testing/Wallet"
import * as Schema from "effect/Schema"
import {
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseTransaction,
  publicActions,
  TransactionNotFoundError,
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as LocalChains from "./LocalChains.ts"

/** A transaction that moved nothing, and never will: whoever pays begins anew. */
export class Undone extends Schema.TaggedError<Undone>()("Undone", {
  message: Schema.String,
}) {}

/** A transaction that may be on its way unseen: whoever pays anew before it is settled may pay twice. */
export class MayLand extends Schema.TaggedError<MayLand>()("MayLand", {
  message: Schema.String,
}) {}

/** Somebody stopped the waiting; a transaction that was sent is still under way. */
class NotAwaited extends Schema.TaggedError<NotAwaited>()("NotAwaited", {
  message: Schema.String,
}) {}

/** How a wallet that may be killed at any time sends nothing twice. */
export interface Keeping {
  /** The transaction that an earlier process signed for the step, and may have sent. */
  readonly signed: () => string | undefined
  /** Keeps a transaction that was signed; it is sent only once this returns. */
  readonly keep: (signed: string) => void
  /** Asked before anything is sent. */
  readonly isTooLate: () => Promise<boolean>
}

interface Options {
  /** How often a node is asked for a transaction. */
  readonly pollInMs?: number
  readonly keeping?: Keeping
  /** Stops the waiting for what was sent. */
  readonly signal?: AbortSignal
}

const localPollInMs = 100

/** For a wallet that lives as long as its payment. */
const nothingKept: Keeping = {
  signed: () => undefined,
  keep: () => undefined,
  isTooLate: () => Promise.resolve(false),
}

const hex = (text: string): `0x${string}` => `0x${text.slice("0x".length)}`

/** What a client of viem is made of, for a wallet and a node. */
export const connection = (wallet: Wallet.Wallet, { chainId, rpcUrl }: LocalChains.Reached) => ({
  account: privateKeyToAccount(hex(wallet.privateKey)),
  chain: defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  }),
  transport: http(),
})

const connect = (wallet: Wallet.Wallet, node: LocalChains.Reached, pollingInterval: number) =>
  createWalletClient({ ...connection(wallet, node), pollingInterval }).extend(publicActions)

type Client = ReturnType<typeof connect>
type Hash = `0x${string}`

/** Whether the node has it, in a block or waiting for one. */
const isKnown = (client: Client, hash: Hash): Promise<boolean> =>
  client.getTransaction({ hash }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TransactionNotFoundError) return false
      throw error
    },
  )

/** Whether the account's transactions have gone past it. */
const isPassedOver = async (client: Client, signed: Hash): Promise<boolean> => {
  const { address } = client.account
  return (await client.getTransactionCount({ address })) > (parseTransaction(signed).nonce ?? 0)
}

/** Resolves to the hash under which the chain has it: whoever outbids a transaction gives it another. */
const landed = async (client: Client, sent: Hash): Promise<Hash> => {
  let isOther = false
  const receipt = await client.waitForTransactionReceipt({
    hash: sent,
    onReplaced: ({ reason }) => {
      isOther = reason !== "repriced"
    },
  })
  const { status, transactionHash: hash } = receipt
  if (isOther) {
    throw new Undone({
      message: `another transaction of the wallet, ${hash}, took the place of ${sent}, which moved nothing: begin anew`,
    })
  }
  if (status === "reverted") {
    throw new Undone({
      message: `the chain took the transaction ${hash} and reverted it, so it moved nothing: begin anew`,
    })
  }
  return hash
}

const orStopped = <A>(work: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? work
    : new Promise((resolve, reject) => {
        const stop = () =>
          reject(new NotAwaited({ message: "the transaction was not waited for to its end" }))
        if (signal.aborted) stop()
        signal.addEventListener("abort", stop, { once: true })
        work.then(resolve, reject)
      })

/** A node that does not show a transaction may hide it, or have forgotten what others still hold. */
const mayLand = (signed: Hash): MayLand => {
  const nonce = parseTransaction(signed).nonce ?? 0
  return new MayLand({
    message: `the transaction ${keccak256(signed)} may have been sent, and may still land, and it is too late to send it again: do not pay anew, but wait for it, or cancel it by a transaction of your own with the nonce ${nonce}`,
  })
}

/** Sends what an earlier process signed, or else signs, keeps and sends. */
const send = async (
  client: Client,
  call: { readonly to: Hash; readonly data: Hash },
  { isTooLate, keep, signed }: Keeping,
): Promise<Hash> => {
  const kept = signed()
  if (kept !== undefined) {
    // In this order: what a block takes in between is known by then.
    const isPast = await isPassedOver(client, hex(kept))
    const hash = keccak256(hex(kept))
    if (await isKnown(client, hash)) return hash
    if (isPast) {
      throw new Undone({
        message: `another transaction of the wallet took the place of ${hash}: look at what it moved, and begin anew`,
      })
    }
  }
  if (await isTooLate()) {
    if (kept !== undefined) throw mayLand(hex(kept))
    throw new Undone({ message: "it is too late to send a transaction, and none was: begin anew" })
  }
  const raw =
    kept === undefined
      ? await client.signTransaction(await client.prepareTransactionRequest(call))
      : hex(kept)
  if (kept === undefined) keep(raw)
  try {
    return await client.sendRawTransaction({ serializedTransaction: raw })
  } catch (error) {
    // It may have arrived though the answer did not.
    if (await isKnown(client, keccak256(raw))) return keccak256(raw)
    throw error
  }
}

export const signer = (
  wallet: Wallet.Wallet,
  chains: ReadonlyArray<LocalChains.Reached>,
  { keeping = nothingKept, pollInMs = localPollInMs, signal }: Options = {},
) => ({
  request: async (asked: SignerRequest): Promise<string> => {
    if (asked.method !== "eth_sendTransaction") return wallet.request(asked)
    const found = chains.find(({ chainId }) => asked.chainId === `eip155:${chainId}`)
    if (found === undefined) throw new Error(`${asked.chainId} is none of the local chains`)
    const [{ data, to }] = asked.params
    const client = connect(wallet, found, pollInMs)
    const hash = await send(client, { to: hex(to), data: hex(data) }, keeping)
    return orStopped(landed(client, hash), signal)
  },
})
