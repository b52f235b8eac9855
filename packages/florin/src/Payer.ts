/**
 * A payer's wallet on local chains, as a wallet's developer would plug it in: what is to be signed it signs, what is to be
 * sent it sends, and waits for it.
 *
 * @module
 */
import type { SignerRequest } from "@florin/client"
import type * as Wallet from "@florin/testing/Wallet"
import { createWalletClient, defineChain, http, publicActions } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as LocalChains from "./LocalChains.ts"

const hex = (text: string): `0x${string}` => `0x${text.slice("0x".length)}`

const chainOf = ({ chainId, rpcUrl }: LocalChains.Reached) =>
  defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })

const localPollInMs = 100

export const signer = (
  wallet: Wallet.Wallet,
  chains: ReadonlyArray<LocalChains.Reached>,
  pollInMs = localPollInMs,
) => ({
  request: async (asked: SignerRequest): Promise<string> => {
    if (asked.method !== "eth_sendTransaction") return wallet.request(asked)
    const found = chains.find(({ chainId }) => asked.chainId === `eip155:${chainId}`)
    if (found === undefined) throw new Error(`${asked.chainId} is none of the local chains`)
    const [{ data, to }] = asked.params
    const client = createWalletClient({
      account: privateKeyToAccount(hex(wallet.privateKey)),
      chain: chainOf(found),
      transport: http(),
      pollingInterval: pollInMs,
    }).extend(publicActions)
    const hash = await client.sendTransaction({ to: hex(to), data: hex(data) })
    await client.waitForTransactionReceipt({ hash })
    return hash
  },
})
