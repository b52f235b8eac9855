/**
 * The transfers that the wallet sent for a payment from this tab. They stay after the payment is over: a payer who sent
 * money always sees that, whatever the payment's end was.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import * as TabStore from "./TabStore.ts"

export interface Transfer {
  readonly walletId: string
  /** CAIP-10. */
  readonly account: string
  readonly hash: string
  readonly amount?: Amount.Amount
  /**
   * `signed` once the wallet has signed that the transfer was the payer's, `known` once the service has received that.
   */
  readonly stage: "sent" | "signed" | "known"
}

const isList = (value: unknown): value is ReadonlyArray<Transfer> => Array.isArray(value)

const stored = TabStore.ofPayment("sent", isList)

/** The transfers in the order in which they were sent. */
export const load = (store: TabStore.Store, paymentId: string): ReadonlyArray<Transfer> =>
  stored.load(store, paymentId) ?? []

/** Stores a transfer, or updates it. */
export const note = (store: TabStore.Store, paymentId: string, transfer: Transfer): void => {
  const all = load(store, paymentId)
  const index = all.findIndex(({ hash }) => hash === transfer.hash)
  const latest = { ...all[index], ...transfer }
  stored.save(
    store,
    paymentId,
    index === -1 ? [...all, latest] : all.map((each, at) => (at === index ? latest : each)),
  )
}

/**
 * Records that the service has received the transfer. Its response does not say whether it accepted the wallet's
 * signature.
 */
export const markKnown = (store: TabStore.Store, paymentId: string, hash: string): void => {
  const transfer = load(store, paymentId).find((each) => each.hash === hash)
  if (transfer !== undefined) note(store, paymentId, { ...transfer, stage: "known" })
}
