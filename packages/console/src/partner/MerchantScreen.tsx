/**
 * One merchant: what payers see of it, with a preview, and where its money goes.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { Field, Form, TextField, useSubmission } from "../shell/Form.tsx"
import { useLoad } from "../shell/Load.ts"
import { Card, Code, Fact, Facts, Foreign, Head } from "../shell/Pieces.tsx"
import { ProblemNote, Waiting } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { go, Link } from "../shell/Route.tsx"
import { Destinations } from "./Destinations.tsx"
import { StatePill } from "./Merchants.tsx"
import * as Texts from "./Texts.ts"

/** The colour of the checkout if a merchant has none. A field of colours cannot be empty. */
const ownColor = "#0b6353"

/** Black or white, whichever can be read on a colour. */
const readableOn = (color: string): string => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(color.slice(at, at + 2), 16),
  )
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? "#000000" : "#ffffff"
}

const Preview = ({ color, name }: { readonly color: string; readonly name: string }) => {
  const { merchants: texts } = Texts.texts()
  const amount = Reader.money(12.5, "USD")
  return (
    <Card title={texts.preview}>
      <div class="preview" role="img" aria-label={texts.preview}>
        <Foreign text={name} />
        <strong>{amount}</strong>
        <span style={{ background: color, color: readableOn(color) }}>{texts.pay(amount)}</span>
      </div>
    </Card>
  )
}

const Editor = ({
  merchant,
  onDone,
}: {
  readonly merchant: Merchant.Profile
  readonly onDone: () => void
}) => {
  const { may, partner, toast } = useConsole()
  const { merchants: texts } = Texts.texts()
  const [name, setName] = useState(merchant.name)
  const [email, setEmail] = useState(merchant.email)
  const [icon, setIcon] = useState(merchant.iconUrl ?? "")
  const [color, setColor] = useState(merchant.brandColor ?? ownColor)
  const [supportEmail, setSupportEmail] = useState(merchant.supportEmail ?? "")
  const [supportUrl, setSupportUrl] = useState(merchant.supportUrl ?? "")
  const submission = useSubmission()
  const changed = <T,>(now: T, was: T) => (now === was ? undefined : now)
  const emptied = (text: string) => (text === "" ? null : text)
  const wanted = Object.fromEntries(
    Object.entries({
      merchantName: changed(name, merchant.name),
      merchantEmail: changed(email, merchant.email),
      iconUrl: changed(emptied(icon), merchant.iconUrl),
      brandColor: changed(color, merchant.brandColor ?? ownColor),
      supportEmail: changed(emptied(supportEmail), merchant.supportEmail),
      supportUrl: changed(emptied(supportUrl), merchant.supportUrl),
    }).filter(([, value]) => value !== undefined),
  )
  const save = async () => {
    await partner.merchants.update(merchant.id, wanted)
    toast({ text: texts.saved })
    onDone()
  }
  return (
    <div class="stack">
      <Card title={texts.face}>
        <Form
          action={texts.save}
          isReady={may("manage") && Object.keys(wanted).length > 0}
          submission={submission}
          onSubmit={() => submission.submit(save)}
        >
          <p class="note">{texts.faceNote}</p>
          <TextField
            label={texts.name}
            error={submission.issue("merchantName")}
            value={name}
            onValue={setName}
          />
          <TextField
            label={texts.email}
            error={submission.issue("merchantEmail")}
            type="email"
            value={email}
            onValue={setEmail}
          />
          <Field label={texts.color} error={submission.issue("brandColor")}>
            {(attributes) => (
              <span class="swatch">
                <input
                  type="color"
                  {...attributes}
                  value={color}
                  onInput={({ currentTarget }) => setColor(currentTarget.value)}
                />
                <code>{color}</code>
              </span>
            )}
          </Field>
          <TextField
            label={texts.icon}
            error={submission.issue("iconUrl")}
            type="url"
            placeholder="https://"
            value={icon}
            onValue={setIcon}
          />
          <TextField
            label={texts.supportEmail}
            error={submission.issue("supportEmail")}
            type="email"
            value={supportEmail}
            onValue={setSupportEmail}
          />
          <TextField
            label={texts.supportUrl}
            error={submission.issue("supportUrl")}
            type="url"
            placeholder="https://"
            value={supportUrl}
            onValue={setSupportUrl}
          />
        </Form>
      </Card>
      <Preview color={color} name={name} />
    </div>
  )
}

export const Screen = ({ id = "" }: Params) => {
  const { ask, may, partner, toast } = useConsole()
  const { merchants: texts, statement } = Texts.texts()
  const loaded = useLoad(id, async (signal) => {
    const [{ merchant }, { assets }] = await Promise.all([
      partner.merchants.get(id, { signal }),
      partner.assets.list({ signal }),
    ])
    return { merchant, assets }
  })
  const { error, reload, value } = loaded
  const back = { to: "/merchants", name: texts.title }
  if (value === undefined) return <Waiting of={loaded} title={texts.title} back={back} />
  const { assets, merchant } = value
  const remove = () =>
    ask({
      title: texts.removeTitle(merchant.name),
      body: <p>{texts.removeNote}</p>,
      action: texts.remove,
      isDangerous: true,
      run: async () => {
        await partner.merchants.remove(id)
        toast({ text: texts.removed })
        go("/merchants")
      },
    })
  return (
    <>
      <Head
        back={back}
        title={
          <>
            <Foreign text={merchant.name} /> <StatePill status={merchant.status} />
          </>
        }
      >
        <Link to={`/payments?merchantId=${encodeURIComponent(id)}`} class="button quiet">
          {texts.payments}
        </Link>
        <Link to={`/merchants/${encodeURIComponent(id)}/statement`} class="button quiet">
          {statement.title}
        </Link>
        {may("manage") && (
          <button type="button" class="button quiet" onClick={remove}>
            {texts.remove}
          </button>
        )}
      </Head>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      <div class="columns">
        <div class="stack">
          <Destinations
            assets={assets}
            merchantId={id}
            settlements={merchant.settlements.crypto}
            onDone={reload}
          />
          <Card>
            <Facts>
              <Fact name="ID">
                <Code name="ID" text={merchant.id} isWhole />
              </Fact>
              <Fact name={texts.created}>{Reader.time(merchant.createdAt)}</Fact>
            </Facts>
          </Card>
        </div>
        <Editor key={merchant.id} merchant={merchant} onDone={reload} />
      </div>
    </>
  )
}
