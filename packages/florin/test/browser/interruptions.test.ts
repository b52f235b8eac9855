import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const ethereum = 1
const base = 8453
const usdc = /USDC.*Base/u
let payers = 4_100_000

describe("a payment in the browser that does not go straight on", () => {
  const open = Browser.inFile()
  const service = Service.inFile()

  const arrive = async ({
    knows = [base],
    startsOn = base,
    ...request
  }: Partial<Pick<InjectedWallet.Options, "knows" | "startsOn">> &
    Parameters<Service.Service["order"]>[0] = {}) => {
    const { order, url } = service()
    const [made, tab] = await Promise.all([order(request), open([url])])
    const wallet = Wallet.make(++payers)
    const options = { name, wallet, chains: [], knows, startsOn }
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
