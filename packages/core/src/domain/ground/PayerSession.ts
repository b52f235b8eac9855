/**
 * Identifies the client that asked for a payment's options: a random name that the option ids and the form's URL of one
 * response share.
 *
 * Anybody with a payment's link may ask for options and fill in the form, for any account. So the form's data counts
 * only for a confirm of the session for which the form was opened.
 *
 * @module
 */
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as PaymentId from "./PaymentId.ts"
import * as Seal from "./Seal.ts"

export type PayerSession = Brand.Branded<string, "PayerSession">
const brand = Brand.nominal<PayerSession>()

/**
 * 72 bits: they cannot be guessed within the life of a payment. A multiple of 3, so that its text has no partial byte.
 */
export const byteCount = 9

export const PayerSession = Schema.String.check(Schema.isPattern(/^[-\w]{12}$/u)).pipe(
  Schema.fromBrand("PayerSession", brand),
)

export const ofBytes = (bytes: Uint8Array): PayerSession =>
  brand(Base64Url.encode(bytes.subarray(0, byteCount)))

export const bytes = (session: PayerSession): Uint8Array =>
  Result.getOrElse(Base64Url.decode(session), () => new Uint8Array(byteCount))

/** The session in the address of a form, valid for one payment. */
export const seal = (
  session: PayerSession,
  paymentId: PaymentId.PaymentId,
  keys: Seal.SealKeys,
): string => Seal.seal(keys, "session", concatBytes(bytes(session), utf8ToBytes(paymentId)))

/** Reads what {@link seal} wrote for the same payment; null for anything else. */
export const open = (
  text: string,
  paymentId: PaymentId.PaymentId,
  keys: Seal.SealKeys,
): PayerSession | null => {
  const opened = Seal.open(keys, "session", text)
  if (Result.isFailure(opened)) return null
  const of = String.fromCharCode(...opened.success.subarray(byteCount))
  return of === paymentId ? ofBytes(opened.success) : null
}
