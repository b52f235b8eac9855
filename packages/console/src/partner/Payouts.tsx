/**
 * Payouts: transfers to merchants.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { optionsOf } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import * as Reader from "../shell/Reader.ts"
import { column, numbers, states, times } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

const { payouts: texts } = Texts.texts

/** Amount and network, such as `12.50 USDC · Base`. */
export const sum = ({ amount }: Pick<Payout.Payout, "amount">): string =>
  `${Reader.amount(amount)} · ${amount.display.networkName ?? ""}`

export const Screen = () => (
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
      column(texts.amount, "title", 3, sum),
      states(texts.status, "end", ({ state }) => state, texts.state),
      column(texts.destination, "below", 2, ({ destination }) => (
        <code title={destination}>{Reader.short(destination)}</code>
      )),
      numbers(texts.payments, "wide", "6rem", ({ paymentCount }) => Reader.count(paymentCount)),
      times(texts.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={({ id }) => at`/payouts/${id}`}
    none={texts.empty}
  />
)
