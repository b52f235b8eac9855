/**
 * The token and the network with which a wallet paid last in this browser.
 *
 * @module
 */
import * as TabStore from "./TabStore.ts"

const store = TabStore.make(() => localStorage)
const keyOf = (walletId: string): string => `florin-last-${walletId}`

/** The unit of its amount. */
export const load = (walletId: string): string | undefined =>
  store.getItem(keyOf(walletId)) ?? undefined

export const save = (walletId: string, unit: string): void => store.setItem(keyOf(walletId), unit)
