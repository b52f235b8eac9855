/**
 * How long payments take on a chain, by flow.
 *
 * @module
 */
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Finality, forTransfer } from "./config/ChainConfig.ts"
import * as Together from "./node/Together.ts"
import type { Link } from "./read/Link.ts"
import * as Queries from "./read/Queries.ts"
import * as Timing from "./read/Timing.ts"

/** Large payments wait for the same block in every flow, and are measured together. */
export const large = Symbol("large")

/** What is measured on its own: the payments of a flow, or the large ones. */
export type Size = PaymentOption.Flow | typeof large

export type Measured = Pick<PaymentOption.PaymentOption, "flow" | "quantity" | "token">

/** Starts to measure. Until there are enough samples, the network's table is used. */
export const make = Effect.fnUntraced(function* ({ config, rpc }: Link) {
  const startedAt = yield* Clock.currentTimeMillis
  const timings = new Map<Size, Timing.Timing>()
  const hasLarge = config.finalizedFrom !== null && config.finality !== "finalized"
  let earlier: Queries.Block | null = null

  const add = (size: Size, tookInMs: number) =>
    void timings.set(size, Timing.add(timings.get(size) ?? Timing.empty, tookInMs))

  const blockAt = (finality: Finality) =>
    typeof finality === "number"
      ? Effect.succeed(null)
      : Effect.map(
          rpc.attempt(Queries.block(finality)),
          Result.getOrElse(() => null),
        )

  const seen = Together.all({
    latest: rpc.ask(Queries.block("latest")),
    final: blockAt(config.finality),
    finalized: hasLarge ? blockAt("finalized") : Effect.succeed(null),
  })

  return {
    etaInS: (size: Size): number => timings.get(size)?.etaInS ?? config.network.etaInS,
    /** Measures how fast the chain is now. If the node does not respond, nothing is measured. */
    watch: seen.pipe(
      Effect.map(({ final, finalized, latest }) => {
        if (latest === null) return
        if (earlier !== null) {
          const { finality } = config
          const expectedInMs = Timing.expectedInMs(earlier, { final, latest }, finality)
          const ofLarge = Timing.expectedInMs(earlier, { final: finalized, latest }, "finalized")
          if (expectedInMs !== null) for (const flow of Eip155.flows) add(flow, expectedInMs)
          if (ofLarge !== null) add(large, ofLarge)
        }
        earlier = Timing.nextEarlier(earlier, latest)
      }),
      Effect.ignore,
    ),
    /** Leaves out payments confirmed before this process started: they also waited for the start. */
    measure: ({ flow, quantity, token }: Measured, waitingSince: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { isLarge } = forTransfer(config, token, quantity)
        if (waitingSince >= startedAt) add(isLarge === true ? large : flow, now - waitingSince)
      }),
  }
})
