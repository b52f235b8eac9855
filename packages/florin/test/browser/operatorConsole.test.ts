/**
 * The tasks of an operator in the console, each done by a person's means on the operator's port of a real service.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import { LaneStore } from "@florin/core/ports/LaneStore"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as Hostile from "./Hostile.ts"
import * as OperatorConsole from "./OperatorConsole.ts"
import * as Service from "./Service.ts"

const options = { timeout: Browser.patienceInMs * 2 }

const asset = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const token = Result.getOrThrow(Eip155.parseToken(asset))
const [account = assert.fail(), another = assert.fail()] = collectingWallets
const roles = {
  admin: ["read", "support", "treasury", "admin"],
  support: ["read", "support"],
  viewer: ["read"],
} as const satisfies { readonly [role: string]: ReadonlyArray<ApiKey.OperatorScope> }

describe("the console of the operator", options, () => {
  const service = Service.inFile({
    merchantName: "Blue Door Coffee",
    approveMerchants: "alike",
  })
  let started: OperatorConsole.OperatorConsole | undefined
  const port = () => started ?? assert.fail("it does not run")
  const operator = () => service().florin.operator
  beforeAll(async () => {
    started = await OperatorConsole.start(service())
    const { partner, partnerId } = service()
    await operator().partners.change({
      partnerId,
      payouts: "immediate",
      credit: { live: "unlimited" },
    })
    const { merchants } = await partner.merchants.list()
    const [merchant = assert.fail("there is no merchant")] = merchants
    const destination = Eip155.formatAccount(payee.account(8453))
    await partner.settlements.create(merchant.id, { settlements: [{ asset, destination }] })
  })
  afterAll(() => port().close())

  const payee = Wallet.make(900)

  /** Opens the console signed in, and then a screen of it. */
  const arrive = async (
    path: string,
    role: keyof typeof roles = "admin",
    device: Browser.Device = "desktop",
  ) => {
    const { link, url } = port()
    const tab = await Browser.openTab([url], device)
    await tab.page.goto(await link("Ada", roles[role]))
    await tab.page.getByRole("heading", { name: "Now", exact: true }).waitFor()
    if (path !== "") await tab.page.goto(`${url}/console${path}`)
    return tab
  }
  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true }).click()
  /** Waits until a screen shows all that it loads. */
  const isLoaded = async (page: Page) => {
    await page.locator("main h1").waitFor()
    await Browser.until(page, `document.querySelector("main .skeleton") === null`)
  }
  /** Presses the button of the open question. */
  const confirm = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click()

  const until = async <A>(look: () => Promise<A | undefined>): Promise<A> => {
    const found = await look()
    if (found !== undefined) return found
    await setTimeout(50)
    return until(look)
  }
  const lastEntry = async (action: ApiKey.Scope | string) => {
    const { data } = await operator().auditLog.list({ limit: 50 })
    return data.find((entry) => entry.action === action) ?? assert.fail(`no entry of ${action}`)
  }
  /** Payouts only: the service moves float between its accounts by itself. */
  const payoutsIn = async (state: "held" | "paid") =>
    (await operator().outflows.list({ state, purpose: "payout", limit: 1 })).data
  const outflowIn = (state: "held" | "paid") => until(async () => (await payoutsIn(state))[0])
  let payers = 600
  const paid = async (referenceId: string) => {
    const order = await service().order({ referenceId })
    await service().payBy(order, Wallet.make(++payers))
    return order
  }

  /** A payout that is held, because its destination could not be paid. It can be now. */
  const held = async (referenceId: string) => {
    const { simulated } = service()
    await Effect.runPromise(simulated.block(payee.address))
    const order = await paid(referenceId)
    const outflow = await outflowIn("held")
    await Effect.runPromise(simulated.unblock(payee.address))
    return { order, outflow }
  }

  const halt = (chainId: number, reason: string) =>
    service().florin.run(Lanes.stop("live", Eip155.chainId(chainId), reason))

  it("shows an account's transactions, and each version that a higher fee replaced", async () => {
    await service().payBy(await service().order({ referenceId: "OUTBID-1" }), Wallet.make(931))
    const first = await service().florin.run(
      Effect.gen(function* () {
        const lanes = yield* LaneStore
        const sent = yield* Effect.forEach(collectingWallets, ({ address: sender }) =>
          lanes.laneTransactions({ chainId: Eip155.chainId(8453), sender }, 0),
        )
        const last = sent.flat().at(-1) ?? assert.fail("nothing was sent")
        const transaction = {
          ...last,
          hash: Fixtures.hash("outbid"),
          feeMax: Fixtures.quantity(42_000_000_000_000n),
          earlierHashes: [last.hash],
        }
        const state = yield* lanes.laneState("live", last.lane)
        assert.isTrue(yield* lanes.placeInLane({ transaction, state }, last))
        return last
      }),
    )
    const { check, page } = await arrive("/relayers?mode=live")
    const open = page.locator("details").filter({ hasText: "Fee raised once" })
    await open.locator("summary").click()
    await says(page, "0.000042 ETH")
    await open.getByTitle(first.hash).waitFor()
    await Browser.inEveryLook(page, check)
  })

  it("shows what needs a person, and runs its remedy after a question, with the reason", async () => {
    await halt(137, "blocks that were final are gone")
    const { check, page } = await arrive("")
    await says(page, "Act now")
    await says(page, /Sending on Polygon \(live\) stopped/u)
    await check()
    await press(page, "Resume the chain")
    await says(page, "Find the cause first")
    await check()
    await page.getByLabel("Reason", { exact: true }).fill("The node was wrong – ✓")
    await confirm(page, "Resume the chain")
    await says(page, "The chain is resumed.")
    assert.deepStrictEqual((await operator().chains.halted({})).chains, [])
    const entry = await lastEntry("chain.resumed")
    assert.strictEqual(entry.reason, "The node was wrong – ✓")
    assert.strictEqual(entry.actor.name, "Ada")
  })

  it("shows a viewer everything, and offers no write", async () => {
    await halt(10, "a transaction that is not ours")
    const { check, page } = await arrive("/chains", "viewer")
    await says(page, "a transaction that is not ours")
    assert.strictEqual(await page.getByRole("button", { name: /Resume/u }).count(), 0)
    await check()
    for (const path of ["/accounts", "/keys", "/partners"]) {
      // oxlint-disable-next-line no-await-in-loop -- One page shows one screen after another.
      await page.goto(`${port().url}/console${path}`)
      // oxlint-disable-next-line no-await-in-loop -- as above
      await isLoaded(page)
      // oxlint-disable-next-line no-await-in-loop -- as above
      assert.strictEqual(await page.locator("main .button:not(.quiet)").count(), 0, path)
    }
    await operator().chains.resume({ chainId: Eip155.chainId(10) })
  })

  it("finds a held outflow with the keyboard alone, and retries it", async () => {
    const { outflow } = await held("HELD-1")
    const { check, page } = await arrive("/outflows?state=held", "support")
    await page.locator(".rowLink").first().waitFor()
    await check()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await says(page, outflow.id)
    await says(page, outflow.problem?.message ?? assert.fail("it has no problem"))
    await check()
    await press(page, "Retry")
    await confirm(page, "Retry")
    await says(page, "The workers try it again.")
    await until(async () => {
      const { state } = await operator().outflows.get({ outflowId: outflow.id })
      return state === "held" ? undefined : state
    })
  })

  it("approves what payers will see of a merchant whose name looks like another", async () => {
    const { id: partnerId } = await operator().partners.create({ name: "Far Away Payments" })
    const { secret } = await operator().keys.issue({ partnerId, mode: "live", name: "a test" })
    const far = makePartner({ baseUrl: service().url, apiKey: secret })
    const { merchant } = await far.merchants.create({
      merchantName: "Blue D00r Coffee",
      merchantEmail: "till@far.example",
    })
    const { check, page } = await arrive("")
    await says(page, /merchant waits for your approval/u)
    await page.getByRole("link", { name: "See who waits" }).click()
    await says(page, "Looks like another")
    await says(page, "Blue D00r Coffee")
    await check()
    await press(page, "Approve")
    await check()
    await confirm(page, "Approve")
    await says(page, "Nobody waits")
    assert.isNull((await operator().merchants.get({ merchantId: merchant.id })).waiting)
  })

  it("shows stuck money, and retries it after a question", async () => {
    const { outflow } = await held("HELD-2")
    const { check, page } = await arrive("/stuck", "support")
    await says(page, outflow.id)
    assert.strictEqual(await page.title(), "Florin")
    await check()
    await press(page, "Retry")
    await page.getByRole("dialog").getByText("12.45 USDC").waitFor()
    await confirm(page, "Retry")
    await says(page, "The workers try it again.")
    await says(page, "Nothing is stuck")
  })

  it("returns an unclaimed transfer, with the amount and the account spelled out", async () => {
    const sender = Wallet.make(901)
    const { simulated } = service()
    const hash = await Effect.runPromise(
      simulated.transfer(sender.address, token, account.address, Fixtures.quantity(7_250_000n)),
    )
    // Once its block is final it is found by the first look for transfers, which come four times a minute otherwise.
    await until(async () => {
      await service().florin.run(Scanner.drain)
      return (await operator().inflows.list({})).inflows[0]
    })
    const { check, page } = await arrive("")
    await page.getByRole("searchbox").fill(hash)
    await page.keyboard.press("Enter")
    await says(page, "Waits for you")
    assert.include(page.url(), `/console/unclaimed?tx=${hash}`)
    await press(page, "Return …")
    await says(page, "Sends 7.25 USDC back to the account that sent it:")
    await says(page, new RegExp(sender.address, "iu"))
    await check()
    await confirm(page, "Return 7.25 USDC")
    await says(page, "The workers return it.")
    await says(page, /Being returned|No unclaimed transfer/u)
  })

  it("records what was sent to an account that a refund lacks", async () => {
    const order = await paid("LACKS-1")
    await until(async () => {
      const { payout } = await service().partner.payments.get(order.id)
      return payout?.state === "paid" ? true : undefined
    })
    await service().partner.refunds.create({ paymentId: order.id })
    const { check, page } = await arrive("/outflows/short")
    await says(page, /is missing$/u)
    await check()
    await press(page, "Record money that you sent")
    await page.getByLabel("Amount in USDC").fill("500")
    await page.getByLabel("Transaction", { exact: true }).fill("0xbeef")
    await check()
    await confirm(page, "Record 500.00 USDC")
    await says(page, "Nothing lacks money")
    assert.strictEqual((await lastEntry("float.put")).actor.name, "Ada")
  })

  it("records float, and keeps what was typed if a withdrawal is refused", async () => {
    await paid("FUNDED-1")
    await outflowIn("paid")
    const { check, page } = await arrive("/accounts")
    await says(page, "Your own")
    await check()
    await press(page, "Put in")
    await page.getByLabel("Amount in USDC").fill("0")
    await confirm(page, "Put in")
    await says(page, "Enter an amount above zero, with at most 6 digits after the point.")
    await page.getByLabel("Amount in USDC").fill("12.5")
    await page.getByLabel("Transaction", { exact: true }).fill("0xfeed")
    await check()
    await confirm(page, "Record 12.50 USDC")
    await says(page, "12.50 USDC is recorded.")
    await lastEntry("float.put")

    await press(page, "Withdraw")
    await page.getByLabel("Amount in USDC").fill("1")
    await page.getByLabel("To", { exact: true }).fill(payee.address)
    await says(page, `eip155:8453:${payee.address}`)
    await check()
    await confirm(page, "Withdraw 1.00 USDC")
    await page.getByRole("alert").waitFor()
    await check()
    assert.strictEqual(await page.getByLabel("Amount in USDC").inputValue(), "1")
    assert.strictEqual(await page.getByLabel("To", { exact: true }).inputValue(), payee.address)
  })

  it("moves float to another account of the service", async () => {
    const from = Eip155.formatAccount(account.account(8453))
    const amount = { unit: `caip19/${asset}`, value: "5000000" }
    await operator().float.put({ mode: "live", key: "moved", account: from, amount })
    const { page } = await arrive("/accounts?mode=live")
    await press(page, "Move")
    const field = page.getByLabel("From", { exact: true })
    const option = field.locator("option", { hasText: new RegExp(account.address.slice(-4), "iu") })
    await field.selectOption((await option.first().getAttribute("value")) ?? "")
    await page.getByLabel("Amount in USDC").fill("2")
    await says(page, another.address)
    await confirm(page, "Move 2.00 USDC")
    await page.getByRole("heading", { name: "Move · 2.00 USDC" }).waitFor()
  })

  it("changes a partner's limits, freezes it, and the audit log says who and why", async () => {
    const { id } = await operator().partners.create({ name: "Harbour Payments" })
    const { check, page } = await arrive("")
    await page.getByRole("searchbox").fill("harbour")
    await page.keyboard.press("Enter")
    const name = page.getByRole("searchbox", { name: "Name or id" })
    await name.fill("")
    await name.pressSequentially("harbour p")
    assert.strictEqual(await name.inputValue(), "harbour p")
    await page.getByRole("link", { name: "Harbour Payments" }).click()
    await page.getByLabel("Refunds per day").first().fill("a lot")
    await check()
    await press(page, "Review changes")
    await says(page, "a lot")
    await confirm(page, "Save changes")
    await page.getByRole("alert").waitFor()
    await page.keyboard.press("Escape")
    assert.strictEqual(await page.getByLabel("Refunds per day").first().inputValue(), "a lot")
    await page.getByLabel("Refunds per day").first().fill("500 USD")
    await press(page, "Review changes")
    await confirm(page, "Save changes")
    await says(page, "The partner is changed.")
    assert.match(
      (await operator().partners.get({ partnerId: id })).limits.live.refundsPerDay ?? "",
      /^500(?:\.00)? USD$/u,
    )
    await press(page, "Freeze")
    await page.getByLabel("Reason", { exact: true }).fill("Fraud is reported")
    await check()
    await confirm(page, "Freeze")
    await says(page, "Frozen")
    await page.getByRole("link", { name: "Audit log" }).last().click()
    await page.getByRole("link", { name: "Changed a partner" }).first().click()
    await says(page, "Fraud is reported")
    await says(page, "Ada")
    await check()
  })

  it("invites a person by role: the link is shown once, and signs them in as that", async () => {
    const { check, page } = await arrive("/keys")
    await press(page, "Invite a person")
    await page.getByLabel("Name").fill("Grace")
    await page.getByLabel("Role").selectOption("viewer")
    await page.getByLabel("Reason", { exact: true }).fill("She helps at night")
    await confirm(page, "Invite a person")
    await says(page, "Copy it now. It is not shown again.")
    await check()
    const link = (await page.locator(".secret code").textContent()) ?? ""
    assert.isTrue(link.startsWith(`${port().url}/console#sign-in=`), "it is a link")
    await page.keyboard.press("Escape")
    // The list below the dialog shows the new key already.
    await page.locator(".secret").waitFor({ state: "detached" })
    await says(page, "Unused link")
    assert.notInclude(await page.content(), link.split("=")[1] ?? link)
    const other = await Browser.openTab([port().url])
    await other.page.goto(link)
    await says(other.page, "Now")
    await other.page.goto(`${port().url}/console/keys`)
    await says(other.page, "Session")
    assert.strictEqual(
      await other.page.getByRole("button", { name: /End the session/u }).count(),
      0,
    )
    await page.getByRole("link", { name: "People", exact: true }).click()
    const card = page.locator("li.card", { hasText: "Grace" }).filter({ hasText: "Session" })
    await card.getByRole("button", { name: "End the session" }).click()
    await confirm(page, "End the session")
    await says(page, "It is revoked.")
    await other.page.reload()
    await other.page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  it("reconciles with progress, also while another screen is open", async () => {
    const { check, page } = await arrive("/checks")
    await page.getByLabel("How deep").selectOption("records")
    await press(page, "Reconcile now")
    await page.getByRole("link", { name: "Chains" }).click()
    await page.getByRole("heading", { name: "Chains", exact: true }).waitFor()
    await page.goBack()
    await says(page, /Payments compared: \d/u)
    await check()
  })

  it("shows that it checks again until it has", async () => {
    const { page } = await arrive("/checks")
    await isLoaded(page)
    const seen = Promise.withResolvers<void>()
    await page.route("**/operator/v1/doctor", async (route) => {
      await seen.promise
      await route.continue()
    })
    await press(page, "Check again")
    const button = (isBusy: boolean) =>
      page.locator(`button[aria-busy="${isBusy}"]`, { hasText: "Check again" })
    await button(true).waitFor()
    seen.resolve()
    await button(false).waitFor()
  })

  it("explains a payment that is looked up by its id", async () => {
    const order = await paid("EXPLAINED-1")
    const { check, page } = await arrive("")
    await page.getByRole("searchbox").fill(order.id)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "EXPLAINED-1" }).waitFor()
    await says(page, /The payer signed/u)
    await check()
    await page.getByLabel("Ledger and webhooks too").check()
    await says(page, "Ledger")
    await check()
  })

  it("draws hostile texts as text, wherever they come from", async () => {
    const { partner } = service()
    const { check, page } = await arrive("")
    const eighth = Hostile.payloads.filter((_, index) => index % 8 === 0)
    const some = Counts.some(eighth, 2)
    for (const [index, payload] of some.entries()) {
      // oxlint-disable no-await-in-loop -- One page shows one text after another.
      const { id } = await operator().partners.create({ name: `${payload} ${index}` })
      const { merchant } = await partner.merchants.create({
        merchantName: payload,
        merchantEmail: "till@shop.example",
      })
      const { paymentId } = await partner.payments.create(
        { referenceId: `${payload}`.slice(0, 35), amount: { unit: "iso4217/USD", value: "1250" } },
        { merchantId: merchant.id },
      )
      await halt(42_220, payload)
      for (const path of [
        `/partners/${id}`,
        `/merchants/${merchant.id}`,
        `/payments/${paymentId}`,
      ]) {
        await page.goto(`${port().url}/console${path}`)
        await isLoaded(page)
        await says(page, payload.slice(0, 20).trim())
      }
      await page.goto(`${port().url}/console/chains`)
      await says(page, payload.slice(0, 20).trim())
      // oxlint-enable no-await-in-loop
    }
    await page.goto(`${port().url}/console/partners`)
    await page.locator(".rowLink").first().waitFor()
    await check()
    await operator().chains.resume({ chainId: Eip155.chainId(42_220) })
  })

  it("says in German that sentences of the service are in English, and marks them so", async () => {
    await halt(42_220, "blocks are gone")
    const { check, page } = await arrive("/?lang=de")
    await says(page, /Die Sätze des Dienstes sind auf Englisch\.$/u)
    await page.locator('[lang="en"]', { hasText: "blocks are gone" }).first().waitFor()
    await check()
    await operator().chains.resume({ chainId: Eip155.chainId(42_220) })
  })

  it("fits each device, in each color scheme and in German", async () => {
    const { url } = port()
    const { check, page } = await arrive("")
    const paths =
      "/ /stuck /outflows /outflows/short /unclaimed /accounts /chains /relayers /partners /approvals /second-person /keys /audit /checks"
    for (const path of Counts.some(paths.split(" "), 3)) {
      // oxlint-disable no-await-in-loop -- One page shows one screen after another.
      for (const language of ["en", "de"]) {
        await page.goto(`${url}/console${path === "/" ? "" : path}?lang=${language}`)
        await isLoaded(page)
        await Browser.inEveryLook(page, () => check())
      }
      // oxlint-enable no-await-in-loop
    }
  })
})
