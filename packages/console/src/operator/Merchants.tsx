/**
 * The merchants of all partners, with what is stopped and what waits for approval.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { optionsOf } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { foreign, ModePill, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { column, times } from "../shell/Table.tsx"
import { MeasurePills } from "./Measures.tsx"
import { modeFilter } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { approvals, merchants: texts, partners } = Texts.texts

export const Screen = () => (
  <Listing<Merchant.Owned, Merchant.OwnedPage>
    title={texts.title}
    note={({ totalCount }) => texts.note(Reader.count(totalCount))}
    path="/merchants"
    rowsOf={({ merchants }) => merchants}
    idOf={({ id }) => id}
    filters={[
      { name: "search", kind: "text", label: partners.find },
      { name: "status", kind: "chips", options: optionsOf(texts.states) },
      modeFilter(),
      { name: "partnerId", kind: "link" },
    ]}
    columns={[
      column(partners.name, "title", 2, ({ mode, name, waiting }) => (
        <>
          {foreign(name)} <ModePill mode={mode} />
          {waiting !== null && <Pill tone="caution">{texts.waits}</Pill>}
        </>
      )),
      column(partners.status, "end", "8rem", ({ frozenAt, status }) => (
        <MeasurePills isFrozen={frozenAt !== null} isSuspended={status !== "active"} />
      )),
      column(approvals.partner, "below", 1.4, ({ partnerId }) => <code>{partnerId}</code>),
      times(texts.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={({ id }) => at`/merchants/${id}`}
    none={texts.none}
    noMatch={texts.noMatch}
  />
)
