/**
 * Sends calls to one node in requests as large as it accepts. A request that the node refuses is split, down to single
 * calls outside a list; the size that was accepted is kept, and larger ones are tried again later.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Result from "effect/Result"
import { type Call, isRevert, type Reply } from "./Call.ts"
import type { Fault } from "./Fault.ts"
import type { Post } from "./Post.ts"

/** A node that took fewer calls in a request may take more later: testing that costs one refused request. */
const growAfterInMs = 10 * 60_000
/** So that a node which takes single calls does not get dozens of them in one moment. */
const requestsAtOnce = 10

type Replies = Effect.Effect<ReadonlyArray<Reply>, Fault>

export const make = (
  { batchMax, chainId }: { readonly batchMax: number; readonly chainId: Caip.ChainId },
  post: Post,
) => {
  /** How many calls the node takes in one request; 0 if it takes no list of calls, not even of one. */
  const limit = MutableRef.make({ size: batchMax, since: 0 })

  const grow = Effect.map(Clock.currentTimeMillis, (now) => {
    const { since, size } = limit.current
    if (size < batchMax && now - since >= growAfterInMs) {
      limit.current = { size: Math.min(batchMax, Math.max(1, size * 2)), since: now }
    }
  })

  /**
   * Remembers the smaller size that was accepted in place of a refused request. If one of its calls was refused on its
   * own, the request may have been refused because of that call, so the size stays.
   */
  const shrink = Effect.fnUntraced(function* (size: number, replies: ReadonlyArray<Reply>) {
    const isAccepted = replies.every((each) => Result.isSuccess(each) || isRevert(each.failure))
    if (size < limit.current.size && isAccepted) {
      limit.current = { size, since: yield* Clock.currentTimeMillis }
      yield* Effect.logInfo("a node accepts fewer calls in one request", { chainId, calls: size })
    }
    return replies
  })

  /** Sends one request, or several smaller ones if the node refuses it. */
  const askTogether = (calls: ReadonlyArray<Call>, isList: boolean): Replies =>
    Effect.catchIf(
      post(calls, isList),
      ({ isOfRequest }) => isOfRequest === true && isList,
      () => {
        if (calls.length < 2) return Effect.flatMap(post(calls, false), (all) => shrink(0, all))
        const half = Math.ceil(calls.length / 2)
        // The rest waits: a node that refuses one call refuses all of them.
        const all = followedBy(askTogether(calls.slice(0, half), isList), calls.slice(half))
        return Effect.flatMap(all, (replies) => shrink(half, replies))
      },
    )

  const askEach = (calls: ReadonlyArray<Call>): Replies => {
    const { size } = limit.current
    const chunks = calls.length === 0 ? [] : Arr.chunksOf(calls, Math.max(1, size))
    const ask = (chunk: ReadonlyArray<Call>) => askTogether(chunk, size > 0)
    return Effect.map(Effect.forEach(chunks, ask, { concurrency: requestsAtOnce }), Arr.flatten)
  }

  const followedBy = (first: Replies, rest: ReadonlyArray<Call>): Replies =>
    Effect.zipWith(
      first,
      Effect.suspend(() => askEach(rest)),
      (early, late) => [...early, ...late],
    )

  /** Sends the calls. Those of the first request go ahead if the node is not yet trusted. */
  return (calls: ReadonlyArray<Call>, isTrusted: boolean): Replies =>
    Effect.flatMap(grow, () => {
      const early = isTrusted ? 0 : Math.max(1, limit.current.size)
      return followedBy(askEach(calls.slice(0, early)), calls.slice(early))
    })
}
