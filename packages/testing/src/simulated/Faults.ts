/**
 * Calls to a chain that go wrong, on demand or by a seeded plan.
 *
 * @module
 */

import type * as Caip from "@florin/core/domain/chain/Caip"

/** The calls of the chain port that use the network. */
export const kinds = [
  "finalCheckpoint",
  "stands",
  "nodes",
  "holdings",
  "actions",
  "funds",
  "balance",
  "verify",
  "rehearse",
  "nonceFloor",
  "sign",
  "broadcast",
  "look",
  "lookLate",
  "progress",
  "arrivals",
  "shows",
  "isSignedBy",
  "outgoing",
] as const
export type Kind = (typeof kinds)[number]

/** `before`: nothing happened. `after`: the call took effect, and its response was lost. */
export type When = "before" | "after"

/** The next calls that match fail. */
export interface Failure {
  readonly calls: number
  readonly when?: When
  /** Default: every kind. */
  readonly kinds?: ReadonlyArray<Kind>
  /** Default: every chain. */
  readonly chainId?: Caip.ChainId
}

/** Some of all calls fail: the same seed and the same calls give the same failures. */
export interface Plan {
  readonly seed: number
  /** How many of a thousand calls fail, half of them after they took effect. */
  readonly perMille: number
}

/** A small generator of numbers below 2^32 (mulberry32). */
const generator = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

export const make = () => {
  let failures: ReadonlyArray<Failure> = []
  let plan: { readonly perMille: number; readonly next: () => number } | undefined
  const counts = new Map<Kind, number>()

  const demanded = (kind: Kind, chainId: Caip.ChainId): When | undefined => {
    const index = failures.findIndex(
      (failure) =>
        (failure.kinds?.includes(kind) ?? true) && (failure.chainId ?? chainId) === chainId,
    )
    const failure = failures[index]
    if (failure === undefined) return undefined
    failures =
      failure.calls > 1
        ? failures.with(index, { ...failure, calls: failure.calls - 1 })
        : failures.toSpliced(index, 1)
    return failure.when ?? "before"
  }

  const planned = (): When | undefined => {
    if (plan === undefined) return undefined
    const drawn = plan.next()
    if (drawn % 1000 >= plan.perMille) return undefined
    return (drawn >>> 16) % 2 === 0 ? "before" : "after"
  }

  return {
    /** Counts a call and returns whether it fails. */
    draw: (kind: Kind, chainId: Caip.ChainId): When | undefined => {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return demanded(kind, chainId) ?? planned()
    },
    fail: (failure: Failure) => {
      if (failure.calls > 0) failures = [...failures, failure]
    },
    disturb: (next: Plan | null) => {
      plan = next === null ? undefined : { perMille: next.perMille, next: generator(next.seed) }
    },
    /** Ends every fault. */
    clear: () => {
      failures = []
      plan = undefined
    },
    count: (kind: Kind): number => counts.get(kind) ?? 0,
  }
}
