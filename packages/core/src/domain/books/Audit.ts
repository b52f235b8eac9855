/**
 * What happens to a payment when a reorganisation deeper than its chain's policy removes the payer's transfers, which
 * were final. `Outgoing` does the same for our own transfers.
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
import * as LateMoney from "./LateMoney.ts"

/** A final transfer of the payer's that the payment rests on. */
export type Entry =
  /** The transfer by which the payment succeeded. */
  | {
      readonly _tag: "Collected"
      readonly evidence: Transfer.Evidence
      readonly attempt: Payment.Attempt
    }
  /** Late money, which no payment took. */
  | { readonly _tag: "Late"; readonly evidence: Transfer.Evidence }

const ofLate = (late: Payment.Late): ReadonlyArray<Entry> => {
  switch (late._tag) {
    case "Suspended":
    case "Returning":
      return [{ _tag: "Late", evidence: late.transfer }]
    case "Returned":
      return late.lost === undefined ? [{ _tag: "Late", evidence: late.transfer }] : []
    default:
      return []
  }
}

/** All final transfers of the payer that the payment rests on. */
export const entries = ({ late, state }: Payment.Payment): ReadonlyArray<Entry> => [
  ...(state._tag === "Succeeded" && state.lost === undefined
    ? [{ _tag: "Collected" as const, evidence: state.transfer, attempt: state.attempt }]
    : []),
  ...late.flatMap(ofLate),
]

/** The block that a transfer was found in. */
export const checkpointOf = ({
  blockHash,
  blockNumber,
}: Transfer.Evidence): ChainState.Checkpoint => ({
  number: blockNumber,
  hash: blockHash,
})

/** Requests a check of the payment's transfers, because this block is gone. Null if none of them was in it. */
export const request = (
  payment: Payment.Payment,
  { hash }: ChainState.Checkpoint,
  now: number,
): Change.Change | null =>
  entries(payment).some(({ evidence }) => evidence.blockHash === hash)
    ? Change.make({ ...payment, auditedSince: payment.auditedSince ?? now }, now, {
        due: { audit: now },
      })
    : null

/** Checks all of the payment's transfers again. */
export const checkAgain = (payment: Payment.Payment, now: number): Change.Change =>
  Change.make(payment, now, { due: { audit: now } })

/** Ends the check: all of the payment's transfers are still there. */
export const finish = (payment: Payment.Payment, now: number): Change.Change => {
  const { auditedSince: _, ...rest } = payment
  return Change.make(rest, now, { due: { audit: null } })
}

/** Whether the wait for a missing transfer was long enough. */
export const isOverdue = (payment: Payment.Payment, now: number): boolean =>
  now - (payment.auditedSince ?? now) >= Limits.goneAwaitedInMs

const isSame = (left: Transfer.Evidence, right: Transfer.Evidence): boolean =>
  Claim.key(Claim.ofTransfer(left)) === Claim.key(Claim.ofTransfer(right)) &&
  left.blockHash === right.blockHash

/** The payment with one of its transfers replaced, in whichever place it is stored. */
const exchanged = (
  payment: Payment.Payment,
  exchange: (evidence: Transfer.Evidence) => Transfer.Evidence,
): Payment.Payment => ({
  ...payment,
  state:
    payment.state._tag === "Succeeded"
      ? { ...payment.state, transfer: exchange(payment.state.transfer) }
      : payment.state,
  late: payment.late.map((late) =>
    late._tag === "Reported" || late._tag === "Unfounded"
      ? late
      : { ...late, transfer: exchange(late.transfer) },
  ),
})

const has = (payment: Payment.Payment, evidence: Transfer.Evidence): boolean =>
  entries(payment).some((entry) => isSame(entry.evidence, evidence))

/** Records that the transfer is final in another place. Null if the payment no longer rests on it. */
export const move = (
  payment: Payment.Payment,
  from: Transfer.Evidence,
  to: Transfer.Evidence,
  now: number,
): Change.Change | null =>
  has(payment, from)
    ? Change.make(
        exchanged(payment, (evidence) => (isSame(evidence, from) ? to : evidence)),
        now,
        { moved: { from, to }, due: { audit: now } },
      )
    : null

/** The payer's transfer is gone, and the debt for it stays. */
const lose = (
  payment: Payment.Payment,
  { movement }: Transfer.Evidence,
  reason: string,
  now: number,
): Change.Change | null =>
  payment.state._tag === "Succeeded"
    ? Change.make({ ...payment, state: { ...payment.state, lost: { reason, lostAt: now } } }, now, {
        ledger: [
          Ledger.disappearance({
            collecting: movement.to,
            token: movement.token,
            quantity: movement.quantity,
          }),
        ],
      })
    : null

/** The transfer is gone for good. Null if that cannot be booked yet, or already is. */
export const recordLost = (
  payment: Payment.Payment,
  { _tag, evidence }: Entry,
  reason: string,
  now: number,
): Change.Change | null => {
  const book = _tag === "Collected" ? lose : LateMoney.vanish
  const change = has(payment, evidence) ? book(payment, evidence, reason, now) : null
  return change === null
    ? null
    : {
        ...change,
        moved: { from: evidence, to: null },
        due: { ...change.due, audit: now },
      }
}
