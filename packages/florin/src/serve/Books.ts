/**
 * What is wrong with the books, and what to do.
 *
 * @module
 */
import type * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.ts"
import * as Printable from "../terminal/Printable.ts"

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
        ? [`ledger and chain differ on ${Printable.counted(differences, "line")}`]
        : []),
      ...(unsound > 0
        ? [`${Printable.counted(unsound, "ledger account is", "ledger accounts are")} overdrawn`]
        : []),
    ]
    return (
      `${wrong.join(", and ")}: ` +
      "pending transfers make them differ for seconds, so run the command again; if they still differ, check the transfers of those accounts"
    )
  }
  if (unserved === 0) return undefined
  return `${Printable.counted(unserved, "balance is", "balances are")} on a chain that is not served, and not compared: configure a node of the chain`
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
