/**
 * A wallet on another device, through WalletConnect. The code that speaks with it is not ours and runs in a frame,
 * which exists only while the payer wants it: it is added when they ask for it, and removed when they leave.
 *
 * The frame is not trusted: it has an origin of its own, and what it sends is read as a stranger's message.
 *
 * @module
 */
import {
  disconnectedCode,
  greeting,
  type FromFrame,
  type Stored,
  type ToFrame,
} from "../shared/WalletConnectPort.ts"
import type * as InjectedWallet from "./InjectedWallet.ts"
import type * as SafeUrl from "./SafeUrl.ts"
import type * as TabStore from "./TabStore.ts"

const brand = "WalletConnect"

/**
 * The checkout's own functions. This file imports none of its code: it is loaded only if the operator named a project,
 * and shared code would make a second script of the checkout without it.
 */
type Lent = Pick<typeof InjectedWallet, "chainOf" | "hexOf" | "shownName"> &
  Pick<typeof SafeUrl, "walletIcon"> &
  Pick<typeof TabStore, "read">

export interface Options {
  readonly lent: Lent
  /** The path of the frame's document. */
  readonly path: string
  readonly paymentId: string
  readonly store: TabStore.Store
  /** The chains that a wallet is asked for. */
  readonly chains: () => ReadonlySet<string>
}

export interface WalletConnect extends InjectedWallet.InjectedWallet {
  readonly remote: InjectedWallet.Remote
  /** Ends the connection, as soon as no attempt needs it any more. */
  readonly leave: () => void
}

/** What is known of the wallet. */
interface Known {
  readonly isConnected: boolean
  readonly accounts: ReadonlyArray<string>
  readonly name: string
  readonly icon: string | undefined
  /** What the wallet must open to connect. */
  readonly uri?: string
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** A frame with a connection, or on the way to one. */
interface Link {
  readonly ready: Promise<unknown>
  readonly request: (
    chain: string,
    method: string,
    params: ReadonlyArray<unknown>,
  ) => Promise<unknown>
  readonly close: () => void
}

/** How long the frame may take until a wallet can connect, and the wallet to hear that the payer left. */
const startsWithinMs = 30_000
const leavesWithinMs = 5_000

const internal = -32_603
const unknownChain = 4902

const nothing: Known = { isConnected: false, accounts: [], name: brand, icon: undefined }

/** A number of EIP-1193, or `unreachable` if no wallet could be asked to connect. */
const failure = (code: number | "unreachable"): Error => Object.assign(new Error(brand), { code })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isStored = (value: unknown): value is Stored =>
  isObject(value) && Object.values(value).every((text) => typeof text === "string")

/** Checks that it is a message, and its lists. The rest of what it holds is checked where it is used. */
const isFromFrame = (value: unknown): value is FromFrame => {
  if (!isObject(value) || !("_tag" in value)) return false
  switch (value._tag) {
    case "Connected":
      return "accounts" in value && Array.isArray(value.accounts)
    case "Stored":
      return "stored" in value && isStored(value.stored)
    default:
      return true
  }
}

/** A pairing, which a QR code shows and a link opens. A frame cannot make the payer open anything else. */
const isPairing = (uri: unknown): uri is string =>
  typeof uri === "string" && /^wc:[0-9a-f]{64}@2\?[-\w=&%.]+$/u.test(uri)

const isAccount = (account: unknown): account is string =>
  typeof account === "string" && /^eip155:\d+:0x[0-9a-fA-F]{40}$/u.test(account)

export const make = ({ chains, lent, path, paymentId, store }: Options): WalletConnect => {
  const key = `florin-walletconnect-${paymentId}`
  const watchers = new Set<(uri: string | undefined) => void>()
  let known = nothing
  let link: Link | undefined
  /** The chain that the next request is for. */
  let current: string | undefined
  let isWanted = false
  let holds = 0

  const learn = (to: Known) => {
    known = to
    for (const watcher of watchers) watcher(to.uri)
  }
  const forget = () => {
    link = undefined
    current = undefined
    store.removeItem(key)
    learn(nothing)
  }
  /** What the frame stored before; undefined if nothing. */
  const read = (): Stored | undefined => {
    const stored = lent.read(store, key)
    return isStored(stored) ? stored : undefined
  }

  const open = (mayPair: boolean): Link => {
    const asked = chains()
    const element = document.createElement("iframe")
    const { port1: port, port2 } = new MessageChannel()
    const send = (message: ToFrame) => port.postMessage(message)
    /** By the ids of requests. The first one waits for the connection. */
    const waiting = new Map<unknown, Waiting>()
    const wait = () =>
      new Promise<unknown>((resolve, reject) => {
        waiting.set(waiting.size, { resolve, reject })
      })
    const end = (code: number) => {
      const why = code === internal && !known.isConnected ? "unreachable" : code
      clearTimeout(timer)
      port.close()
      element.remove()
      if (link === own) forget()
      for (const { reject } of waiting.values()) reject(failure(why))
    }
    const own: Link = {
      ready: wait(),
      request: (chain, method, params) => {
        send({ _tag: "Request", id: waiting.size, chain, method, params })
        return wait()
      },
      close: () => {
        const { isConnected } = known
        forget()
        if (!isConnected) return end(disconnectedCode)
        send({ _tag: "Leave" })
        timer = setTimeout(end, leavesWithinMs, disconnectedCode)
      },
    }
    let timer = setTimeout(end, startsWithinMs, internal)
    port.addEventListener("message", ({ data }) => {
      if (!isFromFrame(data)) return
      if (data._tag === "Ended") return end(data.code)
      if (link !== own) return
      if (data._tag === "Pairing" || data._tag === "Connected") clearTimeout(timer)
      switch (data._tag) {
        case "Stored":
          return store.setItem(key, JSON.stringify(data.stored))
        case "Pairing":
          return isPairing(data.uri) ? learn({ ...known, uri: data.uri }) : end(internal)
        case "Connected":
          learn({
            isConnected: true,
            accounts: data.accounts.filter(
              (account) => isAccount(account) && asked.has(lent.chainOf(account)),
            ),
            name: lent.shownName(data.name) ?? brand,
            icon: lent.walletIcon(data.icon),
          })
          return waiting.get(0)?.resolve(null)
        case "Result":
          return waiting.get(data.id)?.resolve(data.result)
        case "Failed":
          return waiting.get(data.id)?.reject(failure(data.code))
      }
    })
    port.start()
    element.hidden = true
    element.src = path
    element.sandbox.add("allow-scripts")
    element.addEventListener(
      "load",
      () => {
        // Its origin is opaque, so it has no name. The checkout's policy lets only our own host into a frame.
        element.contentWindow?.postMessage(greeting, "*", [port2])
        send({ _tag: "Connect", chains: [...asked], mayPair, stored: read() ?? {} })
      },
      { once: true },
    )
    document.body.append(element)
    return own
  }

  const connect = async (mayPair: boolean): Promise<ReadonlyArray<string>> => {
    isWanted = true
    // One that continues an earlier connection may find that there is none.
    await link?.ready.catch(() => undefined)
    link ??= open(mayPair)
    await link.ready
    return [
      ...new Set(known.accounts.map((account) => account.slice(account.lastIndexOf(":") + 1))),
    ]
  }

  const settle = () => {
    if (!isWanted && holds === 0) link?.close()
  }

  /**
   * Each request names its chain, so the wallet is not asked to change it. Both get a response within the same task, so
   * nothing can change the chain between them and the request that they are for.
   */
  const request: InjectedWallet.Provider["request"] = async ({ method, params = [] }) => {
    if (method === "eth_requestAccounts") return connect(true)
    if (method === "eth_accounts") {
      return link === undefined && read() === undefined ? [] : connect(false).catch(() => [])
    }
    if (link === undefined || !known.isConnected) throw failure(disconnectedCode)
    const shared = known.accounts.map(lent.chainOf)
    const [chain = ""] = current === undefined ? shared : [current]
    switch (method) {
      case "eth_chainId":
        return lent.hexOf(chain)
      case "wallet_switchEthereumChain": {
        const wanted = JSON.stringify(params)
        const to = shared.find((each) => JSON.stringify([{ chainId: lent.hexOf(each) }]) === wanted)
        if (to === undefined) throw failure(unknownChain)
        current = to
        return null
      }
      default:
        return link.request(chain, method, params)
    }
  }

  return {
    id: "walletconnect",
    get name() {
      return known.name
    },
    get icon() {
      return known.icon
    },
    provider: { request },
    remote: {
      brand,
      accounts: () => known.accounts,
      isConnected: () => known.isConnected,
      hold: () => {
        holds++
        return () => {
          holds--
          settle()
        }
      },
      watch: (changed) => {
        watchers.add(changed)
        changed(known.uri)
        return () => watchers.delete(changed)
      },
    },
    leave: () => {
      isWanted = false
      settle()
    },
  }
}
