/**
 * What must be loaded before a payer sees something. `bench/FirstPaint.bench.ts` measures how long that takes.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import type { BrowserContext } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as Service from "./Service.ts"

/** Lets only such things through, and answers nothing else; tells what came through, in order. */
const allow = async (context: BrowserContext, ...kinds: ReadonlyArray<string>) => {
  const came: Array<string> = []
  await context.route("**/*", (route) => {
    const kind = route.request().resourceType()
    if (!kinds.includes(kind)) return
    came.push(kind)
    return route.continue()
  })
  return came
}

const bytes = `performance.getEntriesByType("navigation")
  .concat(performance.getEntriesByType("resource"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

describe("the first paint", () => {
  const open = Browser.openTab
  const service = Service.inFile({ collectsFrom: 0n })

  it("of the checkout needs its document and one stylesheet", async () => {
    const { order, url } = service()
    const { context, page } = await open([url])
    const came = await allow(context, "document", "stylesheet")
    await page.goto((await order()).url, { waitUntil: "commit" })
    assert.isAbove(await Browser.firstPaint(page), 0)
    assert.deepStrictEqual(came, ["document", "stylesheet"])
  })

  it.each([
    ["checkout", 45_000, Checkout.waiting],
    ["data form", 18_000, "Your details"],
  ] as const)(
    "in %s needs one more script, and at most %d bytes in all",
    async (which, most, title) => {
      const { formOf, order, url } = service()
      const { context, page } = await open([url])
      const came = await allow(context, "document", "stylesheet", "script")
      const made = await order()
      const form = await formOf(made, `eip155:8453:0x${"11".repeat(20)}`)
      await page.goto(which === "checkout" ? made.url : form, { waitUntil: "commit" })
      await Checkout.shows(page, title)
      assert.deepStrictEqual(came.toSorted(), ["document", "script", "stylesheet"])
      // What was loaded is written down a moment after it ran.
      await Browser.until(page, `performance.getEntriesByType("resource").length >= 2`)
      const needed = Number(await page.evaluate(bytes))
      assert.isAtMost(needed, most)
      assert.isAtLeast(needed, most / 2)
    },
  )
})
