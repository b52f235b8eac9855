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

/** A few seconds of work. */
const keptMost = 1000

export const make = (): Latest => {
  const known = new Map<string, Payment.Payment>()
  return {
    keep: (payments) => {
      for (const payment of payments) {
        const earlier = known.get(payment.id)
        known.delete(payment.id)
        known.set(
          payment.id,
          earlier === undefined || earlier.revision < payment.revision ? payment : earlier,
        )
        const [oldest] = known.keys()
        if (known.size > keptMost && oldest !== undefined) known.delete(oldest)
      }
    },
    take: (ids) => {
      const found = ids.flatMap((id) => known.get(id) ?? [])
      for (const id of ids) known.delete(id)
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
