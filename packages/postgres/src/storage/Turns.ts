/**
 * The due rows that a claim takes: queues take turns, and in each queue the row that is due longest comes first.
 *
 * @module
 */
import * as Turns from "@florin/core/ports/Turns"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { StorageTime } from "../StorageTime.ts"

/** A table of due rows, with the function that visits its queues (schema/Turns.ts). */
export interface Table {
  readonly name: "due_work" | "deliveries"
  readonly kind: string
  /** The condition on the row of a `subject`. */
  readonly isOf: Fragment
}

const json = (entries: ReadonlyArray<readonly [string, unknown]>): string =>
  JSON.stringify(Object.fromEntries(entries))

/**
 * The part `next` of a statement: the keys of the rows to lease, locked, in their order. Rows that another process
 * claims meanwhile are skipped.
 */
export const next = (
  sql: SqlClient,
  time: StorageTime,
  { isOf, kind, name }: Table,
  options: Turns.ClaimOptions,
): Fragment => {
  const { limit, now } = options
  const { groups, last, ofGroup, ofQueue, queues } = Turns.of(options)
  const ofGroups = json(groups.map(({ free, group, last: own }) => [group, { free, last: own }]))
  const ofQueues = json(queues.map(({ free, group, member }) => [`${group} ${member}`, free]))
  return sql`next AS MATERIALIZED (
      SELECT subject, place, turn FROM (
        SELECT * FROM florin.${sql.literal(name)}_in_turn(${kind}, ${limit}, ${time.checked(now)}, ${ofGroup}, ${ofQueue}, ${last},
          ${ofGroups}::jsonb, ${ofQueues}::jsonb)
        ORDER BY place, turn
      ) AS chosen, LATERAL (
        SELECT FROM florin.${sql.literal(name)}
        WHERE ${isOf} AND greatest(due_at, lease_until) <= ${now}
        FOR UPDATE SKIP LOCKED
      ) AS locked
      LIMIT ${limit}
    )`
}
