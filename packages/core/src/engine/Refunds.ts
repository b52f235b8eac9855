/**
 * Refunds: requested by the partner, supervised by the operator.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Outgoing from "../domain/books/Outgoing.ts"
import type * as Refunding from "../domain/books/Refunding.ts"
import * as Transfer from "../domain/chain/Transfer.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as OutflowId from "../domain/ground/OutflowId.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import * as Outflow from "../domain/outflow/Outflow.ts"
import * as AuditLog from "../domain/partner/AuditLog.ts"
import * as Entry from "../domain/payment/Entry.ts"
import * as Payment from "../domain/payment/Payment.ts"
import * as Refund from "../domain/payment/Refund.ts"
import type { Tenant } from "../ports/AccountStore.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { OutflowStore, type WriteDecision } from "../ports/OutflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { ResponseStore, type Created } from "../ports/ResponseStore.ts"
import { Signals } from "../ports/Signals.ts"
import { NotFound } from "../ports/StorageError.ts"
import { recordDeed } from "./AuditLog.ts"
import * as Payments from "./Payments.ts"
import * as Relaying from "./Relaying.ts"
import * as Retry from "./Retry.ts"
import * as StoredResponse from "./StoredResponse.ts"

/** The refund is not held, or is held for a reason that does not allow sending it again. */
export class RefundNotHeld extends Schema.TaggedError<RefundNotHeld>()("RefundNotHeld", {
  message: Schema.String,
}) {}

/** A refund with the payment that it refunds. */
export interface Refunded {
  readonly payment: Payment.Payment
  readonly refund: Refund.Refund
}

const isRefundId = Schema.is(Refund.RefundId)

const refunded = (payment: Payment.Payment): Result.Result<Refunded, NotFound> => {
  const refund = Payment.refundOf(payment)
  return refund === null ? Result.fail(NotFound.of("refund")) : Result.succeed({ payment, refund })
}

/** The share moved between two reads: read again. */
class Outdated extends Schema.TaggedError<Outdated>()("Outdated", {}) {}

/** The outflow from which a refund would have to take the share. */
const carryingOf = ({ state }: Payment.Payment): OutflowId.OutflowId | null =>
  (state._tag === "Succeeded" ? Entry.going(state.entry)?.outflowId : undefined) ?? null

/** The payment with its refund, and all payments that changed with it. */
interface Asked {
  readonly payment: Payment.Payment
  readonly changed: ReadonlyArray<Payment.Payment>
}

interface Ids {
  readonly refund: Refund.RefundId
  readonly outflow: OutflowId.OutflowId
}

/**
 * Decides on the refund, and on the outflow that carries the share as it was read, with all payments that the outflow
 * carries.
 */
const decideRequest = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  ids: Ids,
  now: number,
) {
  const { id } = payment
  const store = yield* OutflowStore
  const gas = yield* Relaying.gasTerms(payment)
  const outflowId = carryingOf(payment)
  const others = outflowId === null ? [] : Outflow.paymentIds(yield* store.outflow(outflowId))
  return yield* store.modify(
    {
      outflows: outflowId === null ? [] : [outflowId],
      payments: [...new Set([id, ...others])],
    },
    ({
      outflows: [outflow],
      payments,
    }): Result.Result<
      WriteDecision<Asked>,
      Outdated | Refunding.PaymentNotSucceeded | Refunding.AlreadyRefunded
    > => {
      const [current] = payments
      if (current === undefined || carryingOf(current) !== outflowId) {
        return Result.fail(new Outdated())
      }
      const carrying = outflow === undefined ? null : { outflow, payments }
      return Result.map(Outgoing.refund(current, ids, carrying, now, gas), (write) => {
        const changed = write.payments.map((change) => change.payment)
        const own = changed.find((each) => each.id === id) ?? current
        return { result: { payment: own, changed }, write }
      })
    },
    null,
  )
})

/** Reads the payment again as long as its share moves in the meantime. */
const decideAgain = (id: PaymentId.PaymentId, ids: Ids, now: number) =>
  Effect.flatMap(PaymentStore, (payments) => payments.payment(id)).pipe(
    Effect.flatMap((payment) => decideRequest(payment, ids, now)),
    Effect.retry({ while: (error) => error._tag === "Outdated" }),
  )

const stored = StoredResponse.codec(Payment.Payment)

const onceOf = (
  key: string | undefined,
  tenant: Tenant,
  body: { readonly merchantId: string | null; readonly paymentId: PaymentId.PaymentId },
) =>
  key === undefined
    ? Result.succeed(null)
    : StoredResponse.once(key, { tenant, endpoint: "POST /v1/refunds", body })

const read = ({ response, replayed }: Created) =>
  Effect.fromResult(
    Result.map(refunded(stored.decode(response)), (each) => ({ ...each, replayed })),
  )

/**
 * Requests a refund of the whole payment to the account that paid it, once per key if there is one. A replayed refund
 * is as it was requested.
 */
export const request = Effect.fn("Refunds.request")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  paymentId: PaymentId.PaymentId,
  idempotencyKey?: string,
) {
  const now = yield* Clock.currentTimeMillis
  const responseStore = yield* ResponseStore
  const once = yield* Effect.fromResult(
    onceOf(idempotencyKey, tenant, { merchantId: merchantId ?? null, paymentId }),
  )
  const earlier = once === null ? null : yield* responseStore.storedResponse(once, now)
  if (earlier !== null) return yield* read({ response: earlier, replayed: true })
  const known = yield* Payments.get(tenant, merchantId, paymentId)
  const identifiers = yield* Identifiers
  const ids = { refund: yield* identifiers.refund, outflow: yield* identifiers.outflow }
  const write = decideRequest(known, ids, now).pipe(
    Effect.catchTag("Outdated", () => decideAgain(paymentId, ids, now)),
  )
  const asking = recordDeed(write, () => ({
    ...tenant,
    action: "refund.requested",
    subject: paymentId,
    changes: [AuditLog.became("refundId", ids.refund)],
  }))
  let changed: ReadonlyArray<Payment.Payment> = []
  const writing = Effect.map(asking, (asked) => {
    changed = asked.changed
    return stored.encode(asked.payment)
  })
  const response =
    once === null
      ? { replayed: false, response: yield* writing }
      : yield* responseStore.respondOnce(once, now, writing)
  const signals = yield* Signals
  yield* Effect.forEach(changed, ({ id }) => signals.changed(id), { discard: true })
  return yield* read(response)
})

/** A refund of the tenant and, if one is named, of the merchant. */
export const get = Effect.fn("Refunds.get")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: string,
) {
  if (!isRefundId(id)) return yield* NotFound.of("refund")
  const payment = yield* (yield* PaymentStore).paymentOfRefund(tenant, id)
  return merchantId === undefined || payment.merchantId === merchantId
    ? yield* Effect.fromResult(refunded(payment))
    : yield* NotFound.of("refund")
})

const whyNotRetried = (payment: Payment.Payment): string => {
  const state = Payment.refundOf(payment)?.state
  return state?._tag === "Held"
    ? Transfer.whyNotRetried(state.reason)
    : "the payment has no refund that is held"
}

/** The operator retries a held refund. */
export const retryHeld = Effect.fn("Refunds.retryHeld")(function* (id: PaymentId.PaymentId) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const refund = Payment.refundOf(payment)
  const [retried] = refund === null ? [] : yield* Retry.outflow(refund.outflowId)
  if (retried === undefined) return yield* new RefundNotHeld({ message: whyNotRetried(payment) })
  return yield* Effect.fromResult(refunded(retried))
})

/** What only an operator can resolve: held settlements and refunds. */
export const stuck = Effect.fn("Refunds.stuck")(function* (mode: Mode.Mode) {
  return yield* (yield* PaymentStore).stuckPayments(mode)
})
