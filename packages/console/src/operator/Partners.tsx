/**
 * The partners, with what is stopped, and the merchants that wait for approval.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Partner from "@florin/api/wire/Partner"
import { Head, Pill } from "../shell/Pieces.tsx"
import { filtered, go, Link, usePlace } from "../shell/Route.tsx"
import { type Column, Table } from "../shell/Table.tsx"
import { useRead, whole } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Row = Partner.Partner

/** Whether it may create payments, and is paid out. */
export const Measures = ({
  isFrozen,
  isSuspended,
}: {
  readonly isSuspended: boolean
  readonly isFrozen: boolean
}) => {
  const { measures } = Texts.texts()
  return (
    <>
      {isSuspended && <Pill tone="bad">{measures.suspended}</Pill>}{" "}
      {isFrozen && <Pill tone="bad">{measures.frozen}</Pill>}
      {!isSuspended && !isFrozen && <Pill tone="good">{measures.active}</Pill>}
    </>
  )
}

/** Fees in a few words. */
export const feesText = ({ fixed, percentage }: Row["fees"]): string => {
  const { partners } = Texts.texts()
  return fixed.every(({ value }) => value === "0")
    ? `${percentage} %`
    : partners.feeAndFixed(percentage)
}

const columns = (): ReadonlyArray<Column<Row>> => {
  const { partners: texts } = Texts.texts()
  return [
    {
      name: texts.name,
      place: "title",
      width: "minmax(0, 2fr)",
      cell: ({ name }) => <bdi>{name}</bdi>,
    },
    {
      name: texts.status,
      place: "end",
      cell: ({ frozenAt, suspendedAt }) => (
        <Measures isFrozen={frozenAt !== null} isSuspended={suspendedAt !== null} />
      ),
    },
    { name: texts.fees, place: "below", cell: ({ fees }) => feesText(fees) },
    {
      name: texts.payouts,
      place: "belowEnd",
      cell: ({ payouts }) => payouts ?? texts.defaults,
    },
    { name: texts.id, place: "wide", cell: ({ id }) => <code>{id}</code> },
  ]
}

export const Screen = () => {
  const place = usePlace()
  const { approvals, partners: texts } = Texts.texts()
  const name = place.query.get("name") ?? ""
  const wanted = name.toLocaleLowerCase()
  const list = whole(useRead<Partner.List>("/partners"), ({ partners }) =>
    partners.filter((partner) =>
      [partner.name, partner.id].some((text) => text.toLocaleLowerCase().includes(wanted)),
    ),
  )
  const waiting = useRead<Merchant.WaitingPage>("/merchants/waiting", { limit: 100 })
  const { merchants = [], nextCursor = null } = waiting.value ?? {}
  return (
    <>
      <Head title={texts.title} note={texts.note}>
        <Link class={`button${merchants.length === 0 ? " quiet" : ""}`} to="/approvals">
          {merchants.length === 0
            ? approvals.title
            : approvals.count(`${merchants.length}${nextCursor === null ? "" : "+"}`)}
        </Link>
      </Head>
      <div class="filters">
        <input
          type="search"
          aria-label={texts.find}
          placeholder={texts.find}
          value={name}
          onInput={({ currentTarget }) =>
            go(filtered(place, { name: currentTarget.value }), "replace")
          }
        />
      </div>
      <Table
        name={texts.title}
        columns={columns()}
        list={list}
        idOf={({ id }) => id}
        to={({ id }) => `/partners/${encodeURIComponent(id)}`}
        empty={name === "" ? texts.none : texts.noMatch}
      />
    </>
  )
}
