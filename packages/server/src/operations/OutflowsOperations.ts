/**
 * Outgoing money over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Outflows"
import * as Family from "@florin/core/domain/chain/Family"
import * as Conflict from "@florin/core/domain/ground/Conflict"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Astray from "@florin/core/engine/books/Astray"
import * as Float from "@florin/core/engine/books/Float"
import * as PaidOut from "@florin/core/engine/books/PaidOut"
import * as Payouts from "@florin/core/engine/books/Payouts"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Retry from "@florin/core/engine/books/Retry"
import * as Settlements from "@florin/core/engine/books/Settlements"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as OutflowView from "../views/OutflowView.ts"
import * as Members from "./Members.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"
import * as Records from "./Records.ts"

export const operator = Operation.operator(Contract.group, {
  short: Effect.fnUntraced(function* ({ display, query }) {
    const found = yield* Read.inModes(query, (mode) => Float.short(mode))
    const short = yield* Effect.forEach(found, ({ missing, outflow }) =>
      Effect.map(OutflowView.outflow(outflow, display), (view) => ({
        outflow: view,
        missing: TokenAmount.json(outflow.movement.token, missing, display.catalog),
      })),
    )
    return { short }
  }),

  list: Effect.fnUntraced(function* ({ display, query: { mode = null, state: status, ...query } }) {
    const { items, nextCursor } = yield* Payouts.list(
      { partnerId: null, mode },
      { ...query, status },
    )
    const data = yield* Effect.forEach(items, (each) => OutflowView.listed(each, display), {
      concurrency: 4,
    })
    return { data, nextCursor }
  }),

  get: Effect.fnUntraced(function* (call) {
    return yield* Records.outflow(yield* Read.idOfOutflow(call), call.display)
  }),

  retry: Records.acting(Retry.held),

  retryAll: Effect.fnUntraced(function* ({ display }, { asset, mode, reason, ...ids }) {
    const partnerId = yield* Read.optional(ids.partnerId, Read.partnerId)
    const merchantId = yield* Read.optional(ids.merchantId, Read.merchantId)
    const token = yield* Read.optional(asset, (text) => Read.asset("asset", text, display.catalog))
    const found = yield* Retry.retryHeld(
      Members.given({ mode, code: reason, partnerId, merchantId, token }),
    )
    return {
      outflows: found.map(({ isRetried, outflow }) => ({
        outflowId: outflow.id,
        isRetried,
        paymentIds: Outflow.paymentIds(outflow),
      })),
    }
  }),

  record: Effect.fnUntraced(function* (call, { txId }) {
    const { outflow } = yield* PaidOut.recordPayout(txId).pipe(
      // According to the ledger, more left than was there: payments since the backup are missing in it.
      Effect.catchTag("Overdrawn", () =>
        Conflict.of(
          "the ledger has less on the account than the transaction took: first record the money that came in since the backup, with florin float put",
        ),
      ),
    )
    return yield* OutflowView.outflow(outflow, call.display)
  }),

  recordForPayment: Effect.fnUntraced(function* (call, { txId }) {
    const payment = yield* PaidOut.record(yield* Read.idOfPayment(call), txId)
    return yield* Records.payment(payment, call.display)
  }),

  retrySettlement: Effect.fnUntraced(function* (call) {
    const { display } = call
    const { account, payment } = yield* Settlements.retry(yield* Read.idOfPayment(call))
    const details = yield* Records.payment(payment, display)
    const destination = Family.formatAccount(display.catalog, account)
    return { ...details, destination }
  }),

  retryRefunds: Effect.fnUntraced(function* (call) {
    const id = yield* Read.idOfPayment(call)
    yield* Refunds.retryHeld(id)
    const payment = yield* (yield* PaymentStore).payment(id)
    return yield* Records.payment(payment, call.display)
  }),

  accept: Records.acting(Astray.accept),
  release: Records.acting(Astray.release),
})
