/**
 * The cookie that holds the key of a session. No script can read it, and a browser sends it only to the address that set
 * it, and only for pages of that site.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Exchange from "../http/Exchange.ts"
import * as Mount from "../http/Mount.ts"

export interface SessionCookie {
  /** The key of the session; undefined if there is none, or more than one. */
  readonly read: (header: Exchange.Incoming["header"]) => string | undefined
  /** The `Set-Cookie` of a session that lasts so many seconds. */
  readonly set: (key: string, lastsInS: number) => string
  readonly clear: string
}

/** The sides of the interface that a browser can be signed in to. */
export type Face = Exclude<ApiKey.Face, "gateway">

/**
 * The cookie of one side of the service at its URL. A browser does not separate the ports of a host, so each side has a
 * cookie of its own. With HTTPS, its prefix binds it to this host, or at least to HTTPS.
 */
export const make = (face: Face, url: string): SessionCookie => {
  const path = Mount.pathOf(url) || "/"
  const isSecure = url.startsWith("https:")
  const prefix = isSecure ? (path === "/" ? "__Host-" : "__Secure-") : ""
  const name = `${prefix}florin-${face}`
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`
  return {
    read: (header) => {
      const values = (header("cookie") ?? "").split(";").flatMap((pair) => {
        const [key = "", ...rest] = pair.trim().split("=")
        return key === name ? [rest.join("=")] : []
      })
      // Another site of the same domain may have added one, so none of several is believed.
      return values.length === 1 && values[0] !== "" ? values[0] : undefined
    },
    set: (key, lastsInS) => `${name}=${key}; Max-Age=${lastsInS}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  }
}
