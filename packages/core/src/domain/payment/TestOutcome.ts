/**
 * How a test payment ends, as its creator requests it in the payment's metadata: the one table of outcomes and their
 * effects.
 *
 * The metadata is stored with the payment, so every process sees the same. A live payment has no test outcome: it gets
 * {@link none}, no matter its metadata.
 *
 * @module
 */
import * as Invalid from "../ground/Invalid.ts"
import type * as Outflow from "../outflow/Outflow.ts"
import type * as Payment from "./Payment.ts"

/** The key of the metadata that names the outcome. */
export const key = "testOutcome"

/** The effects of an outcome on a payment. Effects that are not set leave the payment unchanged. */
export interface Effects {
  /** The payment expires this long after it was created. */
  readonly lifeInS?: number
  /** Screening refuses every account that wants to pay. */
  readonly refusesAccounts?: true
  /** No account holds enough, so there are no options. */
  readonly offersNothing?: true
  /** Every option has expired when the wallet submits it. */
  readonly expiresOptions?: true
  /** Screening refuses the payer who confirms. */
  readonly declines?: true
  /** Nothing is collected, and the payment fails. */
  readonly fails?: true
  /** The payment stays `processing` this long before anything is collected. */
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

const requestedName = (metadata: Payment.Payment["metadata"]): string | undefined =>
  Object.hasOwn(metadata, key) ? metadata[key] : undefined

/** The requested effects for a payment; none for a live one. */
export const of = ({ metadata, mode }: Pick<Payment.Payment, "metadata" | "mode">): Effects => {
  const name = mode === "test" ? requestedName(metadata) : undefined
  return name !== undefined && isName(name) ? table[name] : none
}

/** The errors in the requested outcome of a new payment: a misspelt one would otherwise be ignored unnoticed. */
export const issues = ({
  metadata,
  mode,
}: Pick<Payment.Payment, "metadata" | "mode">): ReadonlyArray<Invalid.Issue> => {
  const name = mode === "test" ? requestedName(metadata) : undefined
  return name === undefined || isName(name)
    ? []
    : [Invalid.issue("metadata", `${key} must be one of ${names.join(", ")}`)]
}

/** The reason of a failure that the payment requested. */
export const reason = "the payment asked for this test outcome"
