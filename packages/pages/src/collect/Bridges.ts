/**
 * Reports the page's result to its host: the web view of any wallet, or a page around it or that opened it.
 *
 * @module
 */

/** The message to the host. `error` never contains what the payer typed, as anybody may be listening. */
export type Message =
  | { readonly type: "IC_COMPLETE"; readonly success: true }
  | { readonly type: "IC_ERROR"; readonly error: string }

interface Port {
  readonly postMessage: (text: string) => void
}

interface OtherWindow {
  readonly postMessage: (text: string, origin: string) => void
}

/** The bridges that a browser's `window` may have. */
export interface Host {
  readonly ReactNativeWebView?: Port
  readonly webkit?: { readonly messageHandlers?: { readonly payDataCollectionComplete?: Port } }
  readonly AndroidWallet?: { readonly onDataCollectionComplete: (text: string) => void }
  /** The window itself if there is no page around it. */
  readonly parent: OtherWindow
  readonly opener: OtherWindow | null
}

/** Posts the message over every available bridge. A bridge that fails does not stop the others. */
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
      // The wallet removed this bridge.
    }
  }
}
