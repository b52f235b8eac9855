/**
 * The partners, with what is stopped, and the merchants that wait for approval.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Partner from "@florin/api/wire/Partner"
import { useRead } from "../shell/Api.ts"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { foreign } from "../shell/Pieces.tsx"
import { Link } from "../shell/Route.tsx"
import { column } from "../shell/Table.tsx"
import { MeasurePills } from "./Measures.tsx"
import * as Texts from "./Texts.ts"

const { approvals, partners, partners: texts } = Texts.texts

/** Fees in a few words. */
export const feesText = ({ fixed, percentage }: Partner.Partner["fees"]): string =>
  fixed.every(({ value }) => value === "0") ? `${percentage} %` : partners.feeAndFixed(percentage)

const Waiting = () => {
  const waiting = useRead<Merchant.WaitingPage>("/merchants/waiting", { limit: 100 })
  const { merchants = [], nextCursor = null } = waiting.value ?? {}
  return (
    <Link class={`button${merchants.length === 0 ? " quiet" : ""}`} to="/approvals">
      {merchants.length === 0
        ? approvals.title
        : approvals.count(`${merchants.length}${nextCursor === null ? "" : "+"}`)}
    </Link>
  )
}

export const Screen = () => (
  <Listing<Partner.Partner, Partner.List>
    title={texts.title}
    note={texts.note}
    actions={() => <Waiting />}
    path="/partners"
    isWhole
    rowsOf={(page) => page.partners}
    idOf={({ id }) => id}
    filters={[{ name: "name", kind: "text", label: texts.find, isEager: true }]}
    matches={({ id, name }, query) => {
      const wanted = (query.get("name") ?? "").toLocaleLowerCase()
      return [name, id].some((text) => text.toLocaleLowerCase().includes(wanted))
    }}
    columns={[
      column(texts.name, "title", 2, ({ name }) => foreign(name)),
      column(texts.status, "end", 1, ({ frozenAt, suspendedAt }) => (
        <MeasurePills isFrozen={frozenAt !== null} isSuspended={suspendedAt !== null} />
      )),
      column(texts.fees, "below", 1, ({ fees }) => feesText(fees)),
      column(texts.payouts, "belowEnd", 1, ({ payouts }) => payouts ?? texts.defaults),
      column(texts.id, "wide", 1, ({ id }) => <code>{id}</code>),
    ]}
    to={({ id }) => at`/partners/${id}`}
    none={texts.none}
    noMatch={texts.noMatch}
  />
)
