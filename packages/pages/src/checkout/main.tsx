/**
 * Starts the checkout page in a browser.
 *
 * @module
 */
import { callsPath } from "@florin/api/wire/HostedPage"
import { render } from "preact"
import * as CheckoutMessages from "../messages/CheckoutMessages.ts"
import * as Languages from "../messages/Languages.ts"
import { directionOf } from "../messages/Messages.ts"
import * as Translation from "../messages/Translation.ts"
import * as Page from "../shared/Page.ts"
import * as Brand from "./Brand.ts"
import { Checkout } from "./Checkout.tsx"
import * as Frame from "./Frame.ts"
import * as ServerClock from "./ServerClock.ts"

const page = Page.read("checkout")
// Before anything is awaited: the page around this one makes contact as soon as this document has loaded.
const frame = page.page === "absent" ? undefined : Frame.make(window, page.frameOrigins)
if (frame !== undefined) document.documentElement.dataset["embed"] = frame.mode

const wishes = Translation.preferredTags(location.search, navigator.languages)
const catalogue = await Languages.load("checkout", CheckoutMessages.english, wishes)
document.documentElement.lang = catalogue.language
document.documentElement.dir = directionOf(catalogue.language)

/** When the server wrote the document, on the clock of `performance`, which the user cannot change. */
const writtenAt = () => {
  const [navigation] = performance.getEntriesByType("navigation")
  return navigation instanceof PerformanceNavigationTiming ? navigation.responseStart : 0
}

const root = document.querySelector("#page")
if (root !== null && page.page !== "absent") {
  root.replaceChildren()
  const messages = catalogue.texts
  const { origin } = location
  Brand.apply(page.info.merchant.brandColor, document.documentElement)
  const now = ServerClock.make(
    { writtenAt: page.now, since: writtenAt() },
    () => performance.now(),
    () => Date.now(),
  )
  render(
    <Checkout
      view={{
        page,
        messages,
        language: catalogue.language,
        locale: Translation.localeOf(catalogue.language, wishes),
        origin,
        now,
        frame,
      }}
      connection={{
        baseUrl: `${origin}${callsPath}`,
        apiKey: { pageToken: page.pageToken },
      }}
    />,
    root,
  )
}
