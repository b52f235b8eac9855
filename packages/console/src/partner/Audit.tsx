/**
 * The audit log: every change, and who made it.
 *
 * @module
 */
import type * as AuditEntry from "@florin/api/wire/AuditEntry"
import { useConsole } from "../shell/Console.tsx"
import { useList } from "../shell/Load.ts"
import { Head, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { type Column, Table } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

type Item = AuditEntry.AuditEntry

const changed = ({ changes }: Item): string =>
  changes
    .map(({ field, from, to }) => {
      const said = [from, to].map((each) => (each === undefined ? "" : JSON.stringify(each)))
      return said.every((each) => each === "")
        ? field
        : `${field}: ${said.filter((each) => each !== "").join(" → ")}`
    })
    .join(" · ")

const columns = (): ReadonlyArray<Column<Item>> => {
  const { audit: texts } = Texts.texts()
  return [
    {
      name: texts.action,
      place: "title",
      width: "minmax(0, 3fr)",
      cell: ({ action }) => <strong>{action}</strong>,
    },
    {
      name: texts.subject,
      place: "wide",
      width: "minmax(0, 2fr)",
      cell: ({ subject }) => <code title={subject}>{Reader.short(subject)}</code>,
    },
    {
      name: texts.changes,
      place: "below",
      width: "minmax(0, 4fr)",
      cell: (entry) => <bdi title={changed(entry)}>{changed(entry)}</bdi>,
    },
    {
      name: texts.by,
      place: "end",
      width: "minmax(0, 2fr)",
      cell: ({ actor }) =>
        actor.keyId === null ? (
          texts.operator
        ) : (
          <code title={actor.keyId}>{Reader.short(actor.keyId)}</code>
        ),
    },
    {
      name: texts.when,
      place: "belowEnd",
      width: "8rem",
      isNumber: true,
      cell: ({ timestamp }) => <Time at={timestamp} />,
    },
  ]
}

const idOf = ({ id }: Item) => id

export const Screen = () => {
  const { partner } = useConsole()
  const { audit: texts } = Texts.texts()
  const list = useList(
    "audit",
    idOf,
    async (cursor, signal) => {
      const { data, nextCursor } = await partner.auditLog.list(
        cursor === undefined ? {} : { cursor },
        { signal },
      )
      return { rows: data, next: nextCursor, extra: null }
    },
    { isLive: true },
  )
  return (
    <>
      <Head title={texts.title} note={texts.note} />
      <Table name={texts.title} columns={columns()} list={list} idOf={idOf} empty={texts.empty} />
    </>
  )
}
