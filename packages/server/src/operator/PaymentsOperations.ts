/**
 * Payments over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Payments"
import * as Evidence from "@florin/core/engine/Evidence"
import * as Verdict from "@florin/core/engine/Verdict"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as TimelineView from "../views/TimelineView.ts"
import * as PaymentRecord from "./PaymentRecord.ts"
import * as Read from "./Read.ts"

export const operations = Operation.operator(Contract.group, {
  explain: Effect.fnUntraced(function* (call) {
    const evidence = yield* Evidence.gather(yield* Read.paymentId(call))
    return Operation.ok({
      payment: yield* PaymentRecord.details(evidence.payment, call.display),
      timeline: TimelineView.timeline(evidence, call.display),
      verdict: Verdict.judge(evidence),
    })
  }),
})
