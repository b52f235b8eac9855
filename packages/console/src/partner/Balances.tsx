/**
 * Balances: what each merchant is owed now, by token.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import { parts } from "../screens/MerchantBalances.tsx"
import { link } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { ButtonLink, foreign } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { column, numbers } from "../shell/Table.tsx"
import * as Texts from "./Texts.ts"

const { balance, balances: texts, payments, payouts, words } = Texts.texts

/** Without its symbol, which another column has. */
const number = ({ available: { unit }, display }: Balance.OfMerchant, value: string): string =>
  value === "0"
    ? "–"
    : Reader.amount({ unit, value, display: { ...display, assetSymbol: "" } }).trim()

/** All parts together, below zero if the merchant owes more than it is owed. */
const total = (of: Balance.OfMerchant): string => {
  const sum = parts.reduce(
    (all, part) => (part === "debt" ? all - BigInt(of.debt.value) : all + BigInt(of[part].value)),
    0n,
  )
  return number(of, `${sum}`)
}

export const Screen = () => (
  <Listing<Balance.OfMerchant, Balance.MerchantPage>
    texts={texts}
    actions={() => <ButtonLink to="/payouts" name={payouts.title} />}
    path="/balances"
    rowsOf={({ data }) => data}
    idOf={({ available, merchantId }) => `${merchantId} ${available.unit}`}
    filters={[link("merchantId")]}
    columns={[
      column(words.merchant, "title", 1.6, ({ merchantName }) => foreign(merchantName)),
      column(words.token, "below", 1.3, ({ display }) => Reader.token(display)),
      numbers(texts.total, "end", 1, total),
      ...parts.map((part) =>
        numbers<Balance.OfMerchant>(balance.parts[part], "wide", 1, (of) =>
          number(of, of[part].value),
        ),
      ),
    ]}
    to={({ merchantId }) => at`/merchants/${merchantId}`}
    next={<ButtonLink to="/payments/new" scope="pay" name={payments.create} />}
  />
)
