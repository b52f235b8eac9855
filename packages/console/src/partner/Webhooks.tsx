/**
 * Webhooks: the partner's URLs that receive events.
 *
 * @module
 */
import type * as Webhook from "@florin/api/wire/Webhook"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { CheckField, Form, TextField, useOnce, useSubmission } from "../shell/Form.tsx"
import { useList } from "../shell/Load.ts"
import { Foreign, Head, Secret } from "../shell/Pieces.tsx"
import { go } from "../shell/Route.tsx"
import { type Column, createdColumn, Table } from "../shell/Table.tsx"
import { eventTypes } from "./EventTypes.ts"
import * as Texts from "./Texts.ts"

type Item = Webhook.Webhook

const columns = (): ReadonlyArray<Column<Item>> => {
  const { webhooks: texts } = Texts.texts()
  return [
    {
      name: texts.url,
      place: "title",
      width: "minmax(0, 3fr)",
      cell: ({ url }) => <Foreign text={url} />,
    },
    {
      name: texts.types,
      place: "below",
      width: "minmax(0, 3fr)",
      cell: ({ types }) => types?.join(", ") ?? texts.allTypes,
    },
    createdColumn(texts.created),
  ]
}

const idOf = ({ id }: Item) => id
const to = ({ id }: Item) => `/webhooks/${encodeURIComponent(id)}`

const Adding = ({ onClose }: { readonly onClose: () => void }) => {
  const { partner } = useConsole()
  const { webhooks: texts } = Texts.texts()
  const [url, setUrl] = useState("")
  const [types, setTypes] = useState<ReadonlyArray<string>>([])
  const [wasTried, setWasTried] = useState(false)
  const [made, setMade] = useState<Webhook.WithSecret>()
  const submission = useSubmission()
  const once = useOnce()
  const isValid = /^https?:\/\/./u.test(url)
  const add = async () => {
    const body = { url, ...(types.length > 0 && { types }) }
    setMade(await partner.webhooks.create(body, { idempotencyKey: once(body) }))
  }
  const close = () => {
    onClose()
    if (made !== undefined) go(to(made.webhook))
  }
  return (
    <Dialog title={made === undefined ? texts.add : texts.secret} onClose={close}>
      {made !== undefined ? (
        <Secret name={texts.secret} text={made.secret} />
      ) : (
        <Form
          action={texts.add}
          submission={submission}
          onSubmit={() => {
            setWasTried(true)
            if (isValid) submission.submit(add)
          }}
        >
          <TextField
            label={texts.url}
            hint={texts.urlHint}
            error={wasTried && !isValid ? texts.invalidUrl : submission.issue("url")}
            type="url"
            placeholder="https://"
            value={url}
            onValue={setUrl}
          />
          <CheckField
            legend={texts.types}
            hint={texts.typesHint}
            values={types}
            options={eventTypes.map((type) => [type, type])}
            onValues={setTypes}
          />
        </Form>
      )}
    </Dialog>
  )
}

export const Screen = () => {
  const { may, partner } = useConsole()
  const { webhooks: texts } = Texts.texts()
  const [isAdding, setIsAdding] = useState(false)
  const list = useList("webhooks", idOf, async (_cursor, signal) => {
    const { webhooks } = await partner.webhooks.list({ signal })
    return { rows: webhooks, next: null, extra: null }
  })
  const add = may("webhooks") && (
    <button type="button" class="button" onClick={() => setIsAdding(true)}>
      {texts.add}
    </button>
  )
  return (
    <>
      <Head title={texts.title} note={texts.note}>
        {add}
      </Head>
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
