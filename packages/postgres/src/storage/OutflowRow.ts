/**
 * An outflow as a row: the values by which it is found are columns, and the document holds all of it.
 *
 * @module
 */
import * as DailyLimit from "@florin/core/domain/outflow/DailyLimit"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as Document from "./Document.ts"
import type * as Records from "./Records.ts"

export const document = Document.of(Outflow.Outflow)

const row = (outflow: Outflow.Outflow) => {
  const counted = DailyLimit.countedOf(outflow)
  const sent = counted === null ? null : DailyLimit.sentOf(outflow)
  return {
    id: outflow.id,
    mode: outflow.mode,
    partner_id: outflow.partnerId ?? null,
    turn: Outflow.turnKey(outflow),
    revision: outflow.revision,
    is_open: OutflowState.isOpen[Outflow.status(outflow)],
    // Only while the sent quantity counts.
    sent_with: counted === null || sent === null ? null : DailyLimit.countedKey(counted),
    sent_at: sent?.at ?? null,
    created_at: outflow.createdAt,
    document: document.json(outflow),
  }
}

export const table: Records.Table<Outflow.Outflow> = {
  name: "outflows",
  whole: "outflows",
  what: "outflow",
  document,
  row,
  fixed: { id: "text", mode: "text", partner_id: "text", created_at: "bigint" },
  changing: {
    turn: "text",
    revision: "integer",
    is_open: "boolean",
    sent_with: "text",
    sent_at: "bigint",
    document: "jsonb",
  },
}
