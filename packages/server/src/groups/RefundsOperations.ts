/**
 * Refunds over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Refunds"
import * as Wire from "@florin/api/wire/Refund"
import * as Refunds from "@florin/core/engine/Refunds"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as PaymentView from "../views/PaymentView.ts"
import * as Path from "./Path.ts"

const { of, withBody } = Operation.partner("refunds")

const shown = ({ icons }: Operation.Call, { payment, refund }: Refunds.Refunded) =>
  Operation.ok(PaymentView.refund(payment, refund, icons))

const create = withBody(Contract.create, Wire.RefundRequest, (call, { paymentId }) =>
  Effect.gen(function* () {
    const id = yield* Effect.fromResult(Path.readPaymentId(paymentId))
    return shown(call, yield* Refunds.request(call.tenant, call.merchantId, id))
  }),
)

const get = of(Contract.get, (call) =>
  Effect.map(Refunds.get(call.tenant, call.merchantId, call.param("id")), (refunded) =>
    shown(call, refunded),
  ),
)

export const operations = [create, get]
