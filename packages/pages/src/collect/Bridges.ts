/**
 * How the page tells whoever shows it what came of it: a wallet's web view of any make, or a page around or behind it.
 *
 * @module
 */

/** What is told. `error` never holds what the payer typed: anybody may be listening. */
export type Message =
  | { readonly type: "IC_COMPLETE"; readonly success: true }
  | { readonly type: "IC_ERROR"; readonly error: string }

interface Port {
  readonly postMessage: (text: string) => void
}

interface OtherWindow {
  readonly postMessage: (text: string, origin: string) => void
}

/** What a browser's `window` may have of bridges. */
export interface Host {
  readonly ReactNativeWebView?: Port
  readonly webkit?: { readonly messageHandlers?: { readonly payDataCollectionComplete?: Port } }
  readonly AndroidWallet?: { readonly onDataCollectionComplete: (text: string) => void }
  /** The window itself where nothing is around it. */
  readonly parent: OtherWindow
  readonly opener: OtherWindow | null
}

/** Posts over every bridge that is there; one that breaks keeps the message from no other. */
export const post = (host: Host, message: Message): void => {
  const text = JSON.stringify(message)
  const bridges = [
    () => host.ReactNativeWebView?.postMessage(text),
    () => host.webkit?.messageHandlers?.payDataCollectionComplete?.postMessage(text),
    () => host.AndroidWallet?.onDataCollectionComplete(text),
    () => Object.is(host.parent, host) || host.parent.postMessage(text, "*"),
    () => host.opener?.postMessage(text, "*"),
  ]
  for (const bridge of bridges) {
    try {
      bridge()
    } catch {
      // A bridge that its wallet took away.
    }
  }
}
