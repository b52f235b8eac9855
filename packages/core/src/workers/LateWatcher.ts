/**
 * Finds the transfers that payers reported too late, wrong or twice among the inflows that the scan of the chain
 * brings, so that an operator sees what the money was for.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Incoming from "../domain/books/Incoming.ts"
import * as LateReports from "../domain/payment/LateReports.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import * as Writes from "../engine/record/Writes.ts"
import { type Claimed, DueWork } from "../ports/DueWork.ts"
import { InflowStore } from "../ports/InflowStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import * as Worker from "./Worker.ts"

/** The inflow that a report is about, once the scan has found it. */
const find = Effect.fnUntraced(function* (report: Payment.LateReport) {
  const { option, txHash } = report
  // An accepted confirm names the same transaction: its transfers first pay that payment, and the rest is late.
  if (yield* (yield* PaymentStore).isAwaited(option.account, txHash)) return undefined
  const inflows = yield* (yield* InflowStore).inflows({ _tag: "Transaction", txHash })
  return Incoming.match(report, inflows)
})

/** As often as the chain is scanned. */
const soonestInMs = 15_000
/** It looks again after a quarter of the time since a report, however long that is: nobody waits for it. */
const waitedPerPause = 4

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { lease, payment } = claimed
  const now = yield* Clock.currentTimeMillis
  for (const report of payment.reports) {
    const found = yield* find(report)
    if (found === undefined) continue
    yield* Writes.write(
      { payments: [payment.id], inflows: [found.id] },
      ({ inflows: [inflow], payments: [current] }) =>
        Result.succeed(
          inflow === undefined || current === undefined
            ? null
            : Incoming.recognize(inflow, current, report, now),
        ),
      lease,
    )
    return
  }
  if (payment.reports.every((each) => LateReports.isOverdue(each, now))) {
    return yield* Worker.write(claimed, (current) =>
      Result.succeed(LateReports.drop(current, (each) => LateReports.isOverdue(each, now), now)),
    )
  }
  const newest = Math.max(...payment.reports.map(({ reportedAt }) => reportedAt))
  const pauseInMs = Math.max(soonestInMs, Math.floor((now - newest) / waitedPerPause))
  yield* (yield* DueWork).postpone(lease, now + pauseInMs, 0)
})

export const { drain, layer } = Worker.of(Worker.payments("watch"), handle)
