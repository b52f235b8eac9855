/**
 * Budgets for failures, in memory.
 *
 * @module
 */
import type * as Change from "../../domain/payment/Change.ts"
import * as FailureBudget from "../../domain/payment/FailureBudget.ts"

export const make = () => {
  const levels = new Map<string, FailureBudget.Level>()

  const next = (entry: FailureBudget.Entry, at: number): FailureBudget.Level | null => {
    const known = levels.get(entry.subject)
    const emptyAt = FailureBudget.apply(known?.emptyAt ?? 0, entry, at)
    const hasPaid = entry.hasPaid === true || known?.hasPaid === true
    return emptyAt === null ? null : { subject: entry.subject, emptyAt, hasPaid }
  }

  return {
    /** Whether the budgets allow everything that a change charges. */
    allows: ({ charges }: Change.Change): boolean =>
      charges === undefined || charges.entries.every((entry) => next(entry, charges.at) !== null),
    charge: ({ charges }: Change.Change): void => {
      for (const entry of charges?.entries ?? []) {
        if (entry.byInMs === 0) continue
        const level = next(entry, charges?.at ?? 0)
        if (level !== null) levels.set(level.subject, level)
      }
    },
    of: (subjects: ReadonlyArray<string>): ReadonlyArray<FailureBudget.Level> =>
      [...new Set(subjects)].toSorted().flatMap((subject) => levels.get(subject) ?? []),
  }
}

/** What records and lanes share. */
export type Budgets = ReturnType<typeof make>
