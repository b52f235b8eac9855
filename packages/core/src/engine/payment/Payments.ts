/**
 * The partner's payments: created, read, watched, cancelled and listed.
 *
 * The `Merchant-Id` of a call names its merchant. If one is given, only that merchant's payments are visible; those of
 * other merchants look as if they did not exist.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Page from "../../domain/list/Page.ts"
import * as PaymentFilter from "../../domain/list/PaymentFilter.ts"
import * as PaymentQuery from "../../domain/list/PaymentQuery.ts"
import * as PaymentSeries from "../../domain/list/PaymentSeries.ts"
import * as PaymentSort from "../../domain/list/PaymentSort.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentRequest from "../../domain/payment/PaymentRequest.ts"
import { AccountStore, findMerchant, type Tenant } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Settings } from "../../ports/Settings.ts"
import { NotFound } from "../../ports/StorageError.ts"
import * as Merchants from "../partner/Merchants.ts"
import * as AuditLog from "../record/AuditLog.ts"
import * as StoredResponse from "../record/StoredResponse.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Expiry from "./Expiry.ts"
import * as LongPoll from "./LongPoll.ts"
import * as Offers from "./Offers.ts"

/** No merchant is named, and the partner does not have exactly one that takes payments. */
export class MissingMerchantId extends Schema.TaggedError<MissingMerchantId>()(
  "MissingMerchantId",
  { message: Schema.String },
) {}

/** The named merchant does not exist for this partner or, for a new payment, takes no payments. */
export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>()("MerchantNotFound", {
  message: Schema.String,
}) {}

/** The operator suspended the merchant or its partner. */
export class Suspended extends Schema.TaggedError<Suspended>()("Suspended", {
  message: Schema.String,
}) {
  static readonly of = (who: "merchant" | "partner") =>
    new Suspended({
      message: `the operator suspended this ${who}, so it takes no new payments: ask the operator why`,
    })
}

/** The operator must approve what payers see of the merchant first. */
export class NotApproved extends Schema.TaggedError<NotApproved>()("NotApproved", {
  message: Schema.String,
}) {}

const notApproved = new NotApproved({
  message:
    "the operator has to approve this merchant before it takes a live payment: ask the operator to approve it",
})

const requireApproved = (merchant: Merchant.Merchant) =>
  Merchant.mustBeApproved(merchant) ? Effect.fail(notApproved) : Effect.succeed(merchant)

const merchantNotFound = new MerchantNotFound({
  message: "there is no such merchant, or it takes no payments",
})

/** The only merchant of a partner that takes payments. */
const onlyMerchant = Effect.fnUntraced(function* (tenant: Tenant) {
  const { items } = yield* (yield* AccountStore).merchants(
    tenant,
    { status: "active" },
    { after: null, limit: 2 },
  )
  const [only, another] = items
  return only === undefined || another !== undefined
    ? yield* new MissingMerchantId({
        message: "the merchant to pay is missing: send its id in the Merchant-Id header",
      })
    : yield* requireApproved(only)
})

/** A merchant that can take payments. */
const payableMerchant = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const merchant = yield* namedMerchant(tenant, id)
  if (merchant.status === "suspended" && merchant.deletedAt === null) {
    return yield* Suspended.of("merchant")
  }
  if (!Merchant.takesPayments(merchant)) return yield* merchantNotFound
  return yield* requireApproved(merchant)
})

/** A merchant that can be queried, also if it is deleted, because its payments stay. */
const namedMerchant = (tenant: Tenant, id: string) =>
  Effect.catchTag(Merchants.getWithDeleted(tenant, id), "NotFound", () => merchantNotFound)

/** The same, or null for all merchants if none is named. */
const merchantOrAll = (tenant: Tenant, id: string | undefined) =>
  id === undefined ? Effect.succeed(null) : namedMerchant(tenant, id)

/** The request for a new payment. */
export interface Create {
  readonly partner: Merchant.Partner
  readonly mode: Mode.Mode
  /** The merchant to pay. Default: the only one that takes payments. */
  readonly merchantId: string | undefined
  readonly request: PaymentRequest.Request
  readonly idempotencyKey?: string | undefined
}

const stored = StoredResponse.codec(Payment.Payment)

const bodyOf = StoredResponse.bodyOf(PaymentRequest.Request)

const onceOf = ({ idempotencyKey, merchantId, request }: Create, tenant: Tenant) =>
  idempotencyKey === undefined
    ? Result.succeed(null)
    : StoredResponse.once(idempotencyKey, {
        tenant,
        endpoint: "POST /v1/payments",
        body: { merchantId: merchantId ?? null, request: bodyOf(request) },
      })

/**
 * Creates a payment, once per key if there is one. A replayed payment is as it was created: show it as of its
 * `createdAt`.
 */
export const create = Effect.fn("Payments.create")(function* (input: Create) {
  const { mode, partner, request } = input
  const payments = yield* PaymentStore
  const now = yield* Clock.currentTimeMillis
  const tenant: Tenant = { partnerId: partner.id, mode }
  const once = onceOf(input, tenant)
  // This check comes first, because time and other merchants may turn a valid request into one that is refused.
  const earlier = yield* StoredResponse.earlier(Result.getOrNull(once), stored)
  if (earlier !== null) return { payment: earlier.written, replayed: true }

  if (partner.suspendedAt !== undefined) return yield* Suspended.of("partner")
  const merchant = yield* input.merchantId === undefined
    ? Effect.map(onlyMerchant(tenant), Result.succeed)
    : Effect.result(payableMerchant(tenant, input.merchantId))
  const key = yield* Effect.fromResult(once)
  const catalog = yield* Assets
  const { amount } = yield* Effect.fromResult(PaymentRequest.read(request, catalog, { mode, now }))
  const means = yield* Offers.means(mode)
  const feeTerms = Result.match(merchant, {
    onFailure: () => partner.feeTerms,
    onSuccess: (known) => Merchant.feesOf(known, partner),
  })
  yield* Effect.fromResult(PaymentRequest.checkPayable(amount, feeTerms, means))
  const merchantId = (yield* Effect.fromResult(merchant)).id
  const id = yield* (yield* Identifiers).payment
  const change = yield* Effect.fromResult(
    PaymentRequest.create(
      request,
      { id, partnerId: partner.id, merchantId, mode, feeTerms, now },
      catalog,
    ),
  )
  const response = stored.encode(change.payment)
  const entry = yield* AuditLog.entryOf({
    ...tenant,
    action: "payment.created",
    subject: id,
    changes: [],
  })
  const created = yield* payments.createPayment(change, key, response, now, entry)
  return {
    payment: created.replayed ? stored.decode(created.response) : change.payment,
    replayed: created.replayed,
  }
})

/** A payment of the tenant and, if one is named, of the merchant. */
export const get = Effect.fn("Payments.get")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: PaymentId.PaymentId,
) {
  const payment = yield* Expiry.read(id)
  const isTheirs =
    payment.partnerId === tenant.partnerId &&
    payment.mode === tenant.mode &&
    (merchantId === undefined || payment.merchantId === merchantId)
  return isTheirs ? payment : yield* NotFound.of("payment")
})

/** The status of a payment. With a wait, it responds as soon as the status changes. */
export const status = Effect.fn("Payments.status")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: PaymentId.PaymentId,
  maxPollInMs: number,
) {
  return yield* LongPoll.untilChange(yield* get(tenant, merchantId, id), maxPollInMs)
})

/** The merchant cancels the payment. Cancelling again returns the same result. */
export const cancel = Effect.fn("Payments.cancel")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: PaymentId.PaymentId,
) {
  yield* get(tenant, merchantId, id)
  return yield* Cancellation.cancel(id, "cancelled_by_merchant")
})

/** A payment of a list, with the merchant it pays. */
export interface Item {
  readonly payment: Payment.Payment
  readonly merchant: Merchant.Merchant
}

/**
 * The items of a page, with their merchants read in one go. If the query names one merchant, all items are that
 * merchant's.
 */
const withMerchants = Effect.fnUntraced(function* (
  tenant: Tenant,
  payments: ReadonlyArray<Payment.Payment>,
  only: Merchant.Merchant | null,
) {
  const ids = [...new Set(payments.map((each) => each.merchantId))]
  const merchants =
    only === null
      ? yield* (yield* AccountStore).findMerchants({ _tag: "Ids", tenant, ids })
      : [only]
  const byId = new Map(merchants.map((each) => [each.id, each]))
  return yield* Effect.forEach(payments, (payment) => {
    const merchant = byId.get(payment.merchantId)
    if (merchant === undefined) return Effect.fail(merchantNotFound)
    const item: Item = { payment, merchant }
    return Effect.succeed(item)
  })
})

/** A payment with its merchant, only for its own partner. */
export const details = Effect.fn("Payments.details")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: PaymentId.PaymentId,
) {
  const payment = yield* get(tenant, merchantId, id)
  const merchant = yield* findMerchant(yield* AccountStore, tenant, payment.merchantId)
  const item: Item = { payment, merchant }
  return item
})

/** A page of payments, with statistics over all that pass the filter. */
export const list = Effect.fn("Payments.list")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  raw: PaymentQuery.Raw,
  allowCancelled: boolean,
) {
  const payments = yield* PaymentStore
  const { sealKey: key } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const named = yield* Effect.result(merchantOrAll(tenant, merchantId))
  const only = Result.getOrNull(named)
  const onlyId = only?.id ?? null
  const scopeText = PaymentQuery.scopeText({ ...tenant, merchantId: onlyId })
  const query = yield* Effect.fromResult(
    PaymentQuery.parse(raw, { key, catalog: yield* Assets, scopeText, allowCancelled }),
  )
  // A query that cannot be read is reported before a merchant that does not exist.
  yield* Effect.fromResult(named)
  const filter = PaymentFilter.narrow(query.filter, onlyId)
  const { page, stats } = yield* Effect.all(
    {
      page: payments.payments(tenant, { ...query, filter }, now),
      stats: payments.paymentStats(tenant, filter, now),
    },
    { concurrency: "unbounded" },
  )
  const items = yield* Effect.forEach(page.items, Expiry.seen)
  return {
    items: yield* withMerchants(tenant, items, only),
    nextCursor: Page.nextCursor(page, (last) =>
      PaymentQuery.encodeCursor(key, scopeText, query, PaymentSort.position(last, query.sort)),
    ),
    stats,
  }
})

/** The payments of a list counted over time, by state and by token. */
export const statistics = Effect.fn("Payments.statistics")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  raw: PaymentSeries.Raw,
  allowCancelled: boolean,
) {
  const now = yield* Clock.currentTimeMillis
  const named = yield* Effect.result(merchantOrAll(tenant, merchantId))
  const catalog = yield* Assets
  const { edges, filter } = yield* Effect.fromResult(
    PaymentSeries.parse(raw, { catalog, allowCancelled, now }),
  )
  // A query that cannot be read is reported before a merchant that does not exist.
  const only = yield* Effect.fromResult(named)
  const narrowed = PaymentFilter.narrow(filter, only?.id ?? null)
  const series = yield* (yield* PaymentStore).paymentSeries(tenant, narrowed, edges, now)
  return { edges, series }
})
