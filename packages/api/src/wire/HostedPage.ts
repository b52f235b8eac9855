/**
 * The agreement between the builder of hosted pages, the server and the pages: the files, and the data that the server
 * puts into a page's document, so that the first paint needs no second request.
 *
 * The data is JSON in the `content` of `<meta name="florin-page">`. It holds only what the payment link already gives
 * to anybody who has it.
 *
 * @module
 */
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as Amount from "./Amount.ts"
import type * as Option from "./Option.ts"
import type * as Payment from "./Payment.ts"

/** A file in the encodings that browsers accept. */
export interface SiteFile {
  readonly contentType: string
  readonly body: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

/** The languages of a reader without a script. */
export interface Reader {
  /** The query of the address: `lang` names a language. */
  readonly search: string
  /** The languages of the browser, best first. */
  readonly languages: ReadonlyArray<string>
}

/** The built pages. */
export interface Site {
  /** HTML that holds `<meta name="florin-page" content="" />` and `<noscript></noscript>` once each. */
  readonly checkout: string
  /** The document of {@link plainPath}. It runs no script. */
  readonly plain: (data: Checkout, reader: Reader) => Promise<string>
  /** A document that says that nothing is at an address. It runs no script. */
  readonly notFound: (reader: Reader) => Promise<string>
  /** A QR code as SVG. */
  readonly qrCode: (text: string) => string
  /** The same for the form that collects the payer's data. */
  readonly collect: string
  /**
   * The files by their whole path: those of the documents, such as `/pages/assets/checkout-3F9AB2C1.js`, whose names
   * change with their content, and the script of {@link embedPath}.
   */
  readonly files: ReadonlyMap<string, SiteFile>
}

/**
 * WalletConnect for the checkout, in a frame of its own: its code is not ours, so it runs apart from the page, and only
 * after the payer asked for it.
 */
export interface WalletConnect {
  /** HTML that holds `<meta name="florin-page" content="" />` once. */
  readonly document: string
  readonly files: Site["files"]
  /** The operator's project at the relay. It is public. */
  readonly projectId: string
  /** The only server that the frame may call: `wss://…`. */
  readonly relayUrl: string
  /** The name under which the payer's wallet lists the connection. */
  readonly name: string
}

/** The built console: for partners and their shops on the public port, and for the operator on its own. */
export interface Console {
  /** HTML that holds `<meta name="florin-page" content="" />` once. */
  readonly document: string
  readonly files: Site["files"]
  /** The release of the service, which the console shows. */
  readonly version: string
  /** Set on a developer's machine only: partners have a tab for trying things, and are signed in. See `Local.ts`. */
  readonly isLocal?: true
}

/** The path, under the service's address, of the console and of every screen in it. */
export const consolePath = "/console"

/** The data of the console's document. It says nothing about anybody: the session does. */
export interface ConsolePage {
  readonly page: "console"
  readonly face: "partner" | "operator"
  /** The path of the console: {@link consolePath}, or longer if the service is mounted below a path. */
  readonly basePath: string
  readonly version: string
  readonly isLocal?: true
}

/** The operator's settings of the hosted pages, and the pages themselves. */
export interface Pages {
  readonly site: Site
  /** `await WalletConnect.load(…)` of `@florin/walletconnect`; by default the checkout does not offer WalletConnect. */
  readonly walletConnect?: WalletConnect
  /** The terms that a payer accepts before giving data. */
  readonly termsUrl: string
  readonly privacyUrl: string
  /** Origins whose pages may frame ours, such as `https://wallet.example`; by default none. */
  readonly frameAncestors?: ReadonlyArray<string>
  /** Allows merchants' logos to be fetched from private addresses: only for a network of your own. */
  readonly allowPrivateLogos?: boolean
  /** By CAIP-2 chain, the URL prefix of a transaction's page, in place of the network's own explorer. */
  readonly explorers?: { readonly [chain: string]: string }
}

/** The token for a page's calls: it covers one payment and, for the collect page, its accounts. */
interface Scoped {
  /** Sent as `Page-Token` to the operations under {@link callsPath}, in place of a key. */
  readonly pageToken: string
  readonly paymentId: string
  /** The page of a test payment shows that it is a test. */
  readonly mode: Mode.Mode
}

/** The path on its own origin under which a page calls the gateway's operations: `/pages/v1/gateway/payment/…`. */
export const callsPath = "/pages"

/**
 * The path, under {@link callsPath}, of a payment's status as server-sent events: each holds a {@link Watched} as JSON.
 * A page that cannot stream polls the status instead.
 */
export const watchPath = "/v1/gateway/payment/:paymentId/watch"

/** How far the transaction that pays has got. */
export interface Progress {
  readonly chain: string
  readonly hash: string
  /** Blocks on top of the transaction until it is final; null while no block has it, or if the chain does not say. */
  readonly blocks: { readonly confirmed: number; readonly needed: number } | null
}

/** What the checkout page hears while it is open. */
export interface Watched {
  readonly status: Payment.StatusResponse
  /** Null while no transaction is known, and once the status is final. */
  readonly progress: Progress | null
}

/** The path to which the collect page posts `{"fields": [{"id": …, "value": …}]}`. */
export const collectedPath = "/pages/collected"

/** The path of the script with which a shop shows the checkout in its own page. It never changes. */
export const embedPath = "/pages/florin.js"

/** The path under which a payment's id leads to the logo of its merchant. A page loads the logo only from here. */
export const logosPath = "/pages/logos"

/** The path under which a payment's id leads to what the checkout shows, in a frame, to a browser that runs no script. */
export const plainPath = "/pages/plain"

/** The path under which a payment's id leads to the QR code of its link, for such a browser. */
export const qrCodesPath = "/pages/qr"

/** The path under which a payment's id leads to the frame in which WalletConnect runs. */
export const walletConnectPath = "/pages/walletconnect"

/** A refund as its payer sees it. */
export interface Refunded {
  readonly amount: Amount.Amount
  /** The account to which it goes, in CAIP-10. */
  readonly to: string
  /** The transaction that paid it; null until that is final. */
  readonly txId: string | null
}

export interface Checkout extends Scoped {
  readonly page: "checkout"
  /** The payment link, as in the QR code. */
  readonly link: string
  /** The server's clock in epoch milliseconds, which the countdown uses. */
  readonly now: number
  readonly info: Payment.Info
  readonly status: Payment.StatusResponse
  readonly referenceId: string
  /** What was refunded by the time the page was opened; null if nothing was. */
  readonly refunds: {
    readonly of: "part" | "whole"
    readonly each: ReadonlyArray<Refunded>
  } | null
  /** The URLs to which the payer is sent afterwards. */
  readonly returnTo: { readonly successUrl: string; readonly errorUrl: string } | null
  /** The price in each accepted token. */
  readonly accepted: ReadonlyArray<Amount.Amount>
  /** By CAIP-2 chain, the URL prefix of a transaction's page. A chain that is missing has no explorer link. */
  readonly explorers: { readonly [chain: string]: string }
  /** Whether the payer may connect a wallet through WalletConnect. */
  readonly walletConnect: boolean
  /** The origins whose pages may show the checkout in a frame, and that it talks to there. */
  readonly frameOrigins: ReadonlyArray<string>
  readonly termsUrl: string
  readonly privacyUrl: string
}

export interface Collect extends Scoped {
  readonly page: "collect"
  readonly merchantName: string
  /** The requested data; null if the payer has already given it. */
  readonly collectData: Pick<Option.CollectData, "fields" | "schema"> | null
  /** Why the form takes no more data, or null while it does. */
  readonly closed: Payment.StatusResponse["status"] | null
  readonly termsUrl: string
  readonly privacyUrl: string
}

/** The settings of the WalletConnect frame. They concern no payment. */
export interface WalletConnectFrame extends Pick<WalletConnect, "name" | "projectId" | "relayUrl"> {
  readonly page: "walletconnect"
}

/** A page that cannot read its data. */
export interface Absent {
  readonly page: "absent"
}

export type HostedPage = Absent | Checkout | Collect | ConsolePage | WalletConnectFrame
