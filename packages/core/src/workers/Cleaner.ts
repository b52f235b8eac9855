/**
 * Deletes what must not be kept, or need not: personal data when its time is over, answers whose keys are forgotten, and
 * entries of the audit log if the operator says how long they are kept.
 *
 * Everything else stays. Payments, their ledger, events and deliveries can be listed for ever; claims and the
 * transactions of lanes are what keeps money from moving twice. Work that is done leaves nothing behind.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AnswerStore } from "../ports/AnswerStore.ts"
import { AuditStore } from "../ports/AuditStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Settings } from "../ports/Settings.ts"
import type { StorageUnavailable } from "../ports/StorageError.ts"
import * as Worker from "./Worker.ts"

/** Rows deleted by one write: a long backlog holds few locks at a time, and none for long. */
export const deletedAtOnceMax = 500

const betweenRoundsInMs = 60_000

/** Deletes until less is left than fits into one write. What another process deletes meanwhile is passed over. */
const untilDone = (
  deletePast: (now: number, limit: number) => Effect.Effect<number, StorageUnavailable>,
) =>
  Effect.gen(function* () {
    // Each write at its own time: a long backlog takes longer than a time is good for.
    const deleted = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      deletePast(now, deletedAtOnceMax),
    )
    while ((yield* deleted) === deletedAtOnceMax);
  })

/** Deletes everything that is past its time now. */
export const drain = Effect.gen(function* () {
  const answers = yield* AnswerStore
  const payments = yield* PaymentStore
  const audit = yield* AuditStore
  const { auditLogKeptInMs } = yield* Settings
  yield* untilDone(payments.deleteCollected)
  yield* untilDone(answers.deleteAnswers)
  if (auditLogKeptInMs !== null) {
    yield* untilDone((now, limit) => audit.deleteEntries(now - auditLogKeptInMs, limit))
  }
})

/** Runs the worker for as long as the layer lives. */
export const layer = () =>
  Worker.repeating(Effect.andThen(drain, Effect.sleep(betweenRoundsInMs)), betweenRoundsInMs)
