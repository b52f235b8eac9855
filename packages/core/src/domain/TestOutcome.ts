/**
 * How a test payment is to end, as its creator asks for it in the payment's metadata: the one table of outcomes and of
 * what each changes.
 *
 * The metadata is stored with the payment, so every process sees the same. A live payment has no test outcome: whatever
 * its metadata says, it gets {@link none}.
 *
 * @module
 */
import * as Invalid from "./Invalid.ts"
import type * as Outflow from "./Outflow.ts"
import type * as Payment from "./Payment.ts"

/** The key of the metadata that names the outcome. */
export const key = "testOutcome"

/** What an outcome changes on a payment's way. What is not named goes its usual way. */
export interface Effects {
  /** The payment expires so long after it was created. */
  readonly lifeInS?: number
  /** Screening refuses every account that wants to pay. */
  readonly refusesAccounts?: true
  /** No account holds enough, so there are no options. */
  readonly offersNothing?: true
  /** Every option has expired when the wallet hands it in. */
  readonly expiresOptions?: true
  /** Screening refuses the payer who confirms. */
  readonly declines?: true
  /** Nothing is collected, and the payment fails. */
  readonly fails?: true
  /** The payment stays `processing` so long before anything is collected. */
  readonly collectsAfterInMs?: number
  /** The block with our transaction is replaced once. Only a local chain does this. */
  readonly isReorganised?: true
  /** Money that goes out for this purpose is held for the operator. */
  readonly holds?: Extract<Outflow.Purpose["_tag"], "Settle" | "Refund">
}

export const names = [
  "declined",
  "sanctioned",
  "insufficient_funds",
  "option_expired",
  "failed",
  "expired",
  "slow",
  "reorganised",
  "payout_held",
  "refund_held",
] as const
export type Name = (typeof names)[number]

export const table: { readonly [N in Name]: Effects } = {
  declined: { declines: true },
  sanctioned: { refusesAccounts: true },
  insufficient_funds: { offersNothing: true },
  option_expired: { expiresOptions: true },
  failed: { fails: true },
  expired: { lifeInS: 10 },
  slow: { collectsAfterInMs: 30_000 },
  reorganised: { isReorganised: true },
  payout_held: { holds: "Settle" },
  refund_held: { holds: "Refund" },
}

const none: Effects = {}

const isName = (text: string): text is Name => Object.hasOwn(table, text)

const asked = (metadata: Payment.Payment["metadata"]): string | undefined =>
  Object.hasOwn(metadata, key) ? metadata[key] : undefined

/** What was asked for a payment; nothing for a live one. */
export const of = ({ metadata, mode }: Pick<Payment.Payment, "metadata" | "mode">): Effects => {
  const name = mode === "test" ? asked(metadata) : undefined
  return name !== undefined && isName(name) ? table[name] : none
}

/** What is wrong with the outcome that a new payment asks for: a misspelt one would end as usual, unnoticed. */
export const issues = ({
  metadata,
  mode,
}: Pick<Payment.Payment, "metadata" | "mode">): ReadonlyArray<Invalid.Issue> => {
  const name = mode === "test" ? asked(metadata) : undefined
  return name === undefined || isName(name)
    ? []
    : [Invalid.issue("metadata", `${key} must be one of ${names.join(", ")}`)]
}

/** Why something went wrong that was to go wrong. */
export const reason = "the payment asked for this test outcome"
