/**
 * Checks that each node serves the chain for which the operator configured it. A node that does not respond now may
 * respond later. A node of another chain is a mistake, which is better reported at the start than in the log.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Failure from "../terminal/Failure.ts"
import type * as Settings from "./Settings.ts"

const respondsWithinInMs = 3000

const decodeResponse = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ result: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,16}$/u)) }),
  ),
)

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })

const ask = async (url: string, signal: AbortSignal): Promise<string> => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body, signal })
  return response.text()
}

/** The chain that a node serves; none if it does not say. */
const served = (url: Redacted.Redacted) =>
  Effect.tryPromise((signal) => ask(Redacted.value(url), signal)).pipe(
    Effect.timeout(respondsWithinInMs),
    Effect.option,
    Effect.map((text) =>
      Option.map(Option.flatMap(text, decodeResponse), ({ result }) =>
        Eip155.chainId(Number(result)),
      ),
    ),
  )

const named = (nodes: ReadonlyArray<Settings.Node>, index: number, chainId: Caip.ChainId) =>
  nodes.slice(0, index + 1).filter((node) => node.chainId === chainId).length

/**
 * Fails with the first node that serves another chain. Its address may hold a key, so the message gives its position
 * instead.
 */
const checkEach = (setting: string, nodes: ReadonlyArray<Settings.Node>) =>
  Effect.forEach(
    nodes,
    Effect.fnUntraced(function* ({ chainId, url }, index) {
      const found = yield* served(url)
      if (Option.isNone(found) || found.value === chainId) return
      return yield* Failure.make(
        `node ${named(nodes, index, chainId)} of chain ${chainId} in ${setting} serves chain ${found.value}: correct its address, or its chain`,
      )
    }),
    { concurrency: "unbounded", discard: true },
  )

/** Fails if a node serves another chain than the configured one. */
export const check = ({ rateFeedRpc, rpc, testRpc }: Settings.Values) =>
  Effect.all(
    [checkEach("rpc", rpc), checkEach("testRpc", testRpc), checkEach("rateFeedRpc", rateFeedRpc)],
    { concurrency: "unbounded", discard: true },
  )
