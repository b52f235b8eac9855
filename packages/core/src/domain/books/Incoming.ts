/**
 * What becomes of money that arrived and that no payment claimed: it came too late, was sent twice, by mistake or in
 * another quantity than requested, or by the operator.
 *
 * It stays in suspense, reported or not, until it turns out to pay a payment, or an operator returns it or declares it
 * the operator's own. Its quantity alone never makes it pay a payment: only a statement that its payer signed names the
 * payment.
 *
 * @module
 */
import * as Order from "effect/Order"
import * as Caip from "../chain/Caip.ts"
import * as Claim from "../chain/Claim.ts"
import * as InflowId from "../chain/InflowId.ts"
import * as Transfer from "../chain/Transfer.ts"
import * as Limits from "../ground/Limits.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Inflow from "../outflow/Inflow.ts"
import * as Outflow from "../outflow/Outflow.ts"
import type * as Change from "../payment/Change.ts"
import * as LateReports from "../payment/LateReports.ts"
import type * as Payment from "../payment/Payment.ts"

/** The ledger's view of a transfer while it is in suspense. */
const bookedAs = ({ movement }: Pick<Transfer.Log, "movement">): Ledger.Late => ({
  payer: { chainId: movement.token.chainId, address: movement.from },
  collecting: movement.to,
  token: movement.token,
  quantity: movement.quantity,
})

const unsuspend = ({ transfer }: Pick<Inflow.Inflow, "transfer">): Ledger.Transaction =>
  Ledger.reversal(Ledger.suspension(bookedAs(transfer)))

/** A change of an inflow alone; null if it may not be in this state now. */
const changed = (
  inflow: Inflow.Inflow,
  state: Inflow.State,
  now: number,
  effects: Partial<Omit<Change.InflowChange, "inflow">> = {},
): Change.Write | null => {
  const next = Inflow.moved(inflow, state, now)
  return (
    next && {
      payments: [],
      outflows: [],
      inflows: [{ inflow: next, ledger: [], claims: [], ...effects }],
    }
  )
}

/** A final transfer that no payment claims: it is claimed, so that nothing else counts it. */
export const suspend = (mode: Mode.Mode, transfer: Transfer.Log, now: number): Change.Write => ({
  payments: [],
  outflows: [],
  inflows: [
    {
      inflow: {
        id: InflowId.of(transfer),
        mode,
        transfer,
        state: { _tag: "Suspended" },
        foundAt: now,
        updatedAt: now,
        revision: 0,
      },
      ledger: [Ledger.suspension(bookedAs(transfer))],
      claims: [Claim.ofTransfer(transfer)],
    },
  ],
})

// --- what it was for

/**
 * The inflow that a report is about: between the accounts that it names, and not yet anybody's. One in suspense comes
 * first, then one of the quantity that was asked for.
 */
export const match = (
  { option: { account, payTo, quantity, token }, txHash }: LateReports.Named,
  inflows: ReadonlyArray<Inflow.Inflow>,
): Inflow.Inflow | undefined => {
  const rank = ({ state, transfer: { logIndex, movement } }: Inflow.Inflow) =>
    [state._tag !== "Suspended", movement.quantity !== quantity, logIndex].map(Number)
  const [first] = inflows
    .filter(
      ({ hint, state, transfer }) =>
        hint === undefined &&
        state._tag !== "Taken" &&
        transfer.txHash === txHash &&
        Caip.sameToken(transfer.movement.token, token) &&
        transfer.movement.from === account.address &&
        transfer.movement.to === payTo,
    )
    .toSorted(Order.mapInput(Order.Array(Order.Number), rank))
  return first
}

/** Notes which payment it was reported for; the payment forgets the report. Null if there is no such report any more. */
export const recognize = (
  inflow: Inflow.Inflow,
  payment: Payment.Payment,
  report: LateReports.Named,
  now: number,
): Change.Write | null => {
  const change = LateReports.drop(payment, (each) => LateReports.isSame(each, report), now)
  if (change === null || match(report, [inflow]) === undefined) return null
  const { id: paymentId, partnerId } = payment
  const noted = changed({ ...inflow, hint: { paymentId, partnerId } }, inflow.state, now)
  return noted && { ...noted, payments: [change] }
}

// --- a payment takes it

/**
 * Moves it to the place of `transfer`. Mined again, its transaction may have moved another quantity: in suspense, it is
 * booked as that. Null if the first one was used for something.
 */
const moved = (inflow: Inflow.Inflow, transfer: Transfer.Log, now: number): Change.Write | null => {
  const { missedSince: _, ...found } = inflow
  const isOther = !Transfer.isSameMovement(found.transfer.movement, transfer.movement)
  if (isOther && found.state._tag !== "Suspended") return null
  return changed({ ...found, transfer }, found.state, now, {
    moved: { from: found.transfer, to: transfer },
    ledger: isOther ? [unsuspend(found), Ledger.suspension(bookedAs(transfer))] : [],
  })
}

/** The changes with which a payment takes it, and whether they are complete. */
export interface Taking {
  readonly write: Change.Write
  readonly isWhole: boolean
}

/**
 * A change of a payment that claims the transfer, with the transfer out of suspense. Null if it is not free. If the
 * payment's `evidence` is in another block, it is moved there first, so that the payment rests on that block. If both
 * modes share a chain, it may be in the books of the other mode: it leaves those first, and belongs to the payment from
 * then on.
 */
export const take = (
  inflow: Inflow.Inflow,
  change: Change.Change,
  evidence: Transfer.Log,
  now: number,
): Taking | null => {
  const { mode, state, transfer } = inflow
  const { payment } = change
  const key = Claim.key(Claim.ofTransfer(transfer))
  const claims = change.claims.filter((claim) => Claim.key(claim) !== key)
  if (state._tag === "Taken" && state.paymentId === payment.id && mode !== payment.mode) {
    return { write: { payments: [{ ...change, claims }], outflows: [] }, isWhole: true }
  }
  if (!Inflow.isFree(inflow)) return null
  if (transfer.blockHash !== evidence.blockHash) {
    const write = moved(inflow, evidence, now)
    return write && { write, isWhole: false }
  }
  const { missedSince: _, ...found } = inflow
  const reversal = unsuspend(inflow)
  const isWhole = mode === payment.mode
  const taken = changed(found, { _tag: "Taken", paymentId: payment.id }, now, {
    ledger: isWhole ? [] : [reversal],
  })
  if (taken === null || !isWhole) return taken && { write: taken, isWhole }
  const ledger = [reversal, ...change.ledger]
  return { write: { ...taken, payments: [{ ...change, claims, ledger }] }, isWhole }
}

// --- it goes back to its sender

/** Requests its return, in an outflow of its own. Null if it is not in suspense, or missing on its chain. */
export const giveBack = (
  inflow: Inflow.Inflow,
  outflowId: OutflowId.OutflowId,
  now: number,
): Change.Write | null => {
  if (inflow.missedSince !== undefined) return null
  const { hint, id: inflowId, mode, transfer } = inflow
  const { from, to } = transfer.movement
  const outflow = Outflow.make(
    {
      id: outflowId,
      mode,
      movement: { ...transfer.movement, from: to, to: from },
      purpose: { _tag: "Return", inflowId, ...(hint && { paymentId: hint.paymentId }) },
      ...(hint && { partnerId: hint.partnerId }),
    },
    now,
  )
  const returning = changed(inflow, { _tag: "Returning", outflowId }, now)
  return (
    returning && {
      ...returning,
      outflows: [{ outflow, ledger: [], claims: [], due: { send: now } }],
    }
  )
}

/** The ledger's bookings of the return. */
export const bookings = ({ movement }: Outflow.Outflow): ReadonlyArray<Change.Booking> => {
  const { from, to } = movement
  const late = bookedAs({ movement: { ...movement, from: to, to: from } })
  return [{ paymentId: null, transaction: Ledger.lateReturn(late) }]
}

/**
 * The operator sent it: it is float. If float was already booked for it before it was found, it is only taken out of
 * suspense. Null if it is not in suspense.
 */
export const fund = (
  inflow: Inflow.Inflow,
  isWritten: boolean,
  now: number,
): Change.Write | null => {
  const funding = Ledger.funding(bookedAs(inflow.transfer))
  const ledger = isWritten ? [unsuspend(inflow)] : [unsuspend(inflow), funding]
  return changed(inflow, { _tag: "Funded" }, now, { ledger })
}

// --- reorganisations

/** Its transfer was in a block that is gone. Null if it was in another, or belongs to a payment. */
export const miss = (
  inflow: Inflow.Inflow,
  blockHash: string,
  now: number,
): Change.Write | null => {
  const { missedSince = now, state, transfer } = inflow
  return state._tag === "Taken" || state._tag === "Gone" || transfer.blockHash !== blockHash
    ? null
    : changed({ ...inflow, missedSince }, state, now)
}

/** Its transfer is there after all, at the place of `transfer`. Null if it is not missing. */
export const find = (
  inflow: Inflow.Inflow,
  transfer: Transfer.Log,
  now: number,
): Change.Write | null => (inflow.missedSince === undefined ? null : moved(inflow, transfer, now))

/** Whether the wait for a missing transfer was long enough. */
export const isOverdue = ({ missedSince }: Inflow.Inflow, now: number): boolean =>
  missedSince !== undefined && now - missedSince >= Limits.goneAwaitedInMs

/**
 * Its transfer is gone for good: it counts as never received. If it was not returned yet, our money stays; if it was,
 * that is the operator's loss. Null while the return is on its way, and if the transfer is not missing.
 */
export const vanish = (
  inflow: Inflow.Inflow,
  outflow: Outflow.Outflow | undefined,
  now: number,
): Change.Write | null => {
  const { missedSince, state, transfer } = inflow
  if (missedSince === undefined) return null
  const gone = (...ledger: ReadonlyArray<Ledger.Transaction>) => {
    const { missedSince: _, ...rest } = inflow
    return changed(rest, { _tag: "Gone" }, now, { ledger, moved: { from: transfer, to: null } })
  }
  switch (state._tag) {
    case "Suspended":
      return gone(unsuspend(inflow))
    case "Funded":
      return gone(Ledger.reversal(Ledger.funding(bookedAs(transfer))))
    case "Returning": {
      // A return that is looked for again may prove gone, too: then nothing of either is left.
      if (outflow === undefined || outflow.auditedSince !== undefined) return null
      if (outflow.state._tag === "Paid") return gone(Ledger.disappearance(bookedAs(transfer)))
      const cancelled = Outflow.cancel(outflow, now)
      const write = gone(unsuspend(inflow))
      return cancelled === null || write === null
        ? null
        : {
            ...write,
            outflows: [{ outflow: cancelled, ledger: [], claims: [], due: { send: null } }],
          }
    }
    default:
      return null
  }
}

/**
 * The bookings when the return of money that is gone proves to be gone, too: the operator lost nothing, and owes
 * nothing.
 */
export const voided = ({ transfer }: Inflow.Inflow): ReadonlyArray<Change.Booking> =>
  [unsuspend({ transfer }), Ledger.reversal(Ledger.disappearance(bookedAs(transfer)))].map(
    (transaction) => ({ paymentId: null, transaction }),
  )
