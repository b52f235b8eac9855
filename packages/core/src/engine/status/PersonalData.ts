/**
 * Stored data of payers, for operators who must respond to payers' requests: shown, exported and erased. Each action is
 * an entry of the audit log for every payment concerned; the data itself is never in the log.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as Catalog from "../../domain/chain/Catalog.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as PaymentIdForm from "../../domain/ground/PaymentIdForm.ts"
import * as Rfc3339 from "../../domain/ground/Rfc3339.ts"
import * as Amount from "../../domain/money/Amount.ts"
import type * as AuditLog from "../../domain/partner/AuditLog.ts"
import type * as CollectData from "../../domain/payment/CollectData.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import { Assets } from "../../ports/Assets.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import type { StorageUnavailable } from "../../ports/StorageError.ts"
import * as PayerData from "../payment/PayerData.ts"
import { recordDeed } from "../record/AuditLog.ts"

/** What a payer entered for a payment. */
export interface StoredData {
  readonly payment: Payment.Payment
  readonly account: Caip.Account
  /** Epoch milliseconds. */
  readonly deleteAt: number
  /** Null if the vault cannot open it. */
  readonly data: CollectData.CollectedData | null
}

/** Whose data: that of all payers of one payment, or of one account in all payments. */
interface Whose {
  readonly payments: ReadonlyArray<PaymentId.PaymentId>
  readonly account: Caip.Account | null
}

const accountOf = (
  text: string,
  catalog: Catalog.Catalog,
): Result.Result<Caip.Account, Invalid.InvalidInput> =>
  Result.match(Family.parseAccount(catalog, text, "ignored"), {
    onFailure: ({ message }) =>
      Invalid.fail("of", `must be a payment, pay_…, or an account, eip155:1:0x…: ${message}`),
    onSuccess: (account) => Result.succeed(account),
  })

/** Reads a payment's id, or an account as CAIP-10. */
const read = Effect.fnUntraced(function* (
  of: string,
): Effect.fn.Return<Whose, Invalid.InvalidInput | StorageUnavailable, Assets | PaymentStore> {
  if (PaymentIdForm.isPaymentId(of)) return { payments: [of], account: null }
  const account = yield* Effect.fromResult(accountOf(of, yield* Assets))
  return { payments: yield* (yield* PaymentStore).paymentsWithCollected(account), account }
})

/** The audit entry for an action on this many records of a payment; null if there was none. */
const deedOf = (
  { id: subject, mode, partnerId }: Payment.Payment,
  action: AuditLog.Action,
  count: number,
): AuditLog.Deed | null =>
  count === 0
    ? null
    : { action, partnerId, mode, subject, changes: [{ field: "records", to: count }] }

const openedBy = (action: "collected.exported" | "collected.shown") =>
  Effect.fnUntraced(function* (of: string) {
    const store = yield* PaymentStore
    const { account, payments } = yield* read(of)
    const stored = yield* Effect.forEach(payments, (id) =>
      Effect.gen(function* () {
        const payment = yield* store.payment(id)
        const own = Effect.map(store.collected(id), (all) =>
          all.filter((each) => account === null || Caip.sameAccount(each.account, account)),
        )
        // Recorded before anything is opened, so that nobody reads data without an entry in the log.
        const found = yield* recordDeed(own, (all) => deedOf(payment, action, all.length))
        return yield* Effect.forEach(found, (each) =>
          PayerData.open(id, each).pipe(
            Effect.catchTag("VaultRefused", () => Effect.succeed(null)),
            Effect.map((data): StoredData => ({
              payment,
              account: each.account,
              deleteAt: each.deleteAt,
              data,
            })),
          ),
        )
      }),
    )
    return stored.flat()
  })

/** The stored data of a payment's payers, or of an account in all payments. */
export const show = openedBy("collected.shown")

/** A record and the payment that it belongs to, as JSON for machines. */
const asJson = (
  { account, data, deleteAt, payment }: StoredData,
  catalog: Catalog.Catalog,
  now: number,
) => {
  const { amount, createdAt, id, merchantId, mode, partnerId, referenceId, state } = payment
  const option = Payment.attemptOf(payment)?.option
  const paid = option && { unit: Amount.token(option.token), quantity: option.quantity }
  return {
    paymentId: id,
    partnerId,
    merchantId,
    mode,
    referenceId,
    createdAt: Rfc3339.format(createdAt),
    status: Payment.status(payment, now),
    amount: Amount.format(amount, catalog),
    paidBy: option === undefined ? null : Family.formatAccount(catalog, option.account),
    paidAmount: paid === undefined ? null : Amount.format(paid, catalog),
    txId: state._tag === "Succeeded" ? state.transfer.txHash : null,
    account: Family.formatAccount(catalog, account),
    deleteAt: Rfc3339.format(deleteAt),
    data,
  }
}

/** The same for handing over, with the payments that it belongs to, as JSON for machines. */
export const exportData = Effect.fn("PersonalData.exportData")(function* (of: string) {
  const stored = yield* openedBy("collected.exported")(of)
  const catalog = yield* Assets
  const now = yield* Clock.currentTimeMillis
  return stored.map((each) => asJson(each, catalog, now))
})

/**
 * Erases data for good: the keys are destroyed with it, so that a backup of the data alone reveals nothing any more.
 * Each payment is a separate write. Returns how many records were erased.
 */
export const erase = Effect.fn("PersonalData.erase")(function* (of: string) {
  const store = yield* PaymentStore
  const { account, payments } = yield* read(of)
  const counts = yield* Effect.forEach(payments, (id) =>
    Effect.flatMap(store.payment(id), (payment) =>
      recordDeed(store.eraseCollected(id, account), (count) =>
        deedOf(payment, "collected.erased", count),
      ),
    ),
  )
  return counts.reduce((sum, count) => sum + count, 0)
})
