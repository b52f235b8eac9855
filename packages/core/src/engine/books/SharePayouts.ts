/**
 * The state of the shares of payments, read for all of them with at most two reads.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as SharePayout from "../../domain/books/SharePayout.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import type * as Merchant from "../../domain/partner/Merchant.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { OutflowStore } from "../../ports/OutflowStore.ts"
import { Settings } from "../../ports/Settings.ts"

export type SharePayouts = ReadonlyMap<PaymentId.PaymentId, SharePayout.SharePayout>

/** For payments of one partner and mode. Merchants that were already read are not read again. */
export const read = Effect.fn("SharePayouts.read")(function* (
  partner: Merchant.Partner,
  mode: Mode.Mode,
  payments: ReadonlyArray<Payment.Payment>,
  known: ReadonlyArray<Merchant.Merchant>,
  now: number,
) {
  const { payouts } = yield* Settings
  const entries = payments.flatMap(({ merchantId, state }) =>
    state._tag === "Succeeded" ? [{ merchantId, entry: state.entry }] : [],
  )
  const outflowIds = entries.flatMap(({ entry }) => {
    const part = Entry.going(entry)
    return part?._tag === "Carried" ? [part.outflowId] : []
  })
  const merchantIds = entries.flatMap(({ entry, merchantId }) =>
    Entry.isWaiting(entry) &&
    entry.destination !== null &&
    known.every(({ id }) => id !== merchantId)
      ? [merchantId]
      : [],
  )
  const outflows =
    outflowIds.length === 0
      ? []
      : yield* (yield* OutflowStore).outflowsById([...new Set(outflowIds)])
  const others =
    merchantIds.length === 0
      ? []
      : yield* (yield* AccountStore).findMerchants({
          _tag: "Ids",
          tenant: { partnerId: partner.id, mode },
          ids: merchantIds,
        })
  const merchants = new Map([...known, ...others].map((each) => [each.id, each]))
  const outflowById = new Map(outflows.map((each) => [each.id, each]))
  const found = new Map<PaymentId.PaymentId, SharePayout.SharePayout>()
  for (const payment of payments) {
    const { state } = payment
    const outflowId = state._tag === "Succeeded" ? Entry.outflowOf(state.entry) : null
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
