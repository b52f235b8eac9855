/**
 * Locks that do not belong to a row.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"

/** Waits for the lock of this name, and holds it until the transaction ends. */
export const take = (sql: SqlClient, name: string) =>
  sql`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('florin.' || ${name}, 0))`
