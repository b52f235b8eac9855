/**
 * What partners and operators changed: recorded together with the write, and listed.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Page from "../../domain/list/Page.ts"
import * as PageLimit from "../../domain/list/PageLimit.ts"
import * as SequenceCursor from "../../domain/list/SequenceCursor.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import { Acting, AuditStore } from "../../ports/AuditStore.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { Settings } from "../../ports/Settings.ts"

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

/** Runs a modification of a store by a decision. Returns its result, and the state that it replaced. */
export const replacing = <A, B, C, E, R>(
  modify: (decide: (current: A) => B) => Effect.Effect<C, E, R>,
  decide: (current: A) => B,
) => {
  // A decision may run several times, and the last one is written.
  let before: A | null = null
  const modified = modify((current) => {
    before = current
    return decide(current)
  })
  return Effect.map(modified, (after) => ({ before, after }))
}

/** Changes what a store keeps by a decision, and records how it differs from what it was. */
export const recordChange = <A, B, C, E, R>(
  modify: (decide: (current: A) => B) => Effect.Effect<C, E, R>,
  decide: (current: A) => B,
  deedOf: (before: A | null, after: C) => AuditLog.Deed | null,
) =>
  Effect.map(
    recordDeed(replacing(modify, decide), ({ after, before }) => deedOf(before, after)),
    ({ after }) => after,
  )

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
  const page = yield* (yield* AuditStore).entries(filter, { after, limit: size })
  return {
    items: page.items.map(({ entry }) => entry),
    nextCursor: Page.nextCursor(page, ({ sequence }) =>
      SequenceCursor.encode(sealKey, scope, sequence),
    ),
  }
})
