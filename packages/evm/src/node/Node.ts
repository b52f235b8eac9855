/**
 * One node. For each kind of calls, it must report its chain id before it is first trusted, and after every fault.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Batches from "./Batches.ts"
import * as Breaker from "./Breaker.ts"
import type { Call, Reply } from "./Call.ts"
import * as Fault from "./Fault.ts"
import * as Post from "./Post.ts"

export interface Options {
  readonly chainId: Caip.ChainId
  readonly answerWithinInMs: number
  /** How many calls go into one request at most; fewer if a node refuses that many. */
  readonly batchMax: number
}

const chainIdCall: Call = { method: "eth_chainId", params: [] }
const decodeHexNumber = Schema.decodeUnknownOption(
  Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/u)),
)

/** The chain that a node reported; none if it reported none. */
const chainOf = (reply: Reply | undefined): Option.Option<Caip.ChainId> =>
  Option.map(
    decodeHexNumber(reply !== undefined && Result.isSuccess(reply) ? reply.success : null),
    (text) => Eip155.chainId(Number(text)),
  )

/** The chain that a node serves; none if it does not report one in time. */
export const served = (
  url: Redacted.Redacted,
  answerWithinInMs: number,
): Effect.Effect<Option.Option<Caip.ChainId>> =>
  Post.make(url, answerWithinInMs)([chainIdCall], false).pipe(
    Effect.map(([reply]) => chainOf(reply)),
    Effect.orElseSucceed(Option.none),
  )

/** Fails unless the node serves the configured chain. */
const requireOurChain = Effect.fnUntraced(function* (
  chainId: Caip.ChainId,
  reply: Reply | undefined,
) {
  if (reply !== undefined && Result.isFailure(reply)) {
    const { message } = reply.failure
    const fault = { message: Fault.saying("the node does not report its chain id", message) }
    return yield* Effect.fail(fault)
  }
  if (Option.contains(chainOf(reply), chainId)) return
  yield* Effect.logError("a node serves another chain: check its address", { chainId })
  return yield* Effect.fail(Fault.stranger)
})

export const make = ({ answerWithinInMs, batchMax, chainId }: Options, url: Redacted.Redacted) => {
  const post = Post.make(url, answerWithinInMs)
  const send = Batches.make({ batchMax, chainId }, (calls, isList) =>
    // A node of another chain is asked nothing else, however small its requests are.
    Effect.tap(post(calls, isList), ([first]) =>
      calls[0] === chainIdCall ? requireOurChain(chainId, first) : Effect.void,
    ),
  )
  const serve = () => {
    const { isResting, isSilent, protect } = Breaker.make()
    const ask = (calls: ReadonlyArray<Call>) =>
      protect((isTrusted) =>
        isTrusted
          ? send(calls, isTrusted)
          : Effect.map(send([chainIdCall, ...calls], isTrusted), ([, ...replies]) => replies),
      )
    return { ask, isResting, isSilent }
  }
  return { reads: serve(), logs: serve(), sends: serve() }
}

export type Node = ReturnType<typeof make>
