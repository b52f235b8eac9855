/**
 * A page that is reloaded at any step, left and opened again, open twice, or without a connection. The payer always
 * reaches the end, and pays once.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const base = 8453
const usdc = /USDC.*Base/u
let payers = 4_300_000

/** In a usual run only until a call failed. */
const offlineForInMs = Counts.of({ usual: 0, full: 10_000 })

const open = Browser.openTab
const service = Service.inFile()

const arrive = async (test: Browser.Ending, device: Browser.Device = "phone") => {
  const { order, simulated, url } = service()
  const [made, tab] = await Promise.all([order(), open([url], device, test)])
  const wallet = Wallet.make(++payers)
  const options = { name, wallet, node: simulated.node, knows: [base], startsOn: base }
  const injected = await InjectedWallet.inject(tab.context, options)
  await tab.page.goto(made.url)
  return { ...tab, injected, made, wallet }
}

type Arrived = Awaited<ReturnType<typeof arrive>>

const choosing = async (page: Page): Promise<void> => {
  await Checkout.press(page, name)
  await Checkout.shows(page, "Choose how to pay")
}

/** The payment ended well, and its money came once. */
const paidOnce = async ({ made, page }: Pick<Arrived, "made" | "page">): Promise<void> => {
  await Checkout.shows(page, "Paid")
  assert.strictEqual((await service().partner.payments.get(made.id)).status, "succeeded")
  assert.deepStrictEqual(await service().late(made), [])
}

/** The steps at which a page is reloaded, and how a payer gets to each of them. */
const steps: ReadonlyArray<readonly [step: string, reach: (at: Arrived) => Promise<void>]> = [
  ["before a wallet is chosen", ({ page }) => Checkout.shows(page, Checkout.waiting)],
  [
    "while the wallet asks whether to connect",
    async ({ injected, page }) => {
      const { answer, reached } = injected.hold("eth_requestAccounts")
      await Checkout.press(page, name)
      await reached
      answer()
    },
  ],
  ["while the ways to pay are shown", ({ page }) => choosing(page)],
  [
    "while the wallet asks for the signature",
    async ({ injected, page }) => {
      const { answer, reached } = injected.hold("eth_signTypedData_v4")
      await choosing(page)
      await Checkout.pick(page, usdc)
      await reached
      answer()
    },
  ],
]

describe("a payment whose page is reloaded", { concurrent: true }, () => {
  for (const [index, [step, reach]] of steps.entries()) {
    for (const device of Counts.full
      ? Browser.devices
      : Browser.devices.slice(index % 2).slice(0, 1)) {
      it(`${step}, on a ${device}, is paid once`, async (test) => {
        const at = await arrive(test, device)
        await reach(at)
        await at.page.reload()
        // What was signed just before the reload may already be on its way.
        const next = at.page
          .getByRole("button", { name })
          .or(at.page.getByRole("heading", { name: "Paid" }))
        await next.first().waitFor()
        if ((await at.page.getByRole("heading", { name: "Paid" }).count()) === 0) {
          await choosing(at.page)
          await Checkout.pick(at.page, usdc)
        }
        await paidOnce(at)
        await at.check()
      })
    }
  }

  it("at its end still shows the receipt", async (test) => {
    const at = await arrive(test)
    await choosing(at.page)
    await Checkout.pick(at.page, usdc)
    await paidOnce(at)
    await at.page.reload()
    await paidOnce(at)
    assert.strictEqual(at.injected.signatures(), 1)
  })
})

describe("a payment that is open in two tabs", { concurrent: true }, () => {
  it("is paid in one, and the other shows that without a signature", async (test) => {
    const at = await arrive(test)
    const other = await at.context.newPage()
    await other.goto(at.made.url)
    await choosing(other)
    await choosing(at.page)
    await Checkout.pick(at.page, usdc)
    await paidOnce(at)
    await paidOnce({ ...at, page: other })
    assert.strictEqual(at.injected.signatures(), 1)
  })

  it("is paid once, even if the wallet signs in both", async (test) => {
    const at = await arrive(test)
    const other = await at.context.newPage()
    await other.goto(at.made.url)
    await Promise.all([choosing(at.page), choosing(other)])
    const { answer, reached } = at.injected.hold("eth_signTypedData_v4")
    await Promise.all([Checkout.pick(at.page, usdc), Checkout.pick(other, usdc)])
    await reached
    answer()
    await Promise.all([paidOnce(at), paidOnce({ ...at, page: other })])
  })
})

describe("a payment that is left by the back button", { concurrent: true }, () => {
  it("continues when the payer comes back", async (test) => {
    const at = await arrive(test, "desktop")
    await choosing(at.page)
    await at.page.goto(`${service().url}/docs`)
    await at.page.goBack()
    await choosing(at.page)
    await Checkout.pick(at.page, usdc)
    await paidOnce(at)
    assert.strictEqual(at.injected.signatures(), 1)
  })

  it("shows its end to a payer who was away", async (test) => {
    const at = await arrive(test)
    await at.page.goto(`${service().url}/docs`)
    await service().payBy(at.made, Wallet.make(++payers))
    await at.page.goBack()
    await paidOnce(at)
    assert.strictEqual(at.injected.signatures(), 0)
  })
})

describe("a payment whose page has no connection for a while", { concurrent: true }, () => {
  /** That Chromium writes down each request that fails is no fault of the page. */
  const forgetFailures = ({ noticed }: Arrived): void => {
    const others = noticed.filter((text) => !/net::ERR_INTERNET_DISCONNECTED/u.test(text))
    noticed.splice(0, noticed.length, ...others)
  }

  /** Takes the connection away, does something, and gives it back once such a call of the page failed. */
  const withoutConnection = async ({ context }: Arrived, call: string, act: () => unknown) => {
    const failed = context.waitForEvent("requestfailed", (request) => request.url().includes(call))
    await context.setOffline(true)
    await act()
    await Promise.all([failed, setTimeout(offlineForInMs)])
    await context.setOffline(false)
  }

  it("is submitted when the connection is back, with the earlier signature", async (test) => {
    const at = await arrive(test)
    const { answer, reached } = at.injected.hold("eth_signTypedData_v4")
    await choosing(at.page)
    await Checkout.pick(at.page, usdc)
    await reached
    await withoutConnection(at, "/confirm", answer)
    const again = at.page.getByRole("button", { name: "Try again" })
    const paid = at.page.getByRole("heading", { name: "Paid" })
    await again.or(paid).first().waitFor()
    if ((await paid.count()) === 0) await again.click()
    await paidOnce(at)
    assert.strictEqual(at.injected.signatures(), 1)
    forgetFailures(at)
  })

  it("shows what happened meanwhile", async (test) => {
    const at = await arrive(test)
    await Checkout.shows(at.page, Checkout.waiting)
    await withoutConnection(at, "/v1/", () => service().payBy(at.made, Wallet.make(++payers)))
    await paidOnce(at)
    forgetFailures(at)
  })
})
