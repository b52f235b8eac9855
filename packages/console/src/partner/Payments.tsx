/**
 * All payments, with the filters of the API.
 *
 * @module
 */
import type * as Asset from "@florin/api/wire/Asset"
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import { type Rows, useRead } from "../shell/Api.ts"
import { choice, type Filter } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { pulseInMs } from "../shell/Load.ts"
import { Button, ButtonLink, csv, foreign, save } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { usePlace } from "../shell/Route.tsx"
import { type Column, column, numbers, states, times } from "../shell/Table.tsx"
import * as Parts from "./PaymentParts.tsx"
import * as Texts from "./Texts.ts"

const { payments: texts, words } = Texts.texts

type Item = Payment.Item

const exported = (rows: ReadonlyArray<Item>): string =>
  csv([
    ["paymentId", "referenceId", "status", "unit", "value", "merchantId", "createdAt"],
    ...rows.map(({ createdAt, merchant, paymentId, referenceId, status, ...row }) => {
      const { unit = "", value = "" } = row.fiatAmount ?? row.tokenAmount ?? {}
      return [paymentId, referenceId, status, unit, value, merchant.id, createdAt]
    }),
  ])

const same = (text: string) => [text, text] as const
const nameOf = ({ id, name }: Pick<Merchant.Merchant, "id" | "name">) => [id, name] as const

/** The filters of the API. Cancelled payments are not among its states. */
export const filters = (
  assets: ReadonlyArray<Asset.Asset>,
  merchants: ReadonlyArray<Pick<Merchant.Merchant, "id" | "name">>,
): ReadonlyArray<Filter> => {
  const { cancelled: _, ...listed } = Texts.texts.status
  const symbols = [...new Set(assets.map(({ symbol }) => symbol))].toSorted()
  const networks = new Map(assets.map(({ network }) => [network.id, network.name]))
  return [
    { name: "status", kind: "manyChips", options: Object.entries(listed) },
    { name: "referenceId", kind: "text", label: texts.reference, maxLength: 35 },
    { name: "startTs", kind: "day", label: texts.from },
    { name: "endTs", kind: "lastDay", label: texts.to },
    choice("token_symbol", words.token, symbols.map(same), true),
    choice("network", words.network, [...networks], true),
    choice("merchantId", words.merchant, merchants.map(nameOf), true),
    { name: "currency", kind: "text", label: words.currency, maxLength: 3, isUpper: true },
    {
      name: "sort",
      kind: "order",
      label: texts.sort,
      options: [
        ["", texts.newest],
        ["date-asc", texts.oldest],
        ["amount-desc", texts.highest],
        ["amount-asc", texts.lowest],
      ],
    },
  ]
}

/** Where payments come from, what a row shows of one, and where it leads. */
export const source: Rows<Item, Payment.Page> = {
  path: "/payments",
  rowsOf: ({ data }) => data,
  idOf: ({ paymentId }) => paymentId,
}
export const columns: ReadonlyArray<Column<Item>> = [
  column(texts.reference, "title", 3, ({ referenceId }) => foreign(referenceId)),
  numbers(words.amount, "end", 2, Parts.requested),
  states(words.status, "belowEnd", ({ status }) => status, Texts.texts.status),
  column(texts.paidWith, "wide", 2, ({ tokenAmount }) => Reader.token(tokenAmount?.display ?? {})),
  column(words.merchant, "wide", 2, ({ merchant }) => foreign(merchant.name)),
  times(words.created, "below", ({ createdAt }) => createdAt),
]
export const to = ({ merchant, paymentId }: Item): string => Parts.toPayment(paymentId, merchant.id)

export const Screen = () => {
  const { query } = usePlace()
  const isNewestFirst = query.get("sortBy") !== "amount" && query.get("sortDir") !== "asc"
  const assets = useRead<Asset.List>("/assets", {}, { everyInMs: null })
  const merchants = useRead<Merchant.Page>("/merchants", { limit: 200 }, { everyInMs: null })
  return (
    <Listing<Item, Payment.Page>
      texts={texts}
      note={({ stats }) => (
        <>
          {texts.made(stats.totalTransactions)}, {texts.by(stats.totalCustomers)}
          {stats.totalRevenue.map(({ amount, currency }) => (
            <span key={currency}> · {Reader.money(amount, currency)}</span>
          ))}
        </>
      )}
      actions={({ rows = [] }) => (
        <>
          {rows.length > 0 && (
            <Button look="quiet" onClick={() => save("payments.csv", "text/csv", exported(rows))}>
              {texts.csv(rows.length)}
            </Button>
          )}
          <ButtonLink look="main" to="/payments/new" scope="pay" name={texts.create} />
        </>
      )}
      {...source}
      everyInMs={isNewestFirst ? pulseInMs : null}
      filters={filters(assets.value?.assets ?? [], merchants.value?.merchants ?? [])}
      columns={columns}
      to={to}
    />
  )
}
