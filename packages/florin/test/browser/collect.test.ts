import { createServer } from "node:http"
import { assert, describe, it, onTestFinished } from "@effect/vitest"
import { prefillUrl } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
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

/** A wallet's page, which shows whatever its query names in a frame, or opens it in a window. */
const embedding = `<!doctype html><title>wallet</title>
<iframe width="390" height="800"></iframe><button>Open</button>
<script>
  window.told = []
  addEventListener("message", ({ data, origin }) => window.told.push([origin, data]))
  const [how, address] = location.search.slice(1).split("=").map(decodeURIComponent)
  if (how === "frame") document.querySelector("iframe").src = address
  document.querySelector("button").onclick = () => window.open(address)
</script>`

/** Serves it under two origins, of which the service allows the first to show its pages. */
const embed = async () => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(embedding)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" ? address?.port : ""
  return { allowed: `http://localhost:${port}`, stranger: `http://127.0.0.1:${port}` }
}

const showing = (origin: string, how: "frame" | "window", address: string): string =>
  `${origin}/?${how}=${encodeURIComponent(address)}`

const open = Browser.openTab
const service = Service.inFile({ collectsFrom: 0n, frameAncestors: ["http://localhost:*"] })

describe("the form for the payer's data", () => {
  const arrange = async (...others: ReadonlyArray<string>) => {
    const { formOf, order, url } = service()
    const [made, tab] = await Promise.all([order(), open([url, ...others])])
    const account = Eip155.formatAccount(Wallet.make(++payers).account(8453))
    return {
      ...tab,
      made,
      form: await formOf(made, account),
    }
  }

  it("sends nothing until it is complete and the terms are accepted, and marks what is missing", async () => {
    const { asked, check, form, page } = await arrange()
    await page.goto(form)
    await check()
    await send(page)
    await Checkout.says(page, "Full name is required.")
    const name = page.getByLabel("Full name")
    assert.strictEqual(await name.getAttribute("aria-describedby"), "fullName-error")
    assert.strictEqual(
      await page.locator("#fullName-error").textContent(),
      "Full name is required.",
    )
    await check()
    await name.fill(known.fullName)
    await page.getByLabel("Date of birth").fill(known.dob)
    await page.getByLabel("Country of birth", { exact: true }).selectOption("GB")
    await page.getByLabel("Place of birth", { exact: true }).fill("London")
    await send(page)
    await Checkout.says(page, /until you accept the terms/u)
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

  it("shows the wallet's prefilled data, and removes it from the address without sending it", async () => {
    const { asked, check, form, page } = await arrange()
    await page.goto(prefillUrl(form, known))
    await page.getByLabel("Full name").waitFor()
    await page.waitForURL(({ href }) => href === form)
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

  it("notifies every bridge of a web view once", async () => {
    const { form, page } = await arrange()
    await page.addInitScript(bridges)
    await page.goto(prefillUrl(form, { ...known, porAddress: residence }))
    await accept(page)
    await send(page)
    // They are told once the end is shown, the last of them last.
    await Browser.until(page, "window.told.android !== undefined")
    assert.deepStrictEqual(await page.evaluate("window.told"), {
      reactNative: [complete],
      ios: [complete],
      android: [complete],
    })
  })

  it("notifies the page that frames it, if the operator allows that page", async () => {
    const { allowed } = await embed()
    const { form, page } = await arrange(allowed)
    const filled = prefillUrl(form, { ...known, porAddress: residence })
    await page.goto(showing(allowed, "frame", filled))
    const frame = page.frameLocator("iframe")
    await frame.getByRole("checkbox").check()
    await frame.getByRole("button", { name: "Accept and send" }).click()
    await frame.getByRole("heading", { name: "Thank you" }).waitFor()
    // The frame may run in a process of its own: what it shows says nothing of what has arrived.
    await Browser.until(page, "window.told.length > 0")
    assert.deepStrictEqual(await page.evaluate("window.told"), [[service().url, complete]])
  })

  it("notifies any page that opened it in a window", async () => {
    const { stranger } = await embed()
    const { context, form, page } = await arrange(stranger)
    const filled = prefillUrl(form, { ...known, porAddress: residence })
    await page.goto(showing(stranger, "window", filled))
    const opening = context.waitForEvent("page")
    await Checkout.press(page, "Open")
    const opened = await opening
    await accept(opened)
    await send(opened)
    await Checkout.shows(opened, "Thank you")
    await Browser.until(page, "window.told.length > 0")
    assert.deepStrictEqual(await page.evaluate("window.told"), [[service().url, complete]])
  })

  it.each(["form", "checkout"] as const)(
    "and the checkout are framed only by pages that the operator allows: %s",
    async (which) => {
      const { allowed, stranger } = await embed()
      const { made, noticed, page, ...rest } = await arrange(allowed, stranger)
      const address = which === "form" ? rest.form : made.url
      await page.goto(showing(allowed, "frame", address))
      await page.frameLocator("iframe").getByRole("heading").first().waitFor()
      assert.deepStrictEqual(noticed, [])
      const refused = page.waitForEvent("console", (message) =>
        message.text().includes("frame-ancestors"),
      )
      await page.goto(showing(stranger, "frame", address))
      await Browser.until(page, "document.querySelector('iframe').contentDocument === null")
      await refused
      assert.strictEqual(await page.frameLocator("iframe").getByRole("heading").count(), 0)
      const [refusal = "", ...others] = noticed.splice(0)
      assert.match(refusal, /frame-ancestors/u)
      assert.isEmpty(others)
    },
  )
})

describe("the form inside the checkout", () => {
  const arrive = async () => {
    const { order, simulated, url } = service()
    const [made, { check, context, page }] = await Promise.all([order(), open([url])])
    const injected = await InjectedWallet.inject(context, {
      name: "Pocket Wallet",
      wallet: Wallet.make(++payers),
      node: simulated.node,
      knows: [8453],
      startsOn: 8453,
    })
    await page.goto(made.url)
    await Checkout.payWith(page, "Pocket Wallet", /USDC.*Base/u)
    return { check, form: page.frameLocator("dialog iframe"), injected, made, page }
  }

  it("is filled in there, and the payment continues to its end", async () => {
    const { form, injected, made, page } = await arrive()
    await form.getByLabel("Full name").fill(known.fullName)
    await form.getByLabel("Date of birth").fill(known.dob)
    await form.getByLabel(/Country of residence and/u).check()
    await form.getByLabel("Country of residence", { exact: true }).selectOption("GB")
    await form.getByLabel("Address of residence", { exact: true }).fill(residence)
    await form.getByRole("checkbox").check()
    assert.strictEqual(injected.signatures(), 0)
    await form.getByRole("button", { name: "Accept and send" }).click()
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
  })

  it.each(["beside the form", "in one of its fields"])(
    "is cancelled with Escape %s, and opened again for the next choice",
    async (where) => {
      const { check, form, injected, page } = await arrive()
      const field = form.getByLabel("Full name")
      await field.fill(known.fullName)
      // A frame hands on its keys once it is loaded.
      await Promise.all(page.frames().map((frame) => frame.waitForLoadState()))
      const isBeside = where === "beside the form"
      await (isBeside ? page.getByRole("button", { name: "Close" }) : field).press("Escape")
      await Checkout.says(page, /The form was closed before it was sent/u)
      await check()
      await Checkout.pick(page, /USDC.*Base/u)
      assert.strictEqual(await field.inputValue(), "")
      assert.strictEqual(injected.signatures(), 0)
    },
  )
})
