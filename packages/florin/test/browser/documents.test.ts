import { assert, describe, it } from "@effect/vitest"
import * as Version from "@florin/core/domain/ground/Version"
import * as Counts from "@florin/testing/Counts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as Service from "./Service.ts"

describe("the pages that the server shows without a payment", { concurrent: true }, () => {
  const open = Browser.openTab
  const service = Service.inFile()

  it.for(Counts.some(Version.all, 1))(
    "the documentation of %s is readable as written",
    async (version, test) => {
      const { url } = service()
      const { check, page } = await open([url], "phone", test)
      await page.goto(`${url}/docs?version=${version}`)
      assert.include(await page.locator("main").textContent(), "A payer's wallet")
      await check()
      await page.goto(`${url}/docs/payments?version=${version}`)
      await page.getByRole("heading", { name: "Payments", level: 1 }).waitFor()
      await check()
    },
  )

  it("the documentation can be searched on any page, without scripts", async (test) => {
    const { url } = service()
    const { check, page } = await open([url], "phone", test)
    await page.goto(`${url}/docs/schemas`)
    await page.getByRole("searchbox").fill("rotate webhook")
    await page.getByRole("button", { name: "Search" }).click()
    await check()
    await page.locator("main").getByRole("link", { name: "Rotate the secret" }).click()
    await page.locator("article[id='webhooks.rotate']:target", { hasText: "/rotate" }).waitFor()
    assert.strictEqual(new URL(page.url()).pathname, "/docs/webhooks")
    await check()
  })

  it("the documentation can be read with the keyboard, and its contents mark the current place", async (test) => {
    const { url } = service()
    const { check, page } = await open([url], "desktop", test)
    await page.goto(`${url}/docs/refunds`)
    const contents = page.getByRole("navigation", { name: "Contents" })
    assert.strictEqual(await contents.locator("[aria-current=page]").textContent(), "Refunds")
    await contents.getByRole("link", { name: "Get a refund" }).waitFor()
    await page.keyboard.press("Tab")
    await page
      .getByRole("link", { name: "Skip to the content" })
      .and(page.locator(":focus"))
      .waitFor()
    await check()
    await page.keyboard.press("Enter")
    await page.locator("main:target").waitFor()
    await page.keyboard.press("Tab")
    await page.locator("main :focus").waitFor()
  })

  it.for([
    ["desktop", "/no/such/page"],
    ["phone", "/?pid=pay_none"],
    ["phone", "/collect/?pid=pay_none&accounts=eip155%3A1%3A0x0"],
  ] as const)("on a %s, %s says what to do", async ([device, path], test) => {
    const { url } = service()
    const { check, page } = await open([url], device, test)
    const response = await page.goto(`${url}${path}`)
    assert.strictEqual(response?.status(), 404)
    await page.getByRole("heading", { name: "Page not found" }).waitFor()
    assert.strictEqual(await page.locator("script").count(), 0)
    await Browser.inEveryLook(page, check)
  })

  it.for([false, true])(
    "the checkout frames a document for browsers without scripts: %s",
    async (isOff, test) => {
      const { order, url } = service()
      const { context, page } = await open([url], "desktop", test)
      const debugging = await context.newCDPSession(page)
      await debugging.send("Emulation.setScriptExecutionDisabled", { value: isOff })
      const made = await order()
      await page.goto(made.url, { waitUntil: "load" })
      assert.deepStrictEqual(
        page.frames().map((frame) => frame.url()),
        isOff ? [made.url, `${url}/pages/plain/${made.id}`] : [made.url],
      )
    },
  )

  it.for(Counts.some(Browser.devices, 1))(
    "the document without scripts says on a %s who is paid, and where",
    async (device, test) => {
      const { order, url } = service()
      const { check, page } = await open([url], device, test)
      const made = await order()
      await page.goto(`${url}/pages/plain/${made.id}`)
      await Checkout.shows(page, Checkout.waiting)
      await page.getByText("$12.50").waitFor()
      const link = page.getByRole("link", { name: made.link })
      assert.strictEqual(await link.getAttribute("href"), made.link)
      assert.strictEqual(await page.locator("script").count(), 0)
      const code = page.getByRole("img", { name: /^QR code/u })
      if (device === "phone") {
        assert.isFalse(await code.isVisible())
        await page.getByText("Pay from another device").click()
      }
      await code.filter({ visible: true }).waitFor()
      await check()
    },
  )

  it.for(
    Counts.some(
      [
        "/",
        "/?pid=pay_none",
        "/?pid=no%20such%20payment",
        "/pay_none",
        "/collect/",
        "/collect/?pid=pay_none&accounts=eip155%3A1%3A0x0",
        "/docs?version=no%20version",
        "/docs?search=refund",
        "/docs?search=no%20such%20thing",
        "/docs/no%20such%20chapter",
        "/no%20such/page",
        "/v1/payments?status=no%20status",
      ],
      4,
    ),
  )("%s shows no percent-encoding", async (path, test) => {
    const { url } = service()
    const { page } = await open([url], "phone", test)
    await page.goto(`${url}${path}`)
    await page.locator("body", { hasText: /./u }).waitFor()
    assert.deepStrictEqual(await Browser.percentEncoded(page), [])
  })
})
