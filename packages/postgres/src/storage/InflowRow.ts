/**
 * An inflow as a row: the values by which it is found are columns, and the document holds all of it.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Document from "./Document.ts"
import type * as Records from "./Records.ts"

export const document = Document.of(Inflow.Inflow)

const row = (inflow: Inflow.Inflow) => {
  const { foundAt, hint, id, missedSince, mode, revision, state, transfer } = inflow
  const { quantity, token } = transfer.movement
  return {
    id,
    mode,
    chain_id: token.chainId,
    token: Caip.tokenKey(token),
    tx_hash: transfer.txHash,
    log_index: transfer.logIndex,
    quantity: quantity.toString(),
    found_at: foundAt,
    revision,
    is_suspended: state._tag === "Suspended",
    is_missed: missedSince !== undefined,
    payment_id: hint?.paymentId ?? null,
    document: document.json(inflow),
  }
}

export const table: Records.Table<Inflow.Inflow> = {
  name: "inflows",
  whole: "inflows",
  what: "inflow",
  document,
  row,
  fixed: {
    id: "text",
    mode: "text",
    chain_id: "text",
    token: "text",
    tx_hash: "text",
    found_at: "bigint",
  },
  // Mined again, its transaction may have other logs.
  changing: {
    log_index: "bigint",
    quantity: "numeric",
    revision: "integer",
    is_suspended: "boolean",
    is_missed: "boolean",
    payment_id: "text",
    document: "jsonb",
  },
}
