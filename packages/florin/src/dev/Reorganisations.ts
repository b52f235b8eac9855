/**
 * The transactions that a local chain takes back once, by replacing their block: those of test payments that ask for
 * it.
 *
 * @module
 */
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import * as Relayer from "@florin/core/engine/Relayer"
import * as Effect from "effect/Effect"
import * as ChangedPayments from "./ChangedPayments.ts"

/** The hashes of transactions that are still to be taken back. */
export type Hashes = Set<string>

/** Signals that record a transaction when it is stored, which is before any chain has it. */
export const layer = (hashes: Hashes) =>
  ChangedPayments.layer((payment) => {
    const { state } = payment
    const isAsked = TestOutcome.of(payment) === "reorganised"
    if (!isAsked || state._tag !== "Processing" || state.slot === null) return Effect.void
    return Effect.map(Relayer.transactionAt(state.slot), ({ hash }) => {
      hashes.add(hash)
    })
  })
