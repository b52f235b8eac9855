/**
 * Statements: what a merchant was owed when a period began, the changes in it, and what it is owed at its end.
 *
 * A statement is read from the ledger and adds up to it, to the last unit: `opening.owed` plus all lines is
 * `closing.owed`. The lines `debt` and `kept` are also the changes of those two balances.
 *
 * @module
 */
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as Caip from "../chain/Caip.ts"
import * as Invalid from "../ground/Invalid.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import * as Rfc3339 from "../ground/Rfc3339.ts"
import type * as Ledger from "../money/Ledger.ts"

/** The meaning of each line. A positive amount increases what the merchant is owed. */
export const lines = {
  paidIn: "money that payers paid",
  fees: "fees, less the fees that were returned with refunds",
  refunds: "money that was refunded to payers",
  debt: "refunds that the operator paid in advance, less the part that was netted later",
  kept: "money released for refunds that were sent, less money kept for refunds that wait",
  paidOut: "money sent to the merchant's destination",
  transferred:
    "money that refunds of the partner's other merchants took, or that this merchant's took of theirs",
} as const
export type Line = keyof typeof lines

export type Lines = { readonly [L in Line]: bigint }

/** A merchant's balances at a moment; none of them is ever negative. */
export interface Balance {
  /** What it is still to be paid. */
  readonly owed: bigint
  /** How much of its money is kept for waiting refunds. */
  readonly kept: bigint
  /** What it owes after refunds of money that it had. */
  readonly debt: bigint
}

export interface OfToken extends Lines {
  readonly token: Caip.Token
  readonly opening: Balance
  readonly closing: Balance
}

/** From one moment on and before another, in epoch milliseconds. */
export interface Period {
  readonly from: number
  readonly before: number
}

/** The line of a transaction's own amount; fees, debt and kept money have their own lines. */
const lineOf = ({ kind, postings }: Ledger.Transaction): Line => {
  const names = (tag: Ledger.Account["_tag"]) =>
    postings.some(({ account }) => account._tag === tag)
  if (kind === "collect") return "paidIn"
  // No collect is ever reversed, so this is a refund, or the reversal of one.
  if (names("Payer")) return "refunds"
  return names("Settled") ? "paidOut" : "transferred"
}

const none: Lines = Record.map(lines, () => 0n)

/** A transaction's effect on a merchant, in one token; null if it has none. */
export const movement = (
  transaction: Ledger.Transaction,
  merchantId: MerchantId.MerchantId,
  token: Caip.Token,
): Lines | null => {
  const postings = transaction.postings.filter((each) => Caip.sameToken(each.token, token))
  const isOwn = ({ account }: Ledger.Posting) =>
    "merchantId" in account && account.merchantId === merchantId && account._tag !== "Settled"
  if (!postings.some(isOwn)) return null
  const sum = (tag: Ledger.Account["_tag"]) =>
    postings.reduce(
      (total, each) =>
        each.account._tag === tag && (tag === "Fees" || isOwn(each)) ? total + each.delta : total,
      0n,
    )
  const [fees, debt, kept] = [sum("Fees"), sum("Debt"), sum("Kept")]
  return { ...none, fees, debt, kept, [lineOf(transaction)]: -sum("Owed") - fees - debt - kept }
}

const added = (left: Lines, right: Lines): Lines =>
  Record.map(left, (value, line) => value + right[line])

/** A merchant's balances after some lines. */
export const apply = ({ debt, kept, owed }: Balance, moved: Lines): Balance => ({
  owed: owed + total(moved),
  kept: kept - moved.kept,
  debt: debt + moved.debt,
})

/** A merchant's balances before some lines. */
export const revert = ({ debt, kept, owed }: Balance, moved: Lines): Balance => ({
  owed: owed - total(moved),
  kept: kept + moved.kept,
  debt: debt - moved.debt,
})

/** All lines together. */
export const total = (of: Lines): bigint =>
  Struct.keys(lines).reduce((sum, line) => sum + of[line], 0n)

const empty: Balance = { owed: 0n, kept: 0n, debt: 0n }

/** Whether a statement shows the token. */
export const isReported = (of: OfToken): boolean => {
  const moved = Struct.keys(lines).map((line) => of[line])
  const held = [of.opening, of.closing].flatMap(({ debt, kept, owed }) => [debt, kept, owed])
  return [...moved, ...held].some((value) => value !== 0n)
}

/** The order of the tokens. */
export const compare = (left: OfToken, right: OfToken): number =>
  Caip.tokenKey(left.token) < Caip.tokenKey(right.token) ? -1 : 1

/** A transaction, and when it was booked, in epoch milliseconds. */
export interface Booked {
  readonly transaction: Ledger.Transaction
  readonly bookedAt: number
}

/** The statement of a merchant over all bookings, token by token. */
export const of = (
  booked: ReadonlyArray<Booked>,
  merchantId: MerchantId.MerchantId,
  { before, from }: Period,
): ReadonlyArray<OfToken> => {
  const tokens = new Map(
    booked.flatMap(({ transaction }) =>
      transaction.postings.map(({ token }) => [Caip.tokenKey(token), token] as const),
    ),
  )
  const ofToken = (token: Caip.Token): OfToken => {
    const sum = (isIn: (at: number) => boolean) =>
      booked.reduce((moved, { bookedAt, transaction }) => {
        const more = isIn(bookedAt) ? movement(transaction, merchantId, token) : null
        return more === null ? moved : added(moved, more)
      }, none)
    const opening = apply(
      empty,
      sum((at) => at < from),
    )
    const moved = sum((at) => at >= from && at < before)
    return { token, opening, ...moved, closing: apply(opening, moved) }
  }
  return [...tokens.values()].map(ofToken).filter(isReported).toSorted(compare)
}

const dayInMs = 86_400_000
const pattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u
export const dayRule = "must be a day in UTC, such as 2026-09-01"

/** The first and the last day of a period, as they were sent. */
export interface Days {
  readonly from: string
  readonly to: string
}

const readDay = (text: string): number | undefined =>
  pattern.test(text) ? Rfc3339.read(`${text}T00:00:00Z`) : undefined

/** Reads a period of whole days in UTC, including the last one. */
export const parsePeriod = (days: Days): Result.Result<Period, Invalid.InvalidInput> => {
  const period = Invalid.all({
    from: Invalid.required("from", readDay(days.from), dayRule),
    to: Invalid.required("to", readDay(days.to), dayRule),
  })
  return Result.flatMap(period, ({ from, to }) =>
    to < from
      ? Invalid.fail("to", "must not be before `from`")
      : Result.succeed({ from, before: to + dayInMs }),
  )
}
