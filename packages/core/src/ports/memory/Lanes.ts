/**
 * Lanes and the remembered state of chains, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as ChainState from "../../domain/chain/ChainState.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as Lane from "../../domain/outflow/Lane.ts"
import * as Spending from "../../domain/outflow/Spending.ts"
import { LaneStore } from "../LaneStore.ts"
import { LaneMoved } from "../StorageError.ts"
import type { Budgets } from "./Budgets.ts"

const laneKey = (lane: Lane.Lane): string => `${lane.chainId}:${lane.sender}`

export const make = (budgets: Pick<Budgets, "of">) => {
  const chainStates: { readonly [M in Mode.Mode]: Map<Caip.ChainId, ChainState.ChainState> } = {
    test: new Map(),
    live: new Map(),
  }
  const lanes = new Map<
    string,
    {
      readonly of: Lane.Lane
      next: number | null
      spending: Spending.Spending
      /** By nonce. */
      readonly sent: Map<number, Lane.Transaction>
    }
  >()

  const statesOf = (mode: Mode.Mode): ReadonlyArray<ChainState.ChainState> =>
    [...chainStates[mode].values()].toSorted((left, right) =>
      left.chainId < right.chainId ? -1 : 1,
    )

  const laneOf = (lane: Lane.Lane) => {
    const key = laneKey(lane)
    const known = lanes.get(key)
    if (known !== undefined) return known
    const sent = new Map<number, Lane.Transaction>()
    const fresh = { of: lane, next: null, spending: Spending.none, sent }
    lanes.set(key, fresh)
    return fresh
  }

  const transactionAt = (lane: Lane.Lane, nonce: number): Lane.Transaction | null =>
    laneOf(lane).sent.get(nonce) ?? null

  /** Checks that the lane is still in the state that was signed for. */
  const checkLane = ({ state, transaction }: Lane.Signed): Result.Result<void, LaneMoved> => {
    const { next, spending } = laneOf(transaction.lane)
    return next === state.nextNonce &&
      spending.hour === state.spending.hour &&
      spending.quantity === state.spending.quantity
      ? Result.void
      : Result.fail(LaneMoved.of())
  }

  /** Puts a transaction into its slot. */
  const place = (transaction: Lane.Transaction, replaced: Lane.Transaction | null) => {
    const lane = laneOf(transaction.lane)
    lane.next = Math.max(lane.next ?? 0, transaction.nonce + 1)
    lane.spending = Spending.place(lane.spending, transaction, replaced)
    lane.sent.set(transaction.nonce, transaction)
  }

  const store = LaneStore.of({
    laneState: (mode, lane) =>
      Effect.sync(() => {
        const { next, spending } = laneOf(lane)
        const chain = chainStates[mode].get(lane.chainId)
        return {
          spending,
          nextNonce: next,
          acceptedNonce: chain?.accepted?.[lane.sender] ?? 0,
          haltedBecause: chain?.halt?.reason ?? null,
        }
      }),
    laneTransactions: (lane, fromNonce, toNonce = Infinity) =>
      Effect.sync(() =>
        [...laneOf(lane).sent.values()]
          .filter(({ nonce }) => nonce >= fromNonce && nonce <= toNonce)
          .toSorted((left, right) => left.nonce - right.nonce),
      ),
    placeInLane: (signed, replaces) =>
      Effect.sync(() => {
        const { lane, nonce } = signed.transaction
        const isFree = transactionAt(lane, nonce)?.hash === replaces?.hash
        const mayPlace = isFree && Result.isSuccess(checkLane(signed))
        if (mayPlace) place(signed.transaction, replaces)
        return mayPlace
      }),
    constraints: (mode, subjects) =>
      Effect.sync(() => ({
        halted: statesOf(mode).flatMap(({ chainId, halt }) => (halt === null ? [] : [chainId])),
        lanes: [...lanes.values()]
          .filter(({ next }) => next !== null)
          .map(({ of: { chainId, sender }, spending }) => ({
            lane: { chainId, sender },
            spending,
          })),
        budgets: budgets.of(subjects),
      })),
    chainStates: (mode) => Effect.sync(() => statesOf(mode)),
    modifyChainState: (mode, chainId, decide) =>
      Effect.sync(() => {
        const next = decide(chainStates[mode].get(chainId) ?? ChainState.initial(chainId))
        if (next !== null) chainStates[mode].set(chainId, next)
        return next !== null
      }),
  })
  return { store, checkLane, place, transactionAt }
}

/** What payments need of the lanes. */
export type Lanes = ReturnType<typeof make>
