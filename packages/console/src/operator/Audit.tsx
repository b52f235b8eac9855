/**
 * The audit log: who wrote what, when and why.
 *
 * @module
 */
import type * as AuditEntry from "@florin/api/wire/AuditEntry"
import { Dialog } from "../shell/Dialog.tsx"
import { Fact, Facts, Head, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, Link, usePlace } from "../shell/Route.tsx"
import { type Column, Table } from "../shell/Table.tsx"
import { Chips, chosen, ModePill, modes, useRows } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Row = AuditEntry.Owned

const who = ({ actor: { keyId, name, type } }: Row): string =>
  name ?? keyId ?? Texts.texts().audit.types[type]

const actionText = ({ action }: Pick<Row, "action">): string => Texts.texts().audit.actions[action]

const columns = (): ReadonlyArray<Column<Row>> => {
  const { audit: texts } = Texts.texts()
  return [
    { name: texts.what, place: "title", width: "minmax(0, 3fr)", cell: (row) => actionText(row) },
    {
      name: texts.when,
      place: "end",
      width: "7rem",
      cell: ({ timestamp }) => <Time at={timestamp} />,
    },
    {
      name: texts.who,
      place: "below",
      width: "minmax(0, 2fr)",
      cell: (row) => <bdi>{who(row)}</bdi>,
    },
    {
      name: texts.why,
      place: "wide",
      width: "minmax(0, 2fr)",
      cell: ({ reason }) => reason !== null && <bdi title={reason}>{reason}</bdi>,
    },
    {
      name: texts.subject,
      place: "wide",
      width: "minmax(0, 2fr)",
      cell: ({ subject }) => <code title={subject}>{subject}</code>,
    },
    { name: texts.mode, place: "belowEnd", width: "4rem", cell: (row) => <ModePill {...row} /> },
  ]
}

/** Where the changed object is shown. */
const toOf = (subject: string): string | undefined => {
  const id = encodeURIComponent(subject)
  if (subject.startsWith("pay_")) return `/payments/${id}`
  if (subject.startsWith("out_")) return `/outflows/${id}`
  if (subject.startsWith("mrch_")) return `/merchants/${id}`
  return subject.startsWith("prtn_") ? `/partners/${id}` : undefined
}

/** A value as the log has it. Times in it are numbers. */
const valueText = (field: string, value: unknown): string => {
  if (value === undefined || value === null) return "–"
  if (typeof value === "number" && field.endsWith("At")) return Reader.time(value)
  return typeof value === "string" ? value : JSON.stringify(value)
}

const Entry = ({ entry, onClose }: { readonly entry: Row; readonly onClose: () => void }) => {
  const { audit: texts } = Texts.texts()
  const { actor, changes, partnerId, reason, requestId, subject, timestamp } = entry
  const to = toOf(subject)
  return (
    <Dialog title={actionText(entry)} onClose={onClose}>
      <Facts>
        <Fact name={texts.when}>{Reader.time(timestamp)}</Fact>
        <Fact name={texts.who}>
          <bdi>{who(entry)}</bdi>
        </Fact>
        <Fact name={texts.why}>{reason === null ? texts.noReason : <bdi>{reason}</bdi>}</Fact>
        <Fact name={texts.subject}>
          {to === undefined ? <code>{subject}</code> : <Link to={to}>{subject}</Link>}
        </Fact>
        <Fact name={texts.partner}>
          {partnerId !== null && <Link to={`/partners/${partnerId}`}>{partnerId}</Link>}
        </Fact>
        <Fact name={texts.key}>{actor.keyId !== null && <code>{actor.keyId}</code>}</Fact>
        <Fact name={texts.request}>{requestId !== null && <code>{requestId}</code>}</Fact>
        {changes.map(({ field, from, to: after }) => (
          <Fact key={field} name={<bdi>{field}</bdi>}>
            {from === undefined && after === undefined ? (
              texts.hidden
            ) : (
              <>
                <bdi>{valueText(field, from)}</bdi> → <bdi>{valueText(field, after)}</bdi>
              </>
            )}
          </Fact>
        ))}
      </Facts>
    </Dialog>
  )
}

const actionOf = (text: string | null): Row["action"] | undefined => {
  const names: ReadonlyArray<string> = Object.keys(Texts.texts().audit.actions)
  const isAction = (name: string): name is Row["action"] => names.includes(name)
  return text !== null && isAction(text) ? text : undefined
}

export const Screen = () => {
  const place = usePlace()
  const { query } = place
  const { all, audit: texts, mode } = Texts.texts()
  const since = query.get("since") ?? ""
  const day = new Date(`${since}T00:00`)
  const asked = {
    action: actionOf(query.get("action")),
    mode: chosen(query, "mode", modes),
    partnerId: query.get("partnerId") ?? undefined,
    since: Number.isNaN(day.getTime()) ? undefined : day.toISOString(),
  }
  const list = useRows<Row, AuditEntry.OwnedPage>(
    "/audit-log",
    asked,
    ({ id }) => id,
    ({ data }) => data,
  )
  const entry = list.rows?.find(({ id }) => id === query.get("entry"))
  const set = (changes: Parameters<typeof filtered>[1]) => go(filtered(place, changes), "replace")
  return (
    <>
      <Head title={texts.title} note={texts.note} />
      <div class="filters">
        <select
          aria-label={texts.what}
          value={asked.action ?? ""}
          onChange={({ currentTarget }) => set({ action: currentTarget.value })}
        >
          <option value="">{`${texts.what}: ${all}`}</option>
          {Object.entries(texts.actions).map(([action, text]) => (
            <option key={action} value={action}>
              {text}
            </option>
          ))}
        </select>
        <input
          type="date"
          aria-label={texts.since}
          value={since}
          onChange={({ currentTarget }) => set({ since: currentTarget.value })}
        />
        <Chips name="mode" values={modes} texts={mode} />
        {asked.partnerId !== undefined && (
          <Link class="chip" to={filtered(place, { partnerId: undefined })} aria-current="page">
            {asked.partnerId} ×
          </Link>
        )}
      </div>
      <Table
        name={texts.title}
        columns={columns()}
        list={list}
        idOf={({ id }) => id}
        to={({ id }) => filtered(place, { entry: id })}
        empty={
          Object.values(asked).every((value) => value === undefined) ? texts.none : texts.noMatch
        }
      />
      {entry !== undefined && <Entry entry={entry} onClose={() => set({ entry: undefined })} />}
    </>
  )
}
