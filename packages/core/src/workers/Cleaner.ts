/**
 * Deletes what must not or need not be kept: personal data after its retention period, expired responses of idempotency
 * keys, and entries of the audit log if the operator sets how long they are kept.
 *
 * Everything else stays. Payments, their ledger, events and deliveries can be listed forever. Claims and the
 * transactions of lanes prevent money from moving twice. Finished work leaves nothing behind.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AuditStore } from "../ports/AuditStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { ResponseStore } from "../ports/ResponseStore.ts"
import { Settings } from "../ports/Settings.ts"
import type { StorageUnavailable } from "../ports/StorageError.ts"
import * as Worker from "./Worker.ts"

/** Rows deleted by one write, so that a long backlog holds few locks at a time, and none for long. */
export const deletedAtOnceMax = 500

const betweenRoundsInMs = 60_000

/**
 * Deletes until less is left than fits into one write. Rows that another process deletes in the meantime are skipped.
 */
const untilDone = (
  deletePast: (now: number, limit: number) => Effect.Effect<number, StorageUnavailable>,
) =>
  Effect.gen(function* () {
    // Each write uses the current time, because a long backlog takes longer than one time stays valid.
    const deleted = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      deletePast(now, deletedAtOnceMax),
    )
    while ((yield* deleted) === deletedAtOnceMax);
  })

/** Deletes everything that has expired. */
export const drain = Effect.gen(function* () {
  const responses = yield* ResponseStore
  const payments = yield* PaymentStore
  const audit = yield* AuditStore
  const { auditLogKeptInMs } = yield* Settings
  yield* untilDone(payments.deleteCollected)
  yield* untilDone(responses.deleteResponses)
  if (auditLogKeptInMs !== null) {
    yield* untilDone((now, limit) => audit.deleteEntries(now - auditLogKeptInMs, limit))
  }
})

/** Runs the worker until the layer's scope closes. */
export const layer = Worker.layerEvery(betweenRoundsInMs, drain)
