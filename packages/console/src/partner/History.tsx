/**
 * The history of a payment, from what the API says of it.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type * as Refund from "@florin/api/wire/Refund"
import { Code, foreign } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, Link } from "../shell/Route.tsx"
import type { Step } from "../shell/Timeline.tsx"
import * as Texts from "./Texts.ts"

const refundTones = {
  pending: "now",
  processing: "now",
  succeeded: "done",
  failed: "bad",
  held: "bad",
} as const

const refundStep = (refund: Refund.Refund): Step => {
  const { payment, refundStatus } = Texts.texts()
  const { amount, destination, held, pendingReason, pendingUntil, reason, refundId, status, txId } =
    refund
  return {
    key: refundId,
    title: `${payment.refundOf(Reader.amount(amount))} · ${refundStatus[status]}`,
    at: held?.since ?? pendingUntil,
    tone: refundTones[status],
    body: (
      <>
        {pendingReason !== undefined && <p>{payment.pendingReason[pendingReason]}</p>}
        {held?.reason !== undefined && <p>{payment.shareReason[held.reason]}</p>}
        {reason !== undefined && (
          <p>
            {payment.reason}: {foreign(reason)}
          </p>
        )}
        {destination !== undefined && <Code name={payment.payer} text={destination} />}
        {txId !== undefined && <Code name={payment.transaction} text={txId} />}
      </>
    ),
  }
}

const shareTones = {
  waiting: "ahead",
  processing: "now",
  held: "bad",
  paid: "done",
  netted: "done",
  cancelled: "ahead",
} as const

const ends = (details: Payment.Details): ReadonlyArray<Step> => {
  const { payment } = Texts.texts()
  const { amount, cancelledAt, cancelledReason, expiresAt, info, status } = details
  switch (status) {
    case "requires_action":
      return [
        { key: "waits", title: payment.waits, tone: "now" },
        { key: "expires", title: payment.expiresAt, at: expiresAt * 1000, tone: "ahead" },
      ]
    case "processing":
      return [{ key: "processing", title: payment.processing, tone: "now" }]
    case "failed":
      return [{ key: "failed", title: payment.failed, tone: "bad" }]
    case "expired":
      return [{ key: "expired", title: payment.expired, at: expiresAt * 1000, tone: "bad" }]
    case "cancelled":
      return [
        {
          key: "cancelled",
          title: payment.cancelled,
          at: cancelledAt,
          tone: "bad",
          body: cancelledReason && <p>{payment.cancelledBy[cancelledReason]}</p>,
        },
      ]
    case "succeeded":
      return [
        {
          key: "paid",
          title: `${payment.paid} · ${Reader.amount(info?.optionAmount ?? amount)}`,
          tone: "done",
          body: info !== null && (
            <>
              <p>{info.optionAmount.display.networkName}</p>
              <Code name={payment.transaction} text={info.txId} />
            </>
          ),
        },
      ]
  }
}

/** Every step that is known, the oldest first. Steps without a time are those of which the API does not say it. */
export const steps = (details: Payment.Details): ReadonlyArray<Step> => {
  const { payment } = Texts.texts()
  const { createdAt, payout, refunds = [], settlement } = details
  return [
    {
      key: "created",
      title: `${payment.created} · ${Reader.amount(details.amount)}`,
      at: createdAt,
      tone: "done",
    },
    ...ends(details),
    ...refunds.map(refundStep),
    ...(payout === undefined
      ? []
      : [
          {
            key: "share",
            title: payment.share[payout.state],
            at: payout.dueAt ?? undefined,
            tone: shareTones[payout.state],
            body: (
              <>
                {payout.reason !== null && <p>{payment.shareReason[payout.reason]}</p>}
                {payout.id !== null && (
                  <p>
                    <Link to={at`/payouts/${payout.id}`}>{payment.payout}</Link>
                  </p>
                )}
                {settlement !== null && (
                  <Code name={payment.transaction} text={settlement.successful.txId} />
                )}
              </>
            ),
          },
        ]),
  ]
}
