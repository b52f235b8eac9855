/**
 * Queries several nodes as one. The queries of one turn of the event loop are gathered into few requests, and what one
 * node does not serve, the next one is asked for.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import * as Result from "effect/Result"
import {
  type Call,
  isRateLimit,
  isRevert,
  type Kind,
  keyOf,
  kindOf,
  type NodeRefused,
  type Query,
  type Reply,
  unavailable,
} from "./Call.ts"
import type { Fault } from "./Fault.ts"
import type { Node } from "./Node.ts"

/** Queries a node. All queries of one kind and of one turn of the event loop are sent as one request, to one node. */
export interface Ask {
  /** Runs a query. A refusal counts as no response. */
  readonly ask: <A>(query: Query<A>) => Effect.Effect<A, ChainUnavailable>
  /** Runs a query. A refusal by the node is a result. */
  readonly attempt: <A>(
    query: Query<A>,
  ) => Effect.Effect<Result.Result<A, NodeRefused>, ChainUnavailable>
}

/**
 * Asks one node after another, resting ones last, until each call has a result. A call that no node serves keeps the
 * last refusal.
 */
const askAny = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Node[Kind]>,
  calls: ReadonlyArray<Call>,
  chainId: Caip.ChainId,
) {
  const now = yield* Clock.currentTimeMillis
  const inOrder = nodes.toSorted((a, b) => Number(a.isResting(now)) - Number(b.isResting(now)))
  const replies = new Map<Call, Reply>()
  const isOpen = (call: Call): boolean => {
    const reply = replies.get(call)
    return reply === undefined || (Result.isFailure(reply) && !isRevert(reply.failure))
  }
  let fault: Fault = { message: "the chain has no node" }
  for (const node of inOrder) {
    const open = calls.filter(isOpen)
    if (open.length === 0) break
    const some = yield* Effect.result(node.ask(open))
    if (Result.isFailure(some)) fault = some.failure
    else for (const [call, reply] of Arr.zip(open, some.success)) replies.set(call, reply)
  }
  if (replies.size > 0) return calls.flatMap((call) => replies.get(call) ?? [])
  return yield* ChainUnavailable.of(chainId, fault.message)
})

class Asked extends Request.Class<Call, Reply, ChainUnavailable> {}

export const make = (chainId: Caip.ChainId, nodes: ReadonlyArray<Node>): Ask => {
  /** The same query from several callers is sent once. */
  const resolver = RequestResolver.makeGrouped<Asked, Kind>({
    key: ({ request }) => kindOf(request),
    resolver: Effect.fnUntraced(function* (entries, kind) {
      const equals = Object.values(Arr.groupBy(entries, ({ request }) => keyOf(request)))
      const calls = equals.map(([{ request }]) => request)
      const replies = yield* askAny(
        nodes.map((node) => node[kind]),
        calls,
        chainId,
      )
      for (const [same, reply] of Arr.zip(equals, replies)) {
        for (const entry of same) entry.completeUnsafe(Exit.succeed(reply))
      }
    }),
  })
  const notRead = ChainUnavailable.of(chainId, "a response is not valid")
  const attempt = Effect.fnUntraced(function* <A>({ method, params, read }: Query<A>) {
    const reply = yield* Effect.request(new Asked({ method, params }), resolver)
    if (Result.isFailure(reply)) {
      const { failure } = reply
      // Callers conclude from a refusal what nodes lack: a limit of the moment is none.
      return isRateLimit(failure) ? yield* unavailable(chainId)(failure) : Result.fail(failure)
    }
    const value = read(reply.success)
    return Option.isSome(value) ? Result.succeed(value.value) : yield* notRead
  })
  return {
    attempt,
    ask: (query) =>
      Effect.flatMap(attempt(query), (response) =>
        Effect.fromResult(Result.mapError(response, unavailable(chainId))),
      ),
  }
}
