/**
 * What happens to a payment when a reorganisation deeper than its chain's policy removes the payer's transfer, which was
 * final. `Outgoing` does the same for our own transfers, and `Incoming` for money that no payment claims.
 *
 * The payment's status stays. A transfer that is found elsewhere is moved there; one that is gone for good is booked as
 * the operator's loss.
 *
 * @module
 */
import type * as ChainState from "../chain/ChainState.ts"
import * as Claim from "../chain/Claim.ts"
import type * as Transfer from "../chain/Transfer.ts"
import * as Limits from "../ground/Limits.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Change from "../payment/Change.ts"
import type * as Payment from "../payment/Payment.ts"

/** The state of a payment that rests on a final transfer of its payer; null if it rests on none. */
export const entryOf = ({ state }: Payment.Payment) =>
  state._tag === "Succeeded" && state.lost === undefined ? state : null

/** Requests a check of the payment's transfer, because this block is gone. Null if it was in another. */
export const request = (
  payment: Payment.Payment,
  { hash }: ChainState.Checkpoint,
  now: number,
): Change.Change | null =>
  entryOf(payment)?.transfer.blockHash === hash
    ? Change.make({ ...payment, auditedSince: payment.auditedSince ?? now }, now, {
        due: { audit: now },
      })
    : null

/** Checks the payment's transfer again. */
export const checkAgain = (payment: Payment.Payment, now: number): Change.Change =>
  Change.make(payment, now, { due: { audit: now } })

/**
 * Ends the check: the payment's transfer is still there, or lost and booked. Then the work is due once more, for what
 * waits for the end of the check.
 */
export const finish = (payment: Payment.Payment, now: number): Change.Change => {
  const { auditedSince, ...rest } = payment
  return Change.make(rest, now, { due: { audit: auditedSince === undefined ? null : now } })
}

/** Whether the wait for a missing transfer was long enough. */
export const isOverdue = (payment: Payment.Payment, now: number): boolean =>
  now - (payment.auditedSince ?? now) >= Limits.goneAwaitedInMs

/** The state of a payment that rests on exactly this transfer. */
const restingOn = (payment: Payment.Payment, transfer: Transfer.Evidence) => {
  const state = entryOf(payment)
  const isSame =
    state !== null &&
    Claim.isSameLog(state.transfer, transfer) &&
    state.transfer.blockHash === transfer.blockHash
  return isSame ? state : null
}

/** Records that the transfer is final in another place. Null if the payment no longer rests on it. */
export const move = (
  payment: Payment.Payment,
  from: Transfer.Evidence,
  to: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const state = restingOn(payment, from)
  return (
    state &&
    Change.make({ ...payment, state: { ...state, transfer: to } }, now, {
      moved: { from, to },
      due: { audit: now },
    })
  )
}

/** The transfer is gone for good, and the debt for it stays. Null if that is already booked. */
export const recordLost = (
  payment: Payment.Payment,
  transfer: Transfer.Evidence,
  reason: string,
  now: number,
): Change.Change | null => {
  const state = restingOn(payment, transfer)
  if (state === null) return null
  const { quantity, to: collecting, token } = transfer.movement
  return Change.make({ ...payment, state: { ...state, lost: { reason, lostAt: now } } }, now, {
    ledger: [Ledger.disappearance({ collecting, token, quantity })],
    moved: { from: transfer, to: null },
    due: { audit: now },
  })
}
