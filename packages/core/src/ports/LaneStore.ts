/**
 * The store of lanes, which keep the transactions of our own accounts, and of the state of each chain.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Caip from "../domain/chain/Caip.ts"
import * as ChainState from "../domain/chain/ChainState.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as Lane from "../domain/outflow/Lane.ts"
import type * as Spending from "../domain/outflow/Spending.ts"
import type * as FailureBudget from "../domain/payment/FailureBudget.ts"
import type { Read } from "./StorageError.ts"

export interface Constraints {
  readonly halted: ReadonlyArray<Caip.ChainId>
  readonly lanes: ReadonlyArray<{
    readonly lane: Lane.Lane
    readonly spending: Spending.Spending
  }>
  readonly budgets: ReadonlyArray<FailureBudget.Level>
}

/**
 * Stores the transactions of our own accounts, by lane and nonce, and the remembered state of each chain.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - A lane has only the gaps that its signers leave: a nonce is taken only together with the transaction it is for.
 * - If several signers signed for the same state of a lane, exactly one writes.
 */
export class LaneStore extends Context.Service<
  LaneStore,
  {
    /** The state of a lane that its next signer needs. */
    readonly laneState: (mode: Mode.Mode, lane: Lane.Lane) => Read<Lane.State>
    /**
     * The transactions of a lane from a nonce on, or up to and including another, in order, each in its newest version.
     * Nonces that were not taken here are left out.
     */
    readonly laneTransactions: (
      lane: Lane.Lane,
      fromNonce: number,
      toNonce?: number,
    ) => Read<ReadonlyArray<Lane.Transaction>>
    /**
     * Writes a transaction into a slot that is not the next one: a higher bid over the version that it `replaces`, or a
     * transaction that does nothing into an empty slot. Returns false and writes nothing if the slot or the lane has
     * changed since it was signed.
     */
    readonly placeInLane: (signed: Lane.Signed, replaces: Lane.Transaction | null) => Read<boolean>
    /**
     * Everything that may prevent sending: the halts of a mode's chains, what lanes spent, and budgets for failures by
     * their subjects. Lanes that never sent and budgets that were never used are left out.
     */
    readonly constraints: (mode: Mode.Mode, subjects: ReadonlyArray<string>) => Read<Constraints>
    /** The remembered state of a mode's chains, by chain; chains without any are left out. */
    readonly chainStates: (mode: Mode.Mode) => Read<ReadonlyArray<ChainState.ChainState>>
    /**
     * Runs `decide` on the remembered state of a chain of a mode, and writes what it returns, if anything. Returns
     * whether it wrote.
     */
    readonly modifyChainState: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      decide: (current: ChainState.ChainState) => ChainState.ChainState | null,
    ) => Read<boolean>
  }
>()("@florin/core/ports/LaneStore") {}

/** The remembered state of a chain of a mode. */
export const chainState = Effect.fnUntraced(function* (mode: Mode.Mode, chainId: Caip.ChainId) {
  const states = yield* (yield* LaneStore).chainStates(mode)
  return states.find((each) => each.chainId === chainId) ?? ChainState.initial(chainId)
})

/** The turns of the lanes that a process uses, by its store and the lane. */
const turns = new WeakMap<
  Pick<LaneStore["Service"], "laneState">,
  Map<string, Semaphore.Semaphore>
>()

/**
 * Runs an effect while no other fiber of this process uses the lane, so that the state it reads and signs stays the
 * newest.
 */
export const inTurn = <A, E, R>(
  lanes: Pick<LaneStore["Service"], "laneState">,
  { chainId, sender }: Lane.Lane,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const own = turns.get(lanes) ?? new Map<string, Semaphore.Semaphore>()
    const key = `${chainId}:${sender}`
    const turn = own.get(key) ?? Semaphore.makeUnsafe(1)
    turns.set(lanes, own.set(key, turn))
    return turn.withPermits(1)(effect)
  })
