/**
 * How much a relayer account may spend on gas. Each transaction counts when it is signed, by the most that it may cost,
 * in hours of the clock. Only one of several versions is mined, so each counts by how much more it may cost than the
 * last.
 *
 * @module
 */
import * as Money from "../ground/Money.ts"

/** What a lane committed to spend in one hour, which is numbered from the epoch. */
export interface Spending {
  readonly hour: number
  readonly quantity: bigint
  /** How much of it is for collecting from accounts with code; absent if nothing. */
  readonly byCode?: bigint
}

/** The maximum cost of a signed transaction, and when it was signed. */
interface Cost {
  readonly signedAt: number
  readonly feeMax?: Money.Quantity
  /** It collects from an account with code. */
  readonly byCode?: true
}

const hourInMs = 60 * 60 * 1000

export const none: Spending = { hour: 0, quantity: 0n }

export const hourOf = (now: number): number => Math.floor(now / hourInMs)

/** The spending in the hour of a moment. */
export const inHourOf = (spending: Spending, now: number): Spending =>
  spending.hour >= hourOf(now) ? spending : { hour: hourOf(now), quantity: 0n }

/** Accounts with code may use one part in this many of the limit: the rest is left for all others. */
const partsForCode = 4n

const make = (hour: number, quantity: bigint, byCode: bigint): Spending => ({
  hour,
  quantity,
  ...(byCode > 0n && { byCode }),
})

/** The spending after this transaction takes its slot, which an earlier version of it may have had. */
export const place = (
  spending: Spending,
  { byCode, feeMax = Money.zero, signedAt }: Cost,
  replaced: Cost | null,
): Spending => {
  // A transaction signed before the hour changed may be written after it: the hour never moves back.
  const hour = Math.max(spending.hour, hourOf(signedAt))
  const before = spending.hour === hour ? spending : none
  const counted = replaced?.feeMax ?? Money.zero
  const more = counted < feeMax ? feeMax - counted : 0n
  // The whole lane waits for its first transaction, so a higher bid for that counts for everybody.
  const ofCode = byCode === true && replaced === null ? more : 0n
  return make(hour, before.quantity + more, (before.byCode ?? 0n) + ofCode)
}

/** The spending including this signed transaction. */
export const add = (spending: Spending, cost: Cost): Spending => place(spending, cost, null)

/** Whether the spending is within an hour's limit, in total and for accounts with code. */
export const isWithin = (limit: bigint, { byCode = 0n, quantity }: Spending): boolean =>
  quantity <= limit && byCode <= limit / partsForCode

/** Whether one more transaction of this cost, signed now, stays within the limit. */
export const hasRoom = (
  limit: bigint,
  spending: Spending,
  cost: Pick<Cost, "byCode"> & { readonly feeMax: bigint },
  now: number,
): boolean =>
  isWithin(
    limit,
    add(spending, { ...cost, feeMax: Money.clamp(cost.feeMax, Money.largest), signedAt: now }),
  )
