/**
 * What this tab paid with: kept, so that a reload still shows it while the network confirms the payment.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import * as TabStore from "./TabStore.ts"

const keyOf = (paymentId: string) => `florin-accepted-${paymentId}`

/** Only this page writes the store, so this checks no more. */
const isAmount = (value: unknown): value is Amount.Amount =>
  typeof value === "object" && value !== null && "unit" in value && "display" in value

export const load = (store: TabStore.Store, paymentId: string): Amount.Amount | undefined => {
  const value = TabStore.read(store, keyOf(paymentId))
  return isAmount(value) ? value : undefined
}

export const save = (store: TabStore.Store, paymentId: string, amount: Amount.Amount): void =>
  store.setItem(keyOf(paymentId), JSON.stringify(amount))

export const remove = (store: TabStore.Store, paymentId: string): void =>
  store.removeItem(keyOf(paymentId))
