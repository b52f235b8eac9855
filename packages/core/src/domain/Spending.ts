/**
 * What a relayer account may spend on gas. It is counted when a transaction is signed, as the most that it may cost, in
 * hours of the clock. Of several versions of one only one is mined, so each counts by what it may cost more than the last.
 *
 * @module
 */
import * as Money from "./Money.ts"

/** What a lane committed to spend in an hour, which is numbered from the epoch. */
export interface Spending {
  readonly hour: number
  readonly quantity: bigint
  /** How much of it is for collecting from accounts with code; absent for nothing. */
  readonly byCode?: bigint
}

/** What a signed transaction may cost, and when it was signed. */
interface Cost {
  readonly signedAt: number
  readonly feeMax?: Money.Quantity
  /** It collects from an account with code. */
  readonly byCode?: true
}

const hourInMs = 60 * 60 * 1000

export const none: Spending = { hour: 0, quantity: 0n }

export const hourOf = (now: number): number => Math.floor(now / hourInMs)

/** What is spent in the hour of a moment. */
export const at = (spending: Spending, now: number): Spending =>
  spending.hour >= hourOf(now) ? spending : { hour: hourOf(now), quantity: 0n }

/** Accounts with code may use one part in so many of what may be spent: the rest is left for all others. */
const partsForCode = 4n

const make = (hour: number, quantity: bigint, byCode: bigint): Spending => ({
  hour,
  quantity,
  ...(byCode > 0n && { byCode }),
})

/** What is spent once this transaction takes its slot, which an earlier version of it had, or nothing. */
export const afterPlacing = (
  spending: Spending,
  { byCode, feeMax = Money.zero, signedAt }: Cost,
  replaced: Cost | null,
): Spending => {
  // What was signed before the hour changed may be written after it: an hour never comes back.
  const hour = Math.max(spending.hour, hourOf(signedAt))
  const before = spending.hour === hour ? spending : none
  const counted = replaced?.feeMax ?? Money.zero
  const more = counted < feeMax ? feeMax - counted : 0n
  // The whole lane waits for its first transaction, so what is bid more for that is everybody's.
  const ofCode = byCode === true && replaced === null ? more : 0n
  return make(hour, before.quantity + more, (before.byCode ?? 0n) + ofCode)
}

/** What is spent once this transaction is signed, too. */
export const after = (spending: Spending, cost: Cost): Spending =>
  afterPlacing(spending, cost, null)

/** Whether so much was spent within a limit of the hour, all in all and for accounts with code. */
export const isWithin = (limit: bigint, { byCode = 0n, quantity }: Spending): boolean =>
  quantity <= limit && byCode <= limit / partsForCode

/** Whether one more transaction that costs so much, signed now, stays within the limit. */
export const hasRoom = (
  limit: bigint,
  spending: Spending,
  cost: Pick<Cost, "byCode"> & { readonly feeMax: bigint },
  now: number,
): boolean =>
  isWithin(
    limit,
    after(spending, { ...cost, feeMax: Money.clamp(cost.feeMax, Money.largest), signedAt: now }),
  )
