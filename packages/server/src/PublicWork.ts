/**
 * How much work the holders of payment links may cause. A call of options may name a thousand accounts, and each of them
 * is asked for on every chain, so accounts are counted and not calls.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as EdgeSettings from "./EdgeSettings.ts"
import * as RateLimit from "./RateLimit.ts"

/** A call about so few accounts is a wallet's usual one, and is limited as a call alone. */
const freeAccounts = 10

/** What all callers of a process may ask together, as a multiple of what one may. */
const processShare = 20

/**
 * Makes what takes the accounts of a call about a payment: from what its caller may ask about this payment, from what the
 * address may ask about all, and from what the process does for everybody.
 */
export const make = (limit: EdgeSettings.RateLimit) => {
  const ofPayment = RateLimit.makeShared(limit)
  const ofAddress = RateLimit.make(limit)
  const ofProcess = RateLimit.make({
    burst: limit.burst * processShare,
    perSecond: limit.perSecond * processShare,
  })
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
