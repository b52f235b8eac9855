/**
 * The store of the states of which a service has one each: its alerts, the operator's deny list, and proofs of
 * its keys.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as DenyList from "../domain/chain/DenyList.ts"
import * as KeyProofs from "../domain/ground/KeyProofs.ts"
import * as Alert from "../domain/notify/Alert.ts"
import type { Read } from "./StorageError.ts"

/** Each state before it is first written. */
export const initial = {
  /** The alerts that were sent to the operator's webhook. */
  alerts: Alert.empty,
  /** The deny list that is in force, so that a restart does not take a list that was refused. */
  denyList: DenyList.empty,
  /** What proves at each start that a process has the keys of those before it. */
  keys: KeyProofs.empty,
}

export type States = typeof initial

/**
 * Stores the states of a service.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - Of several decisions on a state at the same time, each sees what the one before it wrote.
 * - `now` is the storage's time, and no clock is compared with it, because an alert must also be sent if a clock is
 *   off.
 */
export class StateStore extends Context.Service<
  StateStore,
  {
    /** Runs `decide` on the current state of a name, and writes the next one that it returns, if any. */
    readonly modify: <K extends keyof States, A>(
      name: K,
      decide: (
        current: States[K],
        now: number,
      ) => { readonly result: A; readonly next: States[K] | null },
    ) => Read<A>
  }
>()("@florin/core/ports/StateStore") {}
