/**
 * The console: its document and its files. On the public port it is for partners and their shops, on the operator's
 * port for the operator. It has no calls of its own but signing in.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Effect from "effect/Effect"
import * as Doors from "../edge/Doors.ts"
import type * as SessionCookie from "../edge/SessionCookie.ts"
import type * as Exchange from "../http/Exchange.ts"
import * as Mount from "../http/Mount.ts"
import * as Page from "./Page.ts"
import * as Site from "./Site.ts"
import * as SiteFile from "./SiteFile.ts"

const headers = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}

/** A screen is a path of at most this many parts below the console, and all of them are the same document. */
const screens = ["", "/", "/:screen", "/:screen/:of", "/:screen/:of/:part"]

/** Makes the routes of the console on one port. */
export const make = (face: SessionCookie.Face, edge: Doors.Edge): ReadonlyArray<Page.Page> => {
  if (edge.console === null) return []
  const { document, files, isLocal, version } = edge.console
  const open = (): Exchange.Outgoing => {
    const basePath = Mount.pathOf(Doors.urlOf(edge, face) ?? "") + HostedPage.consolePath
    const data: HostedPage.ConsolePage = {
      page: "console",
      face,
      basePath,
      version,
      ...(face === "partner" && isLocal === true && { isLocal }),
    }
    // Its files are below the console, wherever the service is mounted.
    const here = document.replaceAll(`"${HostedPage.consolePath}/`, () => `"${basePath}/`)
    return Site.response(Site.fill(here, data), [], {}, headers)
  }
  return [
    ...screens.map((screen) => Page.make(HostedPage.consolePath + screen, () => Effect.sync(open))),
    ...Array.from(files, ([path, file]) => SiteFile.page(path, file)),
  ]
}
