/**
 * The individual calls of a payer's wallet. `pay` makes them in the right order.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import type * as Payment from "@florin/api/wire/Payment"
import * as Connection from "./Connection.ts"

const make = (connection: Connection.Options) => {
  const call = Connection.make(connection)
  const get = Connection.via(call, "GET")
  const post = Connection.via(call, "POST")
  const at = (paymentId: string, rest = "") =>
    `/v1/gateway/payment/${encodeURIComponent(paymentId)}${rest}`
  return {
    /** The payment as a payer sees it. */
    get: (paymentId: string, stop: Connection.Stop = {}) =>
      get<Payment.Info>(at(paymentId), ["amount", "merchant", "status"], stop),
    /** The options of these accounts. `options` is null when the payment accepts none any more. */
    options: (
      paymentId: string,
      request: Option.OptionsRequest,
      how: Connection.Stop & {
        readonly includePaymentInfo?: boolean
        /** Whether each option also has the account's balance and the network fee. */
        readonly includeCosts?: boolean | undefined
      } = {},
    ) =>
      post<Payment.OptionsResponse>(at(paymentId, "/options"), ["options"], {
        query: { includePaymentInfo: how.includePaymentInfo, includeCosts: how.includeCosts },
        body: request,
        signal: how.signal,
      }),
    /** Resolves a build action into steps to execute in order. */
    fetch: (paymentId: string, request: Option.FetchRequest, stop: Connection.Stop = {}) =>
      post<Option.FetchResponse>(at(paymentId, "/fetch"), ["actions"], { ...stop, body: request }),
    /** Submits signatures and transaction hashes. Repeating the same confirm is safe: it counts once. */
    confirm: (paymentId: string, request: Option.ConfirmRequest, how: Connection.Polling = {}) =>
      post<Payment.ConfirmResponse>(at(paymentId, "/confirm"), ["status", "isFinal"], {
        query: { maxPollMs: how.maxPollMs },
        body: request,
        signal: how.signal,
      }),
    status: (paymentId: string, how: Connection.Polling = {}) =>
      get<Payment.StatusResponse>(at(paymentId, "/status"), ["status", "isFinal"], {
        query: { maxPollMs: how.maxPollMs },
        signal: how.signal,
      }),
    /** Cancels the payment for the payer. */
    cancel: (paymentId: string, stop: Connection.Stop = {}) =>
      post<Payment.Cancelled>(at(paymentId, "/cancel"), ["status"], { ...stop, body: {} }),
  }
}

/** The calls of a payer's wallet. */
export interface Wallet extends ReturnType<typeof make> {}

/**
 * @example
 * const wallet = makeWallet({ baseUrl: "https://api.florin.example", apiKey })
 * const { status } = await wallet.status("pay_01JC8QZJ3V7T", { maxPollMs: 20_000 })
 */
export const makeWallet: (connection: Connection.Options) => Wallet = make
