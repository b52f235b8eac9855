/**
 * The history of a payment, from what the API says of it.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type * as Refund from "@florin/api/wire/Refund"
import { at } from "../shell/Path.ts"
import { Code, foreign } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { type Step, step } from "../shell/Timeline.tsx"
import * as Texts from "./Texts.ts"

const { payment, refundStatus } = Texts.texts

const code = (name: string, text: string | undefined) =>
  text !== undefined && <Code name={name} text={text} />

const refundStep = (refund: Refund.Refund): Step => {
  const { amount, destination, held, pendingReason, pendingUntil, reason, status, txId } = refund
  return step(
    status,
    `${payment.refundOf(Reader.amount(amount))} · ${refundStatus[status]}`,
    held?.since ?? pendingUntil,
    pendingReason && payment.pendingReason[pendingReason],
    held?.reason && payment.shareReason[held.reason],
    reason !== undefined && (
      <p>
        {payment.reason}: {foreign(reason)}
      </p>
    ),
    code(payment.payer, destination),
    code(payment.transaction, txId),
  )
}

const ends = (details: Payment.Details): ReadonlyArray<Step> => {
  const { amount, cancelledAt, cancelledReason, expiresAt, info, status } = details
  switch (status) {
    case "requires_action":
      return [step("processing", payment.waits), step("next", payment.expiresAt, expiresAt * 1000)]
    case "processing":
      return [step("processing", payment.processing)]
    case "failed":
      return [step("failed", payment.failed)]
    case "expired":
      return [step("failed", payment.expired, expiresAt * 1000)]
    case "cancelled": {
      const by = cancelledReason && payment.cancelledBy[cancelledReason]
      return [step("failed", payment.cancelled, cancelledAt, by)]
    }
    case "succeeded":
      return [
        step(
          "paid",
          `${payment.paid} · ${Reader.amount(info?.optionAmount ?? amount)}`,
          undefined,
          info?.optionAmount.display.networkName,
          code(payment.transaction, info?.txId),
        ),
      ]
  }
}

/** Every step that is known, the oldest first. Steps without a time are those of which the API does not say it. */
export const steps = (details: Payment.Details): ReadonlyArray<Step> => {
  const { amount, createdAt, payout, refunds = [], settlement } = details
  const share =
    payout &&
    step(
      payout.state,
      payment.share[payout.state],
      payout.dueAt,
      payout.reason !== null && payment.shareReason[payout.reason],
      payout.id !== null && (
        <p>
          <Link to={at`/payouts/${payout.id}`}>{payment.payout}</Link>
        </p>
      ),
      code(payment.transaction, settlement?.successful.txId),
    )
  return [
    step("done", `${payment.created} · ${Reader.amount(amount)}`, createdAt),
    ...ends(details),
    ...refunds.map(refundStep),
    ...(share === undefined ? [] : [share]),
  ]
}
