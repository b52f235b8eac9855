/**
 * Cancels a payment, for either side.
 *
 * @module
 */
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Effect from "effect/Effect"
import * as ApiShape from "../edge/ApiShape.ts"
import type * as Problems from "../edge/Problems.ts"
import * as PaymentView from "../views/PaymentView.ts"
import type * as Operation from "./Operation.ts"

/** Without this rule, an expired payment is refused like any other that cannot be cancelled. */
const refusalIn = (apiShape: ApiShape.ApiShape, refusal: Problems.Refusal): Problems.Refusal =>
  refusal._tag === "StateRefused" && !ApiShape.rulesOf(apiShape).cancelReportsExpiry
    ? new PaymentState.StateRefused({
        refusal: "invalid_state",
        message: refusal.message,
      })
    : refusal

/** Responds with the cancelled payment. */
export const show = <R>(
  call: Operation.Call,
  cancelling: Effect.Effect<Payment.Payment, Problems.Refusal, R>,
) =>
  cancelling.pipe(
    Effect.mapError((refusal) => refusalIn(call.apiShape, refusal)),
    Effect.map(PaymentView.cancelResponse),
    Effect.flatMap((view) =>
      view === null
        ? Effect.die(new Error("a payment was cancelled and is not"))
        : Effect.succeed(view),
    ),
  )
