/**
 * `florin audit`: which partner or operator wrote what.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/AuditLog"
import type * as Wire from "@florin/api/wire/AuditEntry"
import * as AuditEntries from "@florin/core/domain/partner/AuditLog"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as OperatorCommand from "../operator/Command.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const actorText = ({ keyId, name, type }: Wire.Owned["actor"]): string => {
  if (type === "key") return keyId ?? ""
  const person = `operator ${Printable.from(name ?? "")}`.trimEnd()
  return keyId === null ? person : `${person}, ${keyId}`
}

/** The log keeps times as numbers. */
const valueText = (field: string, value: AuditEntries.Value): string => {
  if (typeof value === "number" && /(?:At|Until)$/u.test(field)) return Time.second(Time.iso(value))
  return value === null ? "nothing" : Printable.from(value.toString())
}

const print = (entry: Wire.Owned): void => {
  const { action, actor, changes, mode, partnerId, reason, requestId, subject, timestamp } = entry
  Terminal.heading(`${Time.second(timestamp)}  ${AuditEntries.actions[action]} (${action})`)
  Terminal.fact("subject", Printable.from(subject))
  Terminal.fact("by", actorText(actor))
  Terminal.fact("why", reason && Printable.from(reason))
  Terminal.fact("partner", partnerId && [partnerId, mode ?? []].flat().join(", "))
  Terminal.fact("request", requestId)
  for (const { field, from, to } of changes) {
    Terminal.fact("changed", Printable.from(field))
    if (from !== undefined) Terminal.fact("  from", valueText(field, from))
    if (to !== undefined) Terminal.fact("  to", valueText(field, to))
  }
}

/** The API takes a time, and a person may write a day. */
const timeOf = (text: string): string => (/^[0-9-]{10}$/u.test(text) ? `${text}T00:00:00Z` : text)

export const command = OperatorCommand.of(Contract.group)("audit", "list", {
  takes: {
    // There are too many actions to list them in the help.
    action: Flags.optionalString("action", "ACTION", "Only this action, such as key.created"),
    since: Flags.optionalString(
      "since",
      "TIME",
      "Only entries from this time on, such as 2026-01-31 or 2026-01-31T08:00:00Z",
    ).pipe(Flag.map(Option.map(timeOf))),
  },
  print: ({ data }) => {
    if (data.length === 0) Terminal.plain("No entries.")
    for (const each of data) print(each)
  },
  examples: [
    "florin audit --partner prtn_… --since 2026-01-31",
    "florin audit --action destination.changed --json",
  ],
})
