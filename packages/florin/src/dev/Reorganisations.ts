/**
 * The transactions that a local chain takes back once, by replacing their block: those of test payments that ask for
 * it.
 *
 * @module
 */
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import { LaneStore } from "@florin/core/ports/LaneStore"
import * as Effect from "effect/Effect"
import * as ChangedPayments from "./ChangedPayments.ts"

/** The hashes of transactions that are still to be taken back. */
export type Hashes = Set<string>

/** Signals that record a transaction when it is stored, which is before any chain has it. */
export const layer = (hashes: Hashes) =>
  ChangedPayments.layer((payment) => {
    const { state } = payment
    const isAsked = TestOutcome.of(payment).isReorganised === true
    if (!isAsked || state._tag !== "Processing" || state.slot === null) return Effect.void
    const { lane, nonce } = state.slot
    return Effect.flatMap(LaneStore, (lanes) => lanes.laneTransaction(lane, nonce)).pipe(
      Effect.map((transaction) => {
        if (transaction !== null) hashes.add(transaction.hash)
      }),
    )
  })
