/**
 * All outgoing money, newest first, with the filters of the API.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { optionsOf } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { ButtonLink, foreign, ModePill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { column, numbers, states, times } from "../shell/Table.tsx"
import { modeFilter } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { outflows: texts, places } = Texts.texts

export const Screen = () => (
  <Listing<Outflow.Listed, Outflow.Page>
    title={texts.title}
    note={texts.note}
    actions={() => (
      <>
        <ButtonLink to="/stuck" name={places.of["/stuck"]} />
        <ButtonLink to="/outflows/short" name={places.of["/outflows/short"]} />
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
      column(texts.purpose, "title", 1, ({ mode, purpose }) => (
        <>
          {named(texts.purposes, purpose)} <ModePill mode={mode} />
        </>
      )),
      numbers(texts.amount, "end", 1, ({ amount }) => Reader.amount(amount)),
      states(texts.state, "belowEnd", ({ state }) => state, texts.states),
      column(texts.to, "wide", 1.6, ({ amount, destination }) =>
        [amount.display.networkName, Reader.short(destination)].join(" · "),
      ),
      column(texts.problem, "wide", 1.6, ({ problem }) => foreign(problem?.message)),
      times(texts.created, "below", ({ createdAt }) => createdAt),
    ]}
    to={({ id }) => at`/outflows/${id}`}
    none={texts.none}
    noMatch={texts.noMatch}
  />
)
