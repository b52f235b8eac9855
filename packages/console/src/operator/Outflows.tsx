/**
 * All outgoing money, newest first, with the filters of the API.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { optionsOf } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { foreign, ModePill, State } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, Link } from "../shell/Route.tsx"
import { timeColumn } from "../shell/Table.tsx"
import { modeFilter } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

export const Screen = () => {
  const { outflows: texts, places } = Texts.texts()
  return (
    <Listing<Outflow.Listed, Outflow.Page>
      title={texts.title}
      note={texts.note}
      actions={() => (
        <>
          <Link class="button quiet" to="/stuck">
            {places.of["/stuck"]}
          </Link>
          <Link class="button quiet" to="/outflows/short">
            {places.of["/outflows/short"]}
          </Link>
        </>
      )}
      path="/outflows"
      rowsOf={({ data }) => data}
      idOf={({ id }) => id}
      filters={[
        { name: "state", kind: "chips", options: optionsOf(texts.states) },
        {
          name: "purpose",
          kind: "choice",
          label: texts.purpose,
          options: optionsOf(texts.purposes),
        },
        modeFilter(),
        { name: "merchantId", kind: "link" },
      ]}
      columns={[
        {
          name: texts.purpose,
          place: "title",
          cell: ({ mode, purpose }) => (
            <>
              {texts.purposes[purpose]} <ModePill mode={mode} />
            </>
          ),
        },
        {
          name: texts.amount,
          place: "end",
          isNumber: true,
          cell: ({ amount }) => Reader.amount(amount),
        },
        {
          name: texts.state,
          place: "belowEnd",
          width: "7rem",
          cell: ({ state }) => <State is={state} texts={texts.states} />,
        },
        {
          name: texts.to,
          place: "wide",
          width: 1.6,
          cell: ({ amount, destination }) =>
            `${amount.display.networkName ?? ""} · ${Reader.short(destination)}`,
        },
        {
          name: texts.problem,
          place: "wide",
          width: 1.6,
          cell: ({ problem }) => foreign(problem?.message),
        },
        timeColumn(texts.created, ({ createdAt }) => createdAt, "below"),
      ]}
      to={({ id }) => at`/outflows/${id}`}
      none={texts.none}
      noMatch={texts.noMatch}
    />
  )
}
