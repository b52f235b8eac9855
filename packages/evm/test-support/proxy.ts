/**
 * A proxy between the adapter and a chain. It counts requests, can be disconnected, and limits delegating accounts as
 * other nodes do.
 *
 * @module
 */
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Delegation from "./delegation.ts"
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
  const limited = Delegation.limiting(local)
  const node = yield* Node.make((calls, body) => (isConnected ? limited(calls, body) : "cut"))
  const proxy: Proxy = {
    url: Redacted.value(node.url),
    requests: () => node.asked.length,
    connect: (connected) => {
      isConnected = connected
    },
  }
  return proxy
})
