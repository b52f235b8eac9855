/**
 * Starts the data-collection page. Its document loads only this file, which removes the prefill from the URL before it
 * loads the stylesheet.
 *
 * @module
 */
import { render } from "preact"
import * as CollectMessages from "../messages/CollectMessages.ts"
import * as Languages from "../messages/Languages.ts"
import { directionOf } from "../messages/Messages.ts"
import * as Translation from "../messages/Translation.ts"
import * as Page from "../shared/Page.ts"
import { Collect } from "./Collect.tsx"
import * as Prefill from "./Prefill.ts"

const taken = Prefill.take(location.href)
if (taken !== undefined) history.replaceState(null, "", taken.rest)

/**
 * Waits for the stylesheet, so that the page never shows without it. If the stylesheet fails to load, the form still
 * shows.
 */
const loadStyle = (): Promise<unknown> =>
  new Promise((resolve) => {
    const link = document.createElement("link")
    link.rel = "stylesheet"
    link.addEventListener("load", resolve)
    link.addEventListener("error", resolve)
    link.href = Page.metaContent("florin-style")
    document.head.append(link)
  })

const catalogue = await Languages.load(
  "collect",
  CollectMessages.english,
  Translation.preferredTags(location.search, navigator.languages),
)
document.documentElement.lang = catalogue.language
document.documentElement.dir = directionOf(catalogue.language)
document.title = catalogue.texts.title

await loadStyle()
const root = document.querySelector("#page")
if (root !== null) {
  // Inside a frame of the checkout, a screen reader announces it as a second main part, so it needs a label.
  root.setAttribute("aria-label", catalogue.texts.title)
  const prefill = Prefill.decode(taken?.encoded ?? "")
  render(<Collect catalogue={catalogue} page={Page.read("collect")} prefill={prefill} />, root)
}
