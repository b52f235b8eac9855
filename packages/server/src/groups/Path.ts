/**
 * What the path of a call names.
 *
 * @module
 */
import * as PaymentId from "@florin/core/domain/PaymentId"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Result from "effect/Result"
import type * as Operation from "../Operation.ts"

/** A payment by its id. What is no id is the id of no payment. */
export const readPaymentId = (text: string): Result.Result<PaymentId.PaymentId, NotFound> =>
  Result.mapError(PaymentId.parse(text), () => NotFound.of("payment"))

export const paymentId = (call: Operation.Call): Result.Result<PaymentId.PaymentId, NotFound> =>
  readPaymentId(call.param("id"))
