/**
 * Giving the whole of a payment back to the account that paid it, at most once.
 *
 * Asked for before the merchant's share was sent, a refund cancels that share in the same decision. Asked for later, it
 * draws on the operator's float and becomes the merchant's debt.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import type * as Lane from "./Lane.ts"
import * as Ledger from "./Ledger.ts"
import * as Payment from "./Payment.ts"
import type * as Refund from "./Refund.ts"
import * as Settlement from "./Settlement.ts"
import type * as Transfer from "./Transfer.ts"

/** Only a payment that succeeded can be refunded. */
export class PaymentNotSucceeded extends Schema.TaggedError<PaymentNotSucceeded>()(
  "PaymentNotSucceeded",
  { message: Schema.String },
) {}

/** A payment is refunded once. */
export class AlreadyRefunded extends Schema.TaggedError<AlreadyRefunded>()("AlreadyRefunded", {
  message: Schema.String,
}) {}

const withRefund = (payment: Payment.Payment, refund: Refund.Refund): Payment.Payment =>
  payment.state._tag === "Succeeded" ? { ...payment, state: { ...payment.state, refund } } : payment

/** Asks for the whole payment to go back. */
export const request = (
  payment: Payment.Payment,
  id: Refund.RefundId,
  now: number,
): Result.Result<Change.Change, PaymentNotSucceeded | AlreadyRefunded> => {
  if (payment.state._tag !== "Succeeded") {
    return Result.fail(
      new PaymentNotSucceeded({ message: "only a succeeded payment can be refunded" }),
    )
  }
  if (payment.state.refund !== null) {
    return Result.fail(new AlreadyRefunded({ message: "the payment was refunded already" }))
  }
  const { attempt, settlement } = payment.state
  const cancelled = Settlement.cancelled(settlement)
  const refund: Refund.Refund = {
    id,
    requestedAt: now,
    to: attempt.option.account,
    token: attempt.option.token,
    quantity: attempt.option.quantity,
    drawsOnFloat: cancelled === null,
    state: { _tag: "Pending", waitsForFloat: false },
  }
  return Result.succeed(
    Change.make(
      {
        ...payment,
        state: {
          ...payment.state,
          settlement: cancelled ?? settlement,
          refund,
        },
      },
      now,
      {
        event: "refund.pending",
        due: { refund: now, ...(cancelled !== null && { settle: null }) },
      },
    ),
  )
}

/** The transfer that pays the payer back. Null where none waits to be sent, or is on its way. */
export const movement = (payment: Payment.Payment): Transfer.Movement | null => {
  const refund = Payment.refundOf(payment)
  if (payment.state._tag !== "Succeeded" || refund === null) return null
  if (refund.state._tag !== "Pending" && refund.state._tag !== "Processing") return null
  const { quantity, to, token } = refund
  return { token, from: payment.state.attempt.option.payTo, to: to.address, quantity }
}

const ledger = (
  payment: Payment.Payment,
  refund: Refund.Refund,
): ReadonlyArray<Ledger.Transaction> => {
  if (payment.state._tag !== "Succeeded") return []
  const { attempt, charge } = payment.state
  const paid = {
    payer: attempt.option.account,
    collecting: attempt.option.payTo,
    merchantId: payment.merchantId,
    partnerId: payment.partnerId,
    token: attempt.option.token,
    charge,
  }
  return [
    refund.drawsOnFloat
      ? Ledger.refundedAfterSettlement(paid)
      : Ledger.refundedBeforeSettlement(paid),
  ]
}

/** Commits to the signed transfer back: it is broadcast only after this is stored. */
export const send = (
  payment: Payment.Payment,
  slot: Lane.Slot,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  if (refund?.state._tag !== "Pending") return null
  return Change.make(withRefund(payment, { ...refund, state: { _tag: "Processing", slot } }), now, {
    event: "refund.processing",
    ledger: ledger(payment, refund),
    due: { refund: now },
  })
}

/** Another transaction used the nonce: the same transfer takes another slot. */
export const resend = (
  payment: Payment.Payment,
  slot: Lane.Slot,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  if (refund?.state._tag !== "Processing") return null
  return Change.make(withRefund(payment, { ...refund, state: { _tag: "Processing", slot } }), now, {
    due: { refund: now },
  })
}

/** There is not enough of the operator's own money to give back now: it stays pending, and says so. */
export const wait = (
  payment: Payment.Payment,
  nextLookAt: number,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  if (refund?.state._tag !== "Pending") return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Pending", waitsForFloat: true } }),
    now,
    { due: { refund: nextLookAt } },
  )
}

const succeeded = (
  payment: Payment.Payment,
  refund: Refund.Refund,
  transfer: Transfer.Evidence,
  now: number,
): Payment.Payment =>
  withRefund(payment, { ...refund, state: { _tag: "Succeeded", transfer, succeededAt: now } })

/** The transfer back is final. */
export const complete = (
  payment: Payment.Payment,
  transfer: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  if (refund?.state._tag !== "Processing") return null
  return Change.make(succeeded(payment, refund, transfer, now), now, {
    event: "refund.succeeded",
    claims: [Claim.ofTransfer(transfer)],
    due: { refund: null },
  })
}

/** The transfer back was made without this ledger's knowing, and is final. */
export const record = (
  payment: Payment.Payment,
  transfer: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  if (refund?.state._tag !== "Pending") return null
  return Change.make(succeeded(payment, refund, transfer, now), now, {
    event: "refund.succeeded",
    claims: [Claim.ofTransfer(transfer)],
    ledger: ledger(payment, refund),
    due: { refund: null },
  })
}

const held = (
  payment: Payment.Payment,
  refund: Refund.Refund,
  failure: Transfer.Failure,
  now: number,
  isBooked: boolean,
): Change.Change =>
  Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Held", ...failure, heldAt: now } }),
    now,
    {
      event: "refund.held",
      ledger: isBooked ? ledger(payment, refund).map(Ledger.reversed) : [],
      due: { refund: null },
    },
  )

/** The payer cannot be paid back: the money is kept for them, visibly, until somebody asks again. */
export const hold = (
  payment: Payment.Payment,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  return refund?.state._tag === "Pending" || refund?.state._tag === "Processing"
    ? held(payment, refund, failure, now, refund.state._tag === "Processing")
    : null
}

/** The transfer back was final, and is gone for good: we still hold the money, until somebody asks again. */
export const revoke = (
  payment: Payment.Payment,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  return refund?.state._tag === "Succeeded" ? held(payment, refund, failure, now, true) : null
}

/** Tries a held refund again. Null where none is held, or where it moved something else: sent again, it may be paid twice. */
export const retry = (payment: Payment.Payment, now: number): Change.Change | null => {
  const refund = Payment.refundOf(payment)
  if (refund?.state._tag !== "Held" || refund.state.movedOtherwise === true) return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Pending", waitsForFloat: false } }),
    now,
    { event: "refund.pending", due: { refund: now } },
  )
}
