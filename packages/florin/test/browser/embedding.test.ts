/**
 * The checkout in a shop's own page, whose origin is not the service's.
 *
 * @module
 */
import { env } from "node:process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import { build } from "esbuild"
import type { Frame, FrameLocator, Page } from "playwright-core"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"
import * as Shop from "./Shop.ts"

const name = "Pocket Wallet"
const base = 8453
const bnb = 56
const usdc = /USDC.*Base/u
const ownTab = "Open in a new tab"
const { frameAncestors } = Shop
let payers = 4_500_000

const open = Browser.openTab
/** A payment of more than 500 USD needs the payer's data. */
const service = Service.inFile({ collectsFrom: 50_000n, frameAncestors })

const frameOf = (page: Page): FrameLocator => page.frameLocator("florin-checkout iframe")
/** The frame of the checkout that is open, for what runs inside. */
const within = (page: Page): Frame =>
  page.frames().find((each) => each.parentFrame() !== null) ?? assert.fail("no checkout is open")
const shows = (frame: FrameLocator, title: RegExp | string) =>
  frame.getByRole("heading", { name: title }).first().waitFor()
const press = (frame: FrameLocator, button: RegExp | string) =>
  frame.getByRole("button", { name: button }).first().click()

/** Picks a way to pay. Those of one token may be folded. */
const payWith = async (frame: FrameLocator, option: RegExp) => {
  await press(frame, name)
  const row = frame.getByRole("button", { name: option, includeHidden: true })
  await row.first().waitFor({ state: "attached" })
  const folded = frame.locator("details:not([open])").filter({ has: row })
  if ((await folded.count()) > 0) await folded.first().locator("summary").click()
  await press(frame, option)
}

const picture = async (page: Page, of: string) => {
  const folder = env["FLORIN_SCREENSHOTS"]
  if (folder !== undefined) await page.screenshot({ path: `${folder}/embed-${of}.png` })
}

describe("the checkout in a shop's page", { concurrent: true }, () => {
  /** A shop's page with a wallet in the browser. */
  const arrive = async (
    test: Browser.Ending,
    attributes = "",
    device: "desktop" | "phone" = "desktop",
    at: "allowed" | "stranger" = "allowed",
    request?: Parameters<Service.Service["order"]>[0],
  ) => {
    const { order, simulated, url } = service()
    const [made, shop] = await Promise.all([order(request), Shop.open(test)])
    const tab = await open([url, shop[at]], device, test)
    const wallet = Wallet.make(++payers)
    const options = { name, wallet, node: simulated.node, knows: [base, bnb], startsOn: base }
    const injected = await InjectedWallet.inject(tab.context, options)
    shop.show(Shop.element(url, made.url, attributes))
    await tab.page.goto(shop[at])
    return { ...tab, frame: frameOf(tab.page), injected, made, shop }
  }

  it.for(Counts.some(["desktop", "phone"] as const, 1))(
    "is paid above the page on a %s, reports it, and leads back to the page",
    async (device, test) => {
      const { check, frame, made, page } = await arrive(test, 'label="Pay $12.50"', device)
      await Checkout.press(page, "Pay $12.50")
      await shows(frame, Checkout.waiting)
      await check()
      await picture(page, `modal-${device}`)
      // By itself it would close while all this is looked at.
      await Checkout.pressOnce(within(page), /^Stay here$/u)
      await payWith(frame, usdc)
      await shows(frame, "Paid")
      await Shop.heard(page, [["florin-succeeded", "succeeded"]])
      await check()
      await picture(page, `modal-paid-${device}`)
      await press(frame, /^Back to .?Blue Door Coffee/u)
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await Shop.heard(page, [
        ["florin-succeeded", "succeeded"],
        ["florin-closed", "succeeded"],
      ])
      assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
      assert.strictEqual(await page.evaluate("document.activeElement.localName"), "florin-checkout")
      await check()
    },
  )

  it("closes by itself some time after the end, and resolves its promise", async (test) => {
    const { frame, made, page } = await arrive(test)
    const outcome = page.evaluate("document.querySelector('florin-checkout').open()")
    await shows(frame, Checkout.waiting)
    // It is there for some seconds only.
    const paid = shows(frame, "Paid")
    await service().payBy(made, Wallet.make(++payers))
    await paid
    assert.deepStrictEqual(await outcome, { paymentId: made.id, status: "succeeded" })
  })

  it("is as high as its content inside the page, in the requested language", async (test) => {
    const { check, frame, page } = await arrive(test, 'mode="inline" lang="de"', "phone")
    await shows(frame, /Coffee.? bezahlen$/u)
    const heights = `(() => {
      const frame = document.querySelector("florin-checkout").shadowRoot.querySelector("iframe")
      return frame.getBoundingClientRect().height
    })()`
    await Browser.until(page, `posted.includes("resize") && ${heights} > 400`)
    await check()
    await page.setViewportSize({ width: 390, height: 1600 })
    await picture(page, "inline-phone")
    await payWith(frame, usdc)
    await shows(frame, "Bezahlt")
    /** The page around it hears of another height a little later. */
    const fits = async (): Promise<void> => {
      const inside = await frame.locator("#page").boundingBox()
      if ((await page.evaluate(heights)) !== Math.ceil(inside?.height ?? 0)) return fits()
    }
    await fits()
    await Shop.heard(page, [["florin-succeeded", "succeeded"]])
    // The page around it shows what comes next.
    assert.strictEqual(await frame.getByRole("button", { name: /Blue Door/u }).count(), 0)
    await check()
  })

  it("fits into a wide page", async (test) => {
    const { check, frame, page } = await arrive(test, 'mode="inline"')
    await shows(frame, Checkout.waiting)
    await Browser.until(page, `posted.includes("resize")`)
    await check()
    await picture(page, "inline-desktop")
  })

  it("replaces the page after a click on an origin that may not frame it", async (test) => {
    const { made, noticed, page } = await arrive(test, "", "desktop", "stranger")
    await Checkout.press(page, "Pay")
    await page.waitForURL(made.url)
    await Checkout.shows(page, Checkout.waiting)
    refusedOnly(noticed)
  })

  it("becomes a link on an origin that may not frame it in the page", async (test) => {
    const { made, noticed, page } = await arrive(test, 'mode="inline"', "desktop", "stranger")
    await page.getByRole("link", { name: "Pay" }).click()
    await page.waitForURL(made.url)
    await Checkout.shows(page, Checkout.waiting)
    refusedOnly(noticed)
  })

  /** What Chromium writes down about a refused frame, and about the greeting that it did not get. */
  const refusedOnly = (noticed: Array<string>) => {
    const all = noticed.splice(0)
    assert.isNotEmpty(all)
    assert.deepStrictEqual(
      all.filter((text) => !/frame-ancestors|target origin provided/u.test(text)),
      [],
    )
  }

  it.for([
    [
      "in the checkout",
      (_: Page, frame: FrameLocator) => frame.getByRole("button", { name: "Copy link" }),
    ],
    ["around it", (page: Page) => page.getByRole("button", { name: "Close" })],
  ] as const)("closes with Escape %s, and returns the focus", async ([, where], test) => {
    const { check, frame, page } = await arrive(test)
    await page.getByRole("button", { name: "Pay" }).press("Enter")
    await shows(frame, Checkout.waiting)
    // The checkout takes the focus, so that a screen reader reads it.
    await Browser.until(
      page,
      "document.activeElement.shadowRoot.activeElement.localName === 'iframe'",
    )
    await where(page, frame).press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    assert.strictEqual(
      await page.evaluate("document.activeElement.shadowRoot?.activeElement.textContent"),
      "Pay",
    )
    await Shop.heard(page, [["florin-closed", "requires_action"]])
    await check()
  })

  it("stays open in the page if the shop asks for that as soon as the dialog closed", async (test) => {
    const { frame, page } = await arrive(test)
    await page.evaluate(`document.querySelector("florin-checkout").addEventListener(
      "florin-closed", ({ target }) => { target.mode = "inline" }, { once: true })`)
    await Checkout.press(page, "Pay")
    await shows(frame, Checkout.waiting)
    await page.getByRole("button", { name: "Close", exact: true }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await shows(frame, Checkout.waiting)
    await Shop.heard(page, [["florin-closed", "requires_action"]])
  })

  it("asks before it closes while the wallet may be sending, also when opened again", async (test) => {
    const { check, frame, injected, page } = await arrive(test)
    const { reached } = injected.hold("eth_sendTransaction")
    await Checkout.press(page, "Pay")
    await payWith(frame, /USDC.*BNB/u)
    await reached
    // Another tab does not know that this one may have sent the money, and would offer to pay again.
    assert.strictEqual(await frame.getByRole("link", { name: ownTab }).count(), 0)
    await page.getByRole("button", { name: "Close", exact: true }).press("Escape")
    const asking = frame.getByRole("dialog", { name: "Close the checkout?" })
    await asking.waitFor()
    await check()
    await picture(page, "asking")
    await press(frame, "Stay here")
    await asking.waitFor({ state: "detached" })
    await page.evaluate("document.querySelector('florin-checkout').close()")
    await press(frame, "Close anyway")
    await Shop.heard(page, [["florin-closed", "requires_action"]])
    await Checkout.press(page, "Pay")
    await frame
      .getByText(/has not reported whether it did/u)
      .first()
      .waitFor()
    assert.strictEqual(await frame.getByRole("link", { name: ownTab }).count(), 0)
  })

  it("asks again if it is to be closed while an answer still closes the question", async (test) => {
    const { frame, injected, page } = await arrive(test)
    const { reached } = injected.hold("eth_sendTransaction")
    await Checkout.press(page, "Pay")
    await payWith(frame, /USDC.*BNB/u)
    await reached
    await page.getByRole("button", { name: "Close", exact: true }).press("Escape")
    const stay = frame.getByRole("button", { name: "Stay here" })
    await stay.waitFor()
    await within(page).evaluate(`{
      document.querySelector("dialog[open] button").click()
      dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))
    }`)
    await press(frame, "Close anyway")
    await Shop.heard(page, [["florin-closed", "requires_action"]])
  })

  it("closes a checkout that no longer responds, also if the payer asks again and again", async (test) => {
    const { frame, page } = await arrive(test)
    // It is heard before the element hears it.
    await page.evaluate(`{
      window.isLost = false
      addEventListener("message", (event) => isLost && event.stopImmediatePropagation())
    }`)
    await Checkout.press(page, "Pay")
    await shows(frame, Checkout.waiting)
    await Browser.until(page, "posted.includes('ready')")
    await page.evaluate(`{
      isLost = true
      const asking = setInterval(() => document.querySelector("florin-checkout").close(), 500)
      addEventListener("florin-closed", () => clearInterval(asking))
    }`)
    await Shop.heard(page, [["florin-closed", "requires_action"]])
  })

  it("submits a signature from before a reload of the shop's page, without a second one", async (test) => {
    const { context, frame, injected, page } = await arrive(test, 'mode="inline"')
    const confirming = /\/pages\/v1\/gateway\/payment\/[^/]+\/confirm/u
    await context.route(confirming, (route) => route.abort())
    await payWith(frame, usdc)
    await frame
      .getByText(/The connection was lost/u)
      .first()
      .waitFor()
    await context.unroute(confirming)
    await page.reload()
    await shows(frame, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("asks for the payer's data in the shop's page, and continues afterwards", async (test) => {
    const large = { amount: { unit: "iso4217/USD", value: "64000" } }
    const { check, frame, injected, made, page } = await arrive(test, "", "phone", "allowed", large)
    await Checkout.press(page, "Pay")
    await payWith(frame, usdc)
    const form = frame.frameLocator("dialog iframe")
    await form.getByLabel("Full name").fill("Ada Lovelace")
    await check()
    await picture(page, "form")
    await form.getByLabel("Date of birth").fill("1985-12-10")
    await form.getByLabel(/Country of residence and/u).check()
    await form.getByLabel("Country of residence", { exact: true }).selectOption("GB")
    await form.getByLabel("Address of residence", { exact: true }).fill("12 St James's Square")
    await form.getByRole("checkbox").check()
    assert.strictEqual(injected.signatures(), 0)
    await press(form, "Accept and send")
    await shows(frame, "Paid")
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
  })

  it("is paid even if the browser stores nothing for frames", async (test) => {
    const { context, frame, page } = await arrive(test)
    await context.addInitScript(`if (parent !== window) {
      for (const name of ["sessionStorage", "localStorage"]) {
        Object.defineProperty(window, name, {
          get: () => { throw new DOMException("denied", "SecurityError") },
        })
      }
    }`)
    await Checkout.press(page, "Pay")
    await payWith(frame, usdc)
    await shows(frame, "Paid")
  })

  it.for(Counts.some(["the shop's", "the service's"] as const, 1))(
    "ignores other frames, even on %s own origin",
    async (whose, test) => {
      const { frame, page, shop } = await arrive(test)
      await Checkout.press(page, "Pay")
      await shows(frame, Checkout.waiting)
      const { order } = service()
      const address = whose === "the shop's" ? `${shop.allowed}/other` : (await order()).url
      await page.evaluate(`new Promise((resolve) => {
        const other = document.createElement("iframe")
        other.src = "${address}"
        other.title = "other"
        other.onload = resolve
        document.body.append(other)
      })`)
      const other = page.frames().find((each) => each.url() === address)
      // It says to the page what the checkout would say, and to the checkout what the page would say.
      await other?.evaluate(`(() => {
        window.responses = []
        addEventListener("message", ({ data, source }) => {
          if (source !== window) responses.push(data)
        })
        const paid = { type: "status", paymentId: "pay_1", status: "succeeded", isFinal: true }
        for (const report of [paid, { type: "close" }]) parent.postMessage({ florin: 1, ...report }, "*")
        for (const type of ["hello", "close"]) {
          for (let i = 0; i < parent.frames.length; i++) {
            parent.frames[i].postMessage({ florin: 1, type }, "*")
          }
        }
      })()`)
      await Browser.until(page, `posted.includes("close")`)
      await shows(frame, Checkout.waiting)
      assert.deepStrictEqual(await page.evaluate("heard"), [])
      assert.isTrue(await page.getByRole("dialog").isVisible())
      assert.deepStrictEqual(await other?.evaluate("responses"), [])
    },
  )

  it("ignores its own frame once that shows another origin", async (test) => {
    const { frame, made, noticed, page, shop } = await arrive(test)
    await Checkout.press(page, "Pay")
    await shows(frame, Checkout.waiting)
    const own = page.frames().find((each) => each.url().includes(`pid=${made.id}`))
    await own?.goto(`${shop.allowed}/other`)
    await own?.evaluate(`(() => {
      const paid = { type: "status", paymentId: "pay_1", status: "succeeded", isFinal: true }
      for (const report of [paid, { type: "close" }]) parent.postMessage({ florin: 1, ...report }, "*")
    })()`)
    await Browser.until(page, `posted.includes("close")`)
    assert.deepStrictEqual(await page.evaluate("heard"), [])
    // The greeting of each document goes to the link's origin only.
    assert.deepStrictEqual(
      noticed.splice(0).filter((text) => !text.includes("target origin provided")),
      [],
    )
  })

  it("offers a new tab if the payer's wallet is not in the frame", async (test) => {
    const { context, frame, made, page } = await arrive(test)
    await Checkout.press(page, "Pay")
    const opening = context.waitForEvent("page")
    await frame.getByRole("link", { name: ownTab }).click()
    const opened = await opening
    await Checkout.shows(opened, Checkout.waiting)
    assert.strictEqual(opened.url(), made.url)
  })

  it("opens a wallet app outside the frame, so that the checkout stays", async (test) => {
    const { context, frame, noticed, page } = await arrive(test, "", "phone")
    await context.route("https://link.metamask.io/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>MetaMask</title>" }),
    )
    await Checkout.press(page, "Pay")
    await frame.getByText("Use another wallet").click()
    const opening = context.waitForEvent("page")
    await frame.getByRole("link", { name: "MetaMask" }).click()
    const opened = await opening
    await opened.waitForURL("https://link.metamask.io/dapp/**")
    await shows(frame, Checkout.waiting)
    assert.deepStrictEqual(
      noticed.splice(0).filter((text) => !text.startsWith("called another host: https://link.")),
      [],
    )
  })

  it("opens only payment links, and tells the developer about others", async (test) => {
    const { noticed, page, shop } = await arrive(test)
    shop.show(Shop.element(service().url, "javascript:alert(1)", 'mode="inline"'))
    const reported = page.waitForEvent("pageerror")
    await page.goto(shop.allowed)
    assert.match((await reported).message, /payment is not a payment link/u)
    assert.strictEqual(await page.locator("iframe").count(), 0)
    assert.lengthOf(noticed.splice(0), 1)
  })

  /** A page with one of the components of the README. */
  const rendered = async (component: string, props: object): Promise<string> => {
    const entry = fileURLToPath(new URL("../../../embed/test-support/Cart.tsx", import.meta.url))
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createRoot } from "react-dom/client"
          import { createElement } from "react"
          import { ${component} } from ${JSON.stringify(entry)}
          createRoot(document.querySelector("#root")).render(createElement(${component}, ${JSON.stringify(props)}))`,
        resolveDir: fileURLToPath(new URL("../../../embed", import.meta.url)),
      },
      bundle: true,
      define: { "process.env.NODE_ENV": '"production"' },
      format: "esm",
      jsx: "automatic",
      write: false,
    })
    return `<div id="root"></div><script type="module">${outputFiles[0]?.text}</script>`
  }

  it("is a React component", async (test) => {
    const { frame, made, page, shop } = await arrive(test)
    shop.show(await rendered("Cart", { payment: made.url }))
    await page.goto(shop.allowed)
    await Checkout.press(page, "Pay now")
    await payWith(frame, usdc)
    await Checkout.says(page, "Thank you!")
  })

  it("is followed in React through a route of the shop, which may refuse", async (test) => {
    const { made, noticed, page, shop } = await arrive(test)
    const asked: Array<string> = []
    let isSignedIn = true
    await page.route("**/api/payments/*", (route) => {
      asked.push(new URL(route.request().url()).pathname)
      if (!isSignedIn) return route.fulfill({ status: 401 })
      const status = asked.length > 1 ? "succeeded" : "processing"
      return route.fulfill({ json: { status, isFinal: status === "succeeded", pollInMs: 250 } })
    })
    shop.show(await rendered("OrderPage", { paymentId: made.id }))
    await page.goto(shop.allowed)
    await Checkout.says(page, "It is paid. We are packing it.")
    assert.deepStrictEqual(asked, Array(2).fill(`/api/payments/${made.id}`))

    isSignedIn = false
    await page.goto(shop.allowed)
    await Checkout.says(page, "Please sign in to see this order.")
    noticed.splice(0)
  })
})

describe("the checkout in a shop's page, on the chain's own contracts", () => {
  const real = Service.inFile({ chainIds: [base], frameAncestors })

  it("is paid with USDC on Base", async (test) => {
    const { nodes, order, partner, url } = real()
    const [made, shop] = await Promise.all([order(), Shop.open(test)])
    const { check, context, page } = await open([url, shop.allowed], "desktop", test)
    await InjectedWallet.inject(context, {
      name,
      wallet: LocalChains.wallets[0] ?? assert.fail("no wallet"),
      node: InjectedWallet.through(nodes),
      knows: [1, base],
      startsOn: 1,
    })
    shop.show(Shop.element(url, made.url))
    await page.goto(shop.allowed)
    await Checkout.press(page, "Pay")
    const frame = frameOf(page)
    await payWith(frame, usdc)
    await shows(frame, "Paid")
    await Shop.heard(page, [["florin-succeeded", "succeeded"]])
    assert.strictEqual((await partner.payments.status(made.id)).status, "succeeded")
    await check()
  })
})
