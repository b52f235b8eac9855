/**
 * Payouts: transfers to merchants.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { useConsole } from "../shell/Console.tsx"
import { useList } from "../shell/Load.ts"
import { Head, Pill, type Tone } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import { type Column, createdColumn, Table } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

type Item = Payout.Payout

const tones: { readonly [S in Item["state"]]: Tone } = {
  waiting: "plain",
  sent: "caution",
  paid: "good",
  held: "bad",
  cancelled: "plain",
}

const states = ["waiting", "sent", "paid", "held", "cancelled"] as const

export const StatePill = ({ state }: Pick<Item, "state">) => (
  <Pill tone={tones[state]}>{Texts.texts().payouts.state[state]}</Pill>
)

/** Amount and network, such as `12.50 USDC · Base`. */
export const sum = ({ amount }: Pick<Item, "amount">): string =>
  `${Reader.amount(amount)} · ${amount.display.networkName ?? ""}`

const columns = (): ReadonlyArray<Column<Item>> => {
  const { payouts: texts } = Texts.texts()
  return [
    {
      name: texts.amount,
      place: "title",
      width: "minmax(0, 3fr)",
      cell: (item) => sum(item),
    },
    {
      name: texts.status,
      place: "end",
      width: "7rem",
      cell: ({ state }) => <StatePill state={state} />,
    },
    {
      name: texts.destination,
      place: "below",
      width: "minmax(0, 2fr)",
      cell: ({ destination }) => <code title={destination}>{Reader.short(destination)}</code>,
    },
    {
      name: texts.payments,
      place: "wide",
      width: "6rem",
      isNumber: true,
      cell: ({ paymentCount }) => Reader.count(paymentCount),
    },
    createdColumn(texts.created),
  ]
}

const idOf = ({ id }: Item) => id

export const Screen = () => {
  const { partner } = useConsole()
  const place = usePlace()
  const { all, payouts: texts } = Texts.texts()
  const status = states.find((state) => state === place.query.get("status"))
  const merchantId = place.query.get("merchantId") ?? undefined
  const list = useList(
    place.query.toString(),
    idOf,
    async (cursor, signal) => {
      const { data, nextCursor } = await partner.payouts.list(
        {
          ...(status !== undefined && { status }),
          ...(merchantId !== undefined && { merchantId }),
          ...(cursor !== undefined && { cursor }),
        },
        { signal },
      )
      return { rows: data, next: nextCursor, extra: null }
    },
    { isLive: true },
  )
  return (
    <>
      <Head title={texts.title} note={texts.note} />
      <div class="filters">
        {[undefined, ...states].map((state) => (
          <Link
            key={state ?? ""}
            class="chip"
            to={filtered(place, { status: state })}
            aria-current={state === status ? "page" : undefined}
          >
            {state === undefined ? all : texts.state[state]}
          </Link>
        ))}
      </div>
      <Table
        name={texts.title}
        columns={columns()}
        list={list}
        idOf={idOf}
        to={({ id }) => `/payouts/${encodeURIComponent(id)}`}
        empty={texts.empty}
      />
    </>
  )
}
