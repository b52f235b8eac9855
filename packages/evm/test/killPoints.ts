/**
 * The points at which a worker process is killed: before and after each step of collecting and paying out.
 *
 * @module
 */
import process from "node:process"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import { type Chain, type ChainUnavailable, Chains, type Sought } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** So many blocks that a payment is seen before it is final. */
export const finality = 12

const steps = [
  "sign",
  "store",
  "broadcast",
  "receipt",
  "finality",
  "gathering",
  "settlement",
  "commitment",
  "payout",
] as const
type Step = (typeof steps)[number]

export const points = steps.flatMap((step) => [`before ${step}`, `after ${step}`] as const)
export type Point = (typeof points)[number]

/** What happens twice where a payment is collected by two of our transactions. */
export const twice = (["sign", "store", "broadcast"] as const).flatMap(
  (step) => [`before ${step}`, `after ${step}`] as const,
)

/** Ends this process as `kill -9` does, where it comes to its point for the n-th time. */
export const make = (chosen: Point | null, times = 1) => {
  let reached = 0
  const reach = (point: Point) =>
    Effect.sync(() => {
      if (point === chosen && ++reached === times) process.kill(process.pid, "SIGKILL")
    })
  const around = <A, E, R>(step: Step, effect: Effect.Effect<A, E, R>) =>
    reach(`before ${step}`).pipe(
      Effect.andThen(effect),
      Effect.tap(() => reach(`after ${step}`)),
    )

  /** What the last look at a payment's money told. */
  let seen: Transfer.Observation["_tag"] = "Unseen"
  /** Whether the last look at money going out found it final. */
  let isPayoutFinal = false
  const settling = new Set<string>()

  const noted = (
    { attempt }: Sought,
    look: Effect.Effect<Transfer.Observation, ChainUnavailable>,
  ): Effect.Effect<Transfer.Observation, ChainUnavailable> =>
    Effect.tap(look, ({ _tag }) => {
      if (attempt === null) {
        isPayoutFinal = _tag === "Final"
        return Effect.void
      }
      seen = _tag
      if (_tag === "Included") return reach("before receipt")
      return _tag === "Final" ? reach("before finality") : Effect.void
    })

  const watched = (chain: Chain["Service"]): Chain["Service"] => ({
    ...chain,
    sign: (lane, nonce, order) => {
      const sign = chain.sign(lane, nonce, order)
      if (order._tag === "Collect") {
        return Effect.tap(around("sign", sign), () => reach("before store"))
      }
      return reach("before settlement").pipe(
        Effect.andThen(sign),
        Effect.tap(({ hash }) => Effect.sync(() => settling.add(hash))),
      )
    },
    broadcast: (relayed) =>
      settling.has(relayed.hash)
        ? Effect.tap(chain.broadcast(relayed), () => reach("after settlement"))
        : around("broadcast", chain.broadcast(relayed)),
    look: (sought) => noted(sought, chain.look(sought)),
  })

  return {
    chains: Layer.effect(
      Chains,
      Effect.map(Chains, (chains) => Chains.of({ of: (mode) => watched(chains.of(mode)) })),
    ),
    outflows: Layer.effect(
      OutflowStore,
      Effect.map(OutflowStore, (outflows) =>
        OutflowStore.of({
          ...outflows,
          modify: (subjects, decide, lease, signed) => {
            const modify = outflows.modify(subjects, decide, lease, signed)
            if (signed !== undefined) {
              return subjects.outflows.length === 0
                ? Effect.tap(modify, () => reach("after store"))
                : around("commitment", modify)
            }
            if (subjects.destinations !== undefined) return around("gathering", modify)
            if (subjects.outflows.length === 0) {
              return Effect.tap(modify, () =>
                seen === "Final" ? reach("after finality") : Effect.void,
              )
            }
            return isPayoutFinal ? around("payout", modify) : modify
          },
        }),
      ),
    ),
    work: Layer.effect(
      DueWork,
      Effect.map(DueWork, (work) =>
        DueWork.of({
          ...work,
          postpone: (lease, dueAt, failures) =>
            Effect.tap(work.postpone(lease, dueAt, failures), () =>
              seen === "Included" ? reach("after receipt") : Effect.void,
            ),
        }),
      ),
    ),
  }
}
