/**
 * Giving the whole of a payment back to the account that paid it, at most once.
 *
 * Asked for before the merchant's share was sent, a refund cancels that share in the same decision. Asked for later, it
 * draws on the operator's float and becomes the merchant's debt.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Caip from "./Caip.ts"
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import * as Lane from "./Lane.ts"
import * as Ledger from "./Ledger.ts"
import * as Money from "./Money.ts"
import type * as Payment from "./Payment.ts"
import * as Settlement from "./Settlement.ts"
import * as Transfer from "./Transfer.ts"

export type RefundId = Brand.Branded<string, "RefundId">
export const RefundId = Schema.String.check(Schema.isPattern(/^rfnd_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("RefundId", Brand.nominal<RefundId>()),
)

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  /** Not sent yet: waiting for a worker, or for money to give back. */
  Pending: { waitsForFloat: Schema.Boolean },
  Processing: { slot: Lane.Slot },
  Succeeded: { transfer: Transfer.Evidence, succeededAt: Schema.Int },
  /** The payer's account cannot be paid, as when it is blocklisted: only an operator moves it on. */
  Held: { reason: Schema.String, heldAt: Schema.Int },
})

export interface Refund extends Schema.Schema.Type<typeof Refund> {}
export const Refund = Schema.Struct({
  id: RefundId,
  requestedAt: Schema.Int,
  to: Caip.Account,
  token: Caip.Token,
  quantity: Money.Quantity,
  /** The merchant already has its share, so the money comes from the operator and becomes the merchant's debt. */
  drawsOnFloat: Schema.Boolean,
  state: State,
})

export type Status = "pending" | "processing" | "succeeded" | "held"

const statuses: { readonly [Tag in State["_tag"]]: Status } = {
  Pending: "pending",
  Processing: "processing",
  Succeeded: "succeeded",
  Held: "held",
}

export const status = (refund: Refund): Status => statuses[refund.state._tag]

/** Only a payment that succeeded can be refunded. */
export class PaymentNotSucceeded extends Schema.TaggedError<PaymentNotSucceeded>()(
  "PaymentNotSucceeded",
  { message: Schema.String },
) {}

/** A payment is refunded once. */
export class AlreadyRefunded extends Schema.TaggedError<AlreadyRefunded>()("AlreadyRefunded", {
  message: Schema.String,
}) {}

/** What goes back. */
export const amount = (refund: Refund): Amount.Amount => ({
  unit: Amount.token(refund.token),
  quantity: refund.quantity,
})

/** The refund of a payment, if one was asked for. */
export const of = (payment: Payment.Payment): Refund | null =>
  payment.state._tag === "Succeeded" ? payment.state.refund : null

const withRefund = (payment: Payment.Payment, refund: Refund): Payment.Payment =>
  payment.state._tag === "Succeeded" ? { ...payment, state: { ...payment.state, refund } } : payment

/** Asks for the whole payment to go back. */
export const request = (
  payment: Payment.Payment,
  id: RefundId,
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
  const refund: Refund = {
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
  const refund = of(payment)
  if (payment.state._tag !== "Succeeded" || refund === null) return null
  if (refund.state._tag !== "Pending" && refund.state._tag !== "Processing") return null
  const { quantity, to, token } = refund
  return { token, from: payment.state.attempt.option.payTo, to: to.address, quantity }
}

const ledger = (payment: Payment.Payment, refund: Refund): ReadonlyArray<Ledger.Transaction> => {
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
  const refund = of(payment)
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
  const refund = of(payment)
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
  const refund = of(payment)
  if (refund?.state._tag !== "Pending") return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Pending", waitsForFloat: true } }),
    now,
    { due: { refund: nextLookAt } },
  )
}

const succeeded = (
  payment: Payment.Payment,
  refund: Refund,
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
  const refund = of(payment)
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
  const refund = of(payment)
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
  refund: Refund,
  reason: string,
  now: number,
  isBooked: boolean,
): Change.Change =>
  Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Held", reason, heldAt: now } }),
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
  reason: string,
  now: number,
): Change.Change | null => {
  const refund = of(payment)
  return refund?.state._tag === "Pending" || refund?.state._tag === "Processing"
    ? held(payment, refund, reason, now, refund.state._tag === "Processing")
    : null
}

/** The transfer back was final, and is gone for good: we still hold the money, until somebody asks again. */
export const revoke = (
  payment: Payment.Payment,
  reason: string,
  now: number,
): Change.Change | null => {
  const refund = of(payment)
  return refund?.state._tag === "Succeeded" ? held(payment, refund, reason, now, true) : null
}

/** Tries a held refund again. */
export const retry = (payment: Payment.Payment, now: number): Change.Change | null => {
  const refund = of(payment)
  if (refund?.state._tag !== "Held") return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Pending", waitsForFloat: false } }),
    now,
    { event: "refund.pending", due: { refund: now } },
  )
}
