/**
 * Payments and outflows as the operator's API returns them.
 *
 * @module
 */
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as SharePayouts from "@florin/core/engine/books/SharePayouts"
import { AccountStore, findMerchant, findPartner } from "@florin/core/ports/AccountStore"
import { findOutflow, OutflowStore } from "@florin/core/ports/OutflowStore"
import { Settings } from "@florin/core/ports/Settings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as AmountView from "../views/AmountView.ts"
import * as OutflowView from "../views/OutflowView.ts"
import * as PaymentView from "../views/PaymentView.ts"
import type * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

/** A payment as its partner gets it. */
export const payment = Effect.fnUntraced(function* (
  shown: Payment.Payment,
  display: AmountView.Display,
) {
  const accounts = yield* AccountStore
  const now = yield* Clock.currentTimeMillis
  const { merchantId, mode, partnerId } = shown
  const partner = yield* findPartner(accounts, partnerId)
  const merchant = yield* findMerchant(accounts, { partnerId, mode }, merchantId)
  const payouts = yield* SharePayouts.read(partner, mode, [shown], [merchant], now)
  return PaymentView.details({ merchant, payment: shown }, payouts, now, display, yield* Settings)
})

/** An outflow as it is now. */
export const outflow = Effect.fnUntraced(function* (
  id: OutflowId.OutflowId,
  display: AmountView.Display,
) {
  return yield* OutflowView.outflow(yield* findOutflow(yield* OutflowStore, id), display)
})

/** A call that does something with the outflow of its path, and returns the outflow as it is then. */
export const acting = <E, R>(does: (id: OutflowId.OutflowId) => Effect.Effect<unknown, E, R>) =>
  Effect.fnUntraced(function* (call: Operation.OperatorCall) {
    const id = yield* Read.idOfOutflow(call)
    yield* does(id)
    return yield* outflow(id, call.display)
  })
