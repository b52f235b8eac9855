/**
 * The audit log, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Page from "../../domain/list/Page.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import { AuditStore, type Listed } from "../AuditStore.ts"

export const make = () => {
  /** Oldest first: a new entry must not cost more the more there are. */
  let listed: Array<Listed> = []
  let sequence = 0

  const add = (entry: AuditLog.Entry | null): void => {
    if (entry !== null) listed.push({ sequence: ++sequence, entry })
  }

  const store = AuditStore.of({
    record: (write, entryOf) =>
      Effect.uninterruptible(
        Effect.tap(write, (written) => Effect.sync(() => add(entryOf(written)))),
      ),
    entries: (filter, { after, limit }) =>
      Effect.sync(() => {
        const found = listed.filter(
          (each) =>
            AuditLog.isListed(each.entry, filter) && (after === null || each.sequence < after),
        )
        return Page.cut(found.toReversed(), limit)
      }),
    deleteEntries: (before, limit) =>
      Effect.sync(() => {
        const past = new Set(
          listed
            .filter(({ entry }) => entry.at < before)
            .slice(0, limit)
            .map((each) => each.sequence),
        )
        listed = listed.filter((each) => !past.has(each.sequence))
        return past.size
      }),
  })
  return { store, add }
}

/** What payments need of the audit log. */
export type AuditLogs = ReturnType<typeof make>
