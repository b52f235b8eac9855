/**
 * Reads the ids in the path of a call.
 *
 * @module
 */
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import { Settings } from "@florin/core/ports/Settings"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exchange from "../http/Exchange.ts"
import type * as Operation from "./Operation.ts"

/** Reads a payment's id. Text that is not an id is treated as the id of a payment that does not exist. */
export const readPaymentId = (text: string): Result.Result<PaymentId.PaymentId, NotFound> =>
  Result.mapError(PaymentId.parse(text), () => NotFound.of("payment"))

export const paymentId = (call: Operation.Call): Result.Result<PaymentId.PaymentId, NotFound> =>
  readPaymentId(call.param("id"))

/**
 * Every link and pairing URI contains a colon, unless it is encoded as a component. So the text is decoded at most once
 * more.
 */
const decoded = (text: string): string =>
  text.includes(":") || !text.includes("%") ? text : (Exchange.decoded(text) ?? text)

/** Reads a payment link of our host, or a pairing URI that carries one, with the strict parser. */
const readLink = (
  text: string,
  trust: PaymentLink.Trust,
): Result.Result<PaymentId.PaymentId, NotFound> => {
  const link = decoded(text)
  const parsed = link.includes(":") ? PaymentLink.parse(link, trust) : undefined
  return parsed !== undefined && Result.isSuccess(parsed) && "paymentId" in parsed.success
    ? Result.succeed(parsed.success.paymentId)
    : Result.fail(NotFound.of("payment"))
}

/**
 * The payment that a wallet's call names: by its id, or by a payment link that the wallet passes on without reading it.
 */
export const linkedPaymentId = (
  call: Operation.Call,
): Effect.Effect<PaymentId.PaymentId, NotFound, Settings> => {
  const text = call.param("id")
  const plain = readPaymentId(text)
  return Result.isSuccess(plain)
    ? Effect.succeed(plain.success)
    : Effect.flatMap(Settings, (settings) => Effect.fromResult(readLink(text, settings)))
}
