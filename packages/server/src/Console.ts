/**
 * The console: its document, its files, and how a person gets in. On the public port it is for partners and their shops,
 * on the operator's port for the operator. It has no calls of its own but signing in.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Effect from "effect/Effect"
import type { EdgeSettings } from "./EdgeSettings.ts"
import type * as Exchange from "./Exchange.ts"
import * as Mount from "./Mount.ts"
import * as Page from "./Page.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as Site from "./Site.ts"
import * as SiteFile from "./SiteFile.ts"

/** What the console needs to know of its service. */
export type Edge = Pick<EdgeSettings["Service"], "console" | "operatorUrl" | "publicUrl">

const urlOf = ({ operatorUrl, publicUrl }: Edge, face: SessionCookie.Face): string | null =>
  face === "partner" ? publicUrl : operatorUrl

/** How a person gets in to one side of the service. */
export interface Door {
  readonly cookie: SessionCookie.SessionCookie
  /** The link that signs a person in. A browser sends no server what follows its `#`. Null if no console is there. */
  readonly link: (key: string) => string | null
}

export type Doors = { readonly [F in SessionCookie.Face]: Door }

export const doors = (edge: Edge): Doors => {
  const door = (face: SessionCookie.Face): Door => {
    const url = urlOf(edge, face)
    return {
      cookie: SessionCookie.make(face, url ?? "http://localhost"),
      link: (key) =>
        url === null || edge.console === null
          ? null
          : `${url}${HostedPage.consolePath}#sign-in=${key}`,
    }
  }
  return { partner: door("partner"), operator: door("operator") }
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": Site.policy({ "frame-ancestors": "'none'" }),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

/** A screen is a path of at most this many parts below the console, and all of them are the same document. */
const screens = ["", "/", "/:screen", "/:screen/:of", "/:screen/:of/:part"]

/** Makes the routes of the console on one port. */
export const make = (face: SessionCookie.Face, edge: Edge): ReadonlyArray<Page.Page> => {
  if (edge.console === null) return []
  const { document, files, version } = edge.console
  const data: HostedPage.ConsolePage = {
    page: "console",
    face,
    basePath: Mount.pathOf(urlOf(edge, face) ?? "") + HostedPage.consolePath,
    version,
  }
  const outgoing: Exchange.Outgoing = { status: 200, headers, body: Site.fill(document, data) }
  return [
    ...screens.map((screen) =>
      Page.make(HostedPage.consolePath + screen, () => Effect.succeed(outgoing)),
    ),
    ...Array.from(files, ([path, file]) => SiteFile.page(path, file)),
  ]
}
