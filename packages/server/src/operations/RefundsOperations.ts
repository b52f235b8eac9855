/**
 * Refunds over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Refunds"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Effect from "effect/Effect"
import * as PaymentView from "../views/PaymentView.ts"
import * as Operation from "./Operation.ts"
import * as Path from "./Path.ts"

const shown = ({ display }: Operation.Call, { payment, refund }: Refunds.Refunded) =>
  PaymentView.refund(payment, refund, display)

export const partner = Operation.partner(Contract.group, {
  create: Effect.fnUntraced(function* (call, body) {
    const paymentId = yield* Effect.fromResult(Path.readPaymentId(body.paymentId))
    const { idempotencyKey, merchantId, tenant } = call
    const asked = yield* Refunds.request(tenant, {
      ...body,
      paymentId,
      merchantId,
      idempotencyKey,
    })
    return Operation.once(shown(call, asked), asked.replayed)
  }),

  destination: Effect.fnUntraced(function* ({ merchantId, tenant }, body) {
    const paymentId = yield* Effect.fromResult(Path.readPaymentId(body.paymentId))
    const { statement, validUntil } = yield* Refunds.statement(tenant, {
      ...body,
      paymentId,
      merchantId,
    })
    return { statement, expiresAt: Math.floor(validUntil / 1000) }
  }),

  list: Effect.fnUntraced(function* ({ display, merchantId, query, tenant }) {
    const id = yield* Effect.fromResult(Path.readPaymentId(query.paymentId))
    const { payment, refunds } = yield* Refunds.list(tenant, merchantId, id)
    return {
      data: refunds.map((each) => PaymentView.refund(payment, each, display)),
      nextCursor: null,
    }
  }),

  get: (call) =>
    Effect.map(Refunds.get(call.tenant, call.merchantId, call.param("id")), (refunded) =>
      shown(call, refunded),
    ),
})
