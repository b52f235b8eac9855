/**
 * How people get in to the console: by a link, and then by a cookie, on each side of the service.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Passkey from "@florin/core/domain/partner/Passkey"
import type { EdgeSettings } from "./EdgeSettings.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as Signature from "./Signature.ts"

/** What the console needs to know of its service. */
export type Edge = Pick<EdgeSettings["Service"], "console" | "operatorUrl" | "publicUrl">

/** The address of one side of the service; null if it is not known. */
export const urlOf = ({ operatorUrl, publicUrl }: Edge, face: SessionCookie.Face): string | null =>
  face === "partner" ? publicUrl : operatorUrl()

/** How a person gets in to one side of the service. */
interface Door {
  readonly cookie: () => SessionCookie.SessionCookie
  /** The link that signs a person in. A browser sends no server what follows its `#`. Null if no console is there. */
  readonly link: (key: string) => string | null
  /** What passkeys are bound to; null if no host has a name that they can be bound to. */
  readonly site: () => Passkey.Site | null
}

export type Doors = { readonly [F in SessionCookie.Face]: Door }

export const make = (edge: Edge): Doors => {
  const door = (face: SessionCookie.Face): Door => ({
    cookie: () => SessionCookie.make(face, urlOf(edge, face) ?? "http://localhost"),
    link: (key) => {
      const url = urlOf(edge, face)
      return url === null || edge.console === null
        ? null
        : `${url}${HostedPage.consolePath}#sign-in=${key}`
    },
    site: () => {
      const url = urlOf(edge, face)
      if (url === null) return null
      const { hostname: host, origin } = new URL(url)
      return /^[\d.]+$|^\[/u.test(host)
        ? null
        : { host, origin, isSigned: Signature.isSigned, isUsable: Signature.isUsable }
    },
  })
  return { partner: door("partner"), operator: door("operator") }
}
