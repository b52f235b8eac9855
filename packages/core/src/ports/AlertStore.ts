/**
 * The store of what the operator's own webhook was told.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Alert from "../domain/Alert.ts"
import type { Read } from "./StorageError.ts"

/**
 * Stores the alerts of a service.
 *
 * Contract, besides that of every store in `Storage`:
 * - Of several that decide at the same time, each sees what the one before it wrote.
 * - `now` is the storage's time, and no clock is compared with it: that a clock is off must be told, too.
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** Runs `decide` on the alerts as they are, and writes the board that it returns, if any. */
    readonly modify: <A>(
      decide: (
        board: Alert.Board,
        now: number,
      ) => { readonly answer: A; readonly board: Alert.Board | null },
    ) => Read<A>
  }
>()("@florin/core/ports/AlertStore") {}
