/**
 * Due work, in memory.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Change from "../../domain/payment/Change.ts"
import { type Backlog, backlogMax, DueWork } from "../DueWork.ts"
import { LeaseLost } from "../StorageError.ts"
import type { Records } from "./Records.ts"
import { atomic } from "./Rows.ts"

export const make = ({ isHeld, outflows, payments, work }: Records) =>
  DueWork.of({
    time: Clock.currentTimeMillis,
    requireRoom: Effect.void,
    claimDue: (kind, options) =>
      Effect.sync(() =>
        work[kind].claim(options).flatMap(({ failures, fence, key, queue }) => {
          const payment = payments.get(key)
          return payment === undefined
            ? []
            : [{ payment, lease: { id: payment.id, kind, fence }, queue, failures }]
        }),
      ),
    claimDueOutflows: (kind, options) =>
      Effect.sync(() =>
        work[kind].claim(options).flatMap(({ failures, fence, key, queue }) => {
          const outflow = outflows.get(key)
          return outflow === undefined
            ? []
            : [{ outflow, lease: { id: outflow.id, kind, fence }, queue, failures }]
        }),
      ),
    postpone: (lease, dueAt, failures) =>
      atomic(() => {
        if (!isHeld(lease)) return Result.fail(LeaseLost.of())
        work[lease.kind].postpone(lease.id, dueAt, failures)
        return Result.void
      }),
    nextDueAt: (kind) => Effect.sync(() => work[kind].nextAt()),
    backlog: (now) =>
      Effect.sync(() => {
        const backlogs = new Map<string, Backlog>()
        for (const kind of [...Change.workKinds, ...Change.outflowWorkKinds]) {
          for (const { dueAt, queue } of work[kind].waiting(now, backlogMax)) {
            const { group } = queue
            const { count = 0, oldestDueAt = dueAt } = backlogs.get(`${kind} ${group}`) ?? {}
            backlogs.set(`${kind} ${group}`, {
              kind,
              group,
              count: count + 1,
              oldestDueAt: Math.min(oldestDueAt, dueAt),
            })
          }
        }
        return [...backlogs.values()]
      }),
  })
