/**
 * Failure budgets, and all other conditions for sending.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import type { LaneStore } from "@florin/core/ports/LaneStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"
import * as States from "./States.ts"

/** The condition for changes that charge budgets: one part, or none. It comes last, because it writes. */
export const charge = (
  sql: SqlClient,
  changes: ReadonlyArray<Change.Change>,
  from: string,
): ReadonlyArray<Cte.Cte> => {
  const all = changes.flatMap(({ charges }) => charges ?? [])
  const [first] = all
  if (first === undefined) return []
  const entries = all.flatMap((each) => each.entries.map((entry) => ({ ...entry })))
  return [
    Cte.make(
      "charged",
      sql`SELECT 1 FROM ${sql.literal(from)}
        WHERE florin.charge_failures(${Document.text(entries)}::jsonb, ${first.at}::bigint)`,
    ),
  ]
}

interface Row {
  readonly halted: ReadonlyArray<string>
  readonly lanes: ReadonlyArray<{
    readonly chainId: string
    readonly sender: string
    readonly hour: number
    readonly spent: string
    readonly byCode: string
  }>
  readonly budgets: ReadonlyArray<FailureBudget.Level>
}

export const make = (sql: SqlClient): Pick<LaneStore["Service"], "constraints"> => ({
  constraints: Effect.fn("Storage.constraints")(function* (mode, subjects) {
    const [row] = yield* Connection.guard(sql<Row>`SELECT
      (SELECT coalesce(jsonb_agg(document -> 'chainId' ORDER BY name), '[]') FROM florin.states
        WHERE starts_with(name, ${States.prefixOf(mode)}) AND jsonb_typeof(document->'halt') = 'object') AS halted,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('chainId', chain_id, 'sender', sender, 'hour', spent_hour,
        'spent', spent::text, 'byCode', spent_by_code::text)), '[]') FROM florin.lanes) AS lanes,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('subject', subject, 'emptyAt', empty_at, 'hasPaid', has_paid)
        ORDER BY subject COLLATE "C"), '[]') FROM florin.failure_budgets
        WHERE subject = ANY(${subjects}::text[])) AS budgets`)
    return {
      halted: (row?.halted ?? []).map((chainId) => Caip.ChainId.make(chainId)),
      lanes: (row?.lanes ?? []).map(({ byCode, chainId, hour, sender, spent }) => ({
        lane: { chainId: Caip.ChainId.make(chainId), sender: Caip.Address.make(sender) },
        spending: {
          hour,
          quantity: BigInt(spent),
          ...(byCode !== "0" && { byCode: BigInt(byCode) }),
        },
      })),
      budgets: row?.budgets ?? [],
    }
  }),
})
