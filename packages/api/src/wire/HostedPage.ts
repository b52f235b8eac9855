/**
 * What the server hands to a hosted page with the document itself, so that its first paint needs no second request.
 *
 * It travels as JSON in the `content` of `<meta name="florin-page">`, and holds nothing that the payment link does not
 * give to anybody who has it.
 *
 * @module
 */
import type * as Amount from "./Amount.ts"
import type * as Option from "./Option.ts"
import type * as Payment from "./Payment.ts"

/** What a page calls with: for one payment, and for the collect page its accounts. */
interface Scoped {
  /** Sent as `Page-Token` to the operations under {@link callsPath}, in place of a key. */
  readonly pageToken: string
  readonly paymentId: string
}

/** Under this path of its own origin a page finds the gateway's operations: `/pages/v1/gateway/payment/…`. */
export const callsPath = "/pages"

/** Where the collect page posts `{"fields": [{"id": …, "value": …}]}`. */
export const collectedPath = "/pages/collected"

export interface Checkout extends Scoped {
  readonly page: "checkout"
  /** The payment link, as in the QR code. */
  readonly link: string
  /** The server's clock in epoch milliseconds: the countdown runs by it. */
  readonly now: number
  readonly info: Payment.Info
  readonly status: Payment.StatusAnswer
  readonly referenceId: string
  /** Where the payer is sent afterwards. */
  readonly returnTo: { readonly successUrl: string; readonly errorUrl: string } | null
  /** What it costs in each token that is taken. */
  readonly accepted: ReadonlyArray<Amount.Amount>
  /** By CAIP-2 chain, what a transaction's hash is appended to; a chain without is not looked at in an explorer. */
  readonly explorers: { readonly [chain: string]: string }
  readonly termsUrl: string
  readonly privacyUrl: string
}

export interface Collect extends Scoped {
  readonly page: "collect"
  readonly merchantName: string
  /** What is asked for; null where it was given already. */
  readonly collectData: Pick<Option.CollectData, "fields" | "schema"> | null
  /** Why nothing can be given any more, or null while it can. */
  readonly closed: Payment.StatusAnswer["status"] | null
  readonly termsUrl: string
  readonly privacyUrl: string
}

/** There is no such payment. */
export interface Absent {
  readonly page: "absent"
}

export type HostedPage = Absent | Checkout | Collect
