/**
 * A wallet in the payer's browser, found as EIP-6963 says. Its keys stay on this side of the page, as an extension's do.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import type * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BrowserContext } from "playwright-core"
import { createWalletClient, defineChain, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type * as LocalChains from "../../src/LocalChains.ts"

/** What a provider's promise is rejected with (EIP-1193). */
interface Refusal {
  readonly code: number
  readonly message: string
}

interface Answer {
  readonly result?: unknown
  readonly error?: Refusal
  /** The chain that the wallet is on from now on. */
  readonly moved?: string
}

export interface Options {
  readonly name: string
  readonly wallet: Wallet.Wallet
  /** Where it sends transactions. */
  readonly chains: ReadonlyArray<LocalChains.Reached>
  /** The chains that it knows: of others it asks to be told first. */
  readonly knows: ReadonlyArray<number>
  readonly startsOn: number
}

export interface Injected {
  /** The methods that it was asked for, in order. */
  readonly asked: ReadonlyArray<string>
  /** How often it was asked to sign a payment or a message. */
  readonly signatures: () => number
  /** The payer says no to the next step. */
  readonly refuseNext: () => void
  /** The payer leaves everything that it asks from now on unanswered. */
  readonly hesitate: () => void
  /** The payer tells it of a chain. */
  readonly learn: (chainId: number) => void
}

const hex = (text: string): `0x${string}` => `0x${text.slice("0x".length)}`
const hexOf = (chainId: number): string => `0x${chainId.toString(16)}`

const Chain = Schema.Tuple([Schema.Struct({ chainId: Schema.String })])
const Signing = Schema.Tuple([Schema.String, Schema.String])
const Sending = Schema.Tuple([Schema.Struct({ to: Schema.String, data: Schema.String })])
const readChain = Schema.decodeUnknownSync(Chain)
const readSigning = Schema.decodeUnknownSync(Signing)
const readSending = Schema.decodeUnknownSync(Sending)

const steps = new Set(["eth_sendTransaction", "eth_signTypedData_v4", "personal_sign"])

/** What a wallet asks the payer about. */
const asking = new Set([...steps, "eth_requestAccounts"])

const refused: Answer = { error: { code: 4001, message: "User rejected the request." } }
const unknownChain: Answer = { error: { code: 4902, message: "Unrecognized chain ID." } }
const notConnected: Answer = { error: { code: 4100, message: "The account is not connected." } }
const unsupported: Answer = { error: { code: 4200, message: "The method is not supported." } }
const failed = (message: string): Answer => ({ error: { code: -32_603, message } })

/** What the page is given: all that it knows is asked on this side. */
const provider = (binding: string, name: string): string => `(() => {
  const listeners = new Map()
  const emit = (event, value) => (listeners.get(event) ?? []).forEach((listener) => listener(value))
  const provider = {
    on: (event, listener) => {
      listeners.set(event, [...(listeners.get(event) ?? []), listener])
      return provider
    },
    removeListener: (event, listener) => {
      listeners.set(event, (listeners.get(event) ?? []).filter((each) => each !== listener))
      return provider
    },
    request: async ({ method, params = [] }) => {
      const { error, moved, result } = await window[${JSON.stringify(binding)}](method, params)
      if (moved !== undefined) emit("chainChanged", moved)
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
  }
  const info = {
    uuid: crypto.randomUUID?.() ?? "00000000-0000-4000-8000-000000000000",
    name: ${JSON.stringify(name)},
    icon: "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
    rdns: "test.florin." + ${JSON.stringify(binding)},
  }
  const detail = Object.freeze({ info, provider })
  const announce = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
  window.addEventListener("eip6963:requestProvider", announce)
  announce()
})()`

const chainOf = ({ chainId, rpcUrl }: LocalChains.Reached) =>
  defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })

let injected = 0

/** Injects it into every page of a context, before the page's own scripts. */
export const inject = async (context: BrowserContext, options: Options): Promise<Injected> => {
  const { wallet } = options
  const asked: Array<string> = []
  const known = new Set(options.knows)
  let current = options.startsOn
  let isConnected = false
  let refusesNext = false
  let hesitates = false

  const move = (params: unknown): Answer => {
    const [to] = readChain(params)
    if (!known.has(Number(to.chainId))) return unknownChain
    current = Number(to.chainId)
    return { result: null, moved: hexOf(current) }
  }

  const send = async (params: unknown): Promise<Answer> => {
    const [{ data, to }] = readSending(params)
    const reached = options.chains.find((each) => each.chainId === current)
    if (reached === undefined) return failed("the chain cannot be reached")
    const account = privateKeyToAccount(hex(wallet.privateKey))
    const client = createWalletClient({ account, chain: chainOf(reached), transport: http() })
    return { result: await client.sendTransaction({ to: hex(to), data: hex(data) }) }
  }

  /** As wallets do, it signs nothing for a chain that it is not on, and nothing for another's account. */
  const sign = async (
    method: "eth_signTypedData_v4" | "personal_sign",
    params: unknown,
  ): Promise<Answer> => {
    const action = {
      _tag: "WalletRpc",
      chainId: Caip.ChainId.make(current),
      method,
      params: readSigning(params),
    } as const
    const signed = await Effect.runPromise(Effect.result(wallet.execute([action])))
    return Result.isSuccess(signed) ? { result: signed.success[0] } : failed(signed.failure.message)
  }

  const answer = async (method: string, params: unknown): Promise<Answer> => {
    asked.push(method)
    if (hesitates && asking.has(method)) return new Promise(() => undefined)
    switch (method) {
      case "eth_requestAccounts":
        isConnected = true
        return { result: [wallet.address] }
      case "eth_accounts":
        return { result: isConnected ? [wallet.address] : [] }
      case "eth_chainId":
        return { result: hexOf(current) }
      case "wallet_switchEthereumChain":
        return move(params)
      case "wallet_addEthereumChain":
        known.add(Number(readChain(params)[0].chainId))
        return { result: null }
    }
    if (!steps.has(method)) return unsupported
    if (!isConnected) return notConnected
    if (refusesNext) {
      refusesNext = false
      return refused
    }
    return method === "eth_signTypedData_v4" || method === "personal_sign"
      ? sign(method, params)
      : send(params)
  }

  const binding = `florinWallet${++injected}`
  await context.exposeFunction(binding, answer)
  await context.addInitScript(provider(binding, options.name))
  return {
    asked,
    signatures: () =>
      asked.filter((each) => each.startsWith("eth_sign") || each === "personal_sign").length,
    refuseNext: () => {
      refusesNext = true
    },
    hesitate: () => {
      hesitates = true
    },
    learn: (chainId) => {
      known.add(chainId)
    },
  }
}
