import { createServer } from "node:http"
import { assert, describe, it, onTestFinished } from "@effect/vitest"
import { prefillUrl } from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import * as Wallet from "@florin/testing/Wallet"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as Service from "./Service.ts"

const complete = JSON.stringify({ type: "IC_COMPLETE", success: true })
const known = { fullName: "Ada Lovelace", dob: "1985-12-10", porCountry: "GB" }
const residence = "12 St James's Square, London"
let payers = 4_200_000

const accept = (page: Page) => page.getByRole("checkbox").check()
const send = (page: Page) => Checkout.press(page, "Accept and send")

/** Everything that a wallet's web view may offer, each with what it was told. */
const bridges = `
  window.told = {}
  const tell = (bridge) => (text) => {
    window.told[bridge] = [...(window.told[bridge] ?? []), text]
  }
  window.ReactNativeWebView = { postMessage: tell("reactNative") }
  window.webkit = { messageHandlers: { payDataCollectionComplete: { postMessage: tell("ios") } } }
  window.AndroidWallet = { onDataCollectionComplete: tell("android") }
`

const framing = `<!doctype html><title>wallet</title><iframe width="390" height="800"></iframe>
<script>
  window.told = []
  addEventListener("message", ({ data, origin }) => window.told.push([origin, data]))
  document.querySelector("iframe").src = decodeURIComponent(location.search.slice(1))
</script>`

/** A page of another origin that shows whatever its query names in a frame. */
const serve = async (): Promise<string> => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(framing)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  return `http://localhost:${typeof address === "object" ? address?.port : ""}`
}

describe("the form for the payer's data", () => {
  const open = Browser.inFile()
  const service = Service.inFile({ collects: true, frameAncestors: ["http://localhost:*"] })

  const arrange = async (...others: ReadonlyArray<string>) => {
    const { order, url } = service()
    const [made, tab] = await Promise.all([order(), open([url, ...others])])
    const account = Caip.formatAccount(Wallet.make(++payers).account(8453))
    return {
      ...tab,
      form: `${url}/collect/?pid=${made.id}&accounts=${encodeURIComponent(account)}`,
    }
  }

  it("sends nothing before all is told and the terms are accepted, and says what is missing where", async () => {
    const { asked, check, form, page } = await arrange()
    await page.goto(form)
    await check()
    await send(page)
    await Checkout.says(page, "Full name is needed.")
    const name = page.getByLabel("Full name")
    assert.strictEqual(await name.getAttribute("aria-describedby"), "fullName-error")
    assert.strictEqual(await page.locator("#fullName-error").textContent(), "Full name is needed.")
    await check()
    await name.fill(known.fullName)
    await page.getByLabel("Date of birth").fill(known.dob)
    await page.getByLabel("Country of birth", { exact: true }).selectOption("GB")
    await page.getByLabel("Place of birth", { exact: true }).fill("London")
    await send(page)
    await Checkout.says(page, /before you accept the terms/u)
    assert.isEmpty(asked.filter((url) => url.includes("collected")))
    await accept(page)
    await send(page)
    await Checkout.shows(page, "Thank you")
    assert.lengthOf(
      asked.filter((url) => url.includes("collected")),
      1,
    )
    await check()
  })

  it("holds what the wallet knows, takes it out of the address, and tells it to nobody on the way", async () => {
    const { asked, check, form, page } = await arrange()
    await page.goto(prefillUrl(form, known))
    await page.getByLabel("Full name").waitFor()
    assert.strictEqual(page.url(), form)
    assert.strictEqual(await page.getByLabel("Full name").inputValue(), known.fullName)
    assert.strictEqual(await page.getByLabel("Date of birth").inputValue(), known.dob)
    assert.strictEqual(
      await page.getByLabel("Country of residence", { exact: true }).inputValue(),
      known.porCountry,
    )
    assert.isFalse(await page.getByRole("checkbox").isChecked(), "nobody accepts in advance")
    await page.getByLabel("Address of residence", { exact: true }).fill(residence)
    await accept(page)
    await send(page)
    await Checkout.shows(page, "Thank you")
    assert.isAbove(asked.length, 2)
    assert.deepStrictEqual(
      asked.slice(1).filter((url) => url.includes("prefill")),
      [],
    )
    assert.notInclude(await page.evaluate("document.referrer + history.state"), "prefill")
    await check()
  })

  it("tells every bridge of a web view once that it is complete", async () => {
    const { form, page } = await arrange()
    await page.addInitScript(bridges)
    await page.goto(prefillUrl(form, { ...known, porAddress: residence }))
    await accept(page)
    await send(page)
    await Checkout.shows(page, "Thank you")
    assert.deepStrictEqual(await page.evaluate("window.told"), {
      reactNative: [complete],
      ios: [complete],
      android: [complete],
    })
  })

  it("tells the page that shows it in a frame, where the operator allows that page to", async () => {
    const embedder = await serve()
    const { form, page } = await arrange(embedder)
    const filled = prefillUrl(form, { ...known, porAddress: residence })
    await page.goto(`${embedder}/?${encodeURIComponent(filled)}`)
    const frame = page.frameLocator("iframe")
    await frame.getByRole("checkbox").check()
    await frame.getByRole("button", { name: "Accept and send" }).click()
    await frame.getByRole("heading", { name: "Thank you" }).waitFor()
    assert.deepStrictEqual(await page.evaluate("window.told"), [[service().url, complete]])
  })
})
