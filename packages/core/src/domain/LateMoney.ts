/**
 * Money that came for a payment which takes no more: never lost, and never what pays a final payment.
 *
 * @module
 */
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import type * as Lane from "./Lane.ts"
import * as Ledger from "./Ledger.ts"
import type * as Payment from "./Payment.ts"
import type * as Transfer from "./Transfer.ts"

const replaced = (
  payment: Payment.Payment,
  index: number,
  late: Payment.Late,
): Payment.Payment => ({ ...payment, late: payment.late.with(index, late) })

const indexOf = <Tag extends Payment.Late["_tag"]>(payment: Payment.Payment, tag: Tag): number =>
  payment.late.findIndex((late) => late._tag === tag)

export type Reported = Extract<Payment.Late, { readonly _tag: "Reported" }>
export type Returning = Extract<Payment.Late, { readonly _tag: "Returning" }>

/** The reported transfer to look for next, if any. */
export const reported = (payment: Payment.Payment): Reported | undefined =>
  payment.late.find((late) => late._tag === "Reported")

/** The transfer that is on its way back, if any. */
export const returning = (payment: Payment.Payment): Returning | undefined =>
  payment.late.find((late) => late._tag === "Returning")

/** A suspended transfer by its hash. */
export const suspended = (payment: Payment.Payment, txHash: string) =>
  payment.late.find((late) => late._tag === "Suspended" && late.transfer.txHash === txHash)

/** When to look for late money again: now while something is left to do, else never. */
const nextWatch = (payment: Payment.Payment, at: number): number | null =>
  payment.late.some((late) => late._tag === "Reported" || late._tag === "Returning") ? at : null

/** What a late transfer is to the ledger. */
const bookedAs = ({ movement }: Transfer.Evidence): Ledger.Late => ({
  payer: { chainId: movement.token.chainId, address: movement.from },
  collecting: movement.to,
  token: movement.token,
  quantity: movement.quantity,
})

/** The transfer is real and final: it is held in suspense, and claimed so that it never pays anything else. */
export const suspend = (
  payment: Payment.Payment,
  transfer: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const index = indexOf(payment, "Reported")
  const late = payment.late[index]
  if (late?._tag !== "Reported") return null
  const next = replaced(payment, index, { _tag: "Suspended", transfer, suspendedAt: now })
  return Change.make(next, now, {
    claims: [Claim.ofTransfer(transfer)],
    ledger: [Ledger.suspended(bookedAs(transfer))],
    due: { watch: nextWatch(next, now) },
  })
}

/** It will never be what it was said to be. */
export const dismiss = (
  payment: Payment.Payment,
  reason: string,
  now: number,
): Change.Change | null => {
  const index = indexOf(payment, "Reported")
  const late = payment.late[index]
  if (late?._tag !== "Reported") return null
  const next = replaced(payment, index, { _tag: "Unfounded", txHash: late.txHash, reason })
  return Change.make(next, now, { due: { watch: nextWatch(next, now) } })
}

/** The movement that gives a suspended transfer back to whom it came from. */
export const returnOf = (transfer: Transfer.Evidence): Transfer.Movement => ({
  token: transfer.movement.token,
  from: transfer.movement.to,
  to: transfer.movement.from,
  quantity: transfer.movement.quantity,
})

/**
 * Commits to giving a suspended transfer back: signed, stored with this, and broadcast afterwards. Null where there is
 * none, or where an earlier return moved something else: sent again, it may be returned twice.
 */
export const giveBack = (
  payment: Payment.Payment,
  txHash: string,
  slot: Lane.Slot,
  now: number,
): Change.Change | null => {
  const index = payment.late.findIndex(
    (late) => late._tag === "Suspended" && late.transfer.txHash === txHash,
  )
  const late = payment.late[index]
  if (late?._tag !== "Suspended" || late.returnHeld !== undefined) return null
  return Change.make(
    replaced(payment, index, { _tag: "Returning", transfer: late.transfer, slot }),
    now,
    { ledger: [Ledger.returned(bookedAs(late.transfer))], due: { watch: now } },
  )
}

/** Another transaction used the nonce: the same transfer takes another slot. */
export const resend = (
  payment: Payment.Payment,
  slot: Lane.Slot,
  now: number,
): Change.Change | null => {
  const index = indexOf(payment, "Returning")
  const late = payment.late[index]
  if (late?._tag !== "Returning") return null
  return Change.make(replaced(payment, index, { ...late, slot }), now, {
    due: { watch: now },
  })
}

/** In suspense again, because its return failed. */
const suspendedAgain = (
  transfer: Transfer.Evidence,
  { movedOtherwise, reason }: Transfer.Failure,
  now: number,
): Payment.Late => ({
  _tag: "Suspended",
  transfer,
  suspendedAt: now,
  ...(movedOtherwise === true && { returnHeld: reason }),
})

/** The transfer back can never happen: the money stays in suspense. */
export const takeBack = (
  payment: Payment.Payment,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const index = indexOf(payment, "Returning")
  const late = payment.late[index]
  if (late?._tag !== "Returning") return null
  const next = replaced(payment, index, suspendedAgain(late.transfer, failure, now))
  return Change.make(next, now, {
    ledger: [Ledger.reversed(Ledger.returned(bookedAs(late.transfer)))],
    due: { watch: nextWatch(next, now) },
  })
}

/** The transfer back is final. */
export const returned = (
  payment: Payment.Payment,
  returnedBy: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const index = indexOf(payment, "Returning")
  const late = payment.late[index]
  if (late?._tag !== "Returning") return null
  const next = replaced(payment, index, {
    _tag: "Returned",
    transfer: late.transfer,
    returnedBy,
    returnedAt: now,
  })
  return Change.make(next, now, {
    claims: [Claim.ofTransfer(returnedBy)],
    due: { watch: nextWatch(next, now) },
  })
}

/**
 * The transfer was final, and is gone for good. In suspense it never was; where it was given back, that was the
 * operator's money. Null while it is on its way back: how that ends is not known yet.
 */
export const vanish = (
  payment: Payment.Payment,
  { txHash }: Transfer.Evidence,
  reason: string,
  now: number,
): Change.Change | null => {
  const index = payment.late.findIndex(
    (late) =>
      (late._tag === "Suspended" || late._tag === "Returned") && late.transfer.txHash === txHash,
  )
  const late = payment.late[index]
  switch (late?._tag) {
    case "Suspended":
      return Change.make(replaced(payment, index, { _tag: "Unfounded", txHash, reason }), now, {
        ledger: [Ledger.reversed(Ledger.suspended(bookedAs(late.transfer)))],
      })
    case "Returned":
      return late.lost === undefined
        ? Change.make(replaced(payment, index, { ...late, lost: { reason, lostAt: now } }), now, {
            ledger: [Ledger.lost(bookedAs(late.transfer))],
          })
        : null
    default:
      return null
  }
}

/** The transfer back was final, and is gone for good: the money is in suspense again, if it ever came. */
export const revoke = (
  payment: Payment.Payment,
  { txHash }: Transfer.Evidence,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const index = payment.late.findIndex(
    (late) => late._tag === "Returned" && late.returnedBy.txHash === txHash,
  )
  const late = payment.late[index]
  if (late?._tag !== "Returned") return null
  const { lost, transfer } = late
  const booked = bookedAs(transfer)
  const gaveBack = Ledger.reversed(Ledger.returned(booked))
  return lost === undefined
    ? Change.make(replaced(payment, index, suspendedAgain(transfer, failure, now)), now, {
        ledger: [gaveBack],
      })
    : Change.make(
        replaced(payment, index, {
          _tag: "Unfounded",
          txHash: transfer.txHash,
          reason: lost.reason,
        }),
        now,
        {
          ledger: [
            gaveBack,
            Ledger.reversed(Ledger.suspended(booked)),
            Ledger.reversed(Ledger.lost(booked)),
          ],
        },
      )
}
