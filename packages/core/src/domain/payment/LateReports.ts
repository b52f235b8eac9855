/**
 * Decides which reports of transfers a payment keeps that no longer takes any, until they are found among the inflows.
 *
 * Anybody with an account can report hashes that no transaction has. So unproven reports are limited for each account
 * and for the payment; a report that the chain confirms is always kept. Dropping a report loses no money: it is only
 * not known any more what the transfer was for.
 *
 * @module
 */
import * as Caip from "../chain/Caip.ts"
import * as Limits from "../ground/Limits.ts"
import * as Change from "./Change.ts"
import type * as Payment from "./Payment.ts"

/** The identity of a reported transfer: the payer's statement for an option, and the transaction. */
export type Named = Pick<Payment.LateReport, "txHash" | "option">

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

/** The report to drop for a new one: none if there is room, and null if no room can be made. */
const outdated = (
  all: ReadonlyArray<Payment.LateReport>,
  { isFirm, option }: Report,
): ReadonlyArray<Payment.LateReport> | null => {
  if (isFirm) return []
  const unproven = all.filter(({ firm }) => firm !== true)
  const own = unproven.filter((each) => Caip.sameAccount(each.option.account, option.account))
  if (own.length >= Limits.lateUnprovenPerAccountMax) return own.slice(0, 1)
  return unproven.length < Limits.lateUnprovenPerPaymentMax ? [] : null
}

/** Adds a report, or marks a known one as firm; null if nothing changes. */
export const add = (
  all: ReadonlyArray<Payment.LateReport>,
  report: Report,
  now: number,
): ReadonlyArray<Payment.LateReport> | null => {
  const { isFirm, option, txHash } = report
  const index = all.findIndex((each) => isSame(each, report))
  const known = all[index]
  if (known !== undefined) {
    return isFirm && known.firm !== true ? all.with(index, { ...known, firm: true }) : null
  }
  const gone = outdated(all, report)
  const made = { txHash, option, reportedAt: now, ...(isFirm && { firm: true as const }) }
  return gone === null ? null : [...all.filter((each) => !gone.includes(each)), made]
}

/** Drops some reports of a payment; null if it has no such report. */
export const drop = (
  payment: Payment.Payment,
  isDropped: (report: Payment.LateReport) => boolean,
  now: number,
): Change.Change | null => {
  const reports = payment.reports.filter((each) => !isDropped(each))
  return reports.length === payment.reports.length
    ? null
    : Change.make({ ...payment, reports }, now, { due: { watch: reports.length > 0 ? now : null } })
}

/** Whether a report was looked for long enough. */
export const isOverdue = ({ reportedAt }: Payment.LateReport, now: number): boolean =>
  now - reportedAt > Limits.lateWatchedInMs
