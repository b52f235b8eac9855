/**
 * Sums of the ledger, which may be below zero, as people and programs read them.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import type * as Family from "../chain/Family.ts"
import * as Money from "../ground/Money.ts"
import * as Amount from "./Amount.ts"

const amountOf = (token: Caip.Token, quantity: bigint): Amount.Amount => ({
  unit: Amount.token(token),
  quantity: Money.clamp(quantity < 0n ? -quantity : quantity, Money.largest),
})

const signed = (quantity: bigint, text: string): string => (quantity < 0n ? `-${text}` : text)

/** `12.50 USDC` */
export const text = (token: Caip.Token, quantity: bigint, catalog: Catalog.Catalog): string =>
  signed(quantity, Amount.toText(amountOf(token, quantity), catalog))

/** As the interface has amounts, in the token's smallest unit. */
export const json = (token: Caip.Token, quantity: bigint, known: Family.Known) => ({
  unit: Amount.formatUnit(Amount.token(token), known),
  value: quantity.toString(),
})
