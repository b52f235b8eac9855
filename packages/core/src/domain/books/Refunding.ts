/**
 * Refunds the whole of a payment to the account that paid it, at most once.
 *
 * A refund requested before the merchant's share was sent cancels that share in the same decision. A later refund takes
 * the merchant's open shares in the token; the rest comes from the operator's float, within the partner's credit, and
 * becomes the merchant's debt.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import type * as Obstacle from "../chain/Obstacle.ts"
import type * as Transfer from "../chain/Transfer.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as Change from "../payment/Change.ts"
import * as Entry from "../payment/Entry.ts"
import * as Payment from "../payment/Payment.ts"
import * as Refund from "../payment/Refund.ts"
import * as UncoveredGas from "./UncoveredGas.ts"

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

/** The transfer that pays the payer back. */
const movementOf = (
  { quantity, to, token }: Pick<Refund.Refund, "quantity" | "to" | "token">,
  { attempt }: Extract<Payment.State, { readonly _tag: "Succeeded" }>,
): Transfer.Movement => ({ token, from: attempt.option.payTo, to: to.address, quantity })

/** The gas of the refund and, if we sent them, of the collect and the payout. */
const gasOf = (
  payment: Payment.Payment,
  { option, outputs }: Payment.Attempt,
  wasPaidOut: boolean,
  gas: UncoveredGas.Terms,
) => {
  const transactions = 1 + Number(outputs._tag === "Authorized") + Number(wasPaidOut)
  return UncoveredGas.charge(payment, option.token.chainId, gas, transactions)
}

/**
 * Requests the refund of the whole payment, in an outflow of its own. `carrying` is the outflow that carries the
 * merchant's share, if one does. `gas` is null where gas costs nothing.
 */
export const request = (
  payment: Payment.Payment,
  ids: { readonly refund: Refund.RefundId; readonly outflow: OutflowId.OutflowId },
  carrying: Outflow.Outflow | null,
  now: number,
  gas: UncoveredGas.Terms | null = null,
): Result.Result<
  { readonly change: Change.Change; readonly outflow: Change.OutflowChange },
  PaymentNotSucceeded | AlreadyRefunded
> => {
  const { state } = payment
  if (state._tag !== "Succeeded") {
    return Result.fail(
      new PaymentNotSucceeded({ message: "only a succeeded payment can be refunded" }),
    )
  }
  if (state.refund !== null) {
    return Result.fail(new AlreadyRefunded({ message: "the payment was refunded already" }))
  }
  const { attempt, entry } = state
  const taken = Entry.refund(entry, carrying)
  const refund: Refund.Refund = {
    id: ids.refund,
    requestedAt: now,
    outflowId: ids.outflow,
    to: attempt.option.account,
    token: attempt.option.token,
    quantity: attempt.option.quantity,
    drawsOnFloat: taken === null,
    state: { _tag: "Pending", waitsForFloat: false },
  }
  const outflow = Outflow.make(
    {
      id: ids.outflow,
      partnerId: payment.partnerId,
      mode: payment.mode,
      movement: movementOf(refund, state),
      purpose: { _tag: "Refund", paymentId: payment.id },
    },
    now,
  )
  return Result.succeed({
    change: Change.make({ ...payment, state: { ...state, entry: taken ?? entry, refund } }, now, {
      event: "refund.pending",
      due: taken === null ? {} : { settle: null },
      ...(gas !== null && {
        charges: { at: now, entries: [gasOf(payment, attempt, taken === null, gas)] },
      }),
    }),
    outflow: { outflow, ledger: [], claims: [], due: { send: now } },
  })
}

/** The ledger's bookings of the refund. */
export const bookings = (payment: Payment.Payment): ReadonlyArray<Change.Booking> => {
  const refund = Payment.refundOf(payment)
  if (payment.state._tag !== "Succeeded" || refund === null) return []
  const { attempt, charge } = payment.state
  const paid = {
    payer: attempt.option.account,
    collecting: attempt.option.payTo,
    merchantId: payment.merchantId,
    partnerId: payment.partnerId,
    token: attempt.option.token,
    charge,
  }
  const transaction = refund.drawsOnFloat
    ? Ledger.refundedAfterSettlement({
        ...paid,
        ...(refund.kept !== undefined && { kept: refund.kept }),
      })
    : Ledger.refundedBeforeSettlement(paid)
  return [{ paymentId: payment.id, transaction }]
}

/** The refund, if this outflow carries it. */
const carried = (payment: Payment.Payment, { id }: Outflow.Outflow): Refund.Refund | null => {
  const refund = Payment.refundOf(payment)
  return refund?.outflowId === id ? refund : null
}

/** The refund's transfer is signed. */
export const recordSent = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  now: number,
): Change.Change | null => {
  const refund = carried(payment, outflow)
  if (refund?.state._tag !== "Pending") return null
  return Change.make(withRefund(payment, { ...refund, state: { _tag: "Processing" } }), now, {
    event: "refund.processing",
  })
}

/** It cannot be sent now: it is pending (again, if its transaction reverted), with the reason for the wait. */
export const wait = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { code, until }: Omit<Obstacle.Obstacle, "since">,
  now: number,
): Change.Change | null => {
  const refund = carried(payment, outflow)
  if (refund === null) return null
  const { state } = refund
  if (state._tag !== "Pending" && state._tag !== "Processing") return null
  const waiting: Refund.State = {
    _tag: "Pending",
    waitsForFloat: code === "float",
    ...(code === "credit" && { waitsForCredit: true }),
    ...(code === "limit" && { limitedUntil: until ?? null }),
  }
  const waits: Refund.Refund = { ...refund, state: waiting }
  if (state._tag === "Pending" && Refund.lack(refund) === Refund.lack(waits)) return null
  return Change.make(
    withRefund(payment, waits),
    now,
    state._tag === "Processing" ? { event: "refund.pending" } : {},
  )
}

/** The refund, if it was sent with money that the merchant already had: that is what the merchant owes from then on. */
export const sentByMerchant = (payment: Payment.Payment): Refund.Refund | null => {
  const refund = Payment.refundOf(payment)
  const isSent = refund?.state._tag === "Processing" || refund?.state._tag === "Succeeded"
  return refund !== null && refund.drawsOnFloat && isSent ? refund : null
}

/** How much a refund still needs from its merchant: nothing once it is sent, or if it took the payment's own share. */
export const needOf = (payment: Payment.Payment): Money.Quantity => {
  const refund = Payment.refundOf(payment)
  if (payment.state._tag !== "Succeeded" || refund?.drawsOnFloat !== true) return Money.zero
  const { net } = payment.state.charge
  return refund.state._tag === "Pending"
    ? Money.clamp(net - Refund.keptOf(refund), net)
    : Money.zero
}

/** The payment after more of the merchant's shares was kept for its refund. */
export const keepShares = (
  payment: Payment.Payment,
  more: ReadonlyArray<Ledger.Kept>,
): Payment.Payment => {
  const refund = Payment.refundOf(payment)
  if (refund === null) return payment
  const kept = new Map<Caip.Address, Ledger.Kept>()
  for (const { collecting, quantity } of [...(refund.kept ?? []), ...more]) {
    const total = (kept.get(collecting)?.quantity ?? 0n) + quantity
    kept.set(collecting, { collecting, quantity: Money.clamp(total, refund.quantity) })
  }
  return withRefund(payment, { ...refund, kept: [...kept.values()] })
}

/** Text that every {@link needKey} in a token begins with. */
export const needKeyPrefix = (mode: Mode.Mode, token: Caip.Token): string =>
  `${mode}/${Caip.tokenKey(token)}/`

/** A key shared by the refunds for which one merchant's shares in a token are kept. */
export const needKey = (
  mode: Mode.Mode,
  token: Caip.Token,
  merchantId: MerchantId.MerchantId,
): string => `${needKeyPrefix(mode, token)}${merchantId}`

/** The {@link needKey} of a payment whose refund needs something of its merchant. */
export const needKeyOf = (payment: Payment.Payment): string | null => {
  const refund = Payment.refundOf(payment)
  return refund === null || needOf(payment) === 0n
    ? null
    : needKey(payment.mode, refund.token, payment.merchantId)
}

/** The refund's transfer is final. */
export const recordPaid = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { txHash }: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const refund = carried(payment, outflow)
  if (refund === null || refund.state._tag === "Succeeded") return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Succeeded", txHash, succeededAt: now } }),
    now,
    { event: "refund.succeeded" },
  )
}

/** The payer cannot be paid back, or was not: the money is kept and shown until an operator retries it. */
export const recordHeld = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const refund = carried(payment, outflow)
  if (refund === null || refund.state._tag === "Held") return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Held", ...failure, heldAt: now } }),
    now,
    { event: "refund.held" },
  )
}

/** A held refund waits to be sent again. */
export const release = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  now: number,
): Change.Change | null => {
  const refund = carried(payment, outflow)
  if (refund?.state._tag !== "Held") return null
  return Change.make(
    withRefund(payment, { ...refund, state: { _tag: "Pending", waitsForFloat: false } }),
    now,
    { event: "refund.pending" },
  )
}

/** The transfer was found under another hash of the same transaction. */
export const recordMoved = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { txHash }: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const refund = carried(payment, outflow)
  return refund?.state._tag === "Succeeded"
    ? Change.make(withRefund(payment, { ...refund, state: { ...refund.state, txHash } }), now, {})
    : null
}

/** The payment, if its unsent refund finds that the merchant had its share after all. */
export const fromFloat = (payment: Payment.Payment): Payment.Payment => {
  const refund = Payment.refundOf(payment)
  return refund === null ? payment : withRefund(payment, { ...refund, drawsOnFloat: true })
}
