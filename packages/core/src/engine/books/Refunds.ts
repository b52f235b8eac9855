/**
 * Refunds: requested by the partner, supervised by the operator.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Outgoing from "../../domain/books/Outgoing.ts"
import * as RefundDestination from "../../domain/books/RefundDestination.ts"
import * as Refunding from "../../domain/books/Refunding.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as Transfer from "../../domain/chain/Transfer.ts"
import * as Conflict from "../../domain/ground/Conflict.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import type * as Change from "../../domain/payment/Change.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentLink from "../../domain/payment/PaymentLink.ts"
import * as Refund from "../../domain/payment/Refund.ts"
import type { Tenant } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { Chains } from "../../ports/Chain.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { OutflowStore, findOutflow } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Screening } from "../../ports/Screening.ts"
import { Settings } from "../../ports/Settings.ts"
import { idReader, NotFound } from "../../ports/StorageError.ts"
import * as OwnAccounts from "../chain/OwnAccounts.ts"
import * as Relaying from "../chain/Relaying.ts"
import * as Payments from "../payment/Payments.ts"
import * as StoredResponse from "../record/StoredResponse.ts"
import * as Writes from "../record/Writes.ts"
import * as Retry from "./Retry.ts"

/** Refunds of parts cost the service more gas than it pays for in an hour. */
export class TooManyParts extends Schema.TaggedError<TooManyParts>()("TooManyParts", {
  message: Schema.String,
}) {}

const tooManyParts = new TooManyParts({
  message:
    "refunds of parts cost the service more gas than it pays for in an hour: refund all that is left of the payment, or try again later",
})

/** A refund with the payment that it refunds. */
export interface Refunded {
  readonly payment: Payment.Payment
  readonly refund: Refund.Refund
}

const readId = idReader("refund", Refund.RefundId)

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

interface Ids {
  readonly refund: Refund.RefundId
  readonly outflow: OutflowId.OutflowId
}

/**
 * Decides on the refund, and on the outflow that carries the share as it was read, with all payments that the outflow
 * carries. Reads the payment again as long as its share moves in the meantime.
 */
const decideRequest = Effect.fnUntraced(
  function* (id: PaymentId.PaymentId, ids: Ids, ask: Refunding.Ask, now: number) {
    const payment = yield* (yield* PaymentStore).payment(id)
    const store = yield* OutflowStore
    const gas = yield* Relaying.gasTerms(payment)
    const outflowId = carryingOf(payment)
    const others =
      outflowId === null ? [] : Outflow.paymentIds(yield* findOutflow(store, outflowId))
    return yield* Writes.decide(
      {
        outflows: outflowId === null ? [] : [outflowId],
        payments: [...new Set([id, ...others])],
      },
      ({
        outflows: [outflow],
        payments,
      }): Result.Result<Change.Write, Outdated | Refunding.Refused> => {
        const [current] = payments
        if (current === undefined || carryingOf(current) !== outflowId) {
          return Result.fail(new Outdated())
        }
        const carrying = outflow === undefined ? null : { outflow, payments }
        return Outgoing.refund(current, ids, carrying, now, gas, ask)
      },
    )
  },
  Effect.retry({ while: (error) => error._tag === "Outdated" }),
)

const stored = StoredResponse.codec(Payment.Payment)

/** A request for a refund of a payment, or of a part of it. */
export interface Request extends Refunding.Request {
  readonly paymentId: PaymentId.PaymentId
  readonly merchantId?: string | undefined
  /** Required for a part: a repeated request could otherwise refund twice. */
  readonly idempotencyKey?: string | undefined
  /** Another account than the one that paid, which that one signed the statement for. */
  readonly destination?: string | undefined
  readonly statement?: string | undefined
  /** The signature of the statement. */
  readonly proof?: string | undefined
}

const bodyOf = StoredResponse.bodyOf(
  Schema.Struct({
    merchantId: Schema.NullOr(Schema.String),
    paymentId: PaymentId.PaymentId,
    amount: Schema.optional(Schema.Struct({ unit: Schema.String, value: Schema.String })),
    reason: Schema.optional(Schema.String),
    destination: Schema.optional(Schema.String),
    statement: Schema.optional(Schema.String),
    proof: Schema.optional(Schema.String),
  }),
)

const onceOf = (tenant: Tenant, { idempotencyKey, merchantId, ...asked }: Request) => {
  const { amount } = asked
  const body = bodyOf({ ...asked, merchantId: merchantId ?? null })
  return idempotencyKey === undefined && amount === undefined
    ? Result.succeed(null)
    : StoredResponse.requireOnce(idempotencyKey, { tenant, endpoint: "POST /v1/refunds", body })
}

/** A payment as it was written with a refund, which is then its last one. */
const read = ({ replayed, written }: StoredResponse.Responded<Payment.Payment>) =>
  Effect.fromResult(
    Result.map(refunded(written, Payment.refunds(written).at(-1)), (each) => ({
      ...each,
      replayed,
    })),
  )

/** Reads the account that a request names, and refuses it if money would be lost there, or if screening refuses it. */
const readDestination = Effect.fnUntraced(function* (text: string) {
  const catalog = yield* Assets
  const accounts = yield* OwnAccounts.all
  const account = yield* Effect.fromResult(RefundDestination.read(text, { catalog, accounts }))
  const refused = yield* (yield* Screening).refused([account])
  if (refused.length > 0) {
    return yield* Invalid.of("destination", "screening refuses the account: use another one")
  }
  const terms: RefundDestination.Terms = {
    account,
    catalog,
    service: PaymentLink.originOf(yield* Settings),
  }
  return terms
})

/** The text with which the account that paid allows a refund to another one. Nothing is written. */
export const statement = Effect.fn("Refunds.statement")(function* (
  tenant: Tenant,
  wanted: Omit<Request, "idempotencyKey" | "proof" | "statement"> & {
    readonly destination: string
  },
) {
  const now = yield* Clock.currentTimeMillis
  const ask = yield* Effect.fromResult(Refunding.read(wanted, yield* Assets))
  const payment = yield* Payments.get(tenant, wanted.merchantId, wanted.paymentId)
  const terms = yield* readDestination(wanted.destination)
  const validUntil = now + Limits.refundStatementLifeInMs
  const text = RefundDestination.statement(payment, ask, terms, validUntil)
  return { statement: yield* Effect.fromResult(text), validUntil }
})

/** How a request asks for the refund to another account, if the one that paid signed for it. */
const elsewhere = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  ask: Refunding.Ask,
  { destination, proof, statement: signed }: Request,
  now: number,
) {
  if (destination === undefined) {
    const unused = (field: string, value: string | undefined) =>
      value === undefined ? [] : [Invalid.issue(field, "is only for a refund to a destination")]
    yield* Effect.fromResult(
      Invalid.check([...unused("statement", signed), ...unused("proof", proof)]),
    )
    return { ask, to: null }
  }
  const terms = yield* readDestination(destination)
  if (signed === undefined || proof === undefined) {
    const field = signed === undefined ? "statement" : "proof"
    return yield* Invalid.of(
      field,
      "is required with a destination: see POST /v1/refunds/destination",
    )
  }
  const proven = RefundDestination.proven(ask, signed, terms, now)
  // What the statement is not of needs no look at its signature.
  yield* Effect.fromResult(proven(payment))
  const payer = Payment.attemptOf(payment)?.option.account
  const chain = (yield* Chains).of(payment.mode)
  if (payer === undefined || !(yield* chain.isSignedBy(payer, signed, proof))) {
    return yield* Invalid.of(
      "proof",
      "is not the signature of the statement by the account that paid",
    )
  }
  return { ask: proven, to: terms }
})

/** What the audit log keeps of a destination: the statement that the payer signed, without the signature. */
const deedOf = ({ amount, statement: signed }: Request, to: RefundDestination.Terms | null) => [
  ...(amount === undefined ? [] : [AuditLog.became("value", amount.value)]),
  ...(to === null || signed === undefined
    ? []
    : [
        AuditLog.became("destination", Family.formatAccount(to.catalog, to.account)),
        AuditLog.became("statement", signed),
      ]),
]

/**
 * Requests a refund of a payment to the account that paid it or, if that one signed for it, to another account; once per
 * key if there is one. A replayed refund is as it was requested.
 */
export const request = Effect.fn("Refunds.request")(function* (tenant: Tenant, wanted: Request) {
  const now = yield* Clock.currentTimeMillis
  const { merchantId, paymentId } = wanted
  const once = yield* Effect.fromResult(onceOf(tenant, wanted))
  const earlier = yield* StoredResponse.earlier(once, stored)
  if (earlier !== null) return yield* read(earlier)
  const asked = yield* Effect.fromResult(Refunding.read(wanted, yield* Assets))
  const known = yield* Payments.get(tenant, merchantId, paymentId)
  const { ask, to } = yield* elsewhere(known, asked, wanted, now)
  const identifiers = yield* Identifiers
  const ids = { refund: yield* identifiers.refund, outflow: yield* identifiers.outflow }
  const write = Effect.catchTag(
    decideRequest(paymentId, ids, ask, now),
    "Uncovered",
    () => tooManyParts,
  )
  let changes: ReadonlyArray<Change.Change> = []
  const writing = Effect.map(write, ({ payments }) => {
    changes = payments
    return payments.find(({ payment }) => payment.id === paymentId)?.payment ?? known
  })
  const responded = yield* StoredResponse.respond(once, stored, writing, () => ({
    ...tenant,
    action: "refund.requested",
    subject: paymentId,
    changes: [AuditLog.became("refundId", ids.refund), ...deedOf(wanted, to)],
  }))
  yield* Writes.announce(changes)
  return yield* read(responded)
})

/** A refund of the tenant and, if one is named, of the merchant. */
export const get = Effect.fn("Refunds.get")(function* (
  tenant: Tenant,
  merchantId: string | undefined,
  id: string,
) {
  const refundId = yield* Effect.fromResult(readId(id))
  const payment = yield* (yield* PaymentStore).payment({ tenant, refundId })
  if (merchantId !== undefined && payment.merchantId !== merchantId) {
    return yield* NotFound.of("refund")
  }
  const found = Payment.refunds(payment).find((each) => each.id === id)
  return yield* Effect.fromResult(refunded(payment, found))
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
  return refunds.length === 0 ? yield* Conflict.of(whyNotRetried(payment)) : refunds
})
