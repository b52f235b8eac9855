/**
 * Nonce lanes: a nonce is taken by the statement that stores its transaction, or not at all.
 *
 * Signing may take long, and call other systems, so no database lock is held meanwhile. In this process the lane goes
 * to one signer at a time; if another process took the nonce first, the transaction is signed again.
 *
 * @module
 */
import type { LaneStore } from "@florin/core/ports/LaneStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"
import * as LaneRow from "./LaneRow.ts"
import * as States from "./States.ts"

/** Null if nothing was sent on the lane yet, or nothing is known of its chain. */
interface StateRow {
  readonly next_nonce: bigint | null
  readonly spent_hour: number | null
  readonly spent: string | null
  readonly spent_by_code: string | null
  readonly halted_because: string | null
  readonly accepted_nonce: bigint | null
}

export const make = (
  sql: SqlClient,
  time: StorageTime,
): Pick<LaneStore["Service"], "laneState" | "laneTransactions" | "placeInLane"> => ({
  laneState: Effect.fn("Storage.laneState")(function* (mode, lane) {
    const [row] = yield* Connection.guard(sql<StateRow>`
        SELECT lanes.next_nonce, lanes.spent_hour, lanes.spent, lanes.spent_by_code,
          states.document->'halt'->>'reason' AS halted_because,
          (states.document->'accepted'->>${lane.sender})::bigint AS accepted_nonce
        FROM (SELECT 1) AS always
        LEFT JOIN florin.lanes ON lanes.chain_id = ${lane.chainId} AND lanes.sender = ${lane.sender}
        LEFT JOIN florin.states ON states.name = ${`${States.prefixOf(mode)}${lane.chainId}`}`)
    const next = row?.next_nonce ?? null
    const byCode = BigInt(row?.spent_by_code ?? "0")
    return {
      spending: {
        hour: row?.spent_hour ?? 0,
        quantity: BigInt(row?.spent ?? "0"),
        ...(byCode > 0n && { byCode }),
      },
      nextNonce: next === null ? null : Number(next),
      acceptedNonce: Number(row?.accepted_nonce ?? 0),
      haltedBecause: row?.halted_because ?? null,
    }
  }),

  laneTransactions: Effect.fn("Storage.laneTransactions")((lane, fromNonce, toNonce) =>
    Document.list(
      LaneRow.document,
      sql<Document.Row>`SELECT ${LaneRow.whole(sql, lane)} FROM florin.lane_transactions
            WHERE ${LaneRow.isIn(sql, lane)} AND nonce >= ${fromNonce}
              AND ${toNonce === undefined ? sql`true` : sql`nonce <= ${toNonce}`}
            ORDER BY nonce`,
    ),
  ),

  placeInLane: Effect.fn("Storage.placeInLane")((signed, replaces) =>
    time.guard(
      Effect.gen(function* () {
        const { placed } = yield* Cte.one<{ readonly placed: boolean }>(
          sql,
          LaneRow.place(sql, signed, replaces),
          sql`SELECT EXISTS (SELECT FROM added) AS placed, ${yield* time.agrees} AS agrees`,
        )
        return placed
      }),
    ),
  ),
})
