import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const ethereum = 1
const base = 8453
const bnb = 56
const usdc = /USDC.*Base/u
/** What the wallet sends itself. */
const sent = /USDC.*BNB/u
let payers = 4_100_000

const open = Browser.openTab
const service = Service.inFile()

const oneAtATime = Semaphore.makeUnsafe(1)

/** Collects nothing meanwhile. Other tests wait for their payments until it is done, and none starts the workers again. */
const withoutWorkers = (work: () => Promise<void>): Promise<void> => {
  const { workers } = service().florin
  return Effect.promise(async () => {
    await workers.stop()
    try {
      await work()
    } finally {
      await workers.start()
    }
  }).pipe(oneAtATime.withPermit, Effect.runPromise)
}

describe("an interrupted payment in the browser", { concurrent: true }, () => {
  const arrive = async (
    test: Browser.Ending,
    {
      knows = [base],
      startsOn = base,
      ...request
    }: Partial<Pick<InjectedWallet.Options, "knows" | "startsOn">> &
      Parameters<Service.Service["order"]>[0] = {},
  ) => {
    const { order, simulated, url } = service()
    const [made, tab] = await Promise.all([order(request), open([url], "phone", test)])
    const wallet = Wallet.make(++payers)
    const options = { name, wallet, node: simulated.node, knows, startsOn }
    const injected = await InjectedWallet.inject(tab.context, options)
    await tab.page.goto(made.url)
    return { ...tab, injected, made }
  }

  it("can be chosen again after the payer rejected the request", async (test) => {
    const { check, injected, page } = await arrive(test)
    injected.refuseNext()
    await Checkout.payWith(page, name, usdc)
    await Checkout.says(page, /You declined this step in your wallet/u)
    await check()
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 2)
  })

  it("switches the wallet to the payment's network before the signature", async (test) => {
    const { injected, page } = await arrive(test, { knows: [ethereum, base], startsOn: ethereum })
    await Checkout.payWith(page, name, usdc)
    await Checkout.shows(page, "Paid")
    const moved = injected.asked.indexOf("wallet_switchEthereumChain")
    assert.isAtLeast(moved, 0)
    assert.isBelow(moved, injected.asked.indexOf("eth_signTypedData_v4"))
  })

  it("says which network is missing, and continues once the wallet has it", async (test) => {
    const { check, injected, page } = await arrive(test, { knows: [ethereum], startsOn: ethereum })
    await Checkout.payWith(page, name, usdc)
    await Checkout.says(page, /Your wallet did not switch to .?Base/u)
    assert.strictEqual(injected.signatures(), 0)
    await check()
    injected.learn(base)
    await Checkout.press(page, "Try again")
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("submits a signature from before a reload, without a second one", async (test) => {
    const { context, injected, page } = await arrive(test)
    const confirming = /\/pages\/v1\/gateway\/payment\/[^/]+\/confirm/u
    await context.route(confirming, (route) => route.abort())
    await Checkout.payWith(page, name, usdc)
    await Checkout.says(page, /The connection was lost/u)
    await context.unroute(confirming)
    await page.reload()
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("shows the status of a pending payment after a reload", async (test) => {
    const { injected, made, page } = await arrive(test)
    await withoutWorkers(async () => {
      await Checkout.payWith(page, name, usdc)
      await service().accepted(made)
      await page.reload()
      await Checkout.shows(page, "Payment on its way")
    })
    await Checkout.shows(page, "Paid")
    assert.strictEqual(injected.signatures(), 1)
  })

  it("shows that it expired while the page was open", async (test) => {
    const { order, url } = service()
    const { check, page } = await open([url], "phone", test)
    /** Opens a payment that ends soon; on a busy machine it may be over before it is open, and the next ends later. */
    const openInTime = async (lifeInS: number): Promise<void> => {
      const made = await order({ lifeInS })
      await page.goto(made.url)
      const told = String(
        await page.evaluate(`document.querySelector("[name=florin-page]").content`),
      )
      return told.includes(`"isFinal":true`) ? openInTime(lifeInS * 2) : undefined
    }
    await openInTime(8)
    await Checkout.shows(page, "Time is up")
    await check()
  })

  it("shows that another wallet paid", async (test) => {
    const { made, page } = await arrive(test)
    await Checkout.shows(page, Checkout.waiting)
    await service().payBy(made, Wallet.make(++payers))
    await Checkout.shows(page, "Paid")
  })
})

describe("money that a wallet sent without paying", { concurrent: true }, () => {
  const shop = "https://bluedoor.example"
  const checkout = { successUrl: `${shop}/thanks`, errorUrl: `${shop}/sorry` }
  const hash = /^0x[0-9a-f]{64}$/u

  /** A payment before a wallet that sends, of which the payer has not yet connected anything. */
  const arrive = async (test: Browser.Ending) => {
    const { order, simulated, url } = service()
    const [made, tab] = await Promise.all([order({ checkout }), open([url], "phone", test)])
    const wallet = Wallet.make(++payers)
    const options = { name, wallet, node: simulated.node, knows: [base, bnb], startsOn: base }
    const injected = await InjectedWallet.inject(tab.context, options)
    await tab.page.goto(made.url)
    return { ...tab, injected, made, wallet }
  }

  /** The hash that the page shows, and that its link leads to. */
  const shownHash = async (page: Page): Promise<string> => {
    const shown = (await page.locator(".sent .hash").getAttribute("title")) ?? ""
    assert.match(shown, hash)
    const explorer = page.getByRole("link", { name: /See transaction/u })
    assert.strictEqual(await explorer.getAttribute("href"), `https://bscscan.com/tx/${shown}`)
    return shown
  }

  /** The page says that the service was told of it, which keeps it. */
  const isKept = async (page: Page, made: Service.Order): Promise<void> => {
    await Checkout.says(page, /The service knows about it/u)
    assert.deepStrictEqual(await service().late(made), [await shownHash(page)])
  }

  it("is shown to a payer whom screening refused, also after a reload, without a redirect", async (test) => {
    const { check, made, page, wallet } = await arrive(test)
    await Checkout.press(page, name)
    await Checkout.shows(page, "Choose how to pay")
    service().refuse(wallet)
    await Checkout.pick(page, sent)
    await Checkout.shows(page, "Payment declined")
    await isKept(page, made)
    await page.getByRole("link", { name: /^Back to/u }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Stay here" }).count(), 0)
    await check()
    await page.reload()
    await Checkout.shows(page, "Payment declined")
    await isKept(page, made)
  })

  it("is shown if the wallet sends after the payment was cancelled, and signs its statement", async (test) => {
    const { injected, made, page } = await arrive(test)
    const { answer, reached } = injected.hold("eth_sendTransaction")
    await Checkout.payWith(page, name, sent)
    await reached
    await service().partner.payments.cancel(made.id)
    await Checkout.shows(page, "Payment cancelled")
    await Checkout.says(page, /has not reported whether it did/u)
    answer()
    await isKept(page, made)
  })

  it("hides other ways to pay, also after a reload", async (test) => {
    const { check, injected, page } = await arrive(test)
    injected.refuseOnce("personal_sign")
    await Checkout.payWith(page, name, sent)
    await Checkout.says(page, /Do not pay again/u)
    injected.lock()
    await page.reload()
    await Checkout.says(page, /Do not pay again/u)
    await page.getByRole("button", { name }).waitFor()
    assert.strictEqual(await page.getByRole("img", { name: /QR code/u }).count(), 0)
    await shownHash(page)
    await check()
  })

  it.for<[string, (page: Page) => Promise<unknown>]>([
    [
      "when the payer presses the button",
      (page) => Checkout.press(page, /^Sign in .?Pocket Wallet/u),
    ],
    ["automatically when the page is opened again", (page) => page.reload()],
  ])("is signed for after the payment's end %s", async ([, goOn], test) => {
    const { injected, made, page } = await arrive(test)
    injected.refuseOnce("personal_sign")
    await Checkout.payWith(page, name, sent)
    await Checkout.says(page, /Sign in your wallet to confirm that you sent this/u)
    await service().partner.payments.cancel(made.id)
    await Checkout.shows(page, "Payment cancelled")
    await Checkout.says(page, /has not signed that you sent it/u)
    assert.deepStrictEqual(await service().late(made), [])
    await goOn(page)
    await isKept(page, made)
  })

  it("is shown as unsigned after the end each time the payer rejects the signature", async (test) => {
    const { check, injected, made, page } = await arrive(test)
    injected.refuseOnce("personal_sign")
    await Checkout.payWith(page, name, sent)
    await Checkout.says(page, /Sign in your wallet to confirm that you sent this/u)
    await service().partner.payments.cancel(made.id)
    await Checkout.shows(page, "Payment cancelled")
    const unsigned = page.getByText(/your wallet has not signed for it/u)
    await unsigned.waitFor({ state: "detached" })
    injected.refuseOnce("personal_sign")
    await Checkout.press(page, /^Sign in .?Pocket Wallet/u)
    await unsigned.waitFor()
    await check()
    // While the wallet asks again, what became of the last time is not said.
    const { answer, reached } = injected.hold("personal_sign")
    await Checkout.press(page, /^Sign in .?Pocket Wallet/u)
    await reached
    await unsigned.waitFor({ state: "detached" })
    injected.refuseOnce("personal_sign")
    answer()
    await unsigned.waitFor()
    assert.deepStrictEqual(await service().late(made), [])
    await Checkout.press(page, /^Sign in .?Pocket Wallet/u)
    await isKept(page, made)
  })

  it("is not promised as a refund if the service got a signature of another account", async (test) => {
    const { context, injected, made, page } = await arrive(test)
    const { answer, reached } = injected.hold("eth_sendTransaction")
    const stranger = Wallet.make(++payers).signMessage("It was I.")
    await context.route(/\/confirm/u, (route) => {
      const postData = route
        .request()
        .postData()
        ?.replace(/0x[0-9a-f]{130}/u, stranger)
      return route.continue({ postData: postData ?? assert.fail("nothing was handed in") })
    })
    await Checkout.payWith(page, name, sent)
    await reached
    await service().partner.payments.cancel(made.id)
    await Checkout.shows(page, "Payment cancelled")
    answer()
    await Checkout.says(page, /The service knows about it/u)
    assert.deepStrictEqual(await service().late(made), [])
    assert.strictEqual(await page.getByText(/not lost|keeps it|kept for you/u).count(), 0)
  })

  it("is announced to screen readers, without a QR code", async (test) => {
    const { injected, page } = await arrive(test)
    const status = page.getByRole("status")
    const told = status.filter({ hasText: "You have sent this payment." })
    const { answer, reached } = injected.hold("eth_sendTransaction")
    await Checkout.payWith(page, name, sent)
    await reached
    await Checkout.press(page, "Pay another way")
    await status.filter({ hasText: "Scan this code" }).waitFor()
    // The wallet says only now that it did.
    answer()
    await told.waitFor()
    injected.lock()
    await page.reload()
    await page.getByRole("button", { name }).waitFor()
    injected.refuseOnce("eth_requestAccounts")
    await Checkout.press(page, name)
    await told.waitFor()
    assert.strictEqual(await page.getByRole("img", { name: /QR code/u }).count(), 0)
  })

  it("is shown if another wallet paid meanwhile", async (test) => {
    const { injected, made, page } = await arrive(test)
    const { answer, reached } = injected.hold("eth_sendTransaction")
    await Checkout.payWith(page, name, sent)
    await reached
    await service().payBy(made, Wallet.make(++payers))
    await Checkout.shows(page, "Paid")
    answer()
    await Checkout.says(page, /The service knows about it/u)
    const { info } = await service().partner.payments.status(made.id)
    const [late = "", ...others] = await service().late(made)
    assert.isEmpty(others)
    assert.notStrictEqual(late, info?.txId)
    assert.strictEqual(await page.locator(".sent .hash").getAttribute("title"), late)
  })
})

describe("the return to the merchant", { concurrent: true }, () => {
  const shop = "https://bluedoor.example"
  const checkout = { successUrl: `${shop}/thanks?order=7`, errorUrl: `${shop}/sorry` }

  const arrive = async (
    test: Browser.Ending,
    request: Parameters<Service.Service["order"]>[0] = {},
  ) => {
    const { order, url } = service()
    const [made, tab] = await Promise.all([
      order({ checkout, ...request }),
      open([url, shop], "phone", test),
    ])
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
    await link(page).waitFor()
    // A browser that kept the page shows it as it was left, and then as it is.
    await countdown(page).waitFor({ state: "detached" })
  }

  it("happens by itself after payment, without the link as referrer, and not again for a payer who comes back", async (test) => {
    const { made, page, referrers, wallet } = await arrive(test)
    // Where it leads is the merchant's to say, and not that of whoever hands on the link.
    await page.goto(`${made.url}&successUrl=https://evil.example/`)
    await Checkout.shows(page, Checkout.waiting)
    // It is there for some seconds only.
    const leaving = countdown(page).waitFor()
    await service().payBy(made, wallet)
    await leaving
    await page.waitForURL(checkout.successUrl)
    assert.deepStrictEqual(referrers, [undefined])
    await comeBack(page, "Paid")
  })

  it.for<[string, string, (order: Service.Order) => Promise<unknown>, number]>([
    ["cancelled", "Payment cancelled", ({ id }) => service().partner.payments.cancel(id), 300],
    ["expired", "Time is up", () => Promise.resolve(), 8],
    [
      "failed",
      "Payment failed",
      async (order) => {
        const { accepted, payBy, promised, simulated } = service()
        const wallet = Wallet.make(++payers)
        const paying = Promise.withResolvers<unknown>()
        await withoutWorkers(async () => {
          paying.resolve(payBy(order, wallet))
          await accepted(order)
          await Effect.runPromise(simulated.cancelAuthorization(await promised(order)))
        })
        await paying.promise
      },
      300,
    ],
  ])("goes to the errorUrl if the payment is %s", async ([, title, end, lifeInS], test) => {
    const { made, page } = await arrive(test, { lifeInS })
    await page.goto(made.url)
    await Checkout.pressOnce(page, /^Stay here$/u)
    await end(made)
    await Checkout.shows(page, title)
    await link(page).click()
    await page.waitForURL(checkout.errorUrl)
    await comeBack(page, title)
  })

  it("goes to the errorUrl by itself if the payer is declined", async (test) => {
    const { context, made, page, referrers, wallet } = await arrive(test)
    const { node } = service().simulated
    await InjectedWallet.inject(context, { name, wallet, node, knows: [base], startsOn: base })
    await page.goto(`${made.url}&errorUrl=https://evil.example/`)
    await Checkout.press(page, name)
    await Checkout.shows(page, "Choose how to pay")
    service().refuse(wallet)
    const declined = Checkout.shows(page, "Payment declined")
    await Checkout.pick(page, usdc)
    await declined
    await page.waitForURL(checkout.errorUrl)
    assert.deepStrictEqual(referrers, [undefined])
    await comeBack(page, "Payment declined")
  })

  it("is not offered if it would run a script, or shows another host than it opens", async (test) => {
    const { context, made, page, wallet } = await arrive(test)
    await service().payBy(made, wallet)
    /** How many ways back there are on a page that a broken service says this on. */
    const ways = async (successUrl: string): Promise<number> => {
      await context.route(made.url, async (route) => {
        const response = await route.fetch({ maxRetries: 2 })
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
