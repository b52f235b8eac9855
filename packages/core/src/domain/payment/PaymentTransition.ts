/**
 * What happens to a payment, from confirmation to success or failure: each decision takes the payment as it is and
 * returns the whole {@link Change.Change}, or why not.
 *
 * @module
 */
import * as Result from "effect/Result"
import type * as Caip from "../chain/Caip.ts"
import * as Claim from "../chain/Claim.ts"
import type * as Transfer from "../chain/Transfer.ts"
import * as Limits from "../ground/Limits.ts"
import * as Fees from "../money/Fees.ts"
import * as Ledger from "../money/Ledger.ts"
import type * as Lane from "../outflow/Lane.ts"
import * as Change from "./Change.ts"
import * as Entry from "./Entry.ts"
import * as FailureBudget from "./FailureBudget.ts"
import * as LateReports from "./LateReports.ts"
import * as Payment from "./Payment.ts"
import * as PaymentState from "./PaymentState.ts"

/** The result of an event on the payment at `now`; the payment may have expired by time alone. */
const after = (payment: Payment.Payment, event: PaymentState.Event, now: number) =>
  PaymentState.next(Payment.status(payment, now), event)

/** Whether a confirm would be accepted at `now`, before its content is checked. */
export const mayConfirm = (
  payment: Payment.Payment,
  now: number,
): Result.Result<void, PaymentState.StateRefused> =>
  Result.map(after(payment, "confirm", now), () => undefined)

const charging = (
  entries: ReadonlyArray<FailureBudget.Entry>,
  at: number,
): Pick<Change.Effects, "charges"> => (entries.length === 0 ? {} : { charges: { at, entries } })

/**
 * The charges of a processing payment that ends unpaid. If we signed anything for it, it counts as sent: the payer must
 * not be able to choose how it looks in the end.
 */
const chargesOfFailure = (
  payment: Payment.Payment,
  limits: FailureBudget.Limits,
): ReadonlyArray<FailureBudget.Entry> => {
  if (payment.state._tag !== "Processing") return []
  const { attempt, slot } = payment.state
  const { key, option, reserved = [] } = attempt
  return slot === null
    ? FailureBudget.release(reserved)
    : FailureBudget.chargeFailed(limits, { ...payment, account: option.account, key }, reserved)
}

/** Accepts what the wallet signed or sent: from now on only the chain can end the payment. */
export const confirm = (
  payment: Payment.Payment,
  attempt: Payment.Attempt,
  now: number,
  collected?: Change.Collected,
  draws: ReadonlyArray<Change.Draw> = [],
  entries: ReadonlyArray<FailureBudget.Entry> = [],
): Result.Result<Change.Change, PaymentState.StateRefused> =>
  Result.map(after(payment, "confirm", now), () =>
    Change.make({ ...payment, state: { _tag: "Processing", attempt, slot: null } }, now, {
      ...charging(entries, now),
      event: "payment.processing",
      claims: [Claim.ofAuthorization(attempt.option)],
      due: { expire: null, collect: now },
      ...(collected !== undefined && { collected }),
      ...(draws.length > 0 && { draws }),
    }),
  )

type Failed = Extract<Payment.State, { readonly _tag: "Failed" }>

/**
 * It failed for good. A transfer that the attempt's transaction may still have made is looked for, to be returned.
 */
const failed = (
  payment: Payment.Payment,
  why: Pick<Failed, "attempt" | "failureCode" | "reason">,
  due: Change.Due,
  limits: FailureBudget.Limits,
  now: number,
  endedBy?: string,
): Change.Change => {
  const { attempt } = why
  const txHash = attempt?.outputs._tag === "Sent" ? attempt.outputs.txHash : endedBy
  const reports =
    attempt === null || txHash === undefined
      ? null
      : LateReports.add(payment.reports, { txHash, option: attempt.option, isFirm: true }, now)
  return Change.make(
    {
      ...payment,
      state: { _tag: "Failed", ...why },
      reports: reports ?? payment.reports,
    },
    now,
    {
      ...charging(chargesOfFailure(payment, limits), now),
      event: "payment.failed",
      due: { ...due, ...(reports !== null && { watch: now }) },
    },
  )
}

/** Screening refused the payer. Null if the payment already failed. */
export const decline = (
  payment: Payment.Payment,
  refused: Payment.Attempt | null,
  now: number,
  limits: FailureBudget.Limits = FailureBudget.defaults,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(after(payment, "decline", now), () => {
    if (payment.state._tag === "Failed") return null
    const attempt = refused ?? Payment.attemptOf(payment)
    const reason = "the payer was refused by screening"
    const why = { failureCode: "declined_user", reason, attempt } as const
    return failed(payment, why, { expire: null, collect: null }, limits, now)
  })

/** The payment's time is over. Null if it is not, or if this is already written. */
export const expire = (
  payment: Payment.Payment,
  now: number,
): Result.Result<Change.Change | null, PaymentState.StateRefused> => {
  if (Payment.isOverdue(payment, now)) {
    return Result.succeed(
      Change.make({ ...payment, state: { _tag: "Expired" } }, now, {
        event: "payment.expired",
        due: { expire: null },
      }),
    )
  }
  return payment.state._tag === "RequiresAction"
    ? Result.succeed(null)
    : Result.map(after(payment, "expire", now), () => null)
}

/** The payer or the merchant cancels the payment. Null if it is already cancelled, by either. */
export const cancel = (
  payment: Payment.Payment,
  reason: Payment.CancelledReason,
  now: number,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(
    after(payment, reason === "cancelled_by_user" ? "cancel_by_user" : "cancel_by_merchant", now),
    () =>
      payment.state._tag === "Cancelled"
        ? null
        : Change.make({ ...payment, state: { _tag: "Cancelled", reason, cancelledAt: now } }, now, {
            event: "payment.cancelled",
            due: { expire: null },
          }),
  )

/** Our transaction that collects the money was signed; it is broadcast only after this is stored. */
export const relay = (
  payment: Payment.Payment,
  slot: Lane.Slot,
  nextLookAt: number,
  now: number,
): Change.Change | null =>
  payment.state._tag === "Processing"
    ? Change.make({ ...payment, state: { ...payment.state, slot } }, now, {
        due: { collect: nextLookAt },
      })
    : null

/**
 * Longer than storing a registration of a destination takes. A registration in progress when a payment succeeded did
 * not see its share, and was not seen by it; a check after this time sees it.
 */
const registeredWithinInMs = 5 * 60_000

/**
 * The money has arrived, finally. The merchant's share becomes owed, and is due immediately if the merchant has a
 * destination for this asset, even if `destination` is null because none is in effect yet. If it has none, the share is
 * checked once more. Null if this is already written.
 */
export const succeed = (
  payment: Payment.Payment,
  transfer: Transfer.Evidence,
  destination: Caip.Account | null,
  now: number,
  isDue = destination !== null,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(after(payment, "succeed", now), () => {
    if (payment.state._tag !== "Processing") return null
    const { attempt } = payment.state
    const charge = Fees.charge({
      paid: attempt.option.quantity,
      fixed: attempt.option.fixedFee,
      percentage: payment.feeTerms.percentage,
    })
    return Change.make(
      {
        ...payment,
        state: {
          _tag: "Succeeded",
          attempt,
          transfer,
          charge,
          succeededAt: now,
          entry: Entry.make(charge.net, destination),
          refunds: [],
        },
      },
      now,
      {
        ...charging(FailureBudget.releasePaid(attempt.option.account, attempt.reserved ?? []), now),
        event: "payment.succeeded",
        claims: [Claim.ofTransfer(transfer)],
        ledger: [
          Ledger.collection({
            payer: attempt.option.account,
            collecting: attempt.option.payTo,
            merchantId: payment.merchantId,
            partnerId: payment.partnerId,
            token: attempt.option.token,
            charge,
          }),
        ],
        due: { collect: null, settle: isDue ? now : now + registeredWithinInMs },
      },
    )
  })

/**
 * This attempt can finally never pay it. `endedBy` is the transaction that shows it, if there is one, such as one in
 * which the token kept a part. Null if this is already written.
 */
export const fail = (
  payment: Payment.Payment,
  reason: string,
  now: number,
  endedBy?: string,
  limits: FailureBudget.Limits = FailureBudget.defaults,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(after(payment, "fail", now), () => {
    if (payment.state._tag !== "Processing") return null
    const why = { failureCode: null, reason, attempt: payment.state.attempt }
    return failed(payment, why, { collect: null }, limits, now, endedBy)
  })

/** Whether the wait for a transfer that the wallet reported was long enough. A payment must end. */
export const isOverdueTransfer = (attempt: Payment.Attempt, now: number): boolean =>
  attempt.outputs._tag === "Sent" && now - attempt.confirmedAt >= Limits.sentAwaitedInMs

/** Stores a report for a payment that takes no more. Null if it is known, or if there is no room. */
export const reportLate = (
  payment: Payment.Payment,
  report: LateReports.Report,
  now: number,
): Change.Change | null => {
  const reports = LateReports.add(payment.reports, report, now)
  return reports && Change.make({ ...payment, reports }, now, { due: { watch: now } })
}
