/**
 * Keeps money that a merchant is still owed for a refund of money that the merchant already received.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Balance from "../../domain/books/Balance.ts"
import * as Refunding from "../../domain/books/Refunding.ts"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import type * as Refund from "../../domain/payment/Refund.ts"
import { AccountStore, findPartner, type Tenant } from "../../ports/AccountStore.ts"
import { OutflowStore, type WaitingShares } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import * as Writes from "../record/Writes.ts"

/** Whether the shares of all merchants of a tenant are kept for the refunds of each: a setting of the operator. */
const netsMerchants = Effect.fnUntraced(function* ({ mode, partnerId }: Tenant) {
  const partner = yield* findPartner(yield* AccountStore, partnerId)
  return Merchant.limitsOf(partner, mode).netsMerchants === true
})

/** The refunds that take precedence over payouts of these merchants in a token. */
export const listWaiting = Effect.fnUntraced(function* (
  tenant: Tenant,
  token: Caip.Token,
  merchants: ReadonlyArray<MerchantId.MerchantId>,
) {
  const asked = (yield* netsMerchants(tenant)) ? null : merchants
  return yield* (yield* OutflowStore).refundsInNeed(tenant, token, asked)
})

/** Keeps shares for a payment's refund that needs something; returns whether there were any. */
const keepSome = Effect.fnUntraced(function* (
  { id, merchantId, ...tenant }: Payment.Payment,
  { token }: Refund.Refund,
) {
  const store = yield* OutflowStore
  const nets = yield* netsMerchants(tenant)
  const planned = (of: MerchantId.MerchantId | null): WaitingShares => ({
    _tag: "Token",
    tenant,
    token,
    merchantId: of,
  })
  // Those that wait for a destination come after those that have one.
  const own: ReadonlyArray<WaitingShares> = [
    planned(merchantId),
    { _tag: "Owed", merchantId, token },
  ]
  for (const which of nets ? [...own, planned(null)] : own) {
    const shares = yield* store.waitingShares(which, Limits.sharesPerOutflowMax)
    if (shares.length === 0) continue
    const now = yield* Clock.currentTimeMillis
    const written = yield* Writes.write(
      { payments: [...new Set([id, ...shares.map(({ paymentId }) => paymentId)])] },
      ({ payments }) => {
        const [refunded] = payments
        return Result.succeed(
          refunded === undefined ? null : Balance.keep(refunded, payments, now, nets),
        )
      },
    )
    // Nothing may be left of those that are owed, as when fees used them up.
    if ((written?.payments ?? []).length > 0) return true
  }
  return false
})

/**
 * Keeps the merchant's shares that wait to be gathered for the refunds of a payment, and then those of its partner's
 * other merchants if the operator allows it, until these need nothing more or no shares are left. Returns the
 * payment after that, and whether any share was kept.
 */
export const forRefund = Effect.fn("Keeping.forRefund")(function* (id: PaymentId.PaymentId) {
  for (let isKept = false; ; isKept = true) {
    const payment = yield* (yield* PaymentStore).payment(id)
    const refund = Refunding.inNeed(payment)
    if (refund === null || !(yield* keepSome(payment, refund))) return { payment, isKept }
  }
})
