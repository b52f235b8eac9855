/**
 * Options and their actions as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Option"
import type * as WirePayment from "@florin/api/wire/Payment"
import type * as Action from "@florin/core/domain/chain/Action"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import type * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import type * as Gateway from "@florin/core/engine/payment/Gateway"
import type * as Offers from "@florin/core/engine/payment/Offers"
import * as AmountView from "./AmountView.ts"
import * as PaymentView from "./PaymentView.ts"

export const walletRpc = ({ chainId, method, params }: Action.WalletRpc): Wire.WalletRpc => ({
  type: "walletRpc",
  data: { chain_id: chainId, method, params },
})

const action = (each: Action.Action): Wire.Action =>
  each._tag === "Build" ? { type: "build", data: each.data } : walletRpc(each)

/** The hosted form in which payers enter their data. */
interface Form {
  readonly service: PaymentLink.Trust
  readonly sealedSession: string
}

const option = (
  { actions, costs, etaInS, id, needsData, option: chosen }: Offers.Offered,
  form: Form | null,
  display: AmountView.Display,
): Wire.PaymentOption => ({
  id,
  account: chosen.accountText,
  actions: actions.map(action),
  amount: AmountView.ofToken(chosen, display),
  collectData:
    needsData && form !== null
      ? CollectData.make(form.service, chosen.paymentId, [chosen.accountText], form.sealedSession)
      : null,
  etaS: etaInS,
  expiresAt: chosen.expiresAt,
  ...(costs !== undefined && {
    balance: String(costs.balance),
    networkFee: costs.networkFee && AmountView.of(costs.networkFee, display),
  }),
})

/** The accounts that the top-level form is for: those with an option that needs data. */
const accountsOf = (offered: ReadonlyArray<Offers.Offered>): ReadonlyArray<string> => [
  ...new Set(offered.flatMap((each) => (each.needsData ? [each.option.accountText] : []))),
]

export const options = (
  response: Gateway.Options,
  paymentId: PaymentId.PaymentId,
  service: PaymentLink.Trust,
  display: AmountView.Display,
): WirePayment.OptionsResponse => {
  const { info, options: offered, sealedSession } = response
  const form = sealedSession === null ? null : { service, sealedSession }
  return {
    options: offered && offered.map((each) => option(each, form, display)),
    ...(form !== null && {
      collectData: CollectData.make(
        service,
        paymentId,
        accountsOf(offered ?? []),
        form.sealedSession,
      ),
    }),
    ...(info && { info: PaymentView.info(info, display) }),
  }
}
