/**
 * Money that came for a payment which takes no more: never lost, and never what pays a final payment.
 *
 * @module
 */
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
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
    ledger: [
      Ledger.suspended({
        payer: late.option.account,
        collecting: late.option.payTo,
        token: transfer.movement.token,
        quantity: transfer.movement.quantity,
      }),
    ],
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

/** Commits to giving a suspended transfer back: signed, stored with this, and broadcast afterwards. */
export const giveBack = (
  payment: Payment.Payment,
  txHash: string,
  relayed: Transfer.Relayed,
  now: number,
): Change.Change | null => {
  const index = payment.late.findIndex(
    (late) => late._tag === "Suspended" && late.transfer.txHash === txHash,
  )
  const late = payment.late[index]
  if (late?._tag !== "Suspended") return null
  return Change.make(
    replaced(payment, index, { _tag: "Returning", transfer: late.transfer, relayed }),
    now,
    { relayed, ledger: [returnedLedger(late.transfer)], due: { watch: now } },
  )
}

const returnedLedger = ({ movement }: Transfer.Evidence): Ledger.Transaction =>
  Ledger.returned({
    payer: { chainId: movement.token.chainId, address: movement.from },
    collecting: movement.to,
    token: movement.token,
    quantity: movement.quantity,
  })

/** The lane's nonce went to another transaction: the same transfer, signed again. */
export const resend = (
  payment: Payment.Payment,
  relayed: Transfer.Relayed,
  now: number,
): Change.Change | null => {
  const index = indexOf(payment, "Returning")
  const late = payment.late[index]
  if (late?._tag !== "Returning") return null
  return Change.make(replaced(payment, index, { ...late, relayed }), now, {
    relayed,
    due: { watch: now },
  })
}

/** The transfer back can never happen: the money stays in suspense. */
export const takeBack = (payment: Payment.Payment, now: number): Change.Change | null => {
  const index = indexOf(payment, "Returning")
  const late = payment.late[index]
  if (late?._tag !== "Returning") return null
  const next = replaced(payment, index, {
    _tag: "Suspended",
    transfer: late.transfer,
    suspendedAt: now,
  })
  return Change.make(next, now, {
    ledger: [Ledger.reversed(returnedLedger(late.transfer))],
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
