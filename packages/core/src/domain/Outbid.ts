/**
 * A transaction of ours that waits too long is signed again, with the same nonce and a higher fee. Whichever of its
 * versions is mined carries out what was committed to.
 *
 * @module
 */
import * as Change from "./Change.ts"
import type * as Payment from "./Payment.ts"
import type * as Refund from "./Refund.ts"
import type * as Settlement from "./Settlement.ts"
import type * as Transfer from "./Transfer.ts"

/** Puts the next version where the last one stands, and leaves everything else as it is. */
const swap =
  (last: Transfer.Relayed, next: Transfer.Relayed) =>
  <R extends Transfer.Relayed | null>(relayed: R): R | Transfer.Relayed =>
    relayed?.hash === last.hash ? next : relayed

type Swap = <R extends Transfer.Relayed | null>(relayed: R) => R | Transfer.Relayed

const settlementWith = (settlement: Settlement.Settlement, swapped: Swap): Settlement.Settlement =>
  settlement._tag === "Processing"
    ? { ...settlement, relayed: swapped(settlement.relayed) }
    : settlement

const refundWith = (refund: Refund.Refund, swapped: Swap): Refund.Refund =>
  refund.state._tag === "Processing"
    ? { ...refund, state: { ...refund.state, relayed: swapped(refund.state.relayed) } }
    : refund

const stateWith = (state: Payment.State, swapped: Swap): Payment.State => {
  switch (state._tag) {
    case "Processing":
      return { ...state, relayed: swapped(state.relayed) }
    case "Succeeded":
      return {
        ...state,
        settlement: settlementWith(state.settlement, swapped),
        refund: state.refund === null ? null : refundWith(state.refund, swapped),
      }
    default:
      return state
  }
}

const lateWith = (late: Payment.Late, swapped: Swap): Payment.Late =>
  late._tag === "Returning" ? { ...late, relayed: swapped(late.relayed) } : late

/** What a payment waits for now. */
const awaited = ({ late, state }: Payment.Payment): ReadonlyArray<Transfer.Relayed> => {
  const found: Array<Transfer.Relayed> = []
  const collect = <R extends Transfer.Relayed | null>(relayed: R): R => {
    if (relayed !== null) found.push(relayed)
    return relayed
  }
  stateWith(state, collect)
  for (const each of late) lateWith(each, collect)
  return found
}

const isSameNonce = (left: Transfer.Relayed, right: Transfer.Relayed): boolean =>
  left.nonce === right.nonce &&
  left.lane.chainId === right.lane.chainId &&
  left.lane.sender === right.lane.sender

/**
 * The payment with the next version of its transaction, or null where somebody else was first: a version that the
 * payment does not know of must never be sent. A payment that ended without the transaction still owns its nonce, and
 * what comes after waits for it.
 */
export const outbid = (
  payment: Payment.Payment,
  last: Transfer.Relayed,
  next: Transfer.Relayed,
  now: number,
): Change.Change | null => {
  const known = awaited(payment).find((relayed) => isSameNonce(relayed, last))
  if (known !== undefined && known.hash !== last.hash) return null
  const swapped = swap(last, next)
  return Change.make(
    {
      ...payment,
      state: stateWith(payment.state, swapped),
      late: payment.late.map((late) => lateWith(late, swapped)),
    },
    now,
    { placed: next, outbid: last },
  )
}

/** A transaction that does nothing, for a nonce that the lane left out: this payment waits behind it. */
export const fill = (
  payment: Payment.Payment,
  filler: Transfer.Relayed,
  now: number,
): Change.Change => Change.make(payment, now, { placed: filler })
