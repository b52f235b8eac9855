/**
 * The checkout in a frame of a shop's page: it reports to that page, and asks nothing of it.
 *
 * The page must be the parent of this window, on an origin that may frame the checkout. Each message is sent to that
 * exact origin. See `@florin/embed/Protocol` for the messages.
 *
 * @module
 */
import * as Protocol from "@florin/embed/Protocol"

/** Shown above the shop's page, or in it. */
type Mode = "modal" | "inline"

export interface Frame {
  readonly mode: Mode
  /** Sends a report now or, before the shop's page has made contact, then. */
  readonly report: (report: Protocol.Report) => void
  /** Calls the function when the shop's page asks to close the checkout. */
  readonly onCloseAsked: (asked: () => void) => void
}

/** Of the browser's `window`, what a frame needs. */
export interface Inside {
  readonly location: { readonly search: string }
  readonly self: unknown
  readonly parent: { readonly postMessage: (message: unknown, targetOrigin: string) => void }
  readonly addEventListener: (
    type: "message",
    listener: (event: Pick<MessageEvent<unknown>, "data" | "origin" | "source">) => void,
  ) => void
}

/** Whether an entry of the list covers an origin: the origin itself, or one with `*` as its subdomain or port. */
const covers = (source: string, origin: string): boolean => {
  const [, scheme, wildcard, host, port] =
    /^(https?:\/\/)(\*\.)?([\w.-]+|\[[\d:a-f]+\])(:\d+|:\*)?\/?$/u.exec(source.toLowerCase()) ?? []
  // Browsers print no port that is the scheme's own.
  const ported = port === (scheme === "https://" ? ":443" : ":80") ? undefined : port
  const [, ownScheme, ownHost = "", ownPort] = /^(https?:\/\/)([^/]+?)(:\d+)?$/u.exec(origin) ?? []
  return (
    scheme !== undefined &&
    scheme === ownScheme &&
    (wildcard === undefined ? ownHost === host : ownHost.endsWith(`.${host}`)) &&
    (ported === ":*" || ported === ownPort)
  )
}

const modeOf = (search: string): Mode | undefined => {
  const mode = new URLSearchParams(search).get("embed")
  return mode === "modal" || mode === "inline" ? mode : undefined
}

/** Undefined if the page is not in a frame, or in one of a page that uses other means to show it. */
export const make = (inside: Inside, origins: ReadonlyArray<string> = []): Frame | undefined => {
  const { parent } = inside
  const mode = modeOf(inside.location.search)
  if (mode === undefined || parent === inside.self) return undefined
  let to: string | undefined
  let closeAsked: () => void = () => undefined
  /** The newest report of each type, for a page that makes contact later. */
  const reported = new Map<Protocol.Report["type"], Protocol.Report>()
  const send = (report: Protocol.Report) => {
    if (to !== undefined) parent.postMessage(Protocol.seal(report), to)
  }
  inside.addEventListener("message", ({ data, origin, source }) => {
    if (source !== parent || !origins.some((each) => covers(each, origin))) return
    switch (Protocol.readRequest(data)) {
      case "hello":
        to = origin
        return reported.forEach(send)
      case "close":
        return closeAsked()
    }
  })
  return {
    mode,
    report: (report) => {
      if (report.type !== "close" && report.type !== "stay") reported.set(report.type, report)
      send(report)
    },
    onCloseAsked: (asked) => {
      closeAsked = asked
    },
  }
}
