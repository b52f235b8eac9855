/**
 * How a test payment ends, as its creator requests it in the payment's metadata.
 *
 * The metadata is stored with the payment, so every process sees the same. A live payment has no test outcome, no matter
 * its metadata.
 *
 * @module
 */
import * as Invalid from "../ground/Invalid.ts"
import type * as Payment from "./Payment.ts"

/** The key of the metadata that names the outcome. */
export const key = "testOutcome"

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

type Requested = Pick<Payment.Payment, "metadata" | "mode">

/** The requested outcome of a payment; none for a live one. */
export const of = ({ metadata, mode }: Requested): Name | undefined =>
  mode === "test" ? names.find((name) => name === metadata[key]) : undefined

/** The longest life that a new payment requests, and the error of a misspelt outcome, which would be ignored unnoticed. */
export const read = (payment: Requested) => {
  const name = of(payment)
  const isNamed = payment.mode === "test" && Object.hasOwn(payment.metadata, key)
  const issue = Invalid.issue("metadata", `${key} must be one of ${names.join(", ")}`)
  const issues = isNamed && name === undefined ? [issue] : []
  return { issues, lifeMaxInS: name === "expired" ? 10 : Infinity }
}
