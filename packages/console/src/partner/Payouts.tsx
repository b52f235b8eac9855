/**
 * Payouts: transfers to merchants.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { optionsOf } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { State } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { at } from "../shell/Route.tsx"
import { timeColumn } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

/** Amount and network, such as `12.50 USDC · Base`. */
export const sum = ({ amount }: Pick<Payout.Payout, "amount">): string =>
  `${Reader.amount(amount)} · ${amount.display.networkName ?? ""}`

export const Screen = () => {
  const { payouts: texts } = Texts.texts()
  return (
    <Listing<Payout.Payout, Payout.Page>
      title={texts.title}
      note={texts.note}
      path="/payouts"
      rowsOf={({ data }) => data}
      idOf={({ id }) => id}
      filters={[
        { name: "status", kind: "chips", options: optionsOf(texts.state) },
        { name: "merchantId", kind: "link" },
      ]}
      columns={[
        { name: texts.amount, place: "title", width: 3, cell: sum },
        {
          name: texts.status,
          place: "end",
          width: "7rem",
          cell: ({ state }) => <State is={state} texts={texts.state} />,
        },
        {
          name: texts.destination,
          place: "below",
          width: 2,
          cell: ({ destination }) => <code title={destination}>{Reader.short(destination)}</code>,
        },
        {
          name: texts.payments,
          place: "wide",
          width: "6rem",
          isNumber: true,
          cell: ({ paymentCount }) => Reader.count(paymentCount),
        },
        timeColumn(texts.created, ({ createdAt }) => createdAt),
      ]}
      to={({ id }) => at`/payouts/${id}`}
      none={texts.empty}
    />
  )
}
