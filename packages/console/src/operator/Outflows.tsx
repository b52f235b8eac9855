/**
 * All outgoing money, newest first, with the filters of the API.
 *
 * @module
 */
import type * as Outflow from "@florin/api/wire/Outflow"
import { Head, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, Link, usePlace } from "../shell/Route.tsx"
import { type Column, Table } from "../shell/Table.tsx"
import { Chips, chosen, ModePill, modes, StatePill, useRows } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Row = Outflow.Listed

export const states = ["open", "waiting", "sent", "held", "paid", "cancelled"] as const

const columns = (): ReadonlyArray<Column<Row>> => {
  const { outflows: texts } = Texts.texts()
  return [
    {
      name: texts.purpose,
      place: "title",
      cell: ({ mode, purpose }) => (
        <>
          {Texts.purposeOf(purpose)} <ModePill mode={mode} />
        </>
      ),
    },
    {
      name: texts.amount,
      place: "end",
      isNumber: true,
      cell: ({ amount }) => Reader.amount(amount),
    },
    { name: texts.state, place: "belowEnd", width: "7rem", cell: (row) => <StatePill {...row} /> },
    {
      name: texts.to,
      place: "wide",
      width: "minmax(0, 1.6fr)",
      cell: ({ amount, destination }) =>
        `${amount.display.networkName ?? ""} · ${Reader.short(destination)}`,
    },
    {
      name: texts.problem,
      place: "wide",
      width: "minmax(0, 1.6fr)",
      cell: ({ problem }) =>
        problem !== null && <bdi title={problem.message}>{problem.message}</bdi>,
    },
    {
      name: texts.created,
      place: "below",
      width: "7rem",
      isNumber: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

export const Screen = () => {
  const place = usePlace()
  const { query } = place
  const { all, mode, outflows: texts, places } = Texts.texts()
  const asked = {
    mode: chosen(query, "mode", modes),
    state: chosen(query, "state", states),
    purpose: chosen(query, "purpose", Object.keys(texts.purposes)),
    merchantId: query.get("merchantId") ?? undefined,
  }
  const list = useRows<Row, Outflow.Page>(
    "/outflows",
    asked,
    ({ id }) => id,
    ({ data }) => data,
  )
  return (
    <>
      <Head title={texts.title} note={texts.note}>
        <Link class="button quiet" to="/stuck">
          {places.of["/stuck"]}
        </Link>
        <Link class="button quiet" to="/outflows/short">
          {places.of["/outflows/short"]}
        </Link>
      </Head>
      <div class="stack">
        <Chips name="state" values={states} texts={texts.states} />
        <div class="filters">
          <select
            aria-label={texts.purpose}
            value={asked.purpose ?? ""}
            onChange={({ currentTarget }) =>
              go(filtered(place, { purpose: currentTarget.value }), "replace")
            }
          >
            <option value="">{`${texts.purpose}: ${all}`}</option>
            {Object.keys(texts.purposes).map((purpose) => (
              <option key={purpose} value={purpose}>
                {Texts.purposeOf(purpose)}
              </option>
            ))}
          </select>
          <Chips name="mode" values={modes} texts={mode} />
        </div>
      </div>
      <Table
        name={texts.title}
        columns={columns()}
        list={list}
        idOf={({ id }) => id}
        to={({ id }) => `/outflows/${encodeURIComponent(id)}`}
        empty={
          Object.values(asked).every((value) => value === undefined) ? texts.none : texts.noMatch
        }
      />
    </>
  )
}
