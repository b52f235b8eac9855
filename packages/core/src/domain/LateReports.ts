/**
 * Which reports of late transfers a payment keeps.
 *
 * Anybody with an account of their own can report hashes that no transaction has. So reports that prove nothing are few for
 * each account, and bounded for the payment; one that the chain shows is always kept. What makes place loses no money: it
 * is only not looked for under this payment any more.
 *
 * @module
 */
import * as Caip from "./Caip.ts"
import * as Limits from "./Limits.ts"
import type * as Payment from "./Payment.ts"

export type Reported = Extract<Payment.Late, { readonly _tag: "Reported" }>

/** What names a reported transfer: the payer's statement for an option, and the transaction. */
export type Named = Pick<Reported, "txHash" | "option">

/** A transfer that is said to have come for a payment. */
export interface Report extends Named {
  /** Whether more than the payer's word says so: the chain shows it, or an accepted confirm named it. */
  readonly isFirm: boolean
}

/** Whether two are about the same money: another account's transfer in the same transaction is another one. */
export const isSame = (left: Named, right: Named): boolean =>
  left.txHash === right.txHash &&
  left.option.payTo === right.option.payTo &&
  Caip.sameAccount(left.option.account, right.option.account) &&
  Caip.sameToken(left.option.token, right.option.token)

const hashOf = (late: Payment.Late): string =>
  late._tag === "Reported" || late._tag === "Unfounded" ? late.txHash : late.transfer.txHash

/** What became of an earlier report says nothing of another transfer that the chain shows in the same transaction. */
const isKnown =
  (report: Report) =>
  (late: Payment.Late): boolean =>
    late._tag === "Reported"
      ? isSame(late, report)
      : !report.isFirm && hashOf(late) === report.txHash

const isUnproven = (late: Payment.Late): late is Reported =>
  late._tag === "Reported" && late.firm !== true

/** What makes place for a report: nothing if there is some, and null if there is none for it. */
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

/** The reports with one more, or with what is known of one made firm; null where nothing changes. */
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
