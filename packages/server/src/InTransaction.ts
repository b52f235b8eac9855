/**
 * Calls of the partner interface inside the application's own transaction: its order and our payment commit together,
 * or neither is there.
 *
 * @module
 */
import type * as Problem from "@florin/api/Problem"
import * as Merchant from "@florin/api/wire/Merchant"
import * as Payment from "@florin/api/wire/Payment"
import * as Base62 from "@florin/core/domain/ground/Base62"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { type Transaction, Transactions } from "@florin/core/ports/Transactions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Body from "./edge/Body.ts"
import * as Doors from "./edge/Doors.ts"
import * as Problems from "./edge/Problems.ts"
import * as MerchantsOperations from "./operations/MerchantsOperations.ts"
import * as Operation from "./operations/Operation.ts"
import * as PaymentsOperations from "./operations/PaymentsOperations.ts"
import * as Read from "./operations/Read.ts"

/** The partner whose data a call works on. */
export interface Whose {
  readonly partnerId: string
  readonly mode: Mode.Mode
}

/** A call that creates something. */
export interface Creating extends Whose {
  /** By default a new one, because what your transaction rolls back was never created. */
  readonly idempotencyKey?: string
}

export interface NewPayment extends Creating, Payment.CreateRequest {}

export interface NewMerchant extends Creating, Merchant.CreateRequest {}

export interface CancelledPayment extends Whose {
  readonly paymentId: string
}

/** The calls that can be a part of your transaction. They take and return what the HTTP interface does. */
export interface InTransaction {
  readonly payments: {
    /** Creates a payment, as `POST /v1/payments` does. */
    readonly create: (payment: NewPayment) => Promise<Payment.Created>
    /** Cancels a payment, as `POST /v1/payments/{id}/cancel` does. */
    readonly cancel: (payment: CancelledPayment) => Promise<Payment.Cancelled>
  }
  readonly merchants: {
    /** Creates a merchant, as `POST /v1/merchants` does. */
    readonly create: (merchant: NewMerchant) => Promise<Merchant.Response>
  }
}

/**
 * The call was refused, and wrote nothing. The transaction is as it was before the call and can be continued, unless the
 * message says that it must be rolled back.
 */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly code: Problem.Code
  readonly issues: ReadonlyArray<Problem.Issue>

  constructor({
    code,
    issues = [],
    message,
  }: Pick<Problem.Problem, "code" | "issues" | "message">) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** The storage has no transactions that an application could begin. */
export class NoTransactions extends Error {
  override readonly name = "NoTransactions"
}

const readPayment = Body.reader(Payment.CreateRequest)
const readMerchant = Body.reader(Merchant.CreateRequest)

const keyOf = Effect.fnUntraced(function* (given: string | undefined) {
  const fresh = Effect.flatMap(Identifiers, ({ randomBytes }) => randomBytes(16))
  const key = given ?? Base62.ofBytes(yield* fresh, 22)
  return yield* Effect.fromResult(Invalid.at("Idempotency-Key", Idempotency.parseKey(key)))
})

/** A call of a partner that came over no network. */
const callOf = Effect.fnUntraced(function* (
  whose: Whose,
  publicUrl: string,
  path: Readonly<Record<string, string>>,
  idempotencyKey?: string,
) {
  const tenant = yield* Effect.fromResult(Read.tenant(whose))
  const partner = yield* findPartner(yield* AccountStore, tenant.partnerId)
  const call: Operation.PartnerCall = {
    ...Operation.inProcess,
    caller: { _tag: "Partner", mode: tenant.mode, partner },
    tenant,
    idempotencyKey,
    param: (name) => path[name] ?? "",
    query: {},
    display: { publicUrl, catalog: yield* Assets },
    doors: Doors.make({ publicUrl, console: null, operatorUrl: () => null }),
  }
  return call
})

/** The transactions that the storage has, if it has any. */
export class Available extends Context.Service<Available, Option.Option<Transactions["Service"]>>()(
  "@florin/server/InTransaction/Available",
) {
  static readonly layer = Layer.effect(Available, Effect.serviceOption(Transactions))
}

/** The storage's transactions, or why there are none. */
export const available = Effect.flatMap(
  Available,
  Option.match({
    onNone: () =>
      Effect.die(
        new NoTransactions(
          "a transaction of your own needs a storage on a PostgreSQL server, such as Postgres.layer({ url }), and the same database",
        ),
      ),
    onSome: Effect.succeed,
  }),
)

type Run = <A>(effect: Effect.Effect<A, never, Available | Operation.Ports>) => Promise<A>

/** The calls as promises, for each transaction. */
export const make =
  (run: Run, publicUrl: string) =>
  (transaction: Transaction): InTransaction => {
    const inside = async <A extends object>(
      group: string,
      work: Operation.Responding<A>,
    ): Promise<A> => {
      const done = await run(
        Effect.flatMap(available, ({ within }) => Effect.result(within(transaction)(work))),
      )
      if (Result.isSuccess(done)) return Operation.replyOf(done.success).body
      const { failure } = done
      const problem = Problems.problemOf(failure, group)
      throw new Refused(
        failure._tag === "StorageUnavailable" ? { ...problem, message: failure.message } : problem,
      )
    }
    const creating = <B, A extends object>(
      group: string,
      { idempotencyKey, mode, partnerId, ...request }: Creating,
      read: (json: Schema.Json) => Result.Result<B, Problems.Refusal>,
      create: (call: Operation.PartnerCall, body: B) => Operation.Responding<A>,
    ) =>
      inside(
        group,
        Effect.gen(function* () {
          const body = yield* Effect.fromResult(read(Operation.carried(request)))
          const key = yield* keyOf(idempotencyKey)
          return yield* create(yield* callOf({ mode, partnerId }, publicUrl, {}, key), body)
        }),
      )
    return {
      payments: {
        create: (payment) =>
          creating("payments", payment, readPayment, PaymentsOperations.creating),
        cancel: ({ paymentId, ...whose }) =>
          inside(
            "payments",
            Effect.flatMap(callOf(whose, publicUrl, { id: paymentId }), (call) =>
              PaymentsOperations.cancelling(call),
            ),
          ),
      },
      merchants: {
        create: (merchant) =>
          creating("merchants", merchant, readMerchant, MerchantsOperations.creating),
      },
    }
  }
