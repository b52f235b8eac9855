/**
 * The store of the operator's deny list.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as DenyList from "../domain/chain/DenyList.ts"
import type { Read } from "./StorageError.ts"

/**
 * Stores the deny list that is in force, so that a restart does not take a list that was refused.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - Of several decisions at the same time, each sees what the one before it wrote.
 */
export class ScreeningStore extends Context.Service<
  ScreeningStore,
  {
    /** Runs `decide` on the current list, and writes the list that it returns, if any. */
    readonly modifyDenyList: <A>(
      decide: (current: DenyList.DenyList) => {
        readonly result: A
        readonly next: DenyList.DenyList | null
      },
    ) => Read<A>
  }
>()("@florin/core/ports/ScreeningStore") {}
