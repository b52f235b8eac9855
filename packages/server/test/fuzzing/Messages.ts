/**
 * Messages that other windows post: any value that a browser can clone, written as JSON.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as InjectedWallet from "../../../pages/src/checkout/InjectedWallet.ts"
import * as SafeUrl from "../../../pages/src/checkout/SafeUrl.ts"
import * as TabStore from "../../../pages/src/checkout/TabStore.ts"
import * as WalletConnect from "../../../pages/src/checkout/WalletConnect.ts"

const cyclic = (): object => {
  const value: { self?: object } = {}
  value.self = value
  return value
}

/** Values that JSON cannot write, by the text that stands for them. */
const values: { readonly [text: string]: () => unknown } = {
  $undefined: () => undefined,
  $NaN: () => Number.NaN,
  $infinity: () => Number.POSITIVE_INFINITY,
  $bigint: () => 7n,
  $date: () => new Date(Number.NaN),
  $map: () => new Map([["type", "hello"]]),
  $error: () => new Error("of another window"),
  $cyclic: cyclic,
  $function: () => () => undefined,
}

const revived = (value: unknown): unknown => {
  if (typeof value === "string") return Object.hasOwn(values, value) ? values[value]?.() : value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(revived)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revived(inner)]))
}

/** The value that a text stands for; the text itself if it is no JSON. */
export const revive = (text: string): unknown => {
  try {
    return revived(JSON.parse(text))
  } catch {
    return text
  }
}

/** The checkout's side of the frame of WalletConnect, in a document that has only what it needs. */
export const hearFromFrame = async (text: string): Promise<unknown> => {
  const ours: Array<unknown> = []
  const { MessageChannel: channel } = globalThis
  const listeners: Array<(event: { readonly data: unknown }) => void> = []
  const port = {
    postMessage: (message: unknown) => void ours.push(message),
    addEventListener: (_: string, listener: (typeof listeners)[number]) =>
      void listeners.push(listener),
    start: () => undefined,
    close: () => undefined,
  }
  const element = {
    sandbox: { add: () => undefined },
    addEventListener: () => undefined,
    remove: () => undefined,
  }
  const stored = new Map<string, string>()
  const store: TabStore.Store = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => void stored.set(name, value),
    removeItem: (name) => void stored.delete(name),
  }
  Reflect.set(globalThis, "document", {
    createElement: () => element,
    body: { append: () => undefined },
  })
  Reflect.set(
    globalThis,
    "MessageChannel",
    class {
      readonly port1 = port
    },
  )
  try {
    const wallet = WalletConnect.make({
      lent: { ...InjectedWallet, ...SafeUrl, read: TabStore.read },
      path: "/walletconnect/",
      paymentId: "pay_1",
      store,
      chains: () => new Set(["eip155:8453"]),
    })
    const connecting = wallet.provider.request({ method: "eth_requestAccounts" }).catch(String)
    await Promise.resolve()
    const messages = text.split("\n")
    for (const message of messages) for (const hear of listeners) hear({ data: revive(message) })
    for (const hear of listeners) hear({ data: { _tag: "Ended", code: 4900 } })
    const uris: Array<unknown> = []
    wallet.remote.watch((uri) => uris.push(uri))()
    for (const value of stored.values()) assert.isString(value)
    for (const account of wallet.remote.accounts()) assert.match(account, /^eip155:8453:0x/u)
    assert.isString(wallet.name)
    return [await connecting, wallet.name, wallet.icon, uris, ours.length]
  } finally {
    Reflect.deleteProperty(globalThis, "document")
    Reflect.set(globalThis, "MessageChannel", channel)
  }
}
