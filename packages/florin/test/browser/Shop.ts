/**
 * A shop's page that shows the checkout, on an origin that the service allows to do so, and on one that it does not.
 *
 * @module
 */
import { createServer } from "node:http"
import { assert, onTestFinished } from "@effect/vitest"
import type { Outcome } from "@florin/embed"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"

/** The ports of a developer's machine, which the service is told of. */
export const frameAncestors = ["http://localhost:*"]

export interface Shop {
  readonly allowed: string
  readonly stranger: string
  /** The body of the page that is opened next. */
  readonly show: (body: string) => void
}

/** Notes what the element says, and what is posted to this page. */
const listening = `<script>
  window.heard = []
  window.posted = []
  for (const type of ["florin-succeeded", "florin-failed", "florin-closed"]) {
    addEventListener(type, ({ detail }) => heard.push([type, detail.status]))
  }
  addEventListener("message", ({ data }) => data?.florin && posted.push(data.type))
</script>`

const documentOf = (body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Blue Door Coffee</title><link rel="icon" href="data:,">
<style>body{font:1.1rem/1.6 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}</style></head>
<body><main><h1>Your cart</h1><p>A blue mug: $12.50</p>${listening}${body}</main></body></html>`

/** Serves the same page under both origins. */
export const open = async (test: Browser.Ending = { onTestFinished }): Promise<Shop> => {
  let shown = ""
  const server = createServer(({ url }, response) => {
    const body = url === "/other" ? "" : shown
    response.setHeader("content-type", "text/html").end(documentOf(body))
  })
  test.onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" ? address?.port : ""
  return {
    allowed: `http://localhost:${port}`,
    stranger: `http://127.0.0.1:${port}`,
    show: (body) => {
      shown = body
    },
  }
}

/** The one line that loads the element, and the element. */
export const element = (host: string, payment: string, attributes = ""): string =>
  `<script type="module" src="${host}/pages/florin.js"></script>
  <florin-checkout payment="${payment}" ${attributes}></florin-checkout>`

/** Fails unless the element said exactly this, each as its event and the status in it. */
export const heard = async (
  page: Page,
  expected: ReadonlyArray<readonly [type: string, status: Outcome["status"]]>,
): Promise<void> => {
  await Browser.until(page, `heard.length >= ${expected.length}`)
  assert.deepStrictEqual(await page.evaluate("heard"), expected)
}
