/**
 * What the builder of hosted pages, the server and the pages agree on: the files, and what the server hands to a page
 * with the document itself, so that its first paint needs no second request.
 *
 * The latter travels as JSON in the `content` of `<meta name="florin-page">`, and holds nothing that the payment link does not
 * give to anybody who has it.
 *
 * @module
 */
import type * as Mode from "@florin/core/domain/Mode"
import type * as Amount from "./Amount.ts"
import type * as Option from "./Option.ts"
import type * as Payment from "./Payment.ts"

/** A file under a name that changes with its content, in the encodings that browsers take. */
export interface SiteFile {
  readonly contentType: string
  readonly body: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

/** The pages as they were built. */
export interface Site {
  /** HTML that holds `<meta name="florin-page" content="" />` once. */
  readonly checkout: string
  /** The same for the form that collects the payer's data. */
  readonly collect: string
  /** By their whole path, such as `/pages/assets/checkout-3F9AB2C1.js`. */
  readonly files: ReadonlyMap<string, SiteFile>
}

/** What an operator decides about the hosted pages, and the pages themselves. */
export interface Pages {
  readonly site: Site
  /** What a payer accepts before giving data. */
  readonly termsUrl: string
  readonly privacyUrl: string
  /** Origins whose pages may frame ours, such as `https://wallet.example`; none if this is left out. */
  readonly frameAncestors?: ReadonlyArray<string>
  /** Lets merchants' logos be fetched from private addresses: for a network of your own only. */
  readonly allowPrivateLogos?: boolean
  /** By CAIP-2 chain, what a transaction's hash is appended to, in place of the network's own explorer. */
  readonly explorers?: { readonly [chain: string]: string }
}

/** What a page calls with: for one payment, and for the collect page its accounts. */
interface Scoped {
  /** Sent as `Page-Token` to the operations under {@link callsPath}, in place of a key. */
  readonly pageToken: string
  readonly paymentId: string
  /** A page of a test payment says so. */
  readonly mode: Mode.Mode
}

/** Under this path of its own origin a page finds the gateway's operations: `/pages/v1/gateway/payment/…`. */
export const callsPath = "/pages"

/** Where the collect page posts `{"fields": [{"id": …, "value": …}]}`. */
export const collectedPath = "/pages/collected"

/** Under this path and a payment's id is the logo of its merchant: a page asks nobody else for it. */
export const logosPath = "/pages/logos"

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
