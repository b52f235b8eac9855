/**
 * Wallets in the browser: discovered with EIP-6963, called with EIP-1193. A wallet's data about itself is unverified:
 * it is shown as text, never trusted.
 *
 * @module
 */
import type { Signer } from "@florin/client"
import * as SafeUrl from "./SafeUrl.ts"

export interface Provider {
  readonly request: (request: {
    readonly method: string
    readonly params?: ReadonlyArray<unknown>
  }) => Promise<unknown>
}

export interface InjectedWallet {
  /** The same wallet has the same id after a reload. */
  readonly id: string
  readonly name: string
  readonly icon: string | undefined
  readonly provider: Provider
  /** Present if the wallet is not in this browser. */
  readonly remote?: Remote
}

/** A wallet on another device, which is connected only while the payer wants it. */
export interface Remote {
  /** The name of the transport, until the wallet's own name is known. */
  readonly brand: string
  /** What it shares, as CAIP-10: it may share other addresses on each chain. */
  readonly accounts: () => ReadonlyArray<string>
  readonly isConnected: () => boolean
  /** Keeps the connection, even if the payer leaves, until the returned function is called. */
  readonly hold: () => () => void
  /** Reports the URI that the wallet must open, while it is needed. Returns the function that stops it. */
  readonly watch: (changed: (uri: string | undefined) => void) => () => void
}

const nameMaxLength = 40

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

const isProvider = (value: unknown): value is Provider =>
  isObject(value) && typeof value["request"] === "function"

/** A wallet's name for itself; undefined if it has none. */
export const shownName = (name: unknown): string | undefined =>
  typeof name !== "string" || name.trim() === ""
    ? undefined
    : Array.from(name.trim()).slice(0, nameMaxLength).join("")

/** Reads an announcement; undefined if it is something else. */
export const read = (detail: unknown): InjectedWallet | undefined => {
  if (!isObject(detail) || !isObject(detail["info"]) || !isProvider(detail["provider"])) {
    return undefined
  }
  const { info, provider } = detail
  const { rdns } = info
  const name = shownName(info["name"])
  if (name === undefined || typeof rdns !== "string") return undefined
  return { id: rdns, name, icon: SafeUrl.walletIcon(info["icon"]), provider }
}

const namelessAfterMs = 500

/**
 * Reports every wallet, now and later; returns the function that stops it. The browsers of some wallet apps announce
 * nothing, and only have `window.ethereum`: that is a wallet without a name, if no other is there.
 */
export const discover = (
  target: EventTarget,
  nameless: string,
  found: (wallet: InjectedWallet) => void,
) => {
  const listen = (event: globalThis.Event) => {
    const wallet = read("detail" in event ? event.detail : undefined)
    if (wallet === undefined) return
    clearTimeout(timer)
    found(wallet)
  }
  const timer = setTimeout(() => {
    const provider = "ethereum" in target ? target.ethereum : undefined
    if (isProvider(provider)) {
      found({ id: "window.ethereum", name: nameless, icon: undefined, provider })
    }
  }, namelessAfterMs)
  target.addEventListener("eip6963:announceProvider", listen)
  target.dispatchEvent(new Event("eip6963:requestProvider"))
  return () => {
    clearTimeout(timer)
    target.removeEventListener("eip6963:announceProvider", listen)
  }
}

/** The code of an EIP-1193 error. Some wallets wrap the error that matters. */
export const codeOf = (error: unknown): unknown => {
  if (!isObject(error)) return undefined
  const data = error["data"]
  const inner = isObject(data) && isObject(data["originalError"]) ? data["originalError"] : {}
  return inner["code"] ?? error["code"]
}

/** The wallet is not on the chain that a step needs, and did not switch to it. */
export class WrongNetwork extends Error {
  override readonly name = "WrongNetwork"
  readonly chain: string

  constructor(chain: string, cause?: unknown) {
    super(`the wallet did not change to ${chain}`, { cause })
    this.chain = chain
  }
}

/** The addresses that the payer shares. The wallet asks with its own dialog or, with `silent`, without any. */
export const addresses = async (
  provider: Provider,
  silent: boolean,
): Promise<ReadonlyArray<string>> => {
  const response = await provider.request({
    method: silent ? "eth_accounts" : "eth_requestAccounts",
  })
  return Array.isArray(response)
    ? response.filter((one) => typeof one === "string" && /^0x[0-9a-fA-F]{40}$/u.test(one))
    : []
}

/** Every address on every chain, as CAIP-10. */
export const accounts = (
  held: ReadonlyArray<string>,
  chains: Iterable<string>,
): ReadonlyArray<string> => {
  const all = [...chains]
  return held.flatMap((address) => all.map((chain) => `${chain}:${address}`))
}

/** The chain of an account, both in CAIP format. */
export const chainOf = (account: string): string => account.slice(0, account.lastIndexOf(":"))

/** A chain's number as EIP-1193 writes it. */
export const hexOf = (chain: string): string =>
  `0x${BigInt(chain.slice("eip155:".length)).toString(16)}`

const isOn = async (provider: Provider, chain: string): Promise<boolean> => {
  const response = await provider.request({ method: "eth_chainId" })
  return typeof response === "string" && `eip155:${BigInt(response)}` === chain
}

const goTo = async (provider: Provider, chain: string): Promise<void> => {
  const chainId = hexOf(chain)
  try {
    if (await isOn(provider, chain)) return
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] })
    // Some wallets report success, but do not switch.
    if (await isOn(provider, chain)) return
  } catch (cause) {
    throw new WrongNetwork(chain, cause)
  }
  throw new WrongNetwork(chain)
}

/** Why the wallet must not send any more: the payer has left the attempt or the payment is over, or the offer expires. */
export type Lateness = "attempt" | "option"

/** It was too late before the wallet was asked to send: nothing was sent. */
export class TooLate extends Error {
  override readonly name = "TooLate"
  readonly lateness: Lateness

  constructor(lateness: Lateness) {
    super(`the ${lateness} is over: nothing was sent`)
    this.lateness = lateness
  }
}

/** Signs and sends through a wallet, on the chain of each step; sends nothing once it is too late. */
export const signer = (provider: Provider, late: () => Lateness | undefined): Signer => ({
  request: async ({ chainId, method, params }) => {
    await goTo(provider, chainId)
    // The dialog for changing the network may also have taken a long time.
    const lateness = method === "eth_sendTransaction" ? late() : undefined
    if (lateness !== undefined) throw new TooLate(lateness)
    return provider.request({ method, params })
  },
})
