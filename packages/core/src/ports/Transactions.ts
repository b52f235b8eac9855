/**
 * Work inside a transaction that the application began on its own connection to the same database: what the application
 * writes and what the service writes commit together, or not at all.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Signals } from "./Signals.ts"
import type { Storage } from "./Storage.ts"
import type { StorageUnavailable } from "./StorageError.ts"

/** A parameter of a statement. */
export type Parameter = string | number | boolean | null | Uint8Array | Array<Parameter>

/**
 * A transaction of the application that is open: a client of `pg`, or a few lines around another driver. Rows have the
 * types that `pg` gives them: texts, numbers, booleans, parsed JSON, and 64-bit integers as texts.
 */
export interface Transaction {
  readonly query: (
    text: string,
    values: Array<Parameter>,
  ) => PromiseLike<{ readonly rows: ReadonlyArray<object> }>
}

/**
 * Contract:
 * - Every statement of the work runs on the transaction's connection, one after the other, and none after the work.
 * - Work that fails leaves the transaction as it was before it, and usable: it is a savepoint.
 * - A statement that lost against another transaction fails the work, which is not repeated here: only the application
 *   can repeat all of its transaction.
 * - Nothing that the work writes is visible to others, and nobody is notified, until the application commits.
 */
export class Transactions extends Context.Service<
  Transactions,
  {
    readonly within: (
      transaction: Transaction,
    ) => <A, E, R>(
      work: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | StorageUnavailable, Exclude<R, Signals | Storage>>
  }
>()("@florin/core/ports/Transactions") {}
