import { assert, describe, it } from "@effect/vitest"
import { prefillUrl } from "@florin/client"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as Counts from "@florin/testing/Counts"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Hostile from "./Hostile.ts"
import * as Service from "./Service.ts"

const timeout = 300_000
const pages = 4

describe("hostile texts on the hosted pages", () => {
  const open = Browser.openTab
  const service = Service.inFile({ collectsFrom: 0n })

  it("are more than sixty, and most would run on a careless page", async () => {
    assert.isAtLeast(new Set(Hostile.payloads).size, 60)
    // A page of no tab of ours, where nothing is noticed.
    const { context } = await open([])
    const page = (await context.browser()?.newPage()) ?? assert.fail("no browser")
    page.setDefaultTimeout(Browser.patienceInMs)
    await page.evaluate(`
      window.ran = 0
      Object.defineProperty(window, "florinTrap", { get: () => { window.ran += 1 } })
    `)
    for (const payload of Hostile.payloads) {
      // oxlint-disable-next-line no-await-in-loop -- One text after another stands on the page.
      await page.evaluate(`document.body.innerHTML = ${JSON.stringify(payload)}`)
    }
    await Browser.until(page, "window.ran >= 15")
  })

  it(
    "A13: never run: not as a merchant's name, a reference, or a wallet's prefilled data",
    async () => {
      const { formOf, partner, url } = service()
      const { context } = await open([url])
      const showAll = async (payloads: ReadonlyArray<string>) => {
        const page = await context.newPage()
        for (const payload of payloads) {
          // oxlint-disable-next-line no-await-in-loop -- One page shows one text after another.
          await show(page, payload)
        }
      }
      const show = async (page: Page, payload: string) => {
        const { merchant } = await partner.merchants.create({
          merchantName: payload,
          merchantEmail: "till@shop.example",
        })
        const { paymentId } = await partner.payments.create(
          { referenceId: payload, amount: { unit: "iso4217/USD", value: "1250" } },
          { merchantId: merchant.id },
        )
        await page.goto(`${url}/?pid=${paymentId}`)
        await page.getByText(payload.trim()).first().waitFor()
        const values = Object.fromEntries(CollectData.fields.map(({ id }) => [id, payload]))
        const form = await formOf({ id: paymentId }, `eip155:8453:0x${"11".repeat(20)}`)
        await page.goto(prefillUrl(form, values))
        const typed = page.getByLabel("Full name")
        await typed.waitFor()
        assert.strictEqual(await typed.inputValue(), payload)
      }
      // Each loads two pages.
      const some = Counts.some(Hostile.payloads, 12)
      // Most of a page's time is waiting.
      await Promise.all(
        Array.from({ length: pages }, (_, nth) =>
          showAll(some.filter((_payload, index) => index % pages === nth)),
        ),
      )
    },
    timeout,
  )

  it("leave the amount readable, however many marks are stacked on a letter", async () => {
    const { partner, url } = service()
    const { context } = await open([url])
    const amountBeside = async (text: string, name: string) => {
      const { merchant } = await partner.merchants.create({
        merchantName: name,
        merchantEmail: "till@shop.example",
      })
      const { paymentId } = await partner.payments.create(
        {
          referenceId: text.slice(0, 255),
          amount: { unit: "iso4217/USD", value: "1250" },
          description: text,
          lineItems: [{ name: text.slice(0, 120) }],
        },
        { merchantId: merchant.id },
      )
      const page = await context.newPage()
      await page.goto(`${url}/?pid=${paymentId}`)
      await page.locator(".order li").waitFor()
      return page.locator(".amount").screenshot()
    }
    const above = `a${"\u0301".repeat(499)}`
    const below = `Shop${"\u0316".repeat(200)}`
    const [plain, marked] = await Promise.all([
      amountBeside("a", "Shop"),
      amountBeside(above, below),
    ])
    assert.isTrue(plain.equals(marked))
  })
})
