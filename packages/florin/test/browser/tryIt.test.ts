import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import type { Page, Route } from "playwright-core"
import * as Directory from "../directory.ts"
import * as Program from "../program.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"

const options = { concurrent: true, timeout: Browser.patienceInMs * 2 }

describe("the console that florin dev opens", options, () => {
  const directory = Directory.make()
  let running: Program.Running | undefined
  const service = (): Program.Running => running ?? assert.fail("it does not run")
  beforeAll(async () => {
    const args = ["--storage", "memory", "--chains", "8453,56", "--rate", "EUR=2"]
    running = await Program.dev(directory, ...args)
  })
  afterAll(async () => {
    await Program.interrupt(service())
    Directory.remove(directory)
  })

  const open = Browser.openTab
  const arrive = async (test: Browser.Ending) => {
    const { baseUrl } = service().ready
    const tab = await open([baseUrl], "desktop", test)
    await tab.page.goto(baseUrl)
    await tab.page.getByRole("heading", { name: "Create a payment" }).waitFor()
    return tab
  }

  /** Creates a payment as a developer does, and opens its checkout. */
  const create = async (page: Page, amount: string, currency: string): Promise<Page> => {
    await page.getByLabel("Amount").fill(amount)
    await page.getByLabel("Currency").selectOption(currency)
    await Checkout.press(page, "Create payment")
    const [checkout] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: /^Open the checkout \(/u }).click(),
    ])
    await Checkout.shows(checkout, Checkout.waiting)
    return checkout
  }

  /** Waits until the page lists a payment of this amount with this status. */
  const lists = (page: Page, amount: string, status: string): Promise<void> =>
    page.getByRole("row").filter({ hasText: amount }).filter({ hasText: status }).waitFor()

  it("opens with the printed link, and is marked as a test", async (test) => {
    const { baseUrl, partnerKey } = service().ready
    const { check, page } = await open([baseUrl], "desktop", test)
    const [, link = ""] = /pay +(http:\S+)/u.exec(service().said.out) ?? []
    assert.match(link, /^http:\/\/localhost:\d+\/\?pid=pay_\w+$/u)
    await page.goto(link)
    await Checkout.shows(page, Checkout.waiting)
    await Checkout.says(page, "TEST · no real money")
    await check()
    await page.goto(baseUrl)
    await page.waitForURL(`${baseUrl}/console/try`)
    await page.getByText(partnerKey, { exact: true }).waitFor()
    await page
      .getByText(/^npx florin listen --forward-to http:\/\/localhost:4242\/hook /u)
      .waitFor()
    await page.getByText("Base, chain id 8453", { exact: true }).first().waitFor()
    await lists(page, "first-payment", "Open")
    await page.getByText("The same with curl").click()
    await Checkout.says(page, `curl ${baseUrl}/v1/payments`)
    await Browser.inEveryLook(page, check)
  })

  it("reports that the service does not respond, and continues once it does", async (test) => {
    const { check, page } = await arrive(test)
    await page.route("**/v1/**", (route) => route.abort())
    await Checkout.says(page, "No connection to the service.")
    await check()
    await page.unroute("**/v1/**")
    await page.getByText("No connection to the service.").waitFor({ state: "detached" })
  })

  it("signs in again with one press if its session is of an earlier start", async (test) => {
    const { check, page } = await arrive(test)
    await page.getByLabel("Description").fill("Coffee beans")
    const late = Promise.withResolvers<void>()
    const refuse = async (route: Route) => {
      if (route.request().method() === "GET") return route.fallback()
      await late.promise
      await route.fulfill({ status: 401, json: { code: "invalid_session", message: "ended" } })
    }
    await page.route("**/v1/payments", refuse)
    await Checkout.press(page, "Create payment")
    await page.context().clearCookies()
    // The list of payments is read every second, and is the first to be refused.
    await Checkout.shows(page, "Sign in")
    await check()
    await Checkout.press(page, "Sign in on this machine")
    await page.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" })
    // The last that is heard of the earlier session says nothing about the new one.
    const heard = page.waitForResponse((response) => response.status() === 401)
    late.resolve()
    await heard
    const form = page.getByRole("region", { name: "Create a payment" })
    await form.getByRole("alert").waitFor()
    await page.unroute("**/v1/payments")
    await Checkout.press(page, "Create payment")
    await page.getByRole("link", { name: /^Open the checkout \(/u }).waitFor()
    await page.getByRole("alert").first().waitFor({ state: "detached" })
    assert.strictEqual(await page.getByLabel("Description").inputValue(), "Coffee beans")
  })

  it("opens the console in live mode, signed in", async (test) => {
    const { page } = await arrive(test)
    await Checkout.press(page, "Live mode")
    await Checkout.shows(page, "Overview")
    await page.getByText("TEST · no real money").waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Try it" }).click()
    await Checkout.shows(page, "Create a payment")
    assert.strictEqual(await page.getByLabel("Outcome").count(), 0)
    await page.getByText(service().ready.live.partnerKey, { exact: true }).waitFor()
  })

  it.for(
    Counts.some(
      [
        ["rich", "10.01", "USD", "$10.01"],
        ["smart account", "10.03", "USD", "$10.03"],
        ["rich", "10.04", "EUR", "€10.04"],
        // It waits for 8 s before each signature.
        ...(Counts.full ? ([["slow", "10.02", "USD", "$10.02"]] as const) : []),
      ] as const,
      2,
    ),
  )("shows how the %s test wallet pays %s %s", async ([wallet, amount, currency, shown], test) => {
    const { page } = await arrive(test)
    const checkout = await create(page, amount, currency)
    await Checkout.payWith(checkout, `Test wallet: ${wallet}`, /USDC.*Base/u)
    await Checkout.shows(checkout, "Paid")
    await lists(page, shown, "Succeeded")
    await page.getByText("payment.succeeded").first().waitFor()
  })

  it("creates a payment with a description, which the checkout shows", async (test) => {
    const { check, page } = await arrive(test)
    await page.getByLabel("Description").fill("Coffee beans")
    const checkout = await create(page, "10.05", "USD")
    await Checkout.says(checkout, "Coffee beans")
    await page.getByText("The same with curl").click()
    await Checkout.says(page, '"description":"Coffee beans"')
    await Browser.inEveryLook(page, check)
  })

  it("continues to count orders after a reload", async (test) => {
    const { page } = await arrive(test)
    const reference = async () => {
      await page.getByText("The same with curl").click()
      const shown = await page.getByText("-H 'Content-Type: application/json'").innerText()
      return Number(/"referenceId":"order-([0-9]+)"/u.exec(shown)?.[1])
    }
    await (await create(page, "10.06", "USD")).close()
    const next = await reference()
    assert.isAbove(next, 1)
    await page.reload()
    await lists(page, "$10.06", "Open")
    // Other tests create payments, too.
    assert.isAtLeast(await reference(), next)
  })

  it("refunds a payment that succeeded", async (test) => {
    const { check, page } = await arrive(test)
    const checkout = await create(page, "10.08", "USD")
    await Checkout.payWith(checkout, "Test wallet: rich", /USDC.*Base/u)
    await Checkout.shows(checkout, "Paid")
    await lists(page, "$10.08", "Succeeded")
    await page.getByRole("row").filter({ hasText: "$10.08" }).getByRole("link").click()
    await Checkout.press(page, "Refund")
    await Checkout.press(page, "Refund $10.08")
    await page.goBack()
    await page.getByText("refund.succeeded").first().waitFor()
    await check()
  })

  it("creates a payment with a chosen outcome, and shows the request for it", async (test) => {
    const { check, page } = await arrive(test)
    await page.getByLabel("Outcome").selectOption("failed")
    const checkout = await create(page, "10.09", "USD")
    await page.getByText("The same with curl").click()
    await Checkout.says(page, '"metadata":{"testOutcome":"failed"}')
    await check()
    await Checkout.payWith(checkout, "Test wallet: rich", /USDC.*Base/u)
    await lists(page, "$10.09", "Failed")
    await page.getByText("payment.failed").first().waitFor()
  })

  it("prices euros with --rate", async (test) => {
    const { page } = await arrive(test)
    const checkout = await create(page, "3", "EUR")
    await Checkout.press(checkout, "Test wallet: rich")
    await Checkout.shows(checkout, "Choose how to pay")
    await Checkout.says(checkout, "6.00 USDC")
  })

  it("lets a smart account send a transaction, and requests an approval from a wallet", async (test) => {
    const { page } = await arrive(test)
    const checkout = await create(page, "10.05", "USD")
    await Checkout.payWith(checkout, "Test wallet: smart account", /USDC.*BNB/u)
    await Checkout.shows(checkout, "Paid")
  })

  it("has a wallet without enough money", async (test) => {
    const { page } = await arrive(test)
    const checkout = await create(page, "10.11", "USD")
    await Checkout.press(checkout, "Test wallet: poor")
    await Checkout.shows(checkout, /cannot pay/u)
  })

  it("has a wallet that rejects requests", async (test) => {
    const { page } = await arrive(test)
    const checkout = await create(page, "10.07", "USD")
    await Checkout.payWith(checkout, "Test wallet: refuses", /USDC.*Base/u)
    await Checkout.says(checkout, /^You declined this step in your wallet/u)
    await lists(page, "$10.07", "Open")
  })

  it("says what is wrong with an amount", async (test) => {
    const { check, page } = await arrive(test)
    await page.getByLabel("Currency").selectOption("JPY")
    await page.getByLabel("Amount").fill("1.5")
    await Checkout.press(page, "Create payment")
    await Checkout.says(page, "Enter an amount, such as 12.")
    await check()
  })
})
