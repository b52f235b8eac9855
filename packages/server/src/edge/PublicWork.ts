/**
 * Limits the work that callers with a payment link can cause. One call of options may name a thousand accounts, and
 * each of them is looked up on every chain, so the limit counts accounts and not calls.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as EdgeSettings from "./EdgeSettings.ts"
import * as RateLimit from "./RateLimit.ts"

/** A wallet usually names no more accounts than this. Such a call counts as one call only. */
const freeAccounts = 10

/** The limit of all callers of a process together, as a multiple of the limit of one. */
const processShare = 20

/**
 * Makes the function that adds the accounts of a call to three buckets: the caller's for this payment, the address's
 * for all payments, and that of the whole process.
 */
export const make = (limit: EdgeSettings.RateLimit) => {
  const ofPayment = RateLimit.makeShared(limit)
  const ofAddress = RateLimit.make(limit)
  const ofProcess = RateLimit.make(RateLimit.times(limit, processShare))
  return (
    paymentId: string,
    address: string | null,
    accounts: number,
  ): Effect.Effect<void, RateLimit.RateLimited> => {
    const quantity = accounts - freeAccounts
    return quantity <= 0
      ? Effect.void
      : ofPayment(paymentId, address, quantity).pipe(
          Effect.andThen(address === null ? Effect.void : ofAddress(address, quantity)),
          Effect.andThen(ofProcess("", quantity)),
        )
  }
}
