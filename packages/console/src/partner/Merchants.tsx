/**
 * Merchants: who is paid. A new one is added in a dialog.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { type Act, ActButton } from "../shell/Act.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { foreign } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go } from "../shell/Route.tsx"
import { column, states, times } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

const { merchants: texts } = Texts.texts

const to = ({ id }: Pick<Merchant.Merchant, "id">) => at`/merchants/${id}`

const addition = (): Act<Merchant.Response> => ({
  ...texts.add,
  scope: "manage",
  fields: [
    { name: "merchantName", label: texts.name },
    { name: "merchantEmail", label: texts.email, kind: "email" },
  ],
  path: "/merchants",
})

export const Screen = () => (
  <Listing<Merchant.Merchant, Merchant.Page>
    title={texts.title}
    note={({ totalCount }) => texts.note(Reader.count(totalCount))}
    actions={() => (
      <ActButton act={addition()} look="main" onDone={({ merchant }) => go(to(merchant))} />
    )}
    path="/merchants"
    rowsOf={({ merchants }) => merchants}
    idOf={({ id }) => id}
    filters={[{ name: "search", kind: "text", label: texts.search }]}
    columns={[
      column(texts.name, "title", 3, ({ name }) => foreign(name)),
      states(texts.status, "end", ({ status }) => status, texts.states),
      column(texts.email, "below", 3, ({ email }) => foreign(email)),
      times(texts.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={to}
    none={texts.empty}
  />
)
