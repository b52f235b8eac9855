/**
 * What the checkout offers in addition to paying: wallets, cancelling, and a receipt.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import type { BrowserContext, Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as MadeUp from "./MadeUp.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const base = 8453
const bnb = 56
let payers = 4_600_000

const shop = "https://bluedoor.example"

describe("the checkout", () => {
  const open = Browser.openTab
  const service = Service.inFile()

  const inject = (context: BrowserContext, wallet = Wallet.make(++payers)) =>
    InjectedWallet.inject(context, {
      name,
      wallet,
      node: service().simulated.node,
      knows: [base, bnb],
      startsOn: base,
    })

  const isSeen = (page: Page, label: string) => page.getByRole("img", { name: label }).isVisible()
  const code = "QR code of the link"

  describe("on a phone", () => {
    it("opens the payment in a wallet's app, and folds the QR code", async () => {
      const { check, page } = await open([service().url], "phone")
      const made = await service().order()
      await page.goto(made.url)
      await Checkout.shows(page, Checkout.waiting)
      const trust = page.getByRole("link", { name: "Trust Wallet" })
      assert.strictEqual(
        await trust.getAttribute("href"),
        `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(made.link)}`,
      )
      assert.strictEqual(await trust.getAttribute("referrerpolicy"), "no-referrer")
      const other = page.getByRole("link", { name: "Another wallet app" })
      assert.match((await other.getAttribute("href")) ?? "", /^wc:\?pay=/u)
      await Checkout.says(page, /can see the payment link/u)
      assert.isFalse(await isSeen(page, code))
      await page.getByText("Pay from another device").click()
      await page.getByRole("img", { name: code }).waitFor()
      await check()
    })

    it("lists the wallet of a wallet's own browser first", async () => {
      const { context, page } = await open([service().url], "phone")
      await inject(context)
      await page.goto((await service().order()).url)
      await page.getByRole("button", { name }).waitFor()
      assert.isFalse(await page.getByRole("link", { name: "MetaMask" }).isVisible())
      await page.getByText("Use another wallet").click()
      await page.getByRole("link", { name: "MetaMask" }).waitFor()
    })

    it("finds an injected wallet that does not announce itself", async () => {
      const { context, page } = await open([service().url], "phone")
      await inject(context)
      await context.addInitScript(`
        window.addEventListener("eip6963:announceProvider", (event) => {
          event.stopImmediatePropagation()
          window.ethereum = event.detail.provider
        })
      `)
      await page.goto((await service().order()).url)
      await Checkout.payWith(page, "Browser wallet", /USDC.*Base/u)
      await Checkout.shows(page, "Paid")
    })

    it("says what to allow while the wallet asks", async () => {
      const { context, page } = await open([service().url], "phone")
      const injected = await inject(context)
      injected.hesitate("eth_requestAccounts")
      await page.goto((await service().order()).url)
      await Checkout.press(page, name)
      await page.locator(".panel").getByText("Allow this page to see your accounts").waitFor()
    })

    it("keeps the merchant and the amount visible while the payer scrolls", async () => {
      const { check, context, page } = await open([service().url], "phone")
      await inject(context)
      await page.goto((await service().order()).url)
      await Checkout.press(page, name)
      await Checkout.shows(page, "Choose how to pay")
      const bar = page.locator(".bar")
      assert.isFalse(await bar.isVisible())
      await page.setViewportSize({ width: 390, height: 400 })
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
      await bar.filter({ hasText: "$12.50" }).filter({ hasText: "Blue Door Coffee" }).waitFor()
      await check()
    })
  })

  describe("on a desktop", () => {
    it("shows the QR code, and no apps", async () => {
      const { page } = await open([service().url], "desktop")
      await page.goto((await service().order()).url)
      await page.getByRole("img", { name: code }).waitFor()
      assert.isFalse(await page.getByRole("link", { name: "MetaMask" }).isVisible())
    })
  })

  describe("the line items", () => {
    it("are listed, and folded after three lines on a phone", async () => {
      const { check, context, page } = await open([service().url], "phone")
      await MadeUp.document(context, MadeUp.full)
      await page.goto((await service().order()).url)
      await Checkout.says(page, "Breakfast for two, table 7")
      await page.getByText("Flat white").waitFor()
      assert.isFalse(await page.getByText("A paper bag").isVisible())
      await page.getByText("2 more items").click()
      await page.getByText("A paper bag").waitFor()
      await check()
    })

    it("are on a page in the merchant's color, readable in both schemes", async () => {
      const { check, context, page } = await open([service().url], "desktop")
      for (const brandColor of ["#ffffff", "#000000", "#fff176", "#777777"]) {
        // oxlint-disable no-await-in-loop -- One colour after another.
        await context.unrouteAll()
        await MadeUp.document(context, (shown) => ({
          ...shown,
          info: { ...shown.info, merchant: { ...shown.info.merchant, brandColor } },
        }))
        await page.goto((await service().order()).url)
        await Checkout.shows(page, Checkout.waiting)
        assert.isTrue(await page.evaluate("document.documentElement.matches('.branded')"))
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          await check()
        }
        // oxlint-enable no-await-in-loop
      }
    })
  })

  describe("a way to pay", () => {
    it("shows the account's balance, the duration and the network's cost", async () => {
      const { check, context, page } = await open([service().url], "phone")
      await inject(context)
      const fees = ["0", "1", "2"]
      await MadeUp.options(context, (option, index) => ({
        ...option,
        actions:
          index === 0
            ? option.actions
            : [
                {
                  type: "walletRpc",
                  data: { chain_id: "eip155:1", method: "eth_sendTransaction", params: [] },
                },
              ],
        balance: "250123456",
        networkFee:
          index > 2
            ? null
            : {
                unit: "iso4217/USD",
                value: fees[index] ?? "0",
                display: { assetName: "US dollar", assetSymbol: "USD", decimals: 2 },
              },
      }))
      await page.goto((await service().order()).url)
      await Checkout.press(page, name)
      await Checkout.shows(page, "Choose how to pay")
      for (const text of [
        "no network fee\u00a0· about",
        "network fee less than $0.01\u00a0· about",
        "network fee about $0.02\u00a0· about",
        "plus a network fee\u00a0· about",
        "Balance 250.1234 USDC",
      ]) {
        // oxlint-disable-next-line no-await-in-loop -- One text after another.
        assert.isAtLeast(await page.getByText(text).count(), 1, text)
      }
      await check()
    })
  })

  describe("is confirmed once, and cancels the payment", () => {
    it("is asked about once, and ends the payment", async () => {
      const { check, page } = await open([service().url], "phone")
      const made = await service().order()
      await page.goto(made.url)
      const status = async () => (await service().partner.payments.status(made.id)).status
      await Checkout.press(page, "Cancel payment")
      await Checkout.press(page, "Keep payment")
      assert.strictEqual(await status(), "requires_action")
      await Checkout.press(page, "Cancel payment")
      await page.getByRole("dialog").getByRole("button", { name: "Cancel payment" }).click()
      await Checkout.shows(page, "Payment cancelled")
      assert.strictEqual(await status(), "cancelled")
      await check()
    })

    it("is not offered while money may be on its way", async () => {
      const { context, page } = await open([service().url], "phone")
      const injected = await inject(context)
      await page.goto((await service().order()).url)
      await Checkout.press(page, name)
      await Checkout.shows(page, "Choose how to pay")
      injected.hesitate("eth_sendTransaction")
      await Checkout.pick(page, /USDC.*BNB/u)
      await Checkout.shows(page, /^Send in /u)
      await page.reload()
      await Checkout.says(page, /Check your wallet first/u)
      assert.isFalse(await page.getByRole("button", { name: "Cancel payment" }).isVisible())
    })
  })

  describe("a payment on its way", () => {
    const arrive = async (blocks: { confirmed: number; needed: number } | null) => {
      const tab = await open([service().url], "phone")
      const { progress, status } = MadeUp.processing
      await MadeUp.document(tab.context, (page) => ({ ...page, status }))
      await MadeUp.watched(tab.context, { status, progress: { ...progress, blocks } })
      await tab.page.goto((await service().order()).url)
      await Checkout.says(tab.page, "0x5e1ec7…1ec7ed")
      return tab
    }

    it("shows its confirmations, also to screen readers", async () => {
      const { check, page } = await arrive({ confirmed: 4, needed: 12 })
      await Checkout.says(page, "4 of 12 blocks")
      const bar = page.getByRole("progressbar", { name: "Confirmations" })
      assert.strictEqual(await bar.getAttribute("aria-valuetext"), "4 of 12 blocks")
      assert.strictEqual(await bar.getAttribute("value"), "4")
      const explorer = page.getByRole("link", { name: /See transaction/u })
      assert.strictEqual(
        await explorer.getAttribute("href"),
        `https://basescan.org/tx/${MadeUp.processing.progress.hash}`,
      )
      await check()
    })

    it("shows no progress that is not known", async () => {
      const { check, page } = await arrive(null)
      const bar = page.getByRole("progressbar", { name: "Confirmations" })
      assert.isNull(await bar.getAttribute("value"))
      assert.strictEqual(await page.getByText(/ of .* blocks?$/u).count(), 0)
      await check()
    })
  })

  describe("the final screen", () => {
    it("of a failed payment says where to get help", async () => {
      const { context, page } = await open([service().url], "phone")
      await MadeUp.document(context, (shown) => ({
        ...MadeUp.full(shown),
        referenceId: "order 7",
        status: { status: "failed", isFinal: true, info: null, failureCode: null },
      }))
      await page.goto((await service().order()).url)
      await Checkout.shows(page, "Payment failed")
      const email = page.getByRole("link", { name: "help@bluedoor.example" })
      assert.strictEqual(
        await email.getAttribute("href"),
        "mailto:help@bluedoor.example?subject=order%207",
      )
      const link = page.getByRole("link", { name: /^Help page/u })
      assert.strictEqual(await link.getAttribute("href"), `${shop}/help`)
    })

    it("of a paid payment offers a receipt as a file, made in the page", async () => {
      const { asked, context, page } = await open([service().url], "phone")
      await MadeUp.document(context, (shown) => ({ ...MadeUp.full(shown), mode: "test" }))
      await inject(context)
      await page.goto((await service().order()).url)
      await Checkout.payWith(page, name, /USDC.*Base/u)
      await Checkout.shows(page, "Paid")
      await Checkout.says(page, "TEST · no real money")
      const before = asked.length
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        Checkout.press(page, "Download receipt"),
      ])
      assert.match(download.suggestedFilename(), /^pay_.*\.html$/u)
      const receipt = await readFile(await download.path(), "utf8")
      for (const said of ["Blue Door Coffee", "12.50 USDC", "Base", "TEST", "Flat white"]) {
        assert.include(receipt, said)
      }
      assert.lengthOf(asked, before)
    })
  })
})
