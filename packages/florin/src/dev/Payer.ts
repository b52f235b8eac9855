/**
 * The signer of a wallet whose key is known: it signs each message, and sends each transaction and waits for it.
 *
 * @module
 */
import type { SignerRequest } from "@florin/client"
import type * as Wallet from "@florin/testing/Wallet"
import { createWalletClient, defineChain, http, publicActions } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as Failure from "../terminal/Failure.ts"

type Hex = `0x${string}`

export const hex = (text: string): Hex => `0x${text.slice("0x".length)}`

/** The options of a viem client, for a wallet and a node. */
export const connection = (wallet: Wallet.Payer, { chainId, rpcUrl }: ReadyFile.Reached) => ({
  account: privateKeyToAccount(hex(wallet.privateKey)),
  chain: defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  }),
  transport: http(),
})

/** How often a node is asked for a transaction. */
const pollingInterval = 200

export const signer = (wallet: Wallet.Wallet, chains: ReadonlyArray<ReadyFile.Reached>) => ({
  request: async (asked: SignerRequest): Promise<string> => {
    if (asked.method !== "eth_sendTransaction") return wallet.request(asked)
    const node = chains.find(({ chainId }) => asked.chainId === `eip155:${chainId}`)
    if (node === undefined) {
      throw Failure.make(`the wallet has no node of ${asked.chainId}: add --rpc CHAIN=URL`)
    }
    const client = createWalletClient({ ...connection(wallet, node), pollingInterval })
    const [{ data, to }] = asked.params
    const hash = await client.sendTransaction({ to: hex(to), data: hex(data) })
    const { status } = await client.extend(publicActions).waitForTransactionReceipt({ hash })
    if (status === "reverted") throw Failure.make(`the chain reverted the transaction ${hash}`)
    return hash
  },
})
