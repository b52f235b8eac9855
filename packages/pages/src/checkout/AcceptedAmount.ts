/**
 * What this tab paid with: kept, so that a reload still shows it while the network confirms the payment.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import * as TabStore from "./TabStore.ts"

const isAmount = (value: unknown): value is Amount.Amount =>
  typeof value === "object" && value !== null && "unit" in value && "display" in value

export const { load, remove, save } = TabStore.ofPayment("accepted", isAmount)
