/**
 * An operator decides what one of our transfers was that moved something else. Until then the ledger counts it as lost.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Outgoing from "../domain/books/Outgoing.ts"
import * as Recording from "../domain/books/Recording.ts"
import type * as OutflowId from "../domain/ground/OutflowId.ts"
import * as Outflow from "../domain/outflow/Outflow.ts"
import type * as AuditLog from "../domain/partner/AuditLog.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { Signals } from "../ports/Signals.ts"
import { recordDeed } from "./AuditLog.ts"
import * as Debts from "./Debts.ts"
import * as Retry from "./Retry.ts"

/** There is nothing to which this decision applies. */
export class NotDecided extends Schema.TaggedError<NotDecided>()("NotDecided", {
  message: Schema.String,
}) {}

/** Applies a decision to an outflow that moved something else; returns the payments that this changed. */
const decided = Effect.fnUntraced(function* (
  held: Outflow.Outflow,
  action: AuditLog.Action,
  refusal: string,
  decide: (current: Outgoing.Current, now: number) => ReturnType<typeof Outgoing.accept>,
) {
  const { id, mode, partnerId = null } = held
  const now = yield* Clock.currentTimeMillis
  const written = yield* recordDeed(
    (yield* OutflowStore).modify(
      { outflows: [id], payments: Outflow.paymentIds(held), inflows: Outflow.inflowIds(held) },
      ({ inflows, outflows: [outflow], payments }) => {
        const write = outflow === undefined ? null : decide({ outflow, payments, inflows }, now)
        return write === null
          ? Result.fail(new NotDecided({ message: refusal }))
          : Result.succeed({ result: write, write })
      },
      null,
    ),
    () => ({ action, partnerId, mode, subject: id, changes: [] }),
  )
  const signals = yield* Signals
  yield* Effect.forEach(written.payments, ({ payment }) => signals.changed(payment.id), {
    discard: true,
  })
  return written.payments.map(({ payment }) => payment)
})

const notAstray =
  "it is not held because its transaction moved something else, or the chain does not report what that moved"

/** What moved counts as the whole amount: nothing more is sent. */
export const accept = Effect.fn("Astray.accept")(function* (id: OutflowId.OutflowId) {
  const held = yield* (yield* OutflowStore).outflow(id)
  const refusal =
    Outflow.astrayOf(held)?.left === 0n
      ? "its transaction moved nothing, so there is nothing to accept: release it"
      : notAstray
  return yield* decided(held, "payout.accepted", refusal, Outgoing.accept)
})

/** What arrived counts as a part of the amount: the rest is sent again. */
export const release = Effect.fn("Astray.release")(function* (id: OutflowId.OutflowId) {
  const held = yield* (yield* OutflowStore).outflow(id)
  const destinations = yield* Retry.destinationsOf(held)
  const debts = yield* Debts.of(held.mode, held.movement.token, Outflow.merchantsOf(held))
  const outflowId = yield* (yield* Identifiers).outflow
  const refusal =
    Outflow.astrayOf(held) === null
      ? notAstray
      : "a part of it arrived, and only payouts are paid in parts: accept it, and send the rest yourself"
  return yield* decided(
    held,
    "payout.released",
    refusal,
    (current, now) =>
      Outgoing.retryAstray(current, destinations, now) ??
      Recording.release(current, debts, outflowId, now),
  )
})
