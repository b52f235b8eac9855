/**
 * The individual calls of a payer's wallet. `pay` makes them in the right order.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import type * as Payment from "@florin/api/wire/Payment"
import * as Connection from "./Connection.ts"

interface Polling extends Connection.Stop {
  /** Lets the service hold the call until something changes, for 25 seconds at most. */
  readonly maxPollMs?: number
}

export interface Wallet {
  /** The payment as a payer sees it. */
  readonly get: (paymentId: string, stop?: Connection.Stop) => Promise<Payment.Info>
  /** The options of these accounts. `options` is null when the payment accepts none any more. */
  readonly options: (
    paymentId: string,
    request: Option.OptionsRequest,
    how?: Connection.Stop & {
      readonly includePaymentInfo?: boolean
      /** Whether each option also has the account's balance and the network fee. */
      readonly includeCosts?: boolean | undefined
    },
  ) => Promise<Payment.OptionsResponse>
  /** Resolves a build action into steps to execute in order. */
  readonly fetch: (
    paymentId: string,
    request: Option.FetchRequest,
    stop?: Connection.Stop,
  ) => Promise<Option.FetchResponse>
  /** Submits signatures and transaction hashes. Repeating the same confirm is safe: it counts once. */
  readonly confirm: (
    paymentId: string,
    request: Option.ConfirmRequest,
    how?: Polling,
  ) => Promise<Payment.ConfirmResponse>
  readonly status: (paymentId: string, how?: Polling) => Promise<Payment.StatusResponse>
  /** Cancels the payment for the payer. */
  readonly cancel: (paymentId: string, stop?: Connection.Stop) => Promise<Payment.Cancelled>
}

/**
 * @example
 * const wallet = makeWallet({ baseUrl: "https://api.florin.example", apiKey })
 * const { status } = await wallet.status("pay_01JC8QZJ3V7T", { maxPollMs: 20_000 })
 */
export const makeWallet = (connection: Connection.Options): Wallet => {
  const call = Connection.make(connection)
  const path = (paymentId: string, rest = "") =>
    `/v1/gateway/payment/${encodeURIComponent(paymentId)}${rest}`
  return {
    get: (paymentId, { signal } = {}) =>
      call<Payment.Info>({
        method: "GET",
        path: path(paymentId),
        signal,
        responseMembers: ["amount", "merchant", "status"],
      }),
    options: (paymentId, body, { includeCosts, includePaymentInfo, signal } = {}) =>
      call<Payment.OptionsResponse>({
        method: "POST",
        path: path(paymentId, "/options"),
        query: { includePaymentInfo, includeCosts },
        body,
        signal,
        responseMembers: ["options"],
      }),
    fetch: (paymentId, body, { signal } = {}) =>
      call<Option.FetchResponse>({
        method: "POST",
        path: path(paymentId, "/fetch"),
        body,
        signal,
        responseMembers: ["actions"],
      }),
    confirm: (paymentId, body, { maxPollMs, signal } = {}) =>
      call<Payment.ConfirmResponse>({
        method: "POST",
        path: path(paymentId, "/confirm"),
        query: { maxPollMs },
        body,
        signal,
        responseMembers: ["status", "isFinal"],
      }),
    status: (paymentId, { maxPollMs, signal } = {}) =>
      call<Payment.StatusResponse>({
        method: "GET",
        path: path(paymentId, "/status"),
        query: { maxPollMs },
        signal,
        responseMembers: ["status", "isFinal"],
      }),
    cancel: (paymentId, { signal } = {}) =>
      call<Payment.Cancelled>({
        method: "POST",
        path: path(paymentId, "/cancel"),
        body: {},
        signal,
        responseMembers: ["status"],
      }),
  }
}
