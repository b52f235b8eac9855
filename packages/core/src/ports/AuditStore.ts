/**
 * The store of the audit log.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as AuditLog from "../domain/partner/AuditLog.ts"
import type { Page } from "./AccountStore.ts"
import type { Read, StorageUnavailable } from "./StorageError.ts"

/** Who acts in this fiber, and in which request. */
export const Acting: Context.Reference<AuditLog.Acting> = Context.Reference(
  "@florin/core/ports/AuditStore/Acting",
  { defaultValue: () => AuditLog.unnamedOperator },
)

/** An entry, and its place in the log. */
export interface Listed {
  /** Increases with every entry. */
  readonly sequence: number
  readonly entry: AuditLog.Entry
}

/**
 * Stores the audit log.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - An entry is written in the transaction of the write that it describes: both are there, or neither is.
 * - An entry is never changed, and is deleted only because of its age. A database refuses any other change by itself.
 * - Entries are listed newest first.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /**
     * Runs one write of any store, and writes the entry that describes its result, in one transaction. If there is no
     * entry, only the write is written. The write may run several times.
     */
    readonly record: <A, E, R>(
      write: Effect.Effect<A, E, R>,
      entryOf: (written: A) => AuditLog.Entry | null,
    ) => Effect.Effect<A, E | StorageUnavailable, R>
    /** `after` is the sequence number of the last entry of the previous page. */
    readonly entries: (
      filter: AuditLog.Filter,
      page: { readonly after: number | null; readonly limit: number },
    ) => Read<Page<Listed>>
    /** Deletes at most `limit` entries older than `before`; returns how many. */
    readonly deleteEntries: (before: number, limit: number) => Read<number>
  }
>()("@florin/core/ports/AuditStore") {}
