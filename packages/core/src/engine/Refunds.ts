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
import * as Refunding from "../domain/books/Refunding.ts"
import * as Transfer from "../domain/chain/Transfer.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as OutflowId from "../domain/ground/OutflowId.ts"
import * as PaymentId from "../domain/ground/PaymentId.ts"
import * as Outflow from "../domain/outflow/Outflow.ts"
import * as AuditLog from "../domain/partner/AuditLog.ts"
import * as Entry from "../domain/payment/Entry.ts"
import * as Payment from "../domain/payment/Payment.ts"
import * as Refund from "../domain/payment/Refund.ts"
import type { Tenant } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
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

/** Refunds of parts cost the service more gas than it pays for in an hour. */
export class TooManyParts extends Schema.TaggedError<TooManyParts>()("TooManyParts", {
  message: Schema.String,
}) {}

const tooManyParts = new TooManyParts({
  message:
    "refunds of parts cost the service more gas than it pays for in an hour: refund all that is left of the payment, or try again later",
})

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

/** One of a payment's refunds. */
const refunded = (
  payment: Payment.Payment,
  refund: Refund.Refund | undefined,
): Result.Result<Refunded, NotFound> =>
  refund === undefined ? Result.fail(NotFound.of("refund")) : Result.succeed({ payment, refund })

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
  ask: Refunding.Ask,
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
    }): Result.Result<WriteDecision<Asked>, Outdated | Refunding.Refused> => {
      const [current] = payments
      if (current === undefined || carryingOf(current) !== outflowId) {
        return Result.fail(new Outdated())
      }
      const carrying = outflow === undefined ? null : { outflow, payments }
      return Result.map(Outgoing.refund(current, ids, carrying, now, gas, ask), (write) => {
        const changed = write.payments.map((change) => change.payment)
        const own = changed.find((each) => each.id === id) ?? current
        return { result: { payment: own, changed }, write }
      })
    },
    null,
  )
})

/** Reads the payment again as long as its share moves in the meantime. */
const decideAgain = (id: PaymentId.PaymentId, ids: Ids, ask: Refunding.Ask, now: number) =>
  Effect.flatMap(PaymentStore, (payments) => payments.payment(id)).pipe(
    Effect.flatMap((payment) => decideRequest(payment, ids, ask, now)),
    Effect.retry({ while: (error) => error._tag === "Outdated" }),
  )

const stored = StoredResponse.codec(Payment.Payment)

/** A request for a refund of a payment, or of a part of it. */
export interface Request extends Refunding.Request {
  readonly paymentId: PaymentId.PaymentId
  readonly merchantId?: string | undefined
  /** Required for a part: a repeated request could otherwise refund twice. */
  readonly idempotencyKey?: string | undefined
}

const bodyOf = StoredResponse.bodyOf(
  Schema.Struct({
    merchantId: Schema.NullOr(Schema.String),
    paymentId: PaymentId.PaymentId,
    amount: Schema.optional(Schema.Struct({ unit: Schema.String, value: Schema.String })),
    reason: Schema.optional(Schema.String),
  }),
)

const onceOf = (
  tenant: Tenant,
  { amount, idempotencyKey, merchantId, paymentId, reason }: Request,
) => {
  const body = bodyOf({ merchantId: merchantId ?? null, paymentId, amount, reason })
  return idempotencyKey === undefined && amount === undefined
    ? Result.succeed(null)
    : StoredResponse.requireOnce(idempotencyKey, { tenant, endpoint: "POST /v1/refunds", body })
}

/** The response has the payment as it was written with the refund, which is then its last one. */
const read = ({ response, replayed }: Created) => {
  const payment = stored.decode(response)
  return Effect.fromResult(
    Result.map(refunded(payment, Payment.refunds(payment).at(-1)), (each) => ({
      ...each,
      replayed,
    })),
  )
}

/**
 * Requests a refund of a payment to the account that paid it, once per key if there is one. A replayed refund is as it
 * was requested.
 */
export const request = Effect.fn("Refunds.request")(function* (tenant: Tenant, wanted: Request) {
  const now = yield* Clock.currentTimeMillis
  const { merchantId, paymentId } = wanted
  const responseStore = yield* ResponseStore
  const once = yield* Effect.fromResult(onceOf(tenant, wanted))
  const earlier = once === null ? null : yield* responseStore.storedResponse(once, now)
  if (earlier !== null) return yield* read({ response: earlier, replayed: true })
  const ask = yield* Effect.fromResult(Refunding.read(wanted, yield* Assets))
  const known = yield* Payments.get(tenant, merchantId, paymentId)
  const identifiers = yield* Identifiers
  const ids = { refund: yield* identifiers.refund, outflow: yield* identifiers.outflow }
  const write = decideRequest(known, ids, ask, now).pipe(
    Effect.catchTag("Outdated", () => decideAgain(paymentId, ids, ask, now)),
    Effect.catchTag("Uncovered", () => tooManyParts),
  )
  const asking = recordDeed(write, () => ({
    ...tenant,
    action: "refund.requested",
    subject: paymentId,
    changes: [
      AuditLog.became("refundId", ids.refund),
      ...(wanted.amount === undefined ? [] : [AuditLog.became("value", wanted.amount.value)]),
    ],
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
    ? yield* Effect.fromResult(
        refunded(
          payment,
          Payment.refunds(payment).find((each) => each.id === id),
        ),
      )
    : yield* NotFound.of("refund")
})

/** The refunds of a payment, newest first. */
export const list = Effect.fn("Refunds.list")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  paymentId: PaymentId.PaymentId,
) {
  const payment = yield* Payments.get(tenant, merchantId, paymentId)
  return { payment, refunds: Payment.refunds(payment).toReversed() }
})

const heldOf = (payment: Payment.Payment) =>
  Payment.refunds(payment).filter(({ state }) => state._tag === "Held")

const whyNotRetried = (payment: Payment.Payment): string => {
  const state = heldOf(payment)[0]?.state
  return state?._tag === "Held"
    ? Transfer.whyNotRetried(state.reason)
    : "the payment has no refund that is held"
}

/** The operator retries the held refunds of a payment; returns those that are due again. */
export const retryHeld = Effect.fn("Refunds.retryHeld")(function* (id: PaymentId.PaymentId) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const retried = yield* Effect.forEach(heldOf(payment), ({ outflowId }) =>
    Effect.map(Retry.outflow(outflowId), (payments) =>
      payments.flatMap((each) => Refunding.carriedBy(each, outflowId) ?? []),
    ),
  )
  const refunds = retried.flat()
  return refunds.length === 0
    ? yield* new RefundNotHeld({ message: whyNotRetried(payment) })
    : refunds
})

/** What only an operator can resolve: held settlements and refunds. */
export const stuck = Effect.fn("Refunds.stuck")(function* (mode: Mode.Mode) {
  return yield* (yield* PaymentStore).stuckPayments(mode)
})
