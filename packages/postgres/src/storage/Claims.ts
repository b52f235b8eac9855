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
        block_number: claim.blockNumber,
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
    block_number: "bigint",
    block_hash: "text",
  }
  return [
    Cte.make("next_claims", sql`SELECT * FROM ${Records.source(sql, rows, columns)}`),
    Cte.make(
      "claimed",
      sql`INSERT INTO florin.claims (key, subject_id)
        SELECT next.key, next.subject_id FROM guard, next_claims AS next ORDER BY next.key COLLATE "C"
        RETURNING key`,
    ),
    Cte.make(
      "resting",
      sql`INSERT INTO florin.resting_transfers (mode, chain_id, block_number, claim, block_hash, subject_id)
        SELECT next.mode, next.chain_id, next.block_number, next.key, next.block_hash, next.subject_id
        FROM claimed, next_claims AS next WHERE next.key = claimed.key AND next.block_hash IS NOT NULL`,
    ),
  ]
}

/** Where a transfer rests. */
const placeOf = (mode: Mode.Mode, transfer: Transfer.Log) => {
  const claim = Claim.ofTransfer(transfer)
  return {
    mode,
    chain_id: claim.chainId,
    block_number: claim.blockNumber,
    claim: Claim.key(claim),
  }
}

const placeColumns = { mode: "text", chain_id: "text", block_number: "bigint", claim: "text" }

/** A resting transfer is at the place that `next` names. */
const isAtPlace = (sql: SqlClient) =>
  sql`resting.mode = next.mode AND resting.chain_id = next.chain_id
    AND resting.block_number = next.block_number AND resting.claim = next.claim`

/** Transfers were found elsewhere, and their claims move along; or they are gone, and their claims stay. */
export const moveClaims = (sql: SqlClient, claimants: ReadonlyArray<Claimant>): Parts => {
  const rows = claimants.flatMap(({ mode, moved }) => {
    if (moved === undefined) return []
    const to = moved.to === null ? null : Claim.ofTransfer(moved.to)
    return [
      {
        ...placeOf(mode, moved.from),
        to_claim: to === null ? null : Claim.key(to),
        to_number: to?.blockNumber ?? null,
        to_hash: to?.blockHash ?? null,
      },
    ]
  })
  if (rows.length === 0) return []
  const columns = { ...placeColumns, to_claim: "text", to_number: "bigint", to_hash: "text" }
  const place = isAtPlace(sql)
  return [
    Cte.make("next_places", sql`SELECT * FROM ${Records.source(sql, rows, columns)}`),
    Cte.make(
      "gone",
      sql`DELETE FROM florin.resting_transfers AS resting USING guard, next_places AS next
        WHERE ${place} AND next.to_claim IS NULL`,
    ),
    Cte.make(
      "reclaimed",
      sql`UPDATE florin.claims SET key = next.to_claim FROM guard, next_places AS next
        WHERE claims.key = next.claim AND next.to_claim IS NOT NULL
        RETURNING claims.key`,
    ),
    Cte.make(
      "moved",
      sql`UPDATE florin.resting_transfers AS resting SET block_number = next.to_number, claim = reclaimed.key,
          block_hash = next.to_hash
        FROM reclaimed, next_places AS next WHERE ${place} AND next.to_claim = reclaimed.key`,
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
        WHERE claims.key = next.claim`,
    ),
    Cte.make(
      "handed_on",
      sql`UPDATE florin.resting_transfers AS resting SET subject_id = next.payment_id
        FROM guard, next_owners AS next
        WHERE ${isAtPlace(sql)}`,
    ),
  ]
}

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
  const rows = yield* sql<{ readonly key: string }>`
    SELECT key FROM florin.claims WHERE key = ANY(${keys}::text[])`
  const taken = new Set(rows.map(({ key }) => key))
  const claim = keys.find((key) => taken.has(key))
  return yield* claim === undefined ? error : ClaimTaken.of(claim)
})

interface Row {
  readonly key: string
  readonly subject_id: string
}

export const make = (sql: SqlClient): Pick<PaymentStore["Service"], "claimsOf"> => ({
  claimsOf: Effect.fn("Storage.claimsOf")((chainId, txHash) => {
    const prefix = Claim.transfersPrefix(chainId, txHash)
    // Keys compare byte by byte: all keys with the prefix come before the next value of its last character.
    const end = `${prefix.slice(0, -1)};`
    return Effect.map(
      Connection.guard(
        sql<Row>`SELECT key, subject_id FROM florin.claims WHERE key > ${prefix} AND key < ${end}`,
      ),
      (rows) =>
        rows
          .map(({ key, subject_id: id }): ClaimedLog => ({
            txHash,
            logIndex: Number(key.slice(prefix.length)),
            paymentId: PaymentIdForm.isPaymentId(id) ? id : null,
          }))
          .toSorted((left, right) => left.logIndex - right.logIndex),
    )
  }),
})
