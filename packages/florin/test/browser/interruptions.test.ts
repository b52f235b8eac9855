import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const ethereum = 1
const base = 8453
const usdc = /USDC.*Base/u
let payers = 4_100_000

const open = Browser.inFile()
const service = Service.inFile()

describe("a payment in the browser that does not go straight on", () => {
  const arrive = async ({
    knows = [base],
    startsOn = base,
    ...request
  }: Partial<Pick<InjectedWallet.Options, "knows" | "startsOn">> &
    Parameters<Service.Service["order"]>[0] = {}) => {
    const { order, simulated, url } = service()
    const [made, tab] = await Promise.all([order(request), open([url])])
    const wallet = Wallet.make(++payers)
    const options = { name, wallet, node: simulated.node, knows, startsOn }
    const injected = await InjectedWallet.inject(tab.context, options)
    await tab.page.goto(made.url)
    return { ...tab, injected, made }
  }

  it("takes nothing when the payer says no, and lets them choose again", async () => {
    const { check, injected, page } = await arrive()
    injected.refuseNext()
    await Checkout.payWith(page, name, usdc)
    await Checkout.says(page, /You said no in your wallet/u)
    await check()
    await Checkout.press(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 2)
  })

  it("takes the wallet to the network of the payment before it asks for a signature", async () => {
    const { injected, page } = await arrive({ knows: [ethereum, base], startsOn: ethereum })
    await Checkout.payWith(page, name, usdc)
    await Checkout.shows(page, "Paid")
    const moved = injected.asked.indexOf("wallet_switchEthereumChain")
    assert.isAtLeast(moved, 0)
    assert.isBelow(moved, injected.asked.indexOf("eth_signTypedData_v4"))
  })

  it("says which network is missing, and goes on once the wallet knows it", async () => {
    const { check, injected, page } = await arrive({ knows: [ethereum], startsOn: ethereum })
    await Checkout.payWith(page, name, usdc)
    await Checkout.says(page, /Your wallet did not change to .?Base/u)
    assert.strictEqual(injected.signatures(), 0)
    await check()
    injected.learn(base)
    await Checkout.press(page, "Try again")
    await Checkout.press(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("hands in what was signed before a reload, and asks for no second signature", async () => {
    const { context, injected, page } = await arrive()
    const confirming = /\/pages\/v1\/gateway\/payment\/[^/]+\/confirm/u
    await context.route(confirming, (route) => route.abort())
    await Checkout.payWith(page, name, usdc)
    await Checkout.says(page, /The connection is gone/u)
    await context.unroute(confirming)
    await page.reload()
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("shows how a payment stands after a reload on its way", async () => {
    const { injected, made, page } = await arrive()
    await service().florin.workers.stop()
    await Checkout.payWith(page, name, usdc)
    await Checkout.shows(page, "Sending your payment")
    await service().accepted(made)
    await page.reload()
    await Checkout.shows(page, "Payment on its way")
    await service().florin.workers.start()
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("shows that time is up while the page is open", async () => {
    const { check, page } = await arrive({ expiresAt: Math.floor(Date.now() / 1000) + 6 })
    await Checkout.shows(page, Checkout.waiting)
    await Checkout.shows(page, "Time is up")
    await check()
  })

  it("shows a payment that another wallet made", async () => {
    const { made, page } = await arrive()
    await Checkout.shows(page, Checkout.waiting)
    await service().payBy(made, Wallet.make(++payers))
    await Checkout.shows(page, "Paid")
  })
})

describe("the way back to the merchant", () => {
  const shop = "https://bluedoor.example"
  const checkout = { successUrl: `${shop}/thanks?order=7`, errorUrl: `${shop}/sorry` }

  const arrive = async (request: Parameters<Service.Service["order"]>[0] = {}) => {
    const { order, url } = service()
    const [made, tab] = await Promise.all([order({ checkout, ...request }), open([url, shop])])
    /** What told the shop where its visitor came from. */
    const referrers: Array<string | undefined> = []
    await tab.context.route(`${shop}/**`, (route) => {
      referrers.push(route.request().headers()["referer"])
      return route.fulfill({ contentType: "text/html", body: "<title>shop</title>" })
    })
    return { ...tab, made, referrers, wallet: Wallet.make(++payers) }
  }

  const link = (page: Page) => page.getByRole("link", { name: /^Back to .?Blue Door Coffee/u })
  const countdown = (page: Page) => page.getByRole("button", { name: "Stay here" })

  /** Returns to the page as the payer does, which then keeps them. */
  const comeBack = async (page: Page, title: string) => {
    await page.goBack()
    await Checkout.shows(page, title)
    assert.strictEqual(await link(page).count(), 1)
    assert.strictEqual(await countdown(page).count(), 0)
  }

  it("is taken by itself once it is paid, tells the merchant no link, and is not taken again by who comes back", async () => {
    const { made, page, referrers, wallet } = await arrive()
    // Where it leads is the merchant's to say, and not that of whoever hands on the link.
    await page.goto(`${made.url}&successUrl=https://evil.example/`)
    await Checkout.shows(page, Checkout.waiting)
    await service().payBy(made, wallet)
    await countdown(page).waitFor()
    await page.waitForURL(checkout.successUrl)
    assert.deepStrictEqual(referrers, [undefined])
    await comeBack(page, "Paid")
  })

  it.each<[string, string, (order: Service.Order) => Promise<unknown>, number]>([
    ["cancelled", "Payment cancelled", ({ id }) => service().partner.payments.cancel(id), 300],
    ["expired", "Time is up", () => Promise.resolve(), 2],
    [
      "failed",
      "Payment failed",
      async (order) => {
        const { accepted, florin, payBy, promised, simulated } = service()
        await florin.workers.stop()
        const paying = payBy(order, Wallet.make(++payers))
        await accepted(order)
        await Effect.runPromise(simulated.cancelAuthorization(await promised(order)))
        await florin.workers.start()
        await paying
      },
      300,
    ],
  ])("leads to the errorUrl where the payment is %s", async (_, title, end, lifeInS) => {
    const { made, page } = await arrive({ expiresAt: Math.floor(Date.now() / 1000) + lifeInS })
    await page.goto(made.url)
    await end(made)
    await Checkout.shows(page, title)
    await link(page).click()
    await page.waitForURL(checkout.errorUrl)
    await comeBack(page, title)
  })

  it("is none where it would run a script, or shows another host than it leads to", async () => {
    const { context, made, page, wallet } = await arrive()
    await service().payBy(made, wallet)
    /** How many ways back there are on a page that a broken service says this on. */
    const ways = async (successUrl: string): Promise<number> => {
      await context.route(made.url, async (route) => {
        const response = await route.fetch()
        const text = await response.text()
        await route.fulfill({ response, body: text.replace(checkout.successUrl, successUrl) })
      })
      await page.goto(made.url)
      await context.unroute(made.url)
      await Checkout.shows(page, "Paid")
      return link(page).count()
    }
    assert.strictEqual(await ways(`${shop}/other`), 1)
    assert.strictEqual(await ways("javascript:window.florinTrap"), 0)
    assert.strictEqual(await ways("data:text/html,thanks"), 0)
    assert.strictEqual(await ways("http://bluedoor.example/thanks"), 0)
    assert.strictEqual(await ways("https://bluedoor.example@evil.example/"), 0)
  })
})
