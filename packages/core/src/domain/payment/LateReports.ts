/**
 * Decides which reports of late transfers a payment keeps.
 *
 * Anybody with an account can report hashes that no transaction has. So unproven reports are limited for each account
 * and for the payment; a report that the chain confirms is always kept. Dropping a report loses no money: the transfer
 * is only no longer looked for under this payment.
 *
 * @module
 */
import * as Caip from "../chain/Caip.ts"
import * as Limits from "../ground/Limits.ts"
import type * as Payment from "./Payment.ts"

export type Reported = Extract<Payment.Late, { readonly _tag: "Reported" }>

/** The identity of a reported transfer: the payer's statement for an option, and the transaction. */
export type Named = Pick<Reported, "txHash" | "option">

/** A transfer that was reported for a payment. */
export interface Report extends Named {
  /** Whether there is more than the payer's word for it: the chain shows it, or an accepted confirm named it. */
  readonly isFirm: boolean
}

/**
 * Whether two reports are about the same money: a transfer of another account in the same transaction is another one.
 */
export const isSame = (left: Named, right: Named): boolean =>
  left.txHash === right.txHash &&
  left.option.payTo === right.option.payTo &&
  Caip.sameAccount(left.option.account, right.option.account) &&
  Caip.sameToken(left.option.token, right.option.token)

/** The transaction that made it, or is said to have. */
export const hashOf = (late: Payment.Late): string =>
  late._tag === "Reported" || late._tag === "Unfounded" ? late.txHash : late.transfer.txHash

/**
 * The outcome of an earlier report proves nothing about another transfer that the chain shows in the same transaction.
 */
const isKnown =
  (report: Report) =>
  (late: Payment.Late): boolean =>
    late._tag === "Reported"
      ? isSame(late, report)
      : !report.isFirm && hashOf(late) === report.txHash

const isUnproven = (late: Payment.Late): late is Reported =>
  late._tag === "Reported" && late.firm !== true

/** The reports to drop for a new one: none if there is room, and null if no room can be made. */
const outdated = (
  all: ReadonlyArray<Payment.Late>,
  { isFirm, option }: Report,
): ReadonlyArray<Payment.Late> | null => {
  const unproven = all.filter(isUnproven)
  const own = unproven.filter((each) => Caip.sameAccount(each.option.account, option.account))
  if (!isFirm && own.length >= Limits.lateUnprovenPerAccountMax) return own.slice(0, 1)
  const unfounded = all.filter(({ _tag }) => _tag === "Unfounded")
  const excess = unproven.length + unfounded.length + 1 - Limits.lateUnprovenPerPaymentMax
  if (excess <= 0) return []
  const givable = isFirm ? [...unfounded, ...unproven] : unfounded
  return givable.length < excess ? null : givable.slice(0, excess)
}

/** Adds a report, or marks a known one as firm; null if nothing changes. */
export const add = (
  all: ReadonlyArray<Payment.Late>,
  report: Report,
  now: number,
): ReadonlyArray<Payment.Late> | null => {
  const { isFirm, option, txHash } = report
  const index = all.findIndex(isKnown(report))
  const known = all[index]
  if (known !== undefined) {
    return isFirm && isUnproven(known) ? all.with(index, { ...known, firm: true }) : null
  }
  const gone = outdated(all, report)
  const made: Reported = {
    _tag: "Reported",
    txHash,
    option,
    reportedAt: now,
    ...(isFirm && { firm: true }),
  }
  return gone === null ? null : [...all.filter((each) => !gone.includes(each)), made]
}
