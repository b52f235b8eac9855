/**
 * Wallet apps for phones, and the link with which each opens a page in its own browser, where it can pay.
 *
 * Only links that the wallet's maker documents are here. A phone without the app shows the maker's website instead, so
 * that website learns the payment link.
 *
 * @module
 */

export interface WalletApp {
  readonly name: string
  /** Behind the first letter of its name, in white. We copy no logos. */
  readonly color: string
  /** The link that opens a page in the app. */
  readonly open: (page: string) => string
}

const encode = encodeURIComponent

export const all: ReadonlyArray<WalletApp> = [
  {
    // docs.metamask.io, "Use deeplinks": the page's URL without its scheme, as it is.
    name: "MetaMask",
    color: "#c0530b",
    open: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//u, "")}`,
  },
  {
    // developer.trustwallet.com, "Deep Linking": 60 is Ethereum's coin type (SLIP-44).
    name: "Trust Wallet",
    color: "#0b5fd9",
    open: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encode(page)}`,
  },
  {
    // docs.cdp.coinbase.com, "Mobile dapp integration".
    name: "Coinbase Wallet",
    color: "#1450e0",
    open: (page) => `https://go.cb-w.com/dapp?cb_url=${encode(page)}`,
  },
  {
    // docs.phantom.com, "Browse". `ref` is the page that asks.
    name: "Phantom",
    color: "#6b52c8",
    open: (page) =>
      `https://phantom.app/ul/browse/${encode(page)}?ref=${encode(new URL(page).origin)}`,
  },
  {
    // web3.okx.com, "App Universal Link".
    name: "OKX Wallet",
    color: "#26292c",
    open: (page) =>
      `https://web3.okx.com/download?deeplink=${encode(`okx://wallet/dapp/url?dappUrl=${encode(page)}`)}`,
  },
]
