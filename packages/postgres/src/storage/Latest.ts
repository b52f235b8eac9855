/**
 * Payments as this process last read or wrote them, so that a decision need not read again what was just claimed, shown
 * or written. Nothing is decided by them alone: a write is guarded by the revisions of the payments that it changes.
 *
 * @module
 */
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type { WriteDecision } from "@florin/core/ports/OutflowStore"
import * as Result from "effect/Result"

export interface Latest {
  readonly keep: (payments: ReadonlyArray<Payment.Payment>) => void
  /** All of them, once; null if one is not known. */
  readonly take: (ids: ReadonlyArray<string>) => ReadonlyArray<Payment.Payment> | null
}

const keptMost = 1000
/** Shorter than a restore of the database, after which a revision may stand for something else. */
const keptInMs = 10_000

interface Known {
  readonly payment: Payment.Payment
  readonly until: number
}

export const make = (): Latest => {
  const known = new Map<string, Known>()
  return {
    keep: (payments) => {
      const until = performance.now() + keptInMs
      for (const payment of payments) {
        const earlier = known.get(payment.id)
        if (earlier !== undefined && earlier.payment.revision > payment.revision) continue
        known.delete(payment.id)
        known.set(payment.id, { payment, until })
        const [oldest] = known.keys()
        if (known.size > keptMost && oldest !== undefined) known.delete(oldest)
      }
    },
    take: (ids) => {
      const now = performance.now()
      const found = ids.flatMap((id) => {
        const { payment, until = 0 } = known.get(id) ?? {}
        known.delete(id)
        return payment === undefined || until < now ? [] : [payment]
      })
      return found.length === ids.length ? found : null
    },
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
