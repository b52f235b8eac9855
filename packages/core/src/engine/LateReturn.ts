/**
 * An operator sends late money back to the account it came from.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as LateMoney from "../domain/books/LateMoney.ts"
import * as Transfer from "../domain/chain/Transfer.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import * as AuditLog from "../domain/partner/AuditLog.ts"
import { Chains, type Order } from "../ports/Chain.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"
import { NotFound } from "../ports/StorageError.ts"
import { recordDeed } from "./AuditLog.ts"
import * as Retry from "./Retry.ts"

/** An earlier return was mined and moved something else. */
export class ReturnHeld extends Schema.TaggedError<ReturnHeld>()("ReturnHeld", {
  message: Schema.String,
}) {}

/**
 * Makes the workers send a suspended transfer back; returns whether this call decided it. Once the transfer is on its
 * way, it is no longer in suspense, and another call fails with `NotFound`.
 */
export const giveBack = Effect.fn("LateReturn.giveBack")(function* (
  id: PaymentId.PaymentId,
  txHash: string,
) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const late = LateMoney.findSuspended(payment, txHash)
  if (late?._tag !== "Suspended") {
    return yield* new NotFound({
      what: "payment",
      message: "the payment has no such transfer in suspense",
    })
  }
  const { held, transfer } = late
  if (held?.movedOtherwise === true) {
    return yield* new ReturnHeld({ message: Transfer.whyNotRetried(held.reason) })
  }
  const order: Order = { _tag: "Send", movement: LateMoney.returnOf(transfer) }
  yield* (yield* Chains).of(payment.mode).rehearse(order)
  if (held !== undefined) return (yield* Retry.outflow(held.outflowId)).length > 0
  const outflowId = yield* (yield* Identifiers).outflow
  const now = yield* Clock.currentTimeMillis
  const isDecided = yield* recordDeed(
    (yield* OutflowStore).modify(
      { outflows: [], payments: [id] },
      ({ payments: [current] }) => {
        const write =
          current === undefined ? null : LateMoney.giveBack(current, txHash, outflowId, now)
        return Result.succeed({ result: write !== null, write })
      },
      null,
    ),
    (isNews) => {
      const { mode, partnerId } = payment
      const changes = [AuditLog.became("txHash", txHash)]
      return isNews
        ? { action: "late_transfer.returned", partnerId, mode, subject: id, changes }
        : null
    },
  )
  yield* (yield* Signals).changed(id)
  return isDecided
})
