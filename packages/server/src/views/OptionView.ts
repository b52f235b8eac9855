/**
 * Options and their actions as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Option"
import type * as WirePayment from "@florin/api/wire/Payment"
import type * as Action from "@florin/core/domain/Action"
import * as Amount from "@florin/core/domain/Amount"
import * as CollectData from "@florin/core/domain/CollectData"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import type * as Gateway from "@florin/core/engine/Gateway"
import type * as Offers from "@florin/core/engine/Offers"
import * as AmountView from "./AmountView.ts"
import * as PaymentView from "./PaymentView.ts"

export const walletRpc = ({ chainId, method, params }: Action.WalletRpc): Wire.WalletRpc => ({
  type: "walletRpc",
  data: { chain_id: chainId, method, params },
})

const action = (each: Action.Action): Wire.Action =>
  each._tag === "Build" ? { type: "build", data: each.data } : walletRpc(each)

const option = (
  { actions, etaInS, id, needsData, option: chosen }: Offers.Offered,
  payLinkHost: string,
  display: AmountView.Display,
): Wire.PaymentOption => ({
  id,
  account: chosen.accountText,
  actions: actions.map(action),
  amount: AmountView.of({ unit: Amount.token(chosen.token), quantity: chosen.quantity }, display),
  collectData:
    needsData === "needed"
      ? CollectData.make(payLinkHost, chosen.paymentId, [chosen.accountText])
      : null,
  etaS: etaInS,
  expiresAt: chosen.expiresAt,
})

/** The accounts that the form at the top is for: those with an option that needs data. */
const accountsOf = (offered: ReadonlyArray<Offers.Offered>): ReadonlyArray<string> => [
  ...new Set(
    offered.flatMap((each) => (each.needsData === "needed" ? [each.option.accountText] : [])),
  ),
]

export const options = (
  answer: Gateway.Options,
  paymentId: PaymentId.PaymentId,
  payLinkHost: string,
  display: AmountView.Display,
): WirePayment.OptionsAnswer => ({
  options: answer.options && answer.options.map((each) => option(each, payLinkHost, display)),
  ...(answer.needsData === "needed" && {
    collectData: CollectData.make(payLinkHost, paymentId, accountsOf(answer.options ?? [])),
  }),
  ...(answer.info && { info: PaymentView.info(answer.info, display) }),
})
