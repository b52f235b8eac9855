/**
 * The operator's own tokens on the collecting accounts: refunds of money that was already settled are paid from them.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../domain/Caip.ts"
import type * as Idempotency from "../domain/Idempotency.ts"
import * as Ledger from "../domain/Ledger.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Money from "../domain/Money.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"

/** Tokens that the operator moved on chain, and now writes down. */
export interface Moved {
  /** The transaction's hash, or whatever else stands for this movement alone: it is written once. */
  readonly key: Idempotency.IdempotencyKey
  readonly token: Caip.Token
  readonly collecting: Caip.Address
  readonly quantity: Money.Quantity
}

/** Writes down what the operator put on a collecting account. */
export const put = Effect.fn("Float.put")(function* (mode: Mode.Mode, { key, ...moved }: Moved) {
  yield* (yield* LedgerStore).post(mode, key, Ledger.funded(moved))
})

/** Writes down what the operator took from a collecting account: float, or fees. */
export const take = Effect.fn("Float.take")(function* (mode: Mode.Mode, { key, ...moved }: Moved) {
  yield* (yield* LedgerStore).post(mode, key, Ledger.withdrawn(moved))
})
