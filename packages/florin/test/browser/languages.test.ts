/**
 * The hosted pages in every language, on the smallest phone. Pictures are put into the folder that `FLORIN_SCREENSHOTS`
 * names.
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import * as Schema from "effect/Schema"
import type { Page } from "playwright-core"
import * as CheckoutMessages from "../../../pages/src/messages/CheckoutMessages.ts"
import * as CollectMessages from "../../../pages/src/messages/CollectMessages.ts"
import * as Languages from "../../../pages/src/messages/Languages.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as MadeUp from "./MadeUp.ts"
import * as Service from "./Service.ts"

const folder = env["FLORIN_SCREENSHOTS"]
const name = "Pocket Wallet"
const base = 8453
const smallest = { width: 320, height: 640 }
let payers = 5_300_000

/** How far to the right each character of an element is drawn, without those that are not drawn. */
const places = (selector: string) => `(() => {
  const walker = document.createTreeWalker(document.querySelector("${selector}"), NodeFilter.SHOW_TEXT)
  const places = []
  while (walker.nextNode()) {
    for (let at = 0; at < walker.currentNode.length; at += 1) {
      const range = document.createRange()
      range.setStart(walker.currentNode, at)
      range.setEnd(walker.currentNode, at + 1)
      const { left, width } = range.getBoundingClientRect()
      if (width > 0) places.push([range.toString(), left])
    }
  }
  return places
})()`
const readPlaces = Schema.decodeUnknownSync(
  Schema.Array(Schema.Tuple([Schema.String, Schema.Finite])),
)

/** The characters of an element in the order in which they are drawn, from left to right. */
const drawn = async (page: Page, selector: string): Promise<string> =>
  readPlaces(await page.evaluate(places(selector)))
    .toSorted(([, left], [, right]) => left - right)
    .map(([character]) => character)
    .join("")
    .replaceAll(/\s+/gu, " ")

describe("an amount in a right-to-left language", () => {
  const open = Browser.openTab
  const service = Service.inFile()

  it.each([
    ["ar", "US$ 12.50"],
    ["he", "$ 12.50"],
  ])("has its currency unbroken, left of the number, in %s: %s", async (tag, expected) => {
    const { order, url } = service()
    const { page } = await open([url], "desktop")
    await page.goto(`${(await order()).url}&lang=${tag}`)
    await page.locator("h1").waitFor()
    assert.strictEqual(await drawn(page, ".amount"), expected)
    assert.match(await page.title(), / · \u2068Blue Door Coffee\u2069$/u)
  })
})

describe("the pages in each language, 320 px wide", () => {
  const open = Browser.openTab
  const service = Service.inFile({ collectsFrom: 50_000n })

  const tags = [...Languages.languages.keys()]
  it.each(folder === undefined ? Counts.some(tags, 2) : tags)(
    "fit, and are read from the right side: %s",
    async (tag) => {
      const { formOf, order, simulated, url } = service()
      const [{ texts: checkout }, { texts: collect }] = await Promise.all([
        Languages.load("checkout", CheckoutMessages.english, [tag]),
        Languages.load("collect", CollectMessages.english, [tag]),
      ])
      const { check, context, page } = await open([url])
      await page.setViewportSize(smallest)
      const wallet = Wallet.make(++payers)
      const options = { name, wallet, node: simulated.node, knows: [base], startsOn: base }
      await InjectedWallet.inject(context, options)

      const debugging = await context.newCDPSession(page)
      const see = async (title: string, picture: string) => {
        await page.getByRole("heading", { name: title }).first().waitFor()
        await check()
        const html = page.locator("html")
        assert.strictEqual(await html.getAttribute("dir"), /^(?:ar|he)$/u.test(tag) ? "rtl" : "ltr")
        assert.strictEqual(await html.getAttribute("lang"), tag)
        if (folder === undefined) return
        const height = Number(await page.evaluate("document.documentElement.scrollHeight"))
        await page.setViewportSize({ ...smallest, height })
        // Whatever changes the screen forgets it.
        await debugging.send("Emulation.setTouchEmulationEnabled", { enabled: true })
        writeFileSync(join(folder, `language-${tag}-${picture}.png`), await page.screenshot())
      }
      const inLanguage = (address: string) => `${address}&lang=${tag}`

      await MadeUp.document(context, MadeUp.full)
      await MadeUp.options(context, MadeUp.costs)
      await page.goto(inLanguage((await order()).url))
      await Checkout.shows(page, checkout.payTo("Blue Door Coffee"))
      await page.getByRole("button", { name }).waitFor()
      await page.locator(".order summary").click()
      for (const folded of [checkout.otherWallet, checkout.otherDevice]) {
        // oxlint-disable-next-line no-await-in-loop -- One fold after another.
        await page.getByText(folded).click()
      }
      await see(checkout.payTo("Blue Door Coffee"), "waiting")
      await Checkout.press(page, checkout.cancel)
      await see(checkout.cancelling("Blue Door Coffee").title, "cancelling")
      await Checkout.press(page, checkout.keep)
      await Checkout.press(page, name)
      await see(checkout.choose(name).title, "choosing")
      await Checkout.pick(page, /USDC.*Base|Base.*USDC/u)
      await see(checkout.succeeded("").title, "paid")

      await MadeUp.document(context, (shown) => ({ ...shown, status: MadeUp.processing.status }))
      await MadeUp.watched(context, MadeUp.processing)
      await page.goto(inLanguage((await order()).url))
      await page.getByRole("progressbar", { name: checkout.confirmations }).waitFor()
      await see(checkout.processing.title, "processing")

      const large = await order({ amount: { unit: "iso4217/USD", value: "64000" } })
      const form = await formOf(large, Eip155.formatAccount(wallet.account(base)))
      await page.goto(inLanguage(form))
      await Checkout.press(page, collect.send)
      await Checkout.says(page, collect.missing(collect.fields.fullName))
      await see(collect.title, "form-with-faults")
    },
  )
})
