/**
 * Merchants: who is paid. A new one is added in a dialog.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { type Act, ActButton } from "../shell/Act.tsx"
import { Listing } from "../shell/Listing.tsx"
import { foreign, State } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, go } from "../shell/Route.tsx"
import { timeColumn } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

const to = ({ id }: Pick<Merchant.Merchant, "id">) => at`/merchants/${id}`

const addition = (): Act<Merchant.Response> => {
  const { merchants: texts } = Texts.texts()
  return {
    scope: "manage",
    title: texts.add,
    action: texts.add,
    fields: [
      { name: "merchantName", label: texts.name },
      { name: "merchantEmail", label: texts.email, kind: "email" },
    ],
    path: "/merchants",
    request: (get) => ({
      merchantName: get("merchantName"),
      merchantEmail: get("merchantEmail"),
    }),
  }
}

export const Screen = () => {
  const { merchants: texts } = Texts.texts()
  return (
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
        { name: texts.name, place: "title", width: 3, cell: ({ name }) => foreign(name) },
        {
          name: texts.status,
          place: "end",
          width: "7rem",
          cell: ({ status }) => <State is={status} texts={texts.states} />,
        },
        { name: texts.email, place: "below", width: 3, cell: ({ email }) => foreign(email) },
        timeColumn(texts.created, ({ createdAt }) => createdAt),
      ]}
      to={to}
      none={texts.empty}
    />
  )
}
