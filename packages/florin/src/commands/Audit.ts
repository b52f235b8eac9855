/**
 * `florin audit`: which partner or operator wrote what.
 *
 * @module
 */
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"
import * as AuditEntries from "@florin/core/domain/partner/AuditLog"
import * as AuditLog from "@florin/core/engine/AuditLog"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Access from "../storage/Access.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const actorText = (actor: AuditEntries.Actor): string =>
  actor._tag === "Key" ? actor.keyId : `operator ${Printable.from(actor.name ?? "")}`.trimEnd()

const valueText = (value: AuditEntries.Value): string =>
  value === null ? "nothing" : Printable.from(value.toString())

const printChange = ({ field, from, to }: AuditEntries.Change): void => {
  Terminal.fact("changed", Printable.from(field))
  if (from !== undefined) Terminal.fact("  from", valueText(from))
  if (to !== undefined) Terminal.fact("  to", valueText(to))
}

const print = (entry: AuditEntries.Entry): void => {
  const { action, actor, at, changes, mode, partnerId, requestId, subject } = entry
  Terminal.heading(`${Time.iso(at)}  ${AuditEntries.actions[action]} (${action})`)
  Terminal.fact("subject", Printable.from(subject))
  Terminal.fact("by", actorText(actor))
  if (partnerId !== null)
    Terminal.fact("partner", `${partnerId}${mode === null ? "" : `, ${mode}`}`)
  if (requestId !== null) Terminal.fact("request", requestId)
  for (const change of changes) printChange(change)
}

const isAction = Schema.is(AuditEntries.Action)

const timeOf = (text: string): Option.Option<number> =>
  Option.fromUndefinedOr(Rfc3339.read(/^[0-9-]{10}$/u.test(text) ? `${text}T00:00:00Z` : text))

export const command = Command.make(
  "audit",
  {
    partner: Flags.partnerId.pipe(
      Flag.withDescription("Show only entries of this partner"),
      Flag.optional,
    ),
    action: Flags.string("action", "ACTION", "Show only this action, such as key.created").pipe(
      Flag.filterMap(
        (text) => Option.liftPredicate(isAction)(text),
        () => `one of ${AuditEntries.Action.literals.join(", ")}`,
      ),
      Flag.optional,
    ),
    since: Flags.string(
      "since",
      "TIME",
      "Show only entries from this time on, such as 2026-01-31 or 2026-01-31T08:00:00Z",
    ).pipe(
      Flag.filterMap(
        timeOf,
        () => "a date such as 2026-01-31, or a time such as 2026-01-31T08:00:00Z",
      ),
      Flag.optional,
    ),
    limit: ServiceAccess.limit,
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { action, json, limit, partner, since } = options
    const { hasMore, items } = yield* AuditLog.all(
      {
        ...(Option.isSome(partner) && { partnerId: partner.value }),
        ...(Option.isSome(action) && { action: action.value }),
        ...(Option.isSome(since) && { since: since.value }),
      },
      limit,
    ).pipe(Access.inStorage(options, "florin audit"))
    if (json) return Terminal.json(items.map((each) => ({ ...each, at: Time.iso(each.at) })))
    if (items.length === 0) Terminal.plain("No entries.")
    for (const each of items) print(each)
    if (hasMore) Terminal.note("There are more: raise --limit")
  }),
).pipe(
  Command.withDescription(
    "List every change by partners and operators, newest first: the time, the key or system user, the request, and the old and new values. Secrets and personal data are listed without their values.",
  ),
  Command.withShortDescription("Show the audit log"),
  Command.withExamples([
    { command: "florin audit --partner prtn_… --since 2026-01-31" },
    { command: "florin audit --action destination.changed --json" },
  ]),
)
