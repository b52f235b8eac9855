/**
 * The audit log: who wrote what, when and why. A partner sees its own entries, and the operator those of everybody.
 *
 * @module
 */
import type * as AuditEntry from "@florin/api/wire/AuditEntry"
import type * as Key from "@florin/api/wire/Key"
import { type List, useGet } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { chips, choice, link } from "../shell/Filter.ts"
import { idFact } from "../shell/Id.tsx"
import { Listing, More } from "../shell/Listing.tsx"
import { useLoad } from "../shell/Load.ts"
import { Facts, foreign, ModePill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, usePlace } from "../shell/Route.tsx"
import { column, times } from "../shell/Table.tsx"
import * as Texts from "../shell/Texts.ts"

const { audit: texts, mode, notFound, words } = Texts.texts

/** What the operator sees of an entry. A partner sees less of it. */
type Row = AuditEntry.AuditEntry &
  Partial<Pick<AuditEntry.Owned, "mode" | "partnerId" | "reason">> & {
    readonly actor: Partial<Pick<AuditEntry.Owned["actor"], "name">>
  }
type Change = Row["changes"][number]
interface Page {
  readonly data: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

/** A value as the log has it. Times in it are numbers. */
const valueText = (field: string, value: unknown): string => {
  if (value === undefined || value === null) return "–"
  if (typeof value === "number" && /(?:At|Until)$/u.test(field)) return Reader.time(value)
  return typeof value === "string" ? value : JSON.stringify(value)
}

const changeText = ({ field, from, to }: Change): string =>
  from === undefined && to === undefined
    ? texts.hidden
    : `${valueText(field, from)} → ${valueText(field, to)}`

const changed = ({ changes }: Row): string =>
  changes.map((change) => `${change.field}: ${changeText(change)}`).join(" · ")

const entryDialog = (entry: Row, who: string, onClose: () => void) => {
  const { action, actor, changes, partnerId, reason, requestId, subject, timestamp } = entry
  return (
    <Dialog title={texts.actions[action]} onClose={onClose}>
      <Facts
        of={[
          [texts.when, Reader.time(timestamp)],
          [texts.who, foreign(who)],
          [texts.why, reason === null ? texts.noReason : foreign(reason)],
          idFact(texts.subject, subject),
          idFact(words.partner, partnerId),
          idFact(texts.key, actor.keyId),
          idFact(words.request, requestId),
          ...changes.map((each) => [foreign(each.field), foreign(changeText(each))] as const),
        ]}
      />
    </Dialog>
  )
}

/** The API reads no single entry, so what a link names is looked for from the newest on. */
const missingDialog = (list: List<Row, Page>, onClose: () => void) => {
  const { more, rows = [] } = list
  return (
    <Dialog title={more === undefined ? notFound.title : texts.older.title} onClose={onClose}>
      <p>{more === undefined ? notFound.text : texts.older.text(rows.length)}</p>
      <More of={list} />
    </Dialog>
  )
}

export const Screen = () => {
  const place = usePlace()
  const { may, session } = useConsole()
  const { face } = session
  const isOperator = face === "operator"
  const get = useGet()
  /** The operator's entries have names. Those of a partner have keys, of which some people can list those that are valid. */
  const names = useLoad(face, async (signal) =>
    isOperator || !may("keys") ? [] : (await get<Key.List>("/keys", signal)).keys,
  )
  const who = ({ actor: { keyId, name, type } }: Row): string =>
    name ?? names.value?.find(({ id }) => id === keyId)?.name ?? keyId ?? texts.types[type]
  const open = (entry: string | undefined) => filtered(place, { entry })
  return (
    <Listing<Row, Page>
      texts={{ ...texts, note: texts.notes[face], none: texts.none[face] }}
      path="/audit-log"
      rowsOf={({ data }) => data}
      filters={
        isOperator
          ? [
              choice("action", texts.what, Object.entries(texts.actions)),
              { name: "since", kind: "day", label: texts.since },
              chips("mode", mode),
              link("partnerId"),
            ]
          : []
      }
      columns={[
        column(texts.what, "title", 3, ({ action }) => texts.actions[action]),
        times(texts.when, "end", ({ timestamp }) => timestamp),
        column(texts.who, "below", 2, (row) => foreign(who(row))),
        isOperator
          ? column(texts.why, "wide", 2, ({ reason }) => foreign(reason))
          : column(texts.changes, "wide", 4, (row) => foreign(changed(row))),
        column(texts.subject, "wide", 2, ({ subject }) => <code title={subject}>{subject}</code>),
        ...(isOperator
          ? [
              column<Row>(texts.mode, "belowEnd", "4rem", (row) => (
                <ModePill mode={row.mode ?? null} />
              )),
            ]
          : []),
      ]}
      to={({ id }) => open(id)}
      below={(_, list) => {
        const wanted = place.query.get("entry")
        if (wanted === null) return false
        const entry = list.rows?.find(({ id }) => id === wanted)
        const close = () => go(open(undefined), "replace")
        return entry === undefined
          ? missingDialog(list, close)
          : entryDialog(entry, who(entry), close)
      }}
    />
  )
}
