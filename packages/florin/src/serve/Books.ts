/**
 * What is wrong with the books, and what to do.
 *
 * @module
 */
import type * as Reconciler from "@florin/core/workers/Reconciler"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.ts"

interface Counts {
  readonly differences: number
  readonly unserved: number
  /** Ledger accounts on the wrong side of zero. */
  readonly unsound: number
}

/** What is wrong, and what to do; undefined if the books agree. */
export const failureOf = ({ differences, unserved, unsound }: Counts): string | undefined => {
  if (differences + unsound > 0) {
    const wrong = [
      ...(differences > 0
        ? [`ledger and chain differ on ${differences} ${differences === 1 ? "line" : "lines"}`]
        : []),
      ...(unsound > 0
        ? [`${unsound} ledger ${unsound === 1 ? "account is" : "accounts are"} overdrawn`]
        : []),
    ]
    return (
      `${wrong.join(", and ")}: ` +
      "pending transfers make them differ for seconds, so run the command again; if they still differ, check the transfers of those accounts"
    )
  }
  if (unserved === 0) return undefined
  const which = unserved === 1 ? "1 balance is" : `${unserved} balances are`
  return `${which} on a chain that is not served, and not compared: configure a node of the chain`
}

/** Fails if anything is not as it should be. */
export const judge = ({ differences, unserved, unsound }: Reconciler.Report) => {
  const failure = failureOf({
    differences: differences.length,
    unserved: unserved.length,
    unsound: unsound.length,
  })
  return failure === undefined ? Effect.void : Effect.fail(Failure.make(failure))
}
