/**
 * Payments over HTTP, for the partner that created them and for the operator.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Payments"
import * as OfOperator from "@florin/api/operator/Payments"
import * as Queries from "@florin/api/Query"
import type * as Wire from "@florin/api/wire/Payment"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import type * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import type * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as SharePayouts from "@florin/core/engine/books/SharePayouts"
import * as Payments from "@florin/core/engine/payment/Payments"
import * as Evidence from "@florin/core/engine/status/Evidence"
import * as Verdict from "@florin/core/engine/status/Verdict"
import { Settings } from "@florin/core/ports/Settings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as ApiShape from "../edge/ApiShape.ts"
import * as Mount from "../http/Mount.ts"
import * as Query from "../http/Query.ts"
import * as PaymentView from "../views/PaymentView.ts"
import * as StatisticsView from "../views/StatisticsView.ts"
import * as TimelineView from "../views/TimelineView.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Operation from "./Operation.ts"
import * as Path from "./Path.ts"
import * as Read from "./Read.ts"
import * as Records from "./Records.ts"

/** The merchant to be paid, from the header or the body. If they differ, it is unclear which one is meant. */
const payee = (
  header: string | undefined,
  body: string | undefined,
): Result.Result<string | undefined, Invalid.InvalidInput> =>
  header !== undefined && body !== undefined && header !== body
    ? Invalid.fail("merchantId", "is not the merchant of the Merchant-Id header: send one of them")
    : Result.succeed(header ?? body)

export const creating = Effect.fnUntraced(function* (
  call: Operation.PartnerCall,
  body: Wire.CreateRequest,
) {
  const { merchantId: named, ...request } = body
  const merchantId = yield* Effect.fromResult(payee(call.merchantId, named))
  const settings = yield* Settings
  const { payment, replayed } = yield* Payments.create({
    partner: call.caller.partner,
    mode: call.tenant.mode,
    merchantId,
    request,
    idempotencyKey: call.idempotencyKey,
  })
  return Operation.once(PaymentView.createResponse(payment, call.display, settings), replayed)
})

export const cancelling = Effect.fnUntraced(function* (call: Operation.PartnerCall) {
  const id = yield* Effect.fromResult(Path.paymentId(call))
  return yield* Cancellation.show(call, Payments.cancel(call.tenant, call.merchantId, id))
})

const watching = Effect.fnUntraced(function* (
  call: Operation.PartnerCall<{ readonly maxPollMs?: number }>,
) {
  const maxPollInMs = call.query.maxPollMs ?? 0
  const id = yield* Effect.fromResult(Path.paymentId(call))
  const payment = yield* Payments.status(call.tenant, call.merchantId, id, maxPollInMs)
  const now = yield* Clock.currentTimeMillis
  return PaymentView.status(payment, now, call.display)
})

const names = Object.keys({ ...Queries.payments, ...Queries.statistics })
const repeatable = Object.values(PaymentFilter.table)
  .filter(({ isRepeatable }) => isRepeatable)
  .map(({ name }): string => name)
const single = names.filter((name) => !repeatable.includes(name))

/** Old clients of the path with a merchant's id also write the filters in snake case. */
const fromSnake: ReadonlyMap<string, string> = new Map(
  names.map((name) => [ApiShape.snakeCase(name), name]),
)

const fromSnakeCase = (query: Query.Query): Query.Query =>
  new URLSearchParams([...query].map(([name, value]) => [fromSnake.get(name) ?? name, value]))

const { createdBefore, createdFrom } = PaymentFilter.table
const times: ReadonlySet<string> = new Set([createdFrom.name, createdBefore.name])
const toTheMinute =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2})([Zz]|[+-][0-9]{2}:[0-9]{2})$/u

/** A time without seconds means the start of its minute. */
const withSeconds = (sent: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Record.map(sent, (value, name) =>
    times.has(name) ? value.replace(toTheMinute, "$1:00$2") : value,
  )

/** The filters of a call as its version reads them. */
const readSent = (
  { apiShape }: Operation.PartnerCall<Query.Query>,
  query: Query.Query,
): Result.Result<PaymentQuery.Raw & PaymentSeries.Raw, Invalid.InvalidInput> => {
  const rules = ApiShape.rulesOf(apiShape)
  return Result.map(Query.ones(query, single), (ones) => {
    const sent: PaymentQuery.Raw = {
      ...(rules.listsTakeMinutes ? withSeconds(ones) : ones),
      ...Object.fromEntries(repeatable.map((name) => [name, Query.several(query, name)])),
    }
    // A list without cancelled payments includes every other status.
    const { status = rules.listsShowCancelled ? undefined : PaymentFilter.listedStatuses } = sent
    return { ...sent, status }
  })
}

const listing = Effect.fnUntraced(function* (
  call: Operation.PartnerCall<Query.Query>,
  merchantId: string | undefined,
  query: Query.Query = call.query,
) {
  const listed = yield* Payments.list(
    call.tenant,
    merchantId,
    yield* Effect.fromResult(readSent(call, query)),
    ApiShape.rulesOf(call.apiShape).listsFilterCancelled,
  )
  const now = yield* Clock.currentTimeMillis
  const payouts = yield* SharePayouts.read(
    call.caller.partner,
    call.tenant.mode,
    listed.items.map(({ payment }) => payment),
    listed.items.map(({ merchant }) => merchant),
    now,
  )
  return PaymentView.page(listed, payouts, now, call.display)
})

/** When the paths for old clients were replaced: with the first version. RFC 9745 defines this date format. */
const deprecatedSince = `@${Date.UTC(2026, 1, 18) / 1000}`

const deprecated =
  ({ display }: Operation.PartnerCall, successor: string) =>
  <A extends object>(made: A | Operation.Reply<A>) => {
    const { body, more } = Operation.replyOf(made)
    const link = `<${Mount.pathOf(display.publicUrl)}${successor}>; rel="successor-version"`
    return new Operation.Reply(body, {
      headers: { ...more.headers, deprecation: deprecatedSince, link },
    })
  }

export const partner = Operation.partner(OfPartner.group, {
  create: creating,

  list: { withRawQuery: (call) => listing(call, call.merchantId) },

  statistics: {
    withRawQuery: Effect.fnUntraced(function* (call) {
      const { edges, series } = yield* Payments.statistics(
        call.tenant,
        call.merchantId,
        yield* Effect.fromResult(readSent(call, call.query)),
        ApiShape.rulesOf(call.apiShape).listsFilterCancelled,
      )
      return StatisticsView.statistics(series, edges, call.display)
    }),
  },

  get: Effect.fnUntraced(function* (call) {
    const id = yield* Effect.fromResult(Path.paymentId(call))
    const settings = yield* Settings
    const found = yield* Payments.details(call.tenant, call.merchantId, id)
    const now = yield* Clock.currentTimeMillis
    const { mode } = call.tenant
    const payouts = yield* SharePayouts.read(call.caller.partner, mode, [found.payment], [], now)
    return PaymentView.details(found, payouts, now, call.display, settings)
  }),

  status: watching,

  cancel: cancelling,

  listOfMerchant: { withRawQuery: (call) => listing(call, call.merchantId) },

  listOfMerchantByPath: {
    withRawQuery: (call) =>
      Effect.map(
        listing(call, call.param("merchantId"), fromSnakeCase(call.query)),
        deprecated(call, OfPartner.group.endpoints.listOfMerchant.path),
      ),
  },

  createAlias: (call, body) =>
    Effect.map(creating(call, body), deprecated(call, OfPartner.group.endpoints.create.path)),

  statusAlias: (call) =>
    Effect.map(
      watching(call),
      deprecated(call, Operation.pathOf(OfPartner.group.endpoints.status, call)),
    ),
})

export const operator = Operation.operator(OfOperator.group, {
  explain: Effect.fnUntraced(function* (call) {
    const evidence = yield* Evidence.gather(yield* Read.idOfPayment(call))
    return {
      payment: yield* Records.payment(evidence.payment, call.display),
      timeline: TimelineView.timeline(evidence, call.display),
      verdict: Verdict.judge(evidence),
    }
  }),
})
