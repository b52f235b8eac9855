/**
 * A wallet in the payer's browser, found as EIP-6963 says. Its keys stay on this side of the page, as an extension's do.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Actions from "@florin/core/domain/eip155/Actions"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BrowserContext } from "playwright-core"
import { createWalletClient } from "viem"
import type * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"

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
  /** What it sends transactions through. */
  readonly node: Wallet.Node
  /** The chains that it knows: of others it asks to be told first. */
  readonly knows: ReadonlyArray<number>
  readonly startsOn: number
}

/** A question that the payer looks at. */
interface Held {
  readonly reached: Promise<void>
  readonly answer: () => void
}

export interface Injected {
  /** The methods that it was asked for, in order. */
  readonly asked: ReadonlyArray<string>
  /** How often it was asked to sign a payment or a message. */
  readonly signatures: () => number
  /** The next step ends with this error: where none is given, the payer says no. */
  readonly refuseNext: (error?: Refusal) => void
  /** The payer leaves everything that it asks from now on unanswered, or only what these methods ask. */
  readonly hesitate: (...methods: ReadonlyArray<string>) => void
  /** The payer looks at what this method asks, and answers when told. */
  readonly hold: (method: string) => Held
  /** The payer says no the next time that this method asks. */
  readonly refuseOnce: (method: string) => void
  /** The payer locks it: it shares no account any more. */
  readonly lock: () => void
  /** The payer changes to another account. */
  readonly share: (address: string) => void
  /** The payer tells it of a chain. */
  readonly learn: (chainId: number) => void
}

const hex = (text: string): `0x${string}` => `0x${text.slice("0x".length)}`
const hexOf = (chainId: number): string => `0x${chainId.toString(16)}`

const Chain = Schema.Tuple([Schema.Struct({ chainId: Schema.String })])
const Signing = Schema.Tuple([Schema.String, Schema.String])
const Sending = Schema.Tuple([
  Schema.Struct({ from: Schema.String, to: Schema.String, data: Schema.String }),
])
const readChain = Schema.decodeUnknownSync(Chain)
const readSigning = Schema.decodeUnknownSync(Signing)
const readSending = Schema.decodeUnknownSync(Sending)

/** What a wallet asks the payer about. */
const asking = new Set([
  "eth_requestAccounts",
  "eth_sendTransaction",
  "eth_signTypedData_v4",
  "personal_sign",
])

const refused: Refusal = { code: 4001, message: "User rejected the request." }
const unknownChain: Answer = { error: { code: 4902, message: "Unrecognized chain ID." } }
const notConnected: Answer = { error: { code: 4100, message: "The account is not connected." } }
const unsupported: Answer = { error: { code: 4200, message: "The method is not supported." } }
const failed = (message: string): Answer => ({ error: { code: -32_603, message } })

/** As EIP-6963 wants it, inside of the announcement. */
const icon = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path fill="#4338ca" d="M0 0h40v40H0z"/><path fill="#fff" d="M8 13a3 3 0 0 1 3-3h16v3h5v17H11a3 3 0 0 1-3-3z"/><circle cx="26" cy="21" r="3" fill="#4338ca"/></svg>',
)}`

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
    icon: ${JSON.stringify(icon)},
    rdns: "test.florin." + ${JSON.stringify(binding)},
  }
  const detail = Object.freeze({ info, provider })
  const announce = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
  window.addEventListener("eip6963:requestProvider", announce)
  announce()
})()`

/** Executes what a page asks for on a chain, as every wallet does once the payer said yes. */
export const execute = async (
  { node, wallet }: Pick<Options, "node" | "wallet">,
  chain: number,
  method: string,
  params: unknown,
): Promise<Answer> => {
  const read = (): readonly [Actions.Method, ReadonlyArray<string>] | undefined => {
    switch (method) {
      case "eth_sendTransaction":
        return [method, readSending(params).map((call) => JSON.stringify(call))]
      case "eth_signTypedData_v4":
      case "personal_sign":
        return [method, readSigning(params)]
      default:
        return undefined
    }
  }
  const known = read()
  if (known === undefined) return unsupported
  const [asked, texts] = known
  const actions = [
    { _tag: "WalletRpc", chainId: Eip155.chainId(chain), method: asked, params: texts },
  ] as const
  const executed = await Effect.runPromise(Effect.result(wallet.execute(actions, node)))
  return Result.isSuccess(executed)
    ? { result: executed.success[0] }
    : failed(executed.failure.message)
}

/** Sends to real nodes. */
export const through = (nodes: ReadonlyArray<LocalChains.Reached>): Wallet.Node => ({
  send: ({ chainId, data, to }, wallet) =>
    Effect.tryPromise({
      try: () => {
        const node =
          nodes.find((each) => Eip155.chainId(each.chainId) === chainId) ??
          assert.fail("no such node")
        const client = createWalletClient(Payer.connection(wallet, node))
        return client.sendTransaction({ to: hex(to), data: hex(data) })
      },
      catch: (error) => new Wallet.WalletRefused({ message: String(error) }),
    }),
})

let injected = 0

/** Injects it into every page of a context, before the page's own scripts. */
export const inject = async (context: BrowserContext, options: Options): Promise<Injected> => {
  const { wallet } = options
  const asked: Array<string> = []
  const known = new Set(options.knows)
  let current = options.startsOn
  let isConnected = false
  let isLocked = false
  let shared: string = wallet.address
  let next: Refusal | undefined
  let unanswered: ReadonlySet<string> = new Set()
  const held = new Map<string, () => Promise<void>>()
  const refusing = new Set<string>()

  const move = (params: unknown): Answer => {
    const [to] = readChain(params)
    if (!known.has(Number(to.chainId))) return unknownChain
    current = Number(to.chainId)
    return { result: null, moved: hexOf(current) }
  }

  /** As wallets do, it executes nothing for a chain that it is not on, and nothing for another's account. */
  const answerOne = async (method: string, params: unknown): Promise<Answer> => {
    if (!isConnected) return notConnected
    if (next !== undefined) {
      const error = next
      next = undefined
      return { error }
    }
    return execute(options, current, method, params)
  }

  const answer = async (method: string, params: unknown): Promise<Answer> => {
    asked.push(method)
    if (unanswered.has(method)) return new Promise(() => undefined)
    await held.get(method)?.()
    if (refusing.delete(method)) return { error: refused }
    switch (method) {
      case "eth_requestAccounts":
        isConnected = !isLocked
        return { result: isLocked ? [] : [shared] }
      case "eth_accounts":
        return { result: isConnected ? [shared] : [] }
      case "eth_chainId":
        return { result: hexOf(current) }
      case "wallet_switchEthereumChain":
        return move(params)
      case "wallet_addEthereumChain":
        known.add(Number(readChain(params)[0].chainId))
        return { result: null }
      default:
        return asking.has(method) ? answerOne(method, params) : unsupported
    }
  }

  const binding = `florinWallet${++injected}`
  await context.exposeFunction(binding, answer)
  await context.addInitScript(provider(binding, options.name))
  return {
    asked,
    signatures: () =>
      asked.filter((each) => each.startsWith("eth_sign") || each === "personal_sign").length,
    refuseNext: (error = refused) => {
      next = error
    },
    hesitate: (...methods) => {
      unanswered = methods.length === 0 ? asking : new Set(methods)
    },
    hold: (method) => {
      const reached = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      held.set(method, () => {
        reached.resolve()
        return answered.promise
      })
      return { reached: reached.promise, answer: answered.resolve }
    },
    refuseOnce: (method) => {
      refusing.add(method)
    },
    lock: () => {
      isLocked = true
      isConnected = false
    },
    share: (address) => {
      shared = address
    },
    learn: (chainId) => {
      known.add(chainId)
    },
  }
}
