/**
 * The store of the alerts that were sent to the operator's webhook.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Alert from "../domain/notify/Alert.ts"
import type { Read } from "./StorageError.ts"

/**
 * Stores the alerts of a service.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - Of several decisions at the same time, each sees what the one before it wrote.
 * - `now` is the storage's time, and no clock is compared with it, because an alert must also be sent if a clock is
 *   off.
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** Runs `decide` on the current alerts, and writes the board that it returns, if any. */
    readonly modify: <A>(
      decide: (
        board: Alert.Board,
        now: number,
      ) => { readonly result: A; readonly board: Alert.Board | null },
    ) => Read<A>
  }
>()("@florin/core/ports/AlertStore") {}
