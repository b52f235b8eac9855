/**
 * Merchants: who is paid. A new one is added in a dialog.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { Form, TextField, useOnce, useSubmission } from "../shell/Form.tsx"
import { useList } from "../shell/Load.ts"
import { Foreign, Head, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, usePlace } from "../shell/Route.tsx"
import { type Column, createdColumn, Table } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

type Item = Merchant.Merchant

export const StatePill = ({ status }: Pick<Item, "status">) => (
  <Pill tone={status === "active" ? "good" : "caution"}>
    {Texts.texts().merchants.states[status]}
  </Pill>
)

const columns = (): ReadonlyArray<Column<Item>> => {
  const { merchants: texts } = Texts.texts()
  return [
    {
      name: texts.name,
      place: "title",
      width: "minmax(0, 3fr)",
      cell: ({ name }) => <Foreign text={name} />,
    },
    {
      name: texts.status,
      place: "end",
      width: "7rem",
      cell: ({ status }) => <StatePill status={status} />,
    },
    {
      name: texts.email,
      place: "below",
      width: "minmax(0, 3fr)",
      cell: ({ email }) => <Foreign text={email} />,
    },
    createdColumn(texts.created),
  ]
}

const idOf = ({ id }: Item) => id
const to = ({ id }: Item) => `/merchants/${encodeURIComponent(id)}`

const Adding = ({ onClose }: { readonly onClose: () => void }) => {
  const { partner } = useConsole()
  const { merchants: texts } = Texts.texts()
  const [merchantName, setName] = useState("")
  const [merchantEmail, setEmail] = useState("")
  const submission = useSubmission()
  const once = useOnce()
  const add = async () => {
    const body = { merchantName, merchantEmail }
    const { merchant } = await partner.merchants.create(body, { idempotencyKey: once(body) })
    onClose()
    go(to(merchant))
  }
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form action={texts.add} submission={submission} onSubmit={() => submission.submit(add)}>
        <TextField
          label={texts.name}
          error={submission.issue("merchantName")}
          value={merchantName}
          onValue={setName}
        />
        <TextField
          label={texts.email}
          error={submission.issue("merchantEmail")}
          type="email"
          value={merchantEmail}
          onValue={setEmail}
        />
      </Form>
    </Dialog>
  )
}

export const Screen = () => {
  const { may, partner } = useConsole()
  const place = usePlace()
  const { merchants: texts } = Texts.texts()
  const [isAdding, setIsAdding] = useState(false)
  const search = place.query.get("search") ?? ""
  const list = useList(search, idOf, async (cursor, signal) => {
    const { merchants, nextCursor, totalCount } = await partner.merchants.list(
      { ...(search !== "" && { search }), ...(cursor !== undefined && { cursor }) },
      { signal },
    )
    return { rows: merchants, next: nextCursor, extra: totalCount }
  })
  return (
    <>
      <Head
        title={texts.title}
        note={list.extra === undefined ? undefined : texts.note(Reader.count(list.extra))}
      >
        {may("manage") && (
          <button type="button" class="button" onClick={() => setIsAdding(true)}>
            {texts.add}
          </button>
        )}
      </Head>
      <div class="filters">
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={search}
          onChange={({ currentTarget }) =>
            go(filtered(place, { search: currentTarget.value }), "replace")
          }
        />
      </div>
      <Table
        name={texts.title}
        columns={columns()}
        list={list}
        idOf={idOf}
        to={to}
        empty={texts.empty}
      />
      {isAdding && <Adding onClose={() => setIsAdding(false)} />}
    </>
  )
}
