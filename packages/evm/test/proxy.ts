/**
 * Stands between the adapter and a chain: it counts what is asked, and can be cut off.
 *
 * @module
 */
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Locals from "./locals.ts"
import * as Node from "./node.ts"

export interface Proxy {
  readonly url: string
  /** HTTP requests so far. */
  readonly requests: () => number
  /** Cuts the chain off, or connects it again. */
  readonly connect: (connected: boolean) => void
}

export const make = Effect.fnUntraced(function* (local: LocalChain.LocalChain) {
  let isConnected = true
  const node = yield* Node.make(async (_, body) =>
    isConnected ? { body: await Locals.passOn(local, body) } : "cut",
  )
  const proxy: Proxy = {
    url: Redacted.value(node.url),
    requests: () => node.asked.length,
    connect: (connected) => {
      isConnected = connected
    },
  }
  return proxy
})
