/**
 * The state of the shares of payments, read for all of them with at most two reads.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as SharePayout from "../domain/books/SharePayout.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Merchant from "../domain/partner/Merchant.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import * as Settlement from "../domain/payment/Settlement.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { Settings } from "../ports/Settings.ts"

export type SharePayouts = ReadonlyMap<PaymentId.PaymentId, SharePayout.SharePayout>

const settlementsOf = (payments: ReadonlyArray<Payment.Payment>) =>
  payments.flatMap(({ merchantId, state }) =>
    state._tag === "Succeeded" ? [{ merchantId, settlement: state.settlement }] : [],
  )

/** For payments of one partner and mode. Merchants that were already read are not read again. */
export const read = Effect.fn("SharePayouts.read")(function* (
  partner: Merchant.Partner,
  mode: Mode.Mode,
  payments: ReadonlyArray<Payment.Payment>,
  known: ReadonlyArray<Merchant.Merchant>,
  now: number,
) {
  const { payouts } = yield* Settings
  const settlements = settlementsOf(payments)
  const outflowIds = settlements.flatMap(({ settlement }) =>
    settlement._tag === "Processing" ? (Settlement.outflowOf(settlement) ?? []) : [],
  )
  const merchantIds = settlements.flatMap(({ merchantId, settlement }) =>
    settlement._tag === "Pending" && known.every(({ id }) => id !== merchantId) ? [merchantId] : [],
  )
  const outflows =
    outflowIds.length === 0
      ? []
      : yield* (yield* OutflowStore).outflowsById([...new Set(outflowIds)])
  const others =
    merchantIds.length === 0
      ? []
      : yield* (yield* AccountStore).merchantsById({ partnerId: partner.id, mode }, [
          ...new Set(merchantIds),
        ])
  const merchants = new Map([...known, ...others].map((each) => [each.id, each]))
  const outflowById = new Map(outflows.map((each) => [each.id, each]))
  const found = new Map<PaymentId.PaymentId, SharePayout.SharePayout>()
  for (const payment of payments) {
    const { state } = payment
    const outflowId = state._tag === "Succeeded" ? Settlement.outflowOf(state.settlement) : null
    const around: SharePayout.Around = {
      partner,
      payouts,
      merchant: merchants.get(payment.merchantId),
      outflow: outflowId === null ? undefined : outflowById.get(outflowId),
    }
    const payout = SharePayout.of(payment, around, now)
    if (payout !== null) found.set(payment.id, payout)
  }
  return found
})
