/**
 * Claims, and the transfers in blocks among them, as parts of the statement that creates and moves them.
 *
 * @module
 */
import * as Claim from "@florin/core/domain/chain/Claim"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as PaymentIdForm from "@florin/core/domain/ground/PaymentIdForm"
import type * as Change from "@florin/core/domain/payment/Change"
import type { ClaimedLog, PaymentStore } from "@florin/core/ports/PaymentStore"
import { ClaimTaken } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Connection from "../Connection.ts"
import { prefixLength } from "../schema/Claims.ts"
import * as Cte from "./Cte.ts"
import * as Records from "./Records.ts"

type Parts = ReadonlyArray<Cte.Cte>

/** A payment, an outflow or an inflow that makes claims, or whose transfer moved. */
export interface Claimant extends Pick<Change.OutflowChange, "claims" | "moved"> {
  readonly id: string
  readonly mode: Mode.Mode
}

/**
 * The claims, and which of them are transfers in a block: those are stored as resting once their claims are written.
 */
export const takeClaims = (sql: SqlClient, claimants: ReadonlyArray<Claimant>): Parts => {
  const claims = claimants.flatMap(({ claims: own, id, mode }) =>
    own.map((claim) => ({
      key: Claim.key(claim),
      subject_id: id,
      mode,
      ...(claim._tag === "Transfer" && {
        chain_id: claim.chainId,
        log_index: claim.logIndex,
        block_number: claim.blockNumber,
        tx_hash: claim.txHash,
        block_hash: claim.blockHash,
      }),
    })),
  )
  // If a write makes a claim twice, it counts once.
  const rows = [...new Map(claims.map((each) => [each.key, each])).values()]
  if (rows.length === 0) return []
  const columns = {
    key: "text",
    subject_id: "text",
    mode: "text",
    chain_id: "text",
    log_index: "bigint",
    block_number: "bigint",
    tx_hash: "text",
    block_hash: "text",
  }
  return [
    Cte.make(
      "next_claims",
      sql`SELECT *, florin.claim_key(key) AS own_key FROM ${Records.source(sql, rows, columns)}`,
    ),
    Cte.make(
      "claimed",
      sql`INSERT INTO florin.claims (key, subject_id)
        SELECT next.own_key, next.subject_id FROM guard, next_claims AS next ORDER BY next.own_key
        RETURNING key`,
    ),
    Cte.make(
      "resting",
      sql`INSERT INTO florin.resting_transfers (chain, log_index, block_number, tx_hash, block_hash, subject_id)
        SELECT florin.numbered(next.mode || '/' || next.chain_id), next.log_index, next.block_number,
          florin.packed(next.tx_hash), florin.packed(next.block_hash), next.subject_id
        FROM claimed, next_claims AS next WHERE next.own_key = claimed.key AND next.block_hash IS NOT NULL`,
    ),
  ]
}

/** Where a transfer rests. */
const placeOf = (mode: Mode.Mode, transfer: Transfer.Log) => {
  const claim = Claim.ofTransfer(transfer)
  return {
    mode,
    chain_id: claim.chainId,
    log_index: claim.logIndex,
    block_number: claim.blockNumber,
    tx_hash: claim.txHash,
    claim: Claim.key(claim),
  }
}

const placeColumns = {
  mode: "text",
  chain_id: "text",
  log_index: "bigint",
  block_number: "bigint",
  tx_hash: "text",
  claim: "text",
}

/** A resting transfer is at the place that `next` names. */
const isAtPlace = (sql: SqlClient) =>
  sql`resting.chain = florin.number_of(next.mode || '/' || next.chain_id) AND resting.block_number = next.block_number
    AND resting.tx_hash = florin.packed(next.tx_hash) AND resting.log_index = next.log_index`

/** Transfers were found elsewhere, and their claims move along; or they are gone, and their claims stay or are freed. */
export const moveClaims = (sql: SqlClient, claimants: ReadonlyArray<Claimant>): Parts => {
  const rows = claimants.flatMap(({ mode, moved }) => {
    if (moved === undefined) return []
    const to = moved.to === null ? null : Claim.ofTransfer(moved.to)
    return [
      {
        ...placeOf(mode, moved.from),
        to_claim: to === null ? null : Claim.key(to),
        to_number: to?.blockNumber ?? null,
        to_tx: to?.txHash ?? null,
        to_log: to?.logIndex ?? null,
        to_hash: to?.blockHash ?? null,
        is_freed: moved.isFreed ?? false,
      },
    ]
  })
  if (rows.length === 0) return []
  const columns = {
    ...placeColumns,
    to_claim: "text",
    to_number: "bigint",
    to_tx: "text",
    to_log: "bigint",
    to_hash: "text",
    is_freed: "boolean",
  }
  const place = isAtPlace(sql)
  return [
    Cte.make("next_places", sql`SELECT * FROM ${Records.source(sql, rows, columns)}`),
    Cte.make(
      "gone",
      sql`DELETE FROM florin.resting_transfers AS resting USING guard, next_places AS next
        WHERE ${place} AND next.to_claim IS NULL`,
    ),
    Cte.make(
      "freed",
      sql`DELETE FROM florin.claims USING guard, next_places AS next
        WHERE claims.key = florin.claim_key(next.claim) AND next.is_freed`,
    ),
    Cte.make(
      "reclaimed",
      sql`UPDATE florin.claims SET key = florin.claim_key(next.to_claim) FROM guard, next_places AS next
        WHERE claims.key = florin.claim_key(next.claim) AND next.to_claim IS NOT NULL
        RETURNING claims.key`,
    ),
    Cte.make(
      "moved",
      sql`UPDATE florin.resting_transfers AS resting SET block_number = next.to_number, log_index = next.to_log,
          tx_hash = florin.packed(next.to_tx), block_hash = florin.packed(next.to_hash)
        FROM reclaimed, next_places AS next WHERE ${place} AND florin.claim_key(next.to_claim) = reclaimed.key`,
    ),
  ]
}

/** Payments take inflows together with the claims of their transfers: they rest on these from now on. */
export const handOverClaims = (
  sql: SqlClient,
  changes: ReadonlyArray<Pick<Change.InflowChange, "inflow">>,
): Parts => {
  const rows = changes.flatMap(({ inflow: { mode, state, transfer } }) => {
    if (state._tag !== "Taken") return []
    return [{ ...placeOf(mode, transfer), payment_id: state.paymentId }]
  })
  if (rows.length === 0) return []
  const columns = { ...placeColumns, payment_id: "text" }
  return [
    Cte.make("next_owners", sql`SELECT * FROM ${Records.source(sql, rows, columns)}`),
    Cte.make(
      "handed",
      sql`UPDATE florin.claims SET subject_id = next.payment_id FROM guard, next_owners AS next
        WHERE claims.key = florin.claim_key(next.claim)`,
    ),
    Cte.make(
      "handed_on",
      sql`UPDATE florin.resting_transfers AS resting SET subject_id = next.payment_id
        FROM guard, next_owners AS next
        WHERE ${isAtPlace(sql)}`,
    ),
  ]
}

/** Those of the claims that were made. */
export const made = (sql: SqlClient, keys: ReadonlyArray<string>) =>
  Effect.map(
    // OFFSET 0 has each looked up: the planner would read all of a small table.
    sql<{ readonly claim: string }>`SELECT claim FROM unnest(${keys}::text[]) AS claim,
      LATERAL (SELECT FROM florin.claims WHERE key = florin.claim_key(claim) OFFSET 0) AS own`,
    (rows): ReadonlySet<string> => new Set(rows.map(({ claim }) => claim)),
  )

/** Names the taken claim, or the turn of an outflow, that stopped a write. */
export const failWithTaken = Effect.fnUntraced(function* (
  sql: SqlClient,
  claimants: ReadonlyArray<Claimant>,
  error: SqlError,
): Effect.fn.Return<never, ClaimTaken | SqlError> {
  const { reason } = error
  if (reason._tag !== "UniqueViolation") return yield* error
  if (reason.constraint === "outflows_by_turn") return yield* ClaimTaken.of("turn")
  // Two processes found the same money: the server decides which of the two keys is checked first.
  const isClaim = ["claims_pkey", "inflows_pkey"].includes(reason.constraint)
  if (!isClaim) return yield* error
  const keys = claimants.flatMap(({ claims, moved }) => {
    const next = moved?.to ?? null
    return [...claims, ...(next === null ? [] : [Claim.ofTransfer(next)])].map(Claim.key)
  })
  const taken = yield* made(sql, keys)
  const claim = keys.find((key) => taken.has(key))
  return yield* claim === undefined ? error : ClaimTaken.of(claim)
})

interface Row {
  readonly log_index: bigint
  readonly subject_id: string
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "claimsOf"> => ({
  claimsOf: Effect.fn("Storage.claimsOf")((chainId, txHash) => {
    const prefix = sql`florin.claim_key(${Claim.transfersPrefix(chainId, txHash)})`
    // What follows the prefix are the digits of a number, which are less than 0xff.
    return Effect.map(
      Connection.guard(
        sql<Row>`SELECT convert_from(substr(key, ${prefixLength + 1}), 'UTF8')::bigint AS log_index, subject_id
          FROM florin.claims WHERE key > ${prefix} AND key < ${prefix} || '\\xff'::bytea ORDER BY 1`,
      ),
      (rows) =>
        rows.map(({ log_index: logIndex, subject_id: id }): ClaimedLog => ({
          txHash,
          logIndex: Number(logIndex),
          paymentId: PaymentIdForm.isPaymentId(id) ? id : null,
        })),
    )
  }),
})
