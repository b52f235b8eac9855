/**
 * Payments as this process last read or wrote them, so that a decision need not read again what was just claimed, shown
 * or written. Nothing is decided by them alone: a write is guarded by the revisions of the payments that it changes.
 *
 * @module
 */
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type { WriteDecision } from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"

export interface Latest {
  /**
   * Keeps what was read, or what was written once its transaction commits. A revision that was rolled back is another
   * one when it is written again, so nobody may decide on it.
   */
  readonly keep: (payments: ReadonlyArray<Payment.Payment>) => Effect.Effect<void>
  /** All of them, once; null if one is not known. */
  readonly take: (
    ids: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<Payment.Payment> | null>
}

const keptMost = 1000

interface Kept {
  readonly payment: Payment.Payment
  readonly until: number
}

/**
 * What is known is handed on within moments. After longer, the database may have become another one under the same
 * address, whose revisions say something else.
 */
export const make = (sql: Pick<SqlClient, "afterCommit">, keptInMs = 3000): Latest => {
  const known = new Map<string, Kept>()
  return {
    keep: (payments) =>
      sql.afterCommit(
        Effect.sync(() => {
          const now = performance.now()
          const until = now + keptInMs
          for (const payment of payments) {
            const earlier = known.get(payment.id)
            const isKnown = earlier !== undefined && now < earlier.until
            if (isKnown && earlier.payment.revision >= payment.revision) continue
            known.delete(payment.id)
            known.set(payment.id, { payment, until })
            const [oldest] = known.keys()
            if (known.size > keptMost && oldest !== undefined) known.delete(oldest)
          }
        }),
      ),
    take: (ids) =>
      Effect.sync(() => {
        const now = performance.now()
        const found = ids.flatMap((id) => known.get(id) ?? [])
        for (const id of ids) known.delete(id)
        return found.length === ids.length && found.every(({ until }) => now < until)
          ? found.map(({ payment }) => payment)
          : null
      }),
  }
}

/**
 * Whether a decision on such payments may be written: only if the write changes all of them, and so checks each. Others,
 * and refusals, are decided again on what is stored.
 */
export const isGuarded = <A, E>(
  known: ReadonlyArray<Payment.Payment>,
  decided: Result.Result<WriteDecision<A>, E>,
): boolean => {
  if (Result.isFailure(decided) || decided.success.write === null) return false
  const written = new Set(idsOf(decided.success.write))
  return known.every(({ id }) => written.has(id))
}

const idsOf = ({ payments }: Change.Write): ReadonlyArray<string> =>
  payments.map(({ payment }) => payment.id)
