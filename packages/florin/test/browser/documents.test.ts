import { assert, describe, it } from "@effect/vitest"
import * as Version from "@florin/core/domain/Version"
import * as Browser from "./Browser.ts"
import * as Service from "./Service.ts"

describe("what the server shows without a payment", { concurrent: true }, () => {
  const open = Browser.inFile()
  const service = Service.inFile()

  it.for(Version.all)("the documentation of %s reads as it was written", async (version, test) => {
    const { url } = service()
    const { check, page } = await open([url], "phone", test)
    await page.goto(`${url}/docs?version=${version}`)
    assert.include(await page.locator("main").textContent(), "A payer's wallet")
    await check()
  })

  it("the documentation is searched without a script", async (test) => {
    const { url } = service()
    const { check, page } = await open([url], "phone", test)
    await page.goto(`${url}/docs`)
    await page.getByRole("searchbox").fill("rotate webhook")
    await page.getByRole("button", { name: "Search" }).click()
    await page.locator("main").getByRole("link", { name: "Rotate the secret" }).click()
    await page.locator("article[id='webhooks.rotate']:target", { hasText: "/rotate" }).waitFor()
    await check()
  })

  it.for([
    "/",
    "/?pid=pay_none",
    "/?pid=no%20such%20payment",
    "/pay_none",
    "/collect/",
    "/collect/?pid=pay_none&accounts=eip155%3A1%3A0x0",
    "/docs?version=no%20version",
    "/docs?search=refund",
    "/docs?search=no%20such%20thing",
    "/no%20such/page",
    "/v1/payments?status=no%20status",
  ])("%s shows nothing percent-encoded", async (path, test) => {
    const { url } = service()
    const { page } = await open([url], "phone", test)
    await page.goto(`${url}${path}`)
    await page.locator("body", { hasText: /./u }).waitFor()
    assert.deepStrictEqual(await Browser.percentEncoded(page), [])
  })
})
