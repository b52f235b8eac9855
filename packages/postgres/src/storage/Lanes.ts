/**
 * Nonce lanes: a nonce is taken by the statement that keeps the transaction for it, or not at all.
 *
 * Signing may take long, and ask others. So nothing of the database is held meanwhile: the lane goes to one signer at a
 * time in this process, and what another process took first is signed again.
 *
 * @module
 */
import type * as Payment from "@florin/core/domain/Payment"
import * as PaymentId from "@florin/core/domain/PaymentId"
import type * as Transfer from "@florin/core/domain/Transfer"
import { type LaneState, NotFound, type Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Decisions from "./Decisions.ts"
import * as Document from "./Document.ts"
import * as PaymentRow from "./PaymentRow.ts"
import * as Write from "./Write.ts"

/** A lock for each lane of this process. There are as many as the service has accounts. */
const makeLocks = () => {
  const locks = new Map<string, Semaphore.Semaphore>()
  return (lane: Transfer.Lane): Semaphore.Semaphore => {
    const key = `${lane.chainId}:${lane.sender}`
    const known = locks.get(key)
    if (known !== undefined) return known
    const fresh = Semaphore.makeUnsafe(1)
    locks.set(key, fresh)
    return fresh
  }
}

/** Null in what is the lane's where nothing was sent on it yet. */
interface LaneRow {
  readonly next_nonce: bigint | null
  readonly spent_hour: number | null
  readonly spent: string | null
  readonly halted_because: string | null
  readonly accepted_nonce: bigint | null
}

/** The payment as it is, and the nonce that its transaction would have. */
const next = Effect.fnUntraced(function* (
  sql: SqlClient,
  lane: Transfer.Lane,
  floor: number,
  id: PaymentId.PaymentId,
) {
  const [row] = yield* sql<Document.Row & LaneRow>`
    SELECT payments.document, lanes.next_nonce, lanes.spent_hour, lanes.spent,
      chain_states.document->'halt'->>'reason' AS halted_because,
      (chain_states.document->'accepted'->>${lane.sender})::bigint AS accepted_nonce
    FROM payments
    LEFT JOIN lanes ON lanes.chain_id = ${lane.chainId} AND lanes.sender = ${lane.sender}
    LEFT JOIN chain_states ON chain_states.mode = payments.mode AND chain_states.chain_id = ${lane.chainId}
    WHERE payments.id = ${id}`
  if (row === undefined) {
    return yield* new NotFound({ what: "payment", message: "there is no such payment" })
  }
  const current: Payment.Payment = yield* PaymentRow.document.decode(row.document)
  const state: LaneState = {
    spending: { hour: row.spent_hour ?? 0, quantity: BigInt(row.spent ?? "0") },
    nextNonce: row.next_nonce === null ? null : Number(row.next_nonce),
    acceptedNonce: Number(row.accepted_nonce ?? 0),
    haltedBecause: row.halted_because,
  }
  return { current, nonce: Math.max(state.nextNonce ?? floor, floor), state }
})

export const make = (
  sql: SqlClient,
): Pick<
  Storage["Service"],
  "modifyPaymentInLane" | "laneTransactions" | "laneTransaction" | "laneOwner"
> => {
  const lockOf = makeLocks()
  return {
    modifyPaymentInLane: Effect.fn("Storage.modifyPaymentInLane")((lane, floor, id, sign, hold) =>
      lockOf(lane).withPermits(1)(
        Decisions.untilWritten(
          Effect.gen(function* () {
            const { current, nonce, state } = yield* Connection.guard(next(sql, lane, floor, id))
            const decision = yield* sign(current, nonce, state)
            const { change = null } = decision
            if (change === null) return decision
            const written = yield* Connection.guard(
              Write.change(sql, change, current.revision, hold, state.spending),
            )
            return written ? decision : null
          }),
        ),
      ),
    ),

    laneTransactions: Effect.fn("Storage.laneTransactions")((lane, fromNonce) =>
      Connection.guard(
        Document.all(
          Write.relayedDocument,
          sql<Document.Row>`SELECT document FROM lane_transactions
            WHERE chain_id = ${lane.chainId} AND sender = ${lane.sender} AND nonce >= ${fromNonce}
            ORDER BY nonce`,
        ),
      ),
    ),

    laneTransaction: Effect.fn("Storage.laneTransaction")((lane, nonce) =>
      Connection.guard(
        Effect.map(
          Document.all(
            Write.relayedDocument,
            sql<Document.Row>`SELECT document FROM lane_transactions
              WHERE chain_id = ${lane.chainId} AND sender = ${lane.sender} AND nonce = ${nonce}`,
          ),
          ([found = null]) => found,
        ),
      ),
    ),

    laneOwner: Effect.fn("Storage.laneOwner")(function* (lane, nonce) {
      const [row] = yield* Connection.guard(sql<{ readonly payment_id: string }>`
        SELECT payment_id FROM lane_transactions
        WHERE chain_id = ${lane.chainId} AND sender = ${lane.sender} AND nonce = ${nonce}`)
      return row === undefined ? null : PaymentId.PaymentId.make(row.payment_id)
    }),
  }
}
