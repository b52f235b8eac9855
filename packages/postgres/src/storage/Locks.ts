/**
 * Locks on what has no row to lock.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"

/** Waits until nobody else has the lock of this name, and has it until the transaction ends. */
export const take = (sql: SqlClient, name: string) =>
  sql`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${name}, 0))`
