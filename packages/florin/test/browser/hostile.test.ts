import { assert, describe, it } from "@effect/vitest"
import { prefillUrl } from "@florin/client"
import * as CollectData from "@florin/core/domain/CollectData"
import * as Browser from "./Browser.ts"
import * as Hostile from "./Hostile.ts"
import * as Service from "./Service.ts"

const timeout = 300_000

describe("texts of strangers on the hosted pages", () => {
  const open = Browser.inFile()
  const service = Service.inFile({ collects: true })

  it("are sixty and more, and most would run on a page that takes no care", async () => {
    assert.isAtLeast(new Set(Hostile.payloads).size, 60)
    // A page of no tab of ours, where nothing is noticed.
    const { context } = await open([])
    const page = (await context.browser()?.newPage()) ?? assert.fail("no browser")
    await page.evaluate(`
      window.ran = 0
      Object.defineProperty(window, "florinTrap", { get: () => { window.ran += 1 } })
    `)
    for (const payload of Hostile.payloads) {
      // oxlint-disable-next-line no-await-in-loop -- One text after another stands on the page.
      await page.evaluate(`document.body.innerHTML = ${JSON.stringify(payload)}`)
    }
    await page.waitForFunction("window.ran >= 15")
  })

  it(
    "run nowhere: not as a merchant's name, a reference, or anything that a wallet prefills",
    async () => {
      const { partner, url } = service()
      const { page } = await open([url])
      for (const payload of Hostile.payloads) {
        // oxlint-disable no-await-in-loop -- One tab shows one page after another.
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
        const form = `${url}/collect/?pid=${paymentId}&accounts=eip155:8453:0x${"11".repeat(20)}`
        await page.goto(prefillUrl(form, values))
        const typed = page.getByLabel("Full name")
        await typed.waitFor()
        assert.strictEqual(await typed.inputValue(), payload)
        // oxlint-enable no-await-in-loop
      }
    },
    timeout,
  )
})
