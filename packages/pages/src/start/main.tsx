/**
 * The start page in a browser.
 *
 * @module
 */
import { render } from "preact"
import * as Page from "../shared/Page.ts"
import type { Start } from "./Start.ts"
import { StartPage } from "./StartPage.tsx"

const root = document.querySelector("#page")
if (root !== null) {
  const start: Start = JSON.parse(Page.metaContent("florin-page"))
  render(<StartPage start={start} origin={location.origin} />, root)
}
