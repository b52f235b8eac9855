/**
 * What partners and operators changed: recorded together with the write, and listed.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as PageLimit from "../domain/list/PageLimit.ts"
import * as SequenceCursor from "../domain/list/SequenceCursor.ts"
import * as AuditLog from "../domain/partner/AuditLog.ts"
import { Acting, AuditStore } from "../ports/AuditStore.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { Settings } from "../ports/Settings.ts"

/** Creates the audit entry of a deed in the name of the current actor. */
const entries = Effect.gen(function* () {
  const acting = yield* Acting
  const as = { id: yield* (yield* Identifiers).auditEntry, at: yield* Clock.currentTimeMillis }
  return (deed: AuditLog.Deed) => AuditLog.entry(deed, acting, as)
})

/** The entry of a deed, to be written together with the change. */
export const entryOf = (deed: AuditLog.Deed) => Effect.map(entries, (make) => make(deed))

/**
 * Runs one write of a store, and records what it did in the same transaction. A null deed means that the write changed
 * nothing.
 */
export const recordDeed = Effect.fnUntraced(function* <A, E, R>(
  write: Effect.Effect<A, E, R>,
  deedOf: (written: A) => AuditLog.Deed | null,
) {
  const make = yield* entries
  return yield* (yield* AuditStore).record(write, (written) => {
    const deed = deedOf(written)
    return deed === null ? null : make(deed)
  })
})

/** Wraps a decision and keeps the last state that it was given, which is the state that the write replaced. */
export const watch = <A, B>(decide: (current: A) => B) => {
  let shown: A | null = null
  return {
    before: () => shown,
    decide: (current: A): B => {
      shown = current
      return decide(current)
    },
  }
}

/** A page of the entries that pass a filter, such as those about a tenant, newest first. */
export const list = Effect.fn("AuditLog.list")(function* (
  filter: AuditLog.Filter,
  cursor: string | undefined,
  limit: PageLimit.Raw,
) {
  const { sealKey } = yield* Settings
  const size = yield* Effect.fromResult(PageLimit.parse(limit))
  const scope = { ...filter, list: "audit-log" } as const
  const after = yield* Effect.fromResult(SequenceCursor.read(sealKey, scope, cursor))
  const { hasMore, items } = yield* (yield* AuditStore).entries(filter, { after, limit: size })
  const last = items.at(-1)
  return {
    items: items.map(({ entry }) => entry),
    nextCursor:
      hasMore && last !== undefined ? SequenceCursor.encode(sealKey, scope, last.sequence) : null,
  }
})
