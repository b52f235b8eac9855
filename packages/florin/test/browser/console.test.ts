/**
 * The tasks of a partner in the console, each done by a person's means against a real service.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as ConsoleServer from "./ConsoleServer.ts"
import * as Hostile from "./Hostile.ts"
import * as Service from "./Service.ts"

const options = { concurrent: true, timeout: Browser.patienceInMs * 2 }

describe("the console of a partner", options, () => {
  const service = Service.inFile({ merchantName: "Blue Door Coffee" })
  let started: ConsoleServer.ConsoleServer | undefined
  const server = () => started ?? assert.fail("it does not run")
  const serve = (more: Partial<ConsoleServer.Options> = {}) =>
    ConsoleServer.start({
      target: service().url,
      apiKey: service().partnerKey,
      partner: { id: service().partnerId, name: "Corner Payments" },
      ...more,
    })
  beforeAll(async () => {
    started = await serve()
  })
  afterAll(() => server().close())

  const arrive = async (
    test: Browser.Ending,
    path: string,
    at: ConsoleServer.ConsoleServer = server(),
    device: Browser.Device = "desktop",
  ) => {
    const tab = await Browser.openTab([at.url], device, test)
    await tab.page.goto(`${at.url}/console${path}`)
    return tab
  }

  /** A server of its own, whose writes and session are those of one test. */
  const alone = async (test: Browser.Ending, more: Partial<ConsoleServer.Options> = {}) => {
    const own = await serve(more)
    test.onTestFinished(() => own.close())
    return own
  }

  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click()

  let payers = 500
  const paid = async (referenceId: string) => {
    const order = await service().order({ referenceId })
    await service().payBy(order, Wallet.make(++payers))
    return order
  }

  it("shows revenue, states and what was paid with in two requests for data", async (test) => {
    await paid("SHOWN-1")
    const { asked, check, page } = await arrive(test, "")
    await says(page, "Revenue in USD")
    await says(page, "What became of payments")
    await says(page, "USDC · Base")
    // The frame of every screen asks for the session, and for what waits for a second person.
    const frame = /\/(?:session|approvals)$/u
    const data = asked.filter((url) => url.includes("/v1/") && !frame.test(url))
    assert.isAtMost(data.length, 2, data.join("\n"))
    await check()
    await Promise.all([
      page.waitForResponse(/\/v1\/balances/u),
      page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
    ])
    await page.getByRole("slider").focus()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowRight")
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Export CSV")])
    assert.strictEqual(download.suggestedFilename(), "revenue-USD-day.csv")
  })

  it("counts all that is on its way to merchants, however old, or says what it leaves out", async (test) => {
    const { page } = await arrive(test, "/payments")
    const unit = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    const display = { assetName: "USDC", assetSymbol: "USDC", decimals: 6, networkName: "Base" }
    const of = (value: string) => ({ unit, value })
    const balance = (merchantId: string, inPayout: string) => ({
      merchantId,
      merchantName: merchantId,
      display,
      available: of("1"),
      pending: of("0"),
      inPayout: of(inPayout),
      reserved: of("0"),
      debt: of("0"),
    })
    let nextCursor: string | null = null
    // The newest 200 payouts are all paid.
    await page.route("**/v1/payouts?*", (route) =>
      route.fulfill({ json: { data: [], nextCursor: "older" } }),
    )
    await page.route("**/v1/balances?*", (route) => {
      const data = [balance("mrch_1", "12500000"), balance("mrch_2", "2000000")]
      return route.fulfill({ json: { data, nextCursor } })
    })
    await page.goto(`${server().url}/console`)
    const tile = page.locator(".tile", { hasText: "On the way to you" })
    await tile.getByText("14.50 USDC", { exact: true }).waitFor()
    await tile.getByText("Payouts that are not final yet", { exact: true }).waitFor()
    nextCursor = "more"
    await page.reload()
    await tile.getByText("Of the first 2 balances only").waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })
  })

  it("signs in with a one-time link, and removes its key from the address immediately", async (test) => {
    const own = await alone(test)
    own.end(true)
    const { check, page } = await arrive(test, "", own)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await check()
    await page.getByLabel("One-time link").fill("hello")
    await press(page, "Sign in")
    await says(page, "This is not a sign-in link.")
    await page.getByLabel("One-time link").fill(`${own.url}/console#sign-in=no-such-key-at-all`)
    await press(page, "Sign in")
    await says(page, "This link was used already")
    await page.goto("about:blank")
    await page.goto(`${own.url}/console/payments#sign-in=${ConsoleServer.signInKey}`)
    await page.getByRole("heading", { name: "Payments", exact: true }).waitFor()
    assert.strictEqual(page.url(), `${own.url}/console/payments`)
    await press(page, "Sign out")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  it("shows who is signed in until they are signed out", async (test) => {
    const own = await alone(test)
    const { noticed, page } = await arrive(test, "", own)
    await page.route("**/v1/session", (route) => route.abort())
    await press(page, "Sign out")
    await says(page, "The service does not respond.")
    assert.strictEqual(await page.getByRole("heading", { name: "Sign in" }).count(), 0)
    noticed.length = 0
    await page.unroute("**/v1/session")
    await press(page, "Sign out")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  it("finds payments by filters that are links, and by search", async (test) => {
    const order = await service().order({ referenceId: "LOOKED-FOR-7" })
    const { check, page } = await arrive(test, "/payments?status=requires_action")
    await page.getByRole("link", { name: "LOOKED-FOR-7" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("ked-for-7")
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: "LOOKED-FOR-7" }).waitFor()
    assert.match(page.url(), /\/console\/payments\?referenceId=ked-for-7$/u)
    await check()
    await page.getByLabel("Network", { exact: true }).selectOption({ label: "Base" })
    await says(page, "No payment matches these filters")
    await page.goBack()
    await page.getByRole("searchbox", { name: /^Find a payment/u }).fill(order.id)
    await page.keyboard.press("Enter")
    await says(page, "Waits for the payer")
    assert.match(page.url(), new RegExp(`/payments/${order.id}$`, "u"))
  })

  it("looks for the merchant of a payment once, and finds none if there is no merchant", async (test) => {
    const order = await service().order({ referenceId: "WHOSE-1" })
    const { asked, page } = await arrive(test, `/payments/${order.id}`)
    await says(page, "Waits for the payer")
    const isOfMerchants = (url: string) => url.includes("/v1/merchants")
    assert.lengthOf(asked.filter(isOfMerchants), 1)
    await Promise.all([
      page.waitForResponse(new RegExp(`/v1/payments/${order.id}$`, "u")),
      page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
    ])
    assert.lengthOf(asked.filter(isOfMerchants), 1)
    // Its merchant is on the second page.
    await page.route("**/v1/merchants?*", (route) => {
      const url = new URL(route.request().url())
      if (url.searchParams.get("cursor") === null) {
        return route.fulfill({ json: { merchants: [], totalCount: 51, nextCursor: "second" } })
      }
      url.searchParams.delete("cursor")
      return route.continue({ url: url.href })
    })
    await page.reload()
    await says(page, "Waits for the payer")
    await page.unroute("**/v1/merchants?*")
    await page.route("**/v1/merchants?*", (route) =>
      route.fulfill({ json: { merchants: [], totalCount: 0, nextCursor: null } }),
    )
    await page.reload()
    await says(page, "There is no such payment.")
  })

  it("keeps what is typed into a filter while the list is loaded again", async (test) => {
    const { page } = await arrive(test, "/payments")
    const reference = page.getByRole("searchbox", { name: "Reference", exact: true })
    await reference.pressSequentially("NOT-ENTERED")
    const loadedAgain = () =>
      Promise.all([
        page.waitForResponse(/\/v1\/payments\?/u),
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
      ])
    await loadedAgain()
    // The screen shows the first response before it asks again.
    await loadedAgain()
    assert.strictEqual(await reference.inputValue(), "NOT-ENTERED")
  })

  it("filters by a day that is typed", async (test) => {
    const { page } = await arrive(test, "/payments")
    const from = page.getByLabel("From", { exact: true })
    await from.focus()
    await page.keyboard.type("11052026", { delay: 50 })
    await page.waitForURL(/startTs=2026-11-0/u)
    assert.strictEqual(await from.inputValue(), "2026-11-05")
  })

  it("shows deliveries of a webhook as they happen, until the person turns that off", async (test) => {
    const { webhook } = await service().partner.webhooks.create({
      url: "https://shop.example/tail",
    })
    const { check, page } = await arrive(test, `/webhooks/${webhook.id}`)
    // Other tests cause other events.
    const deliveries = page.locator("summary", { hasText: "webhook.test" })
    await says(page, "Live")
    assert.strictEqual(await deliveries.count(), 0)
    await service().partner.webhooks.test(webhook.id)
    await deliveries.first().waitFor()
    await page.getByLabel("Follow").uncheck()
    await says(page, "Paused")
    await check()
    await service().partner.webhooks.test(webhook.id)
    // Twice as long as it takes while it is followed.
    await page.waitForTimeout(2000)
    assert.strictEqual(await deliveries.count(), 1)
    await page.getByLabel("Follow").check()
    await deliveries.nth(1).waitFor()
    await page.route("**/deliveries*", (route) => route.abort())
    await says(page, "Reconnecting")
    await says(page, "No connection to the service.")
    await check()
    await page.unroute("**/deliveries*")
    await says(page, "Live")
  })

  it("shows deliveries of a webhook even if each response takes longer than the polling interval", async (test) => {
    const { webhook } = await service().partner.webhooks.create({
      url: "https://shop.example/slow-tail",
    })
    const { page } = await arrive(test, `/webhooks/${webhook.id}`)
    await says(page, "Live")
    await page.route("**/deliveries*", async (route) => {
      await setTimeout(2500)
      await route.continue()
    })
    await service().partner.webhooks.test(webhook.id)
    await page.locator("summary", { hasText: "webhook.test" }).first().waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })
  })

  it("has no tab for trying things unless the service is on a developer's machine", async (test) => {
    const { page } = await arrive(test, "/try")
    await says(page, "Nothing is here")
    assert.strictEqual(await page.getByRole("link", { name: "Try it" }).count(), 0)
  })

  it("shows that nothing is at an address that is not encoded as one", async (test) => {
    const { check, page } = await arrive(test, "/payments/50%")
    await says(page, "Nothing is here")
    await check()
  })

  it("can be used with the keyboard alone", async (test) => {
    await service().order({ referenceId: "BY-KEYS-1" })
    const { check, page } = await arrive(test, "")
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    await page.keyboard.press("?")
    await says(page, "Keyboard shortcuts")
    await check()
    await page.keyboard.press("Escape")
    await page.keyboard.press("g")
    await page.keyboard.press("p")
    await page.locator(".rowLink").first().waitFor()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await says(page, "What happened")
    assert.strictEqual(await page.evaluate("document.activeElement.tagName"), "H1")
  })

  it("refunds a part and then the rest, with the amount spelled out", async (test) => {
    const own = await alone(test)
    const order = await paid("REFUNDED-1")
    const { check, page } = await arrive(test, `/payments/${order.id}`, own)
    await press(page, "Refund")
    await page.getByLabel("Amount in USD").fill("13")
    assert.isTrue(
      await page.getByRole("button", { name: "Refund", exact: true }).last().isDisabled(),
    )
    await page.getByLabel("Amount in USD").fill("2,50")
    await page.getByLabel("Reason").fill("One bag came back")
    await check()
    await press(page, "Refund $2.50")
    await says(page, "The refund of $2.50 is on its way.")
    await says(page, /^Refund of 2\.50 USDC/u)
    await says(page, "One bag came back")
    await press(page, "Refund")
    await press(page, "Refund $10.00")
    await says(page, /^Refund of 10\.00 USDC/u)
    await page.getByRole("button", { name: "Refund", exact: true }).waitFor({ state: "detached" })
    const refunds = await service().partner.refunds.list(order.id)
    assert.lengthOf(refunds.data, 2)
    assert.lengthOf(own.writes, 2)
    for (const { csrfToken, idempotencyKey } of own.writes) {
      assert.strictEqual(csrfToken, "csrf-of-a-test")
      assert.match(idempotencyKey ?? "", /^[0-9a-f]{32}$/u)
    }
  })

  it("asks for the same refund again if the response was lost, and keeps what was typed", async (test) => {
    const own = await alone(test)
    const order = await paid("REFUNDED-2")
    const { page, noticed } = await arrive(test, `/payments/${order.id}`, own)
    await press(page, "Refund")
    await page.getByLabel("Reason").fill("Twice, but once")
    // The service hears the call, and nobody hears the service.
    await page.route("**/v1/refunds", async (route) => {
      await route.fetch({ maxRetries: 2 })
      await route.abort()
    })
    await press(page, "Refund $12.50")
    await says(page, "The service does not respond.")
    await page.unroute("**/v1/refunds")
    assert.strictEqual(await page.getByLabel("Reason").inputValue(), "Twice, but once")
    await press(page, "Refund $12.50")
    await says(page, "The refund of $12.50 is on its way.")
    assert.lengthOf((await service().partner.refunds.list(order.id)).data, 1)
    assert.strictEqual(new Set(own.writes.map(({ idempotencyKey }) => idempotencyKey)).size, 1)
    noticed.length = 0
  })

  it("asks for the same refund again after its question was closed, if the response was lost", async (test) => {
    const order = await paid("REFUNDED-3")
    const { page, noticed } = await arrive(test, `/payments/${order.id}`)
    const refund = async () => {
      await press(page, "Refund")
      await page.getByLabel("Amount in USD").fill("2.50")
      await press(page, "Refund $2.50")
    }
    await page.route("**/v1/refunds", async (route) => {
      await route.fetch({ maxRetries: 2 })
      await route.abort()
    })
    await refund()
    await says(page, "The service does not respond.")
    await page.unroute("**/v1/refunds")
    await press(page, "Close")
    await refund()
    await says(page, "The refund of $2.50 is on its way.")
    assert.lengthOf((await service().partner.refunds.list(order.id)).data, 1)
    noticed.length = 0
  })

  it("cancels a payment after a question", async (test) => {
    const order = await service().order({ referenceId: "CANCELLED-1" })
    const { check, page } = await arrive(test, `/payments/${order.id}`)
    await press(page, "Cancel payment")
    await says(page, "Nobody can pay the $12.50 with this link any more.")
    await check()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel payment" }).click()
    await says(page, "The payment is cancelled.")
    await says(page, "By the merchant")
    assert.strictEqual((await service().partner.payments.status(order.id)).status, "cancelled")
  })

  it("creates a payment link with a QR code, a description and items", async (test) => {
    const { check, page } = await arrive(test, "/payments/new")
    await press(page, "Create link")
    await says(page, "Enter an amount, such as 12.50.")
    await page.getByLabel("Amount").fill("12.5")
    await page.getByRole("textbox", { name: "Reference", exact: true }).fill("MADE-HERE")
    await page.getByLabel("Description").fill("Two bags of coffee")
    await press(page, "Add an item")
    await page.getByLabel("Item", { exact: true }).fill("Coffee beans")
    await page.getByLabel("Quantity").fill("1,5")
    await press(page, "Create link")
    await says(page, "Enter a whole number, such as 2.")
    await page.getByLabel("Quantity").fill("2")
    await check()
    await press(page, "Create link")
    await page.getByRole("img", { name: "QR code of the payment link" }).waitFor()
    await check()
    await page.getByRole("link", { name: "See the payment" }).click()
    await says(page, "Two bags of coffee")
    await says(page, /2 × Coffee beans/u)
  })

  it("creates a payment link for a merchant that no list of choices has", async (test) => {
    const { merchant } = await service().partner.merchants.create({
      merchantName: "One Of Many",
      merchantEmail: "many@example.com",
    })
    const { page } = await arrive(test, `/merchants/${merchant.id}`)
    await page.route("**/v1/merchants?*", (route) => route.abort())
    await page.getByRole("link", { name: "Create payment link" }).click()
    await page.getByLabel("Amount").fill("12.5")
    await page.getByRole("textbox", { name: "Reference", exact: true }).fill("FOR-ONE-OF-MANY")
    await press(page, "Create link")
    await page.getByRole("link", { name: "See the payment" }).click()
    await says(page, "One Of Many")
  })

  it("says before anything is typed that a payment link needs a merchant", async (test) => {
    const { noticed, page } = await arrive(test, "")
    const merchants = "**/v1/merchants?*"
    await page.route(merchants, (route) =>
      route.fulfill({ json: { merchants: [], totalCount: 0, nextCursor: null } }),
    )
    await page.goto(`${server().url}/console/payments/new`)
    await says(page, "Add a merchant to take payments for it.")
    await page.unroute(merchants)
    await page.route(merchants, (route) => route.abort())
    await page.reload()
    await says(page, "The service does not respond.")
    noticed.length = 0
    await page.unroute(merchants)
    await press(page, "Try again")
    await page.getByRole("textbox", { name: "Reference", exact: true }).waitFor()
  })

  it("creates another link with the same values if a person asks for another", async (test) => {
    const own = await alone(test)
    const { page } = await arrive(test, "/payments/new", own)
    const create = async () => {
      await page.getByLabel("Amount").fill("3.00")
      await page.getByRole("textbox", { name: "Reference", exact: true }).fill("TWO-OF-A-KIND")
      await press(page, "Create link")
      return page.getByRole("link", { name: "See the payment" }).getAttribute("href")
    }
    const first = await create()
    await press(page, "Create another")
    assert.notStrictEqual(await create(), first)
  })

  it("says that a filter matches nothing, not that there is nothing", async (test) => {
    const { check, page } = await arrive(test, "/payouts?status=cancelled")
    await says(page, "Nothing matches")
    await check()
    await page.getByRole("link", { name: "Clear filters" }).click()
    await page.waitForURL(/\/payouts$/u)
  })

  it("shows a payout with its payments, and the statement that it is in", async (test) => {
    const { partner, payBy } = service()
    const { merchant } = await partner.merchants.create({
      merchantName: "Paid Out",
      merchantEmail: "till@paid.example",
    })
    const { check, page } = await arrive(test, `/merchants/${merchant.id}`)
    await press(page, "Add destination")
    await page.getByLabel("Token").selectOption({ label: "USDC · Base" })
    await page.getByLabel("Account").fill("0x2222")
    await page.getByRole("dialog").getByRole("button", { name: "Add destination" }).click()
    await says(page, "Enter an address: 0x and 40 digits.")
    await page.getByLabel("Account").fill(`0x${"2".repeat(40)}`)
    await says(page, "Payouts in USDC · Base will go to 0x2222")
    await check()
    await page.getByRole("dialog").getByRole("button", { name: "Add destination" }).click()
    await says(page, "In effect")
    await press(page, "Add destination")
    const offered = await page.getByLabel("Token").locator("option").allTextContents()
    assert.notInclude(offered, "USDC · Base", "it has one")
    await page.getByLabel("Token").selectOption({ label: "USDT · BNB Smart Chain" })
    await page.getByLabel("Account").fill(`0x${"3".repeat(40)}`)
    await page.getByRole("dialog").getByRole("button", { name: "Add destination" }).click()
    const second = page.getByRole("listitem").filter({ hasText: "USDT · BNB Smart Chain" })
    await second.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await says(page, "The destination is deleted.")
    const { gatewayUrl, paymentId } = await partner.payments.create(
      { referenceId: "PAID-OUT-1", amount: { unit: "iso4217/USD", value: "1250" } },
      { merchantId: merchant.id },
    )
    await payBy({ id: paymentId, link: gatewayUrl, url: "" }, Wallet.make(++payers))
    const balance = page.getByRole("region", { name: "Balance" })
    await balance.getByRole("link", { name: "Payouts" }).click()
    await page.locator(".rowLink").first().click()
    await says(page, "Final on the chain")
    await check()
    await page.goto(`${server().url}/console/merchants/${merchant.id}/statement`)
    await says(page, "Owed at the end")
    await check()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ])
    assert.match(download.suggestedFilename(), /^statement-.+\.csv$/u)
  })

  it("never shows the sums of other days in a statement, or the rows of another filter below an error", async (test) => {
    await paid("STATED-1")
    const { merchants } = await service().partner.merchants.list({ search: "Blue Door Coffee" })
    const [merchant = assert.fail("there is none")] = merchants
    const { noticed, page } = await arrive(test, `/merchants/${merchant.id}/statement`)
    await says(page, "Owed at the end")
    const responds = Promise.withResolvers<void>()
    await page.route("**/statement?*", async (route) => {
      await responds.promise
      await route.abort()
    })
    await page.getByLabel("From", { exact: true }).fill("2026-01-01")
    await page.getByText("Owed at the end").waitFor({ state: "detached" })
    responds.resolve()
    await says(page, "The service does not respond.")
    assert.strictEqual(await page.getByText("Owed at the end").count(), 0)
    await page.goto(`${server().url}/console/payments`)
    await page.locator(".rowLink").first().waitFor()
    await page.route("**/v1/payments?*", (route) => route.abort())
    await page.getByRole("link", { name: "Expired", exact: true }).click()
    await says(page, "The service does not respond.")
    assert.strictEqual(await page.locator(".rowLink").count(), 0)
    noticed.length = 0
  })

  it("adds a merchant and changes what payers see of it", async (test) => {
    const { check, page } = await arrive(test, "/merchants")
    await press(page, "Add merchant")
    await page.getByRole("textbox", { name: "Name" }).fill("Second Shop")
    await page.getByLabel("Email").fill("till@second.example")
    await page.getByRole("dialog").getByRole("button", { name: "Add merchant" }).click()
    await page.getByRole("heading", { name: /^Second Shop/u }).waitFor()
    await page.getByLabel("Support page").fill("http://second.example/help")
    await press(page, "Save changes")
    await page.getByRole("alert").waitFor()
    assert.strictEqual(
      await page.getByLabel("Support page").inputValue(),
      "http://second.example/help",
    )
    await page.getByLabel("Support page").fill("https://second.example/help")
    // As in the checkout: black on this red can be read, and white less well.
    await page.getByLabel("Brand color").fill("#e5484d")
    const shown = await page.evaluate(
      `getComputedStyle(document.querySelector(".preview span")).color`,
    )
    assert.strictEqual(shown, "rgb(0, 0, 0)")
    await page.getByLabel("Brand color").fill("#1f6feb")
    await press(page, "Save changes")
    await says(page, "The changes are saved.")
    await check()
    await press(page, "Delete merchant")
    await page.getByRole("dialog").getByRole("button", { name: "Delete merchant" }).click()
    await says(page, "The merchant is deleted.")
  })

  it("adds a webhook, shows its secret once, tests it and sends events again", async (test) => {
    const { check, page } = await arrive(test, "/webhooks")
    await press(page, "Add webhook")
    await page.getByLabel("URL").fill("https://shop.example/hooks")
    await page.getByLabel("payment.succeeded").check()
    await check()
    await page.getByRole("dialog").getByRole("button", { name: "Add webhook" }).click()
    await page.getByText(/^whsec_/u).waitFor()
    await check()
    await press(page, "Close")
    await page.getByRole("heading", { name: "https://shop.example/hooks" }).waitFor()
    await page.locator(".secret").waitFor({ state: "detached" })
    assert.notInclude(await page.content(), "whsec_")
    await says(page, "Live")
    await press(page, "Send test event")
    await page.locator("summary", { hasText: "webhook.test" }).click()
    await says(page, '"type": "webhook.test"')
    await check()
    await press(page, "Redeliver")
    await says(page, "The event is sent again.")
    await press(page, "Replay events")
    await page.getByRole("dialog").getByRole("button", { name: "Replay events" }).click()
    await says(page, /events? (?:is|are) sent again\./u)
    await press(page, "Rotate secret")
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click()
    await page.getByText(/^whsec_/u).waitFor()
    await press(page, "Close")
    await press(page, "Delete")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await says(page, "The webhook is deleted.")
  })

  it("says what became of a question that was closed meanwhile, and leaves the next one open", async (test) => {
    const { noticed, page } = await arrive(test, "/keys")
    const create = async (name: string, how: "abort" | "continue") => {
      const sent = Promise.withResolvers<void>()
      await page.route("**/v1/keys", async (route) => {
        if (route.request().method() === "GET") return route.fallback()
        await sent.promise
        return route[how]()
      })
      await press(page, "Create API key")
      await page.getByLabel("Name").fill(name)
      await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click()
      await page.keyboard.press("Escape")
      await page.keyboard.press("?")
      await says(page, "Keyboard shortcuts")
      sent.resolve()
    }
    await create("Lost", "abort")
    await says(page, "The service does not respond.")
    await says(page, "Keyboard shortcuts")
    noticed.length = 0
    await press(page, "Close")
    await page.unrouteAll({ behavior: "wait" })
    await create("Till 8", "continue")
    await page.locator(".secret code").waitFor()
  })

  it("creates a key, shows it once and revokes it", async (test) => {
    const { check, page } = await arrive(test, "/keys")
    await press(page, "Create API key")
    await page.getByLabel("Name").fill("Till 7")
    await check()
    await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click()
    const secret = await page.locator(".secret code").textContent()
    assert.match(secret ?? "", /^flr_live_/u)
    await press(page, "Close")
    await says(page, "Till 7")
    await page.locator(".secret").waitFor({ state: "detached" })
    assert.notInclude(await page.content(), secret ?? assert.fail())
    await check()
    await press(page, "Revoke the key Till 7")
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await says(page, "It is revoked.")
    await page.goto(`${server().url}/console/audit`)
    await page.getByRole("table").waitFor()
    await check()
  })

  it("offers a viewer no write", async (test) => {
    const own = await alone(test, { scopes: ["read"] })
    const order = await paid("VIEWED-1")
    const { page } = await arrive(test, `/payments/${order.id}`, own)
    await says(page, "What happened")
    const writes = /^(?:Refund|Cancel payment|Add|Create|Invite|Delete|Rotate|Revoke)/u
    assert.strictEqual(await page.getByRole("button", { name: writes }).count(), 0)
    const tabs = page.getByRole("navigation").getByRole("link")
    assert.strictEqual(
      (await tabs.allTextContents()).join(),
      "Overview,Payments,Balances,Payouts,Merchants,Approvals,Audit log",
    )
    for (const path of ["payments", "merchants", "webhooks", "keys"]) {
      // oxlint-disable-next-line no-await-in-loop -- One page after the other.
      await page.goto(`${own.url}/console/${path}`)
      // oxlint-disable-next-line no-await-in-loop -- One page after the other.
      await page.locator("h1").waitFor()
      // oxlint-disable-next-line no-await-in-loop -- One page after the other.
      assert.strictEqual(await page.getByRole("button", { name: writes }).count(), 0, path)
    }
    assert.lengthOf(own.writes, 0)
  })

  it("keeps what was typed when the session ends, and continues after the person signs in again", async (test) => {
    const own = await alone(test)
    const { page } = await arrive(test, "/payments/new", own)
    await page.getByLabel("Amount").fill("7.00")
    await page.getByRole("textbox", { name: "Reference", exact: true }).fill("GOES-ON")
    // What the frame follows would be refused first.
    await page.route("**/v1/approvals", (route) => route.fulfill({ json: { approvals: [] } }))
    own.end(true)
    // The page may notice before the press.
    await page.getByRole("button", { name: "Create link" }).dispatchEvent("click")
    await page.getByLabel("One-time link").fill(ConsoleServer.signInKey)
    await press(page, "Sign in")
    await page.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" })
    assert.strictEqual(await page.getByLabel("Amount").inputValue(), "7.00")
    await press(page, "Create link")
    await says(page, "The link is ready")
  })

  it("shows what was refused while the session was over, once somebody signs in again", async (test) => {
    const own = await alone(test)
    const { page } = await arrive(test, "/merchants", own)
    await page.route("**/v1/approvals", (route) => route.fulfill({ json: { approvals: [] } }))
    const row = page.getByRole("link", { name: "Blue Door Coffee" })
    await row.waitFor()
    own.end(true)
    // The page may notice before the press.
    await row.dispatchEvent("click")
    await page.getByLabel("One-time link").fill(ConsoleServer.signInKey)
    await press(page, "Sign in")
    await page.getByRole("heading", { name: "Blue Door Coffee" }).waitFor()
    await says(page, "What payers see")
  })

  it("says that nothing was copied where a browser has no clipboard", async (test) => {
    const order = await service().order({ referenceId: "COPIED-1" })
    const { context, page } = await arrive(test, "")
    await context.addInitScript(
      "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
    )
    await Browser.waitLonger(context, 2000)
    await page.goto(`${server().url}/console/payments/${order.id}`)
    await press(page, "Copy Payment id")
    await says(page, "Not copied")
  })

  it("names who made the entries of the audit log", async (test) => {
    await service().order({ referenceId: "BY-NAME-1" })
    const { check, page } = await arrive(test, "/audit")
    const row = page.getByRole("row").filter({ hasText: "Created a payment" }).first()
    await row.filter({ hasText: "a test" }).waitFor()
    await row.getByRole("link").click()
    await page.getByRole("dialog").getByText("a test").waitFor()
    await check()
  })

  it("looks further back for an entry of the audit log that a link names", async (test) => {
    const { check, page } = await arrive(test, "")
    await page.route("**/v1/audit-log?*", (route) => {
      const { searchParams } = new URL(route.request().url())
      const from = Number(searchParams.get("cursor") ?? 0)
      const data = Array.from({ length: 100 }, (_, index) => ({
        id: `aud_${from + index}`,
        timestamp: "2026-11-01T12:00:00.000Z",
        action: "payment.created",
        subject: `pay_${from + index}`,
        actor: { type: "operator", keyId: null },
        requestId: null,
        changes: [],
      }))
      return route.fulfill({ json: { data, nextCursor: from === 0 ? "100" : null } })
    })
    const dialog = page.getByRole("dialog")
    await page.goto(`${server().url}/console/audit?entry=aud_150`)
    await dialog.getByText("It is not among the newest 100 entries.").waitFor()
    await check()
    await press(page, "Show more")
    await dialog.getByText("pay_150").waitFor()
    await page.goto(`${server().url}/console/audit?entry=aud_250`)
    await press(page, "Show more")
    await dialog.getByText("The link may be wrong").waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })
  })

  it("says that it is offline, and reconnects", async (test) => {
    const { noticed, page } = await arrive(test, "/payments")
    await page.locator("h1").waitFor()
    await page.context().setOffline(true)
    await says(page, "No connection to the service.")
    await page.context().setOffline(false)
    await page.getByText("No connection to the service.").waitFor({ state: "detached" })
    noticed.length = 0
  })

  it("shows changes of a payment while its screen is open", async (test) => {
    const order = await service().order({ referenceId: "FOLLOWED-1" })
    const { page } = await arrive(test, `/payments/${order.id}`)
    await says(page, "Waits for the payer")
    await service().payBy(order, Wallet.make(++payers))
    await says(page, /^Paid · 12\.50 USDC/u)
  })

  it("blames the payer's account only for a payment that failed because of it", async (test) => {
    const order = await service().order({ referenceId: "FAILED-1" })
    const { page } = await arrive(test, "")
    const fail = async (failureCode: "declined_user" | null) => {
      await page.route(`**/v1/payments/${order.id}`, async (route) => {
        const response = await route.fetch({ maxRetries: 2 })
        const json = { ...(await response.json()), status: "failed", failureCode }
        await route.fulfill({ response, json })
      })
      await page.goto(`${server().url}/console/payments/${order.id}`)
    }
    await fail(null)
    await says(page, "Failed: it could not be completed")
    await fail("declined_user")
    await says(page, "Failed: the payer's account is not accepted")
    await page.unrouteAll({ behavior: "ignoreErrors" })
  })

  it("keeps at most 60 rows of 10,000 in the document", async (test) => {
    const all = 10_000
    const { page } = await arrive(test, "/payments")
    const display = { assetName: "US Dollar", assetSymbol: "USD", decimals: 2 }
    await page.route("**/v1/payments?*", (route) => {
      const { searchParams } = new URL(route.request().url())
      const from = Number(searchParams.get("cursor") ?? 0)
      const limit = Number(searchParams.get("limit") ?? 50)
      const to = Math.min(all, from + limit)
      return route.fulfill({
        json: {
          data: Array.from({ length: to - from }, (_, index) => ({
            paymentId: `pay_${from + index}`,
            merchant: { id: "mrch_1", name: "Blue Door Coffee" },
            referenceId: `ROW-${from + index}`,
            metadata: {},
            status: "succeeded",
            isTerminal: true,
            fiatAmount: { unit: "iso4217/USD", value: `${from + index}`, display },
            settlement: { settled: false },
            createdAt: "2026-11-01T12:00:00.000Z",
            lastUpdatedAt: "2026-11-01T12:00:00.000Z",
          })),
          nextCursor: to === all ? null : `${to}`,
          stats: {
            totalRevenue: [],
            totalRefunded: [],
            netRevenue: [],
            totalTransactions: all,
            totalCustomers: 1,
          },
        },
      })
    })
    await page.getByRole("combobox", { name: "Order" }).selectOption({ label: "Oldest first" })
    await page.getByText("ROW-0", { exact: true }).waitFor()
    const rows: unknown = await page.evaluate(`new Promise((resolve) => {
      let most = 0
      const go = () => {
        most = Math.max(most, document.querySelectorAll("[data-row]").length)
        if (document.body.textContent.includes("ROW-${all - 1}")) resolve(most)
        else { scrollTo(0, document.documentElement.scrollHeight); setTimeout(go, 10) }
      }
      go()
    })`)
    assert.isAtMost(Number(rows), 60)
    assert.isAtLeast(Number(rows), 10)
  })

  it("draws hostile texts as texts, in names, references and descriptions", async (test) => {
    const texts = Hostile.payloads.slice(0, 40)
    const { merchant } = await service().partner.merchants.create({
      merchantName: texts[0]?.slice(0, 60) ?? "",
      merchantEmail: "hostile@example.com",
    })
    await Promise.all(
      texts.map((text) =>
        service().partner.payments.create(
          {
            referenceId: text.slice(0, 255),
            amount: { unit: "iso4217/USD", value: "100" },
            description: text,
            metadata: { hostile: text },
            lineItems: [{ name: text, quantity: 1 }],
          },
          { merchantId: merchant.id },
        ),
      ),
    )
    const { check, page } = await arrive(test, `/payments?merchantId=${merchant.id}`)
    const rows = page.locator(".rowLink")
    await rows.first().waitFor()
    const shown = new Set(await rows.allTextContents())
    assert.isTrue([...shown].every((text) => texts.some((each) => each.startsWith(text))))
    await check()
    await rows.first().click()
    await says(page, "What happened")
    await check()
    await page.goto(`${server().url}/console/merchants`)
    await rows.first().waitFor()
    await check()
    await page.goto(`${server().url}/console`)
    await says(page, "What became of payments")
    await check()
  })

  it("is shown in German, on a phone, from right to left and at 200 % without a fault", async (test) => {
    await paid("GERMAN-1")
    const { check, page } = await arrive(test, "/payments?lang=de", server(), "phone")
    await page.getByRole("heading", { name: "Zahlungen" }).waitFor()
    await page.locator(".rowLink").first().waitFor()
    await check()
    await page.evaluate("document.documentElement.dir = 'rtl'")
    await check()
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    await check()
  })
})
