/**
 * Money that arrived for a payment which takes no more: it is never lost, and never pays a final payment.
 *
 * @module
 */
import * as Claim from "../chain/Claim.ts"
import type * as Transfer from "../chain/Transfer.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as Change from "../payment/Change.ts"
import * as LateReports from "../payment/LateReports.ts"
import type * as Payment from "../payment/Payment.ts"

const replaced = (
  payment: Payment.Payment,
  index: number,
  late: Payment.Late,
): Payment.Payment => ({ ...payment, late: payment.late.with(index, late) })

const indexOfReported = (payment: Payment.Payment, report: LateReports.Named): number =>
  payment.late.findIndex((late) => late._tag === "Reported" && LateReports.isSame(late, report))

/** The reported transfers that are looked for. */
export const reports = (payment: Payment.Payment): ReadonlyArray<LateReports.Reported> =>
  payment.late.filter((late) => late._tag === "Reported")

/** How long a reported transfer is looked for before it is the next one's turn. */
const turnInMs = 60_000

/**
 * The reported transfer to look for now, if any. They take turns, so that a report which is never found delays no
 * other, and strangers' reports do not make a round more expensive.
 */
export const reportInTurn = (
  payment: Payment.Payment,
  now: number,
): LateReports.Reported | undefined => {
  const all = reports(payment)
  return all[Math.floor(now / turnInMs) % all.length]
}

/** A suspended transfer by its hash. */
export const findSuspended = (payment: Payment.Payment, txHash: string) =>
  payment.late.find((late) => late._tag === "Suspended" && late.transfer.txHash === txHash)

/** When to look for late money again: now while a reported transfer is looked for, else never. */
const nextWatch = (payment: Payment.Payment, at: number): number | null =>
  reports(payment).length > 0 ? at : null

/** The ledger's view of a late transfer. */
const bookedAs = ({ movement }: Transfer.Evidence): Ledger.Late => ({
  payer: { chainId: movement.token.chainId, address: movement.from },
  collecting: movement.to,
  token: movement.token,
  quantity: movement.quantity,
})

/** The transfer is real and final: it is held in suspense, and claimed so that it never pays anything else. */
export const suspend = (
  payment: Payment.Payment,
  report: LateReports.Named,
  transfer: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const index = indexOfReported(payment, report)
  if (index === -1) return null
  const next = replaced(payment, index, { _tag: "Suspended", transfer, suspendedAt: now })
  return Change.make(next, now, {
    claims: [Claim.ofTransfer(transfer)],
    ledger: [Ledger.suspension(bookedAs(transfer))],
    due: { watch: nextWatch(next, now) },
  })
}

/** Drops a report that can no longer prove true. */
export const dismiss = (
  payment: Payment.Payment,
  report: LateReports.Named,
  reason: string,
  now: number,
): Change.Change | null => {
  const index = indexOfReported(payment, report)
  if (index === -1) return null
  const { txHash } = report
  const next = replaced(payment, index, { _tag: "Unfounded", txHash, reason })
  return Change.make(next, now, { due: { watch: nextWatch(next, now) } })
}

/** The movement that returns a suspended transfer to its sender. */
export const returnOf = (transfer: Transfer.Evidence): Transfer.Movement => ({
  token: transfer.movement.token,
  from: transfer.movement.to,
  to: transfer.movement.from,
  quantity: transfer.movement.quantity,
})

/**
 * Returns a suspended transfer, in an outflow of its own. Null if there is none, or if an earlier return failed: that
 * one is released instead.
 */
export const giveBack = (
  payment: Payment.Payment,
  txHash: string,
  outflowId: OutflowId.OutflowId,
  now: number,
): Change.Write | null => {
  const index = payment.late.findIndex(
    (late) => late._tag === "Suspended" && late.transfer.txHash === txHash,
  )
  const late = payment.late[index]
  if (late?._tag !== "Suspended" || late.held !== undefined) return null
  const { transfer } = late
  const outflow = Outflow.make(
    {
      id: outflowId,
      partnerId: payment.partnerId,
      mode: payment.mode,
      movement: returnOf(transfer),
      purpose: { _tag: "Return", paymentId: payment.id, txHash },
    },
    now,
  )
  return {
    payments: [
      Change.make(replaced(payment, index, { _tag: "Returning", transfer, outflowId }), now, {}),
    ],
    outflows: [{ outflow, ledger: [], claims: [], due: { send: now } }],
  }
}

/** The index of the late transfer that an outflow returns, or failed to return. */
const indexOfCarried = (payment: Payment.Payment, { id }: Outflow.Outflow): number =>
  payment.late.findIndex((late) => {
    switch (late._tag) {
      case "Suspended":
        return late.held?.outflowId === id
      case "Returning":
      case "Returned":
        return late.outflowId === id
      default:
        return false
    }
  })

/** Whether a deep reorganisation took the very transfer that an outflow returned. */
export const isLost = (payment: Payment.Payment, outflow: Outflow.Outflow): boolean => {
  const late = payment.late[indexOfCarried(payment, outflow)]
  return late?._tag === "Returned" && late.lost !== undefined
}

/** Whether nothing is left of what an outflow returns: the transfer was lost as well while the return was held. */
export const isGone = (payment: Payment.Payment, outflow: Outflow.Outflow): boolean =>
  indexOfCarried(payment, outflow) === -1

/** The ledger's bookings of the return. */
export const bookings = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
): ReadonlyArray<Change.Booking> => {
  const late = payment.late[indexOfCarried(payment, outflow)]
  return late === undefined || late._tag === "Reported" || late._tag === "Unfounded"
    ? []
    : [{ paymentId: payment.id, transaction: Ledger.lateReturn(bookedAs(late.transfer)) }]
}

/** The transfer back is final. */
export const recordPaid = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { txHash }: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const index = indexOfCarried(payment, outflow)
  const late = payment.late[index]
  if (late?._tag !== "Returning" && late?._tag !== "Suspended") return null
  const { transfer } = late
  const { id: outflowId } = outflow
  return Change.make(
    replaced(payment, index, { _tag: "Returned", transfer, outflowId, txHash, returnedAt: now }),
    now,
    {},
  )
}

/**
 * The return failed, or a deep reorganisation took it: the money is in suspense again. If the late transfer itself is
 * lost too, nothing of either is left.
 */
export const recordHeld = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const index = indexOfCarried(payment, outflow)
  const late = payment.late[index]
  if (late?._tag !== "Returning" && late?._tag !== "Returned") return null
  const { transfer } = late
  if (late._tag === "Returned" && late.lost !== undefined) {
    const booked = bookedAs(transfer)
    const { reason } = late.lost
    return Change.make(
      replaced(payment, index, { _tag: "Unfounded", txHash: transfer.txHash, reason }),
      now,
      {
        ledger: [
          Ledger.reversal(Ledger.suspension(booked)),
          Ledger.reversal(Ledger.disappearance(booked)),
        ],
      },
    )
  }
  return Change.make(
    replaced(payment, index, {
      _tag: "Suspended",
      transfer,
      suspendedAt: now,
      held: { outflowId: outflow.id, ...failure },
    }),
    now,
    {},
  )
}

/** A failed return waits to be sent again. */
export const release = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  now: number,
): Change.Change | null => {
  const index = indexOfCarried(payment, outflow)
  const late = payment.late[index]
  if (late?._tag !== "Suspended") return null
  const { transfer } = late
  const { id: outflowId } = outflow
  return Change.make(replaced(payment, index, { _tag: "Returning", transfer, outflowId }), now, {})
}

/** The return was found under another hash of the same transaction. */
export const recordMoved = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { txHash }: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const index = indexOfCarried(payment, outflow)
  const late = payment.late[index]
  return late?._tag === "Returned"
    ? Change.make(replaced(payment, index, { ...late, txHash }), now, {})
    : null
}

/**
 * The transfer was final, and is gone for good. If it was in suspense, it is removed there; if it was returned, that
 * was the operator's money. Null while it is on its way back, because the outcome is not known yet.
 */
export const vanish = (
  payment: Payment.Payment,
  { logIndex, txHash }: Transfer.Evidence,
  reason: string,
  now: number,
): Change.Change | null => {
  const index = payment.late.findIndex(
    (late) =>
      (late._tag === "Suspended" || late._tag === "Returned") &&
      late.transfer.txHash === txHash &&
      late.transfer.logIndex === logIndex,
  )
  const late = payment.late[index]
  switch (late?._tag) {
    case "Suspended":
      return Change.make(replaced(payment, index, { _tag: "Unfounded", txHash, reason }), now, {
        ledger: [Ledger.reversal(Ledger.suspension(bookedAs(late.transfer)))],
      })
    case "Returned":
      return late.lost === undefined
        ? Change.make(replaced(payment, index, { ...late, lost: { reason, lostAt: now } }), now, {
            ledger: [Ledger.disappearance(bookedAs(late.transfer))],
          })
        : null
    default:
      return null
  }
}
