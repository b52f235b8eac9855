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
}

/** What a signed transaction may cost, and when it was signed. */
interface Cost {
  readonly signedAt: number
  readonly feeMax?: Money.Quantity
}

const hourInMs = 60 * 60 * 1000

export const none: Spending = { hour: 0, quantity: 0n }

export const hourOf = (now: number): number => Math.floor(now / hourInMs)

/** What is spent once this transaction is signed, too. */
export const after = (spending: Spending, { feeMax, signedAt }: Cost): Spending => {
  // What was signed before the hour changed may be written after it: an hour never comes back.
  const hour = Math.max(spending.hour, hourOf(signedAt))
  const before = spending.hour === hour ? spending.quantity : 0n
  return { hour, quantity: before + (feeMax ?? Money.zero) }
}

/** What is spent once this transaction takes its slot, which an earlier version of it had, or nothing. */
export const afterPlacing = (spending: Spending, placed: Cost, replaced: Cost | null): Spending => {
  const { hour, quantity } = after(spending, placed)
  const counted = replaced?.feeMax ?? Money.zero
  const covered = counted < (placed.feeMax ?? Money.zero) ? counted : (placed.feeMax ?? Money.zero)
  return { hour, quantity: quantity - covered }
}
