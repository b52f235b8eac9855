/**
 * How long a payer looks at nothing, and how long at no words, on a slow phone: the first contentful paint of the
 * hosted pages, and the first frame with their text, against a page that holds the checkout's text and nothing else, by
 * turns. No page can show it sooner than that one.
 *
 * @example
 * node bench/FirstPaint.bench.ts
 *
 * @module
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { stdout } from "node:process"
import type { Browser as Chromium } from "playwright-core"
import * as Browser from "../test/browser/Browser.ts"
import * as Service from "../test/browser/Service.ts"

const rounds = 9
/** A slow 4G line, and a processor that is a quarter of this machine's. */
const line = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const slowness = 4

/** Milliseconds from when a page was asked for. */
interface Seen {
  readonly paint: number
  readonly words: number
}

/** Loads a page with nothing kept from before. */
const load = async (browser: Chromium, url: string): Promise<Seen> => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const debugging = await context.newCDPSession(page)
  await debugging.send("Network.enable")
  await debugging.send("Network.emulateNetworkConditions", line)
  await debugging.send("Emulation.setCPUThrottlingRate", { rate: slowness })
  await page.goto(url, { waitUntil: "commit" })
  const seen = {
    words: await Browser.firstFrameWith(page, "h1, pre"),
    paint: await Browser.firstPaint(page),
  }
  await context.close()
  return seen
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

const textOf = async (browser: Chromium, url: string): Promise<string> => {
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByRole("heading").first().waitFor()
  const text = await page.locator("main").innerText()
  await page.close()
  return text
}

const serve = async (html: string) => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end(html)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/` }
}

const [browser, service] = await Promise.all([
  Browser.launch(),
  Service.start({ collectsFrom: 0n }),
])
const { id, url: checkout } = await service.order()
const text = await textOf(browser, checkout)
const bare = await serve(`<!doctype html><title>Payment</title><pre>${text}</pre>`)
const pages: ReadonlyArray<readonly [name: string, url: string]> = [
  ["bare text", bare.url],
  ["checkout", checkout],
  ["data form", `${service.url}/collect/?pid=${id}&accounts=eip155:8453:0x${"11".repeat(20)}`],
]
const measured = pages.map(([name, url]) => ({ name, url, seen: [] as Array<Seen> }))
for (let round = 0; round < rounds; round += 1) {
  for (const { seen, url } of measured) {
    // oxlint-disable-next-line no-await-in-loop -- By turns is the point.
    seen.push(await load(browser, url))
  }
}
stdout.write(
  `medians of ${rounds}: ${(line.downloadThroughput * 8) / 1e6} Mbit/s, ${line.latency} ms to and fro, ` +
    `processor ${slowness} times slower\n\n${"first paint".padStart(25)}${"words".padStart(12)}\n`,
)
for (const { name, seen } of measured) {
  const cells = [median(seen.map((each) => each.paint)), median(seen.map((each) => each.words))]
  stdout.write(
    `${name.padEnd(13)}${cells.map((inMs) => `${inMs.toFixed(0)} ms`.padStart(12)).join("")}\n`,
  )
}
bare.server.close()
await browser.close()
await service.close()
