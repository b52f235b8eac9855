/**
 * A checkout in a frame, and the messages between it and this page.
 *
 * @module
 */
import * as Protocol from "./Protocol.ts"

export interface Listener {
  readonly onReport: (report: Protocol.Report) => void
  /** Called once if no checkout responds: its host refuses to be framed here, or cannot be reached. */
  readonly onFailed: () => void
}

export interface Conversation {
  /** Asks the checkout whether it may be closed. */
  readonly requestClose: () => void
  readonly end: () => void
}

/** How long the document may load, and how long the checkout may then take to respond: a telephone may be busy. */
const loadWithinInMs = 20_000
const respondWithinInMs = 5_000

export const start = (
  frame: HTMLIFrameElement,
  origin: string,
  { onFailed, onReport }: Listener,
): Conversation => {
  let isReady = false
  let waiting = setTimeout(onFailed, loadWithinInMs)
  let closing: ReturnType<typeof setTimeout> | undefined
  const send = (type: Protocol.Request) =>
    frame.contentWindow?.postMessage(Protocol.seal({ type }), origin)
  const listen = ({ data, origin: from, source }: MessageEvent<unknown>) => {
    if (from !== origin || source === null || source !== frame.contentWindow) return
    const report = Protocol.readReport(data)
    if (report === undefined) return
    clearTimeout(closing)
    closing = undefined
    clearTimeout(waiting)
    isReady = true
    onReport(report)
  }
  // The checkout listens before its document has loaded. It loads again if the payer reloads it.
  const greet = () => {
    if (!isReady) {
      clearTimeout(waiting)
      waiting = setTimeout(onFailed, respondWithinInMs)
    }
    send("hello")
  }
  const close = () => onReport({ type: "close" })
  addEventListener("message", listen)
  frame.addEventListener("load", greet)
  return {
    requestClose: () => {
      if (!isReady) return close()
      // A checkout that has crashed must not keep the payer, who may ask more than once.
      closing ??= setTimeout(close, respondWithinInMs)
      send("close")
    },
    end: () => {
      clearTimeout(waiting)
      clearTimeout(closing)
      removeEventListener("message", listen)
      frame.removeEventListener("load", greet)
    },
  }
}
