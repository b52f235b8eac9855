/**
 * All payments, with the filters of the API. Each filter is a part of the address.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import { useMemo } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { useList, useLoad } from "../shell/Load.ts"
import { csv, Head, save, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, go, Link, usePlace } from "../shell/Route.tsx"
import { type Column, Table } from "../shell/Table.tsx"
import * as Filters from "./PaymentFilters.ts"
import * as Parts from "./PaymentParts.tsx"
import * as Texts from "./Texts.ts"

type Item = Payment.Item

const columns = (): ReadonlyArray<Column<Item>> => {
  const { payments } = Texts.texts()
  return [
    {
      name: payments.reference,
      place: "title",
      width: "minmax(0, 3fr)",
      cell: ({ referenceId }) => <bdi>{referenceId}</bdi>,
    },
    {
      name: payments.amount,
      place: "end",
      width: "minmax(0, 2fr)",
      isNumber: true,
      cell: (item) => Parts.requested(item),
    },
    {
      name: payments.status,
      place: "belowEnd",
      width: "8rem",
      cell: ({ status }) => <Parts.StatusPill status={status} />,
    },
    {
      name: payments.paidWith,
      place: "wide",
      width: "minmax(0, 2fr)",
      cell: (item) => Parts.way(item),
    },
    {
      name: payments.merchant,
      place: "wide",
      width: "minmax(0, 2fr)",
      cell: ({ merchant }) => <bdi>{merchant.name}</bdi>,
    },
    {
      name: payments.created,
      place: "below",
      width: "8rem",
      isNumber: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

const idOf = ({ paymentId }: Item) => paymentId
const to = ({ merchant, paymentId }: Item) => Parts.toPayment(paymentId, merchant.id)

const exported = (rows: ReadonlyArray<Item>): string =>
  csv([
    ["paymentId", "referenceId", "status", "unit", "value", "merchantId", "createdAt"],
    ...rows.map((row) => {
      const amount = row.fiatAmount ?? row.tokenAmount
      return [
        row.paymentId,
        row.referenceId,
        row.status,
        amount?.unit ?? "",
        amount?.value ?? "",
        row.merchant.id,
        row.createdAt,
      ]
    }),
  ])

const sorts = {
  newest: "",
  oldest: "date-asc",
  highest: "amount-desc",
  lowest: "amount-asc",
} as const
type Sort = keyof typeof sorts

/** A select of the filter row. */
const Choice = ({
  name,
  value,
  options,
  onValue,
}: {
  readonly name: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
  readonly onValue: (value: string) => void
}) => (
  <select
    aria-label={name}
    value={value}
    onChange={({ currentTarget }) => onValue(currentTarget.value)}
  >
    {options.map(([each, text]) => (
      <option key={each} value={each}>
        {text}
      </option>
    ))}
  </select>
)

const FilterRow = () => {
  const { partner } = useConsole()
  const place = usePlace()
  const { all, payments: texts, status } = Texts.texts()
  const { query } = place
  const choices = useLoad("choices", async (signal) => {
    const [{ assets }, { merchants }] = await Promise.all([
      partner.assets.list({ signal }),
      partner.merchants.list({ limit: 200 }, { signal }),
    ])
    return { assets, merchants }
  })
  const set = (changes: Parameters<typeof filtered>[1]) => go(filtered(place, changes), "replace")
  const { assets = [], merchants = [] } = choices.value ?? {}
  const symbols = [...new Set(assets.map(({ symbol }) => symbol))].toSorted()
  const networks = new Map(assets.map(({ network }) => [network.id, network.name]))
  const chosen = query.getAll("status")
  const sort = [query.get("sortBy"), query.get("sortDir")].filter((text) => text !== null).join("-")
  const isWide = useMemo(() => matchMedia("(min-width: 48rem)").matches, [])
  const count = Filters.names.filter((name) => name !== "status" && query.has(name)).length
  const choice = (name: string, label: string, options: ReadonlyArray<readonly [string, string]>) =>
    (options.length > 1 || query.has(name)) && (
      <Choice
        name={label}
        value={query.get(name) ?? ""}
        options={[["", `${label}: ${all}`], ...options]}
        onValue={(value) => set({ [name]: value })}
      />
    )
  return (
    <div class="stack">
      <div class="filters">
        <Link
          to={filtered(place, { status: undefined })}
          class="chip"
          aria-current={chosen.length === 0 ? "page" : undefined}
        >
          {all}
        </Link>
        {Filters.states.map((state) => (
          <Link
            key={state}
            class="chip"
            to={filtered(place, {
              status: chosen.includes(state)
                ? chosen.filter((each) => each !== state)
                : [...chosen, state],
            })}
            aria-current={chosen.includes(state) ? "page" : undefined}
          >
            {status[state]}
          </Link>
        ))}
      </div>
      <details open={isWide || count > 0}>
        <summary>
          {texts.filters}
          {count > 0 && ` (${count})`}
        </summary>
        <div class="filters">
          <input
            type="search"
            aria-label={texts.reference}
            placeholder={texts.reference}
            value={query.get("referenceId") ?? ""}
            maxLength={35}
            onChange={({ currentTarget }) => set({ referenceId: currentTarget.value })}
          />
          <label>
            {texts.from}
            <input
              type="date"
              value={Filters.dayOf(query.get("startTs") ?? undefined)}
              onChange={({ currentTarget }) =>
                set({ startTs: Filters.startOfDay(currentTarget.value) })
              }
            />
          </label>
          <label>
            {texts.to}
            <input
              type="date"
              value={Filters.dayOf(query.get("endTs") ?? undefined, -1)}
              onChange={({ currentTarget }) =>
                set({ endTs: Filters.startOfDay(currentTarget.value, 1) })
              }
            />
          </label>
          {choice(
            "token_symbol",
            texts.token,
            symbols.map((each) => [each, each]),
          )}
          {choice("network", texts.network, [...networks])}
          {choice(
            "merchantId",
            texts.merchant,
            merchants.map(({ id, name }) => [id, name]),
          )}
          <input
            type="text"
            class="currency"
            aria-label={texts.currency}
            placeholder={texts.currency}
            size={8}
            maxLength={3}
            value={query.get("currency") ?? ""}
            onChange={({ currentTarget }) => set({ currency: currentTarget.value.toUpperCase() })}
          />
          <Choice
            name={texts.sort}
            value={sort}
            options={Object.entries(sorts).map(([name, value]) => [
              value,
              texts[isSort(name) ? name : "newest"],
            ])}
            onValue={(value) => {
              const [sortBy, sortDir] = value.split("-")
              set({ sortBy, sortDir })
            }}
          />
          {Filters.names.some((name) => query.has(name)) && (
            <Link to="/payments" class="chip">
              {texts.clear}
            </Link>
          )}
        </div>
      </details>
    </div>
  )
}

const isSort = (text: string): text is Sort => text in sorts

export const Screen = () => {
  const { may, partner } = useConsole()
  const { query } = usePlace()
  const { payments: texts } = Texts.texts()
  const key = query.toString()
  const wanted = Filters.read(query)
  const isNewest = wanted.sortBy !== "amount" && wanted.sortDir !== "asc"
  const list = useList(
    key,
    idOf,
    async (cursor, signal) => {
      const { data, nextCursor, stats } = await partner.payments.list(
        // The first rows are there soon, and the rest takes few requests.
        { ...wanted, ...(cursor !== undefined && { cursor, limit: 200 }) },
        { signal },
      )
      return { rows: data, next: nextCursor, extra: stats }
    },
    { isLive: isNewest },
  )
  const { extra: stats, rows = [] } = list
  const isFiltered = Filters.names.some((name) => query.has(name))
  return (
    <>
      <Head
        title={texts.title}
        note={
          stats && (
            <>
              {texts.totals(
                Reader.count(stats.totalTransactions),
                Reader.count(stats.totalCustomers),
              )}
              {stats.totalRevenue.map(({ amount, currency }) => (
                <span key={currency}> · {Reader.money(amount, currency)}</span>
              ))}
            </>
          )
        }
      >
        {rows.length > 0 && (
          <button
            type="button"
            class="button quiet"
            onClick={() => save("payments.csv", "text/csv", exported(rows))}
          >
            {texts.csv}
          </button>
        )}
        {may("pay") && (
          <Link to="/payments/new" class="button">
            {texts.create}
          </Link>
        )}
      </Head>
      <FilterRow />
      <Table
        name={texts.title}
        columns={columns()}
        list={list}
        idOf={idOf}
        to={to}
        empty={
          isFiltered
            ? { ...texts.noMatch, action: <Link to="/payments">{texts.clear}</Link> }
            : texts.none
        }
      />
    </>
  )
}
