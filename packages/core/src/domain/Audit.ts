/**
 * What becomes of a payment when a reorganisation deeper than its chain's policy takes transfers that were final.
 *
 * The payment's status stays. A transfer that is found elsewhere is moved there; one that is gone for good is booked: the
 * payer's is the operator's loss, and one of ours is money that we still hold.
 *
 * @module
 */
import type * as ChainState from "./ChainState.ts"
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import * as LateMoney from "./LateMoney.ts"
import * as Ledger from "./Ledger.ts"
import * as Limits from "./Limits.ts"
import type * as Payment from "./Payment.ts"
import * as Refunding from "./Refunding.ts"
import * as SettlementMatching from "./SettlementMatching.ts"
import type * as Transfer from "./Transfer.ts"

/** A final transfer that the payment rests on. */
export type Entry =
  /** The payer's, by which the payment succeeded. */
  | {
      readonly _tag: "Collected"
      readonly evidence: Transfer.Evidence
      readonly attempt: Payment.Attempt
    }
  /** The payer's, which no payment took. */
  | { readonly _tag: "Late"; readonly evidence: Transfer.Evidence }
  /** Ours. */
  | { readonly _tag: "Settled" | "Refunded" | "Returned"; readonly evidence: Transfer.Evidence }

const ofLate = (late: Payment.Late): ReadonlyArray<Entry> => {
  switch (late._tag) {
    case "Suspended":
    case "Returning":
      return [{ _tag: "Late", evidence: late.transfer }]
    case "Returned": {
      const back: Entry = { _tag: "Returned", evidence: late.returnedBy }
      return late.lost === undefined ? [back, { _tag: "Late", evidence: late.transfer }] : [back]
    }
    default:
      return []
  }
}

const ofState = (state: Payment.State): ReadonlyArray<Entry> => {
  if (state._tag !== "Succeeded") return []
  const { attempt, lost, refund, settlement, transfer } = state
  const entries: Array<Entry> = []
  if (refund?.state._tag === "Succeeded") {
    entries.push({ _tag: "Refunded", evidence: refund.state.transfer })
  }
  if (settlement._tag === "Successful") {
    entries.push({ _tag: "Settled", evidence: settlement.transfer })
  }
  if (lost === undefined) entries.push({ _tag: "Collected", evidence: transfer, attempt })
  return entries
}

/** Everything final that the payment rests on: ours first, as we may have paid it out of what the payer's brought in. */
export const entries = ({ late, state }: Payment.Payment): ReadonlyArray<Entry> => [
  ...ofState(state),
  ...late.flatMap(ofLate),
]

/** The block that a transfer was found in. */
export const markOf = ({ blockHash, blockNumber }: Transfer.Evidence): ChainState.Mark => ({
  number: blockNumber,
  hash: blockHash,
})

/** Has the payment's transfers looked at, because this block is gone. Null where none of them was in it. */
export const request = (
  payment: Payment.Payment,
  { hash }: ChainState.Mark,
  now: number,
): Change.Change | null =>
  entries(payment).some(({ evidence }) => evidence.blockHash === hash)
    ? Change.make({ ...payment, auditedSince: payment.auditedSince ?? now }, now, {
        due: { audit: now },
      })
    : null

/** Looks at all of the payment's transfers again. */
export const again = (payment: Payment.Payment, now: number): Change.Change =>
  Change.make(payment, now, { due: { audit: now } })

/** All of the payment's transfers stand. */
export const finish = (payment: Payment.Payment, now: number): Change.Change => {
  const { auditedSince: _, ...rest } = payment
  return Change.make(rest, now, { due: { audit: null } })
}

/**
 * Whether a missing transfer was waited for long enough. One of ours is never: until another transaction finally took
 * its nonce it may still be mined, and then it would be paid twice.
 */
export const isOverdue = (payment: Payment.Payment, entry: Entry, now: number): boolean =>
  (entry._tag === "Collected" || entry._tag === "Late") &&
  now - (payment.auditedSince ?? now) >= Limits.goneAwaitedInMs

const isSame = (left: Transfer.Evidence, right: Transfer.Evidence): boolean =>
  Claim.key(Claim.ofTransfer(left)) === Claim.key(Claim.ofTransfer(right)) &&
  left.blockHash === right.blockHash

/** The payment with one of its transfers exchanged, wherever that stands. */
const exchanged = (
  payment: Payment.Payment,
  exchange: (evidence: Transfer.Evidence) => Transfer.Evidence,
): Payment.Payment => {
  const lateWith = (late: Payment.Late): Payment.Late => {
    switch (late._tag) {
      case "Suspended":
      case "Returning":
        return { ...late, transfer: exchange(late.transfer) }
      case "Returned":
        return {
          ...late,
          transfer: exchange(late.transfer),
          returnedBy: exchange(late.returnedBy),
        }
      default:
        return late
    }
  }
  const stateWith = (state: Payment.State): Payment.State => {
    if (state._tag !== "Succeeded") return state
    const { refund, settlement } = state
    return {
      ...state,
      transfer: exchange(state.transfer),
      settlement:
        settlement._tag === "Successful"
          ? { ...settlement, transfer: exchange(settlement.transfer) }
          : settlement,
      refund:
        refund?.state._tag === "Succeeded"
          ? { ...refund, state: { ...refund.state, transfer: exchange(refund.state.transfer) } }
          : refund,
    }
  }
  return { ...payment, state: stateWith(payment.state), late: payment.late.map(lateWith) }
}

const has = (payment: Payment.Payment, evidence: Transfer.Evidence): boolean =>
  entries(payment).some((entry) => isSame(entry.evidence, evidence))

/** The transfer is final elsewhere. Null where the payment does not rest on it any more. */
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

/** The payer's transfer is gone, and what is owed for it stays. */
const lose = (
  payment: Payment.Payment,
  { movement }: Transfer.Evidence,
  reason: string,
  now: number,
): Change.Change | null =>
  payment.state._tag === "Succeeded"
    ? Change.make({ ...payment, state: { ...payment.state, lost: { reason, lostAt: now } } }, now, {
        ledger: [
          Ledger.lost({
            collecting: movement.to,
            token: movement.token,
            quantity: movement.quantity,
          }),
        ],
      })
    : null

const booked = (
  payment: Payment.Payment,
  { _tag, evidence }: Entry,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  switch (_tag) {
    case "Collected":
      return lose(payment, evidence, failure.reason, now)
    case "Late":
      return LateMoney.vanish(payment, evidence, failure.reason, now)
    case "Settled":
      return SettlementMatching.revoke(payment, failure, now)
    case "Refunded":
      return Refunding.revoke(payment, failure, now)
    case "Returned":
      return LateMoney.revoke(payment, evidence, failure, now)
  }
}

/** The transfer is gone for good. Null where that cannot be booked yet, or where it is. */
export const lost = (
  payment: Payment.Payment,
  entry: Entry,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const change = has(payment, entry.evidence) ? booked(payment, entry, failure, now) : null
  return change === null
    ? null
    : {
        ...change,
        moved: { from: entry.evidence, to: null },
        due: { ...change.due, audit: now },
      }
}
