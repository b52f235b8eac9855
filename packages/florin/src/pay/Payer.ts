/**
 * A payer's wallet, as a wallet's developer would connect it: it signs each message, and sends each transaction and
 * waits for it.
 *
 * A wallet that has the key knows a transaction before anybody else does. So it stores the signed transaction before it
 * sends it, and sends the very same one again after a crash: a chain includes it once at most.
 *
 * @module
 */
import type { SignerRequest } from "@florin/client"
import type * as Wallet from "@florin/testing/Wallet"
import * as Schema from "effect/Schema"
import { WaitForTransactionReceiptTimeoutError } from "viem"
import type * as LocalChains from "../dev/LocalChains.ts"
import * as OwnTransaction from "./OwnTransaction.ts"
import { hex, type Client, type Hex } from "./OwnTransaction.ts"

/** A transaction that moved nothing, and never will. The payer can start again. */
export class Undone extends Schema.TaggedError<Undone>()("Undone", {
  message: Schema.String,
}) {}

/** A transaction that may be under way unseen. A payer who pays again before it is settled may pay twice. */
export class MayLand extends Schema.TaggedError<MayLand>()("MayLand", {
  message: Schema.String,
}) {}

/** The waiting was stopped; a transaction that was sent is still under way. */
class NotAwaited extends Schema.TaggedError<NotAwaited>()("NotAwaited", {
  message: Schema.String,
}) {}

/** Whether a payment accepts what is sent now. While it closes, a new transaction could come too late. */
export type Standing = "Open" | "Closing" | "Over"

/** How a wallet that may be killed at any time avoids sending anything twice. */
export interface Keeping {
  /** The transaction that an earlier process signed for the step and may have sent. */
  readonly signed: () => string | undefined
  /** Stores a signed transaction; it is sent only after this returns. */
  readonly keep: (signed: string) => void
  /** Called before anything is sent. */
  readonly standing: () => Promise<Standing>
  /** Whether the step sends the money itself. Any other transaction costs no money if it comes too late. */
  readonly sendsMoney: () => boolean
}

interface Options {
  /** How often a node is asked for a transaction. */
  readonly pollInMs?: number
  readonly keeping?: Keeping
  /** Stops the waiting for what was sent. */
  readonly signal?: AbortSignal
}

const localPollInMs = 100

/** For a wallet that exists only as long as its payment. */
const nothingKept: Keeping = {
  signed: () => undefined,
  keep: () => undefined,
  standing: () => Promise.resolve("Open"),
  sendsMoney: () => true,
}

/** Its nonce was used. Returns its hash if it moved the money after all. */
const concluded = async (
  client: Client,
  signed: Hex,
  signal: AbortSignal | undefined,
): Promise<Hex> => {
  const hash = OwnTransaction.hashOf(signed)
  switch (await OwnTransaction.fate(client, signed, { signal })) {
    case "Succeeded":
      return hash
    case "Reverted":
      throw new Undone({
        message: `the chain took the transaction ${hash} and reverted it, so it moved nothing: start again`,
      })
    case "Replaced":
      throw new Undone({
        message: `another transaction of the wallet replaced ${hash}: check what it moved, and start again`,
      })
  }
}

/** Resolves to the hash that the chain has: a wallet that raises the fee of a transaction changes its hash. */
const landed = async (
  client: Client,
  signed: Hex,
  signal: AbortSignal | undefined,
): Promise<Hex> => {
  const hash = OwnTransaction.hashOf(signed)
  let isOther = false
  try {
    const { status, transactionHash } = await client.waitForTransactionReceipt({
      hash,
      onReplaced: ({ reason }) => {
        isOther = reason !== "repriced"
      },
    })
    return isOther || status === "reverted"
      ? await concluded(client, signed, signal)
      : transactionHash
  } catch (error) {
    if (!(error instanceof WaitForTransactionReceiptTimeoutError)) throw error
    throw new MayLand({ message: `the transaction ${hash} is sent, and no block has taken it yet` })
  }
}

const orStopped = <A>(work: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? work
    : new Promise((resolve, reject) => {
        const stop = () =>
          reject(new NotAwaited({ message: "the wait for the transaction was interrupted" }))
        if (signal.aborted) stop()
        signal.addEventListener("abort", stop, { once: true })
        work.then(resolve, reject)
      })

/** Sends the transaction that an earlier process signed, if it may still be sent; returns it once the chain has it. */
const sendAgain = async (
  client: Client,
  signed: Hex,
  { sendsMoney, standing }: Keeping,
  signal: AbortSignal | undefined,
): Promise<Hex> => {
  const place = await OwnTransaction.place(client, signed)
  if (place === "Mined") return signed
  if (place === "PassedOver") {
    await concluded(client, signed, signal)
    return signed
  }
  const stands = await standing()
  if (stands === "Open" || (stands === "Closing" && place === "Waiting")) {
    if (place === "Unseen") await OwnTransaction.broadcast(client, signed)
    return signed
  }
  const hash = OwnTransaction.hashOf(signed)
  if (!sendsMoney()) {
    throw new Undone({
      message: `it is too late to pay, and nothing was paid: the transaction ${hash} moves no money`,
    })
  }
  throw new MayLand({
    message:
      place === "Waiting"
        ? `the transaction ${hash} is on its way, and too late for its payment`
        : `the transaction ${hash} may have been sent, may still land, and is too late for its payment`,
  })
}

/** Sends the transaction that was signed before, or else signs, stores and sends a new one. */
const send = async (
  client: Client,
  call: { readonly to: Hex; readonly data: Hex },
  keeping: Keeping,
  signal: AbortSignal | undefined,
): Promise<Hex> => {
  const kept = keeping.signed()
  if (kept !== undefined) return sendAgain(client, hex(kept), keeping, signal)
  if ((await keeping.standing()) !== "Open") {
    throw new Undone({
      message: "it is too late to send a transaction, and none was sent: start again",
    })
  }
  const signed = await client.signTransaction(await client.prepareTransactionRequest(call))
  keeping.keep(signed)
  await OwnTransaction.broadcast(client, signed)
  return signed
}

export const signer = (
  wallet: Wallet.Wallet,
  chains: ReadonlyArray<LocalChains.Reached>,
  { keeping = nothingKept, pollInMs = localPollInMs, signal }: Options = {},
) => ({
  request: async (asked: SignerRequest): Promise<string> => {
    if (asked.method !== "eth_sendTransaction") return wallet.request(asked)
    const found = chains.find(({ chainId }) => asked.chainId === `eip155:${chainId}`)
    if (found === undefined) throw new Error(`${asked.chainId} is not a local chain`)
    const [{ data, to }] = asked.params
    const client = OwnTransaction.connect(wallet, found, pollInMs)
    const signed = await send(client, { to: hex(to), data: hex(data) }, keeping, signal)
    return orStopped(landed(client, signed, signal), signal)
  },
})
