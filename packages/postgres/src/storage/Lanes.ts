/**
 * Nonce lanes: a nonce is taken by the statement that keeps the transaction for it, or not at all.
 *
 * Signing may take long, and ask others. So nothing of the database is held meanwhile: the lane goes to one signer at a
 * time in this process, and what another process took first is signed again.
 *
 * @module
 */
import type * as Payment from "@florin/core/domain/Payment"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import type * as Transfer from "@florin/core/domain/Transfer"
import { NotFound, type Storage } from "@florin/core/ports/Storage"
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

/** The payment as it is, and the nonce that its transaction would have. */
const next = Effect.fnUntraced(function* (
  sql: SqlClient,
  lane: Transfer.Lane,
  floor: number,
  id: PaymentId.PaymentId,
) {
  const [row] = yield* sql<Document.Row & { readonly next_nonce: bigint | null }>`
    SELECT payments.document, lanes.next_nonce FROM payments
    LEFT JOIN lanes ON lanes.chain_id = ${lane.chainId} AND lanes.sender = ${lane.sender}
    WHERE payments.id = ${id}`
  if (row === undefined) {
    return yield* new NotFound({ what: "payment", message: "there is no such payment" })
  }
  const current: Payment.Payment = yield* PaymentRow.document.decode(row.document)
  return { current, nonce: Math.max(Number(row.next_nonce ?? floor), floor) }
})

export const make = (
  sql: SqlClient,
): Pick<Storage["Service"], "modifyPaymentInLane" | "laneTransactions"> => {
  const lockOf = makeLocks()
  return {
    modifyPaymentInLane: Effect.fn("Storage.modifyPaymentInLane")((lane, floor, id, sign, hold) =>
      lockOf(lane).withPermits(1)(
        Decisions.untilWritten(
          Effect.gen(function* () {
            const { current, nonce } = yield* Connection.guard(next(sql, lane, floor, id))
            const decision = yield* sign(current, nonce)
            const { change = null } = decision
            if (change === null) return decision
            const written = yield* Connection.guard(
              Write.change(sql, change, current.revision, hold),
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
  }
}
