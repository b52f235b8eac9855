/**
 * The store of lanes, which keep the transactions of our own accounts, and of the state of each chain.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Caip from "../domain/Caip.ts"
import type * as ChainState from "../domain/ChainState.ts"
import type * as FailureBudget from "../domain/FailureBudget.ts"
import type * as Lane from "../domain/Lane.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Spending from "../domain/Spending.ts"
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
 * Stores the transactions of our own accounts, by lane and nonce, and what is remembered of each chain.
 *
 * Contract, besides that of every store in `Storage`:
 * - A lane has no gaps but those that its signers leave: a nonce is taken only together with the transaction it is for.
 * - Of several signers that signed for the same state of a lane, exactly one writes.
 */
export class LaneStore extends Context.Service<
  LaneStore,
  {
    /** Runs an effect while no other of this process has the lane: what it reads and signs stays the newest. */
    readonly inLaneTurn: <A, E, R>(
      lane: Lane.Lane,
      effect: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, R>
    /** A lane as its next signer must know it. */
    readonly laneState: (mode: Mode.Mode, lane: Lane.Lane) => Read<Lane.State>
    /** The transactions of a lane from a nonce on, in order, each in its newest version. */
    readonly laneTransactions: (
      lane: Lane.Lane,
      fromNonce: number,
    ) => Read<ReadonlyArray<Lane.Transaction>>
    /** The transaction of a nonce in its newest version, or null if the nonce was not taken here. */
    readonly laneTransaction: (lane: Lane.Lane, nonce: number) => Read<Lane.Transaction | null>
    /**
     * Writes a transaction into a slot that is not the next one: a higher bid over the version that it `replaces`, or a
     * transaction that does nothing into a slot that nobody took. Returns false, and writes nothing, if the slot or the
     * lane is not as its signer saw it.
     */
    readonly placeInLane: (signed: Lane.Signed, replaces: Lane.Transaction | null) => Read<boolean>
    /**
     * Everything that may speak against sending: the halts of a mode's chains, what lanes spent, and budgets for failures
     * by their subjects. Lanes that never sent and budgets that were never used are left out.
     */
    readonly constraints: (mode: Mode.Mode, subjects: ReadonlyArray<string>) => Read<Constraints>
    /** What is remembered of a mode's chains, by chain; those of which nothing is are left out. */
    readonly chainStates: (mode: Mode.Mode) => Read<ReadonlyArray<ChainState.ChainState>>
    /** Runs `decide` on what is remembered of a mode's chain, and writes what it answers, if anything; tells whether it did. */
    readonly modifyChainState: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      decide: (current: ChainState.ChainState) => ChainState.ChainState | null,
    ) => Read<boolean>
  }
>()("@florin/core/ports/LaneStore") {}
