/**
 * A payment in the operator's API.
 *
 * @module
 */
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as SharePayouts from "@florin/core/engine/SharePayouts"
import { AccountStore, findMerchant, findPartner } from "@florin/core/ports/AccountStore"
import { Settings } from "@florin/core/ports/Settings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as AmountView from "../views/AmountView.ts"
import * as PaymentView from "../views/PaymentView.ts"

/** A payment as its partner gets it. */
export const details = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  display: AmountView.Display,
) {
  const accounts = yield* AccountStore
  const now = yield* Clock.currentTimeMillis
  const { merchantId, mode, partnerId } = payment
  const partner = yield* findPartner(accounts, partnerId)
  const merchant = yield* findMerchant(accounts, { partnerId, mode }, merchantId)
  const payouts = yield* SharePayouts.read(partner, mode, [payment], [merchant], now)
  return PaymentView.details({ merchant, payment }, payouts, now, display, yield* Settings)
})
