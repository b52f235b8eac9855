/**
 * Merchants: who is paid, and one with what payers see of it and where its money goes.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import * as Brand from "@florin/pages/Brand"
import { MerchantBalances } from "../screens/MerchantBalances.tsx"
import { useTokens } from "../screens/Tokens.ts"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead, useSend } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { Form, useFields } from "../shell/Form.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { ButtonLink, Card, codeFact, foreign, State, timeFact } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go } from "../shell/Route.tsx"
import { column, states, times } from "../shell/Table.tsx"
import { destinations } from "./Destinations.tsx"
import * as Texts from "./Texts.ts"

const { merchants: texts, payments, payouts, statement, words } = Texts.texts

const to = ({ id }: Pick<Merchant.Merchant, "id">) => at`/merchants/${id}`

const addition = (): Act<Merchant.Response> => ({
  ...texts.add,
  scope: "manage",
  fields: [
    { name: "merchantName", label: words.name },
    { name: "merchantEmail", label: words.email, kind: "email" },
  ],
  path: "/merchants",
  onDone: ({ merchant }) => go(to(merchant)),
})

export const All = () => (
  <Listing<Merchant.Merchant, Merchant.Page>
    texts={texts}
    note={({ totalCount }) => texts.total(Reader.count(totalCount))}
    actions={() => <ActButton act={addition()} look="main" />}
    path="/merchants"
    rowsOf={({ merchants }) => merchants}
    filters={[{ name: "search", kind: "text", label: texts.search }]}
    columns={[
      column(words.name, "title", 3, ({ name }) => foreign(name)),
      states(words.status, "end", ({ status }) => status, words.states.merchant),
      column(words.email, "below", 3, ({ email }) => foreign(email)),
      times(words.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={to}
  />
)

/** The colour of the checkout if a merchant has none. A field of colours cannot be empty. */
const ownColor = "#0b6353"

const preview = (color: string, name: string) => {
  const amount = Reader.money(12.5, "USD")
  return (
    <Card title={texts.preview}>
      <div
        class="preview"
        role="img"
        aria-label={texts.preview}
        ref={(root) => {
          if (root !== null) Brand.apply(color, root)
        }}
      >
        {foreign(name)}
        <strong>{amount}</strong>
        <span>{texts.pay(amount)}</span>
      </div>
    </Card>
  )
}

/** What payers see. Only what changed is sent, and what was emptied is removed. */
const Editor = ({ merchant }: { readonly merchant: Merchant.Profile }) => {
  const { may, toast } = useConsole()
  const send = useSend()
  const url = { kind: "url", placeholder: "https://" } as const
  const { brandColor, email, iconUrl, id, name, supportEmail, supportUrl } = merchant
  const form = useFields(() => [
    { name: "merchantName", label: words.name, initial: name },
    { name: "merchantEmail", label: words.email, kind: "email", initial: email },
    { name: "brandColor", label: texts.color, kind: "color", initial: brandColor ?? ownColor },
    { name: "iconUrl", label: texts.icon, ...url, initial: iconUrl ?? "" },
    {
      name: "supportEmail",
      label: texts.supportEmail,
      kind: "email",
      initial: supportEmail ?? "",
    },
    { name: "supportUrl", label: texts.supportUrl, ...url, initial: supportUrl ?? "" },
  ])
  const valueOf = (field: string) =>
    form.get(field) === "" && !field.startsWith("merchant") ? null : form.get(field)
  const request = Object.fromEntries(form.changed.map((field) => [field, valueOf(field)]))
  const save = async () => {
    await send({ method: "PATCH", path: at`/merchants/${id}`, request })
    toast({ text: texts.saved })
  }
  return (
    <>
      <Card title={texts.face} note={texts.faceNote}>
        <Form
          action={texts.save}
          isReady={may("manage") && form.changed.length > 0}
          of={form}
          run={save}
        >
          {form.shown}
        </Form>
      </Card>
      {preview(form.get("brandColor"), form.get("merchantName"))}
    </>
  )
}

const removal = ({ id, name }: Merchant.Profile): Act => ({
  ...texts.remove,
  title: texts.remove.title(name),
  scope: "manage",
  method: "DELETE",
  path: at`/merchants/${id}`,
  isDangerous: true,
  onDone: () => go("/merchants"),
})

export const One = ({ id = "" }: Params) => {
  const tokens = useTokens()
  return (
    <Detail
      of={useRead<Merchant.ProfileResponse>(at`/merchants/${id}`, {}, { everyInMs: null })}
      back={{ to: "/merchants", name: texts.title }}
      name={texts.title}
      title={({ merchant: { name, status } }) => (
        <>
          {foreign(name)} <State is={status} texts={words.states.merchant} />
        </>
      )}
      acts={({ merchant }) => (
        <>
          <ButtonLink to={at`/payments?merchantId=${id}`} name={texts.payments} />
          <ButtonLink to={at`/merchants/${id}/statement`} name={statement.title} />
          <ButtonLink to={at`/payments/new?merchantId=${id}`} scope="pay" name={payments.create} />
          <ActButton act={removal(merchant)} />
        </>
      )}
      main={({ merchant }) => (
        <>
          <MerchantBalances
            path={at`/balances?merchantId=${id}`}
            acts={<ButtonLink to={at`/payouts?merchantId=${id}`} name={payouts.title} />}
          />
          {destinations(merchant, tokens)}
          <Card
            facts={[codeFact("ID", merchant.id, true), timeFact(words.created, merchant.createdAt)]}
          />
        </>
      )}
      side={({ merchant }) => <Editor key={merchant.id} merchant={merchant} />}
    />
  )
}
