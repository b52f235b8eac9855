/**
 * Two people in the console of a partner that wants a second person, each in a browser of their own.
 *
 * @module
 */
import { assert, describe, it, type TestContext } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as OperatorConsole from "./OperatorConsole.ts"
import * as Service from "./Service.ts"

const options = { timeout: Browser.patienceInMs * 2 }

describe("a second person in the console", options, () => {
  const service = Service.inFile({ merchantName: "Blue Door Coffee" })

  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true }).click()
  const confirm = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click()

  /** The tab of approvals, once it counts one that the person can do something about. */
  const waiting = (page: Page) => page.getByRole("link", { name: /^Approvals.*1 waits for you$/u })

  /** What the browser tells a page that was behind another one. */
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

  /** Ann and Bob, whom the operator has let in. */
  const arrive = async (test: TestContext) => {
    const { florin, partner, partnerId } = service()
    const console = await OperatorConsole.start(service(), "partner")
    test.onTestFinished(() => console.close())
    const { merchant } = await partner.merchants.create({
      merchantName: "Red Door Tea",
      merchantEmail: "till@reddoor.example",
    })
    await florin.operator.partners.change({ partnerId, secondPerson: true })
    const signIn = async (person: string, device: "desktop" | "phone") => {
      const tab = await Browser.openTab([console.url], device, test)
      // Nothing is read again by itself: what a person does is shown at once, and the rest when they come back.
      await tab.page.addInitScript("window.setInterval = () => 0")
      await tab.page.goto(await console.link(person, ApiKey.PartnerScope.literals))
      await tab.page.getByRole("heading", { name: "Overview" }).waitFor()
      return tab
    }
    const [ann, bob] = [await signIn("Ann", "desktop"), await signIn("Bob", "phone")]
    const go = (page: Page, path: string) => page.goto(`${console.url}/console${path}`)
    return { ann, bob, go, merchantId: merchant.id, partner }
  }

  it("S41: sees a destination that waits for approval, and approves it so that the first person can add it", async (test) => {
    const { ann, bob, go, merchantId, partner } = await arrive(test)
    await go(ann.page, `/merchants/${merchantId}`)
    await press(ann.page, "Add destination")
    await ann.page.getByLabel("Token").selectOption({ label: "USDC · Base" })
    await ann.page.getByLabel("Account").fill(`0x${"2".repeat(40)}`)
    await confirm(ann.page, "Add destination")
    await ann.page.getByRole("dialog", { name: "Sent for approval" }).waitFor()
    assert.strictEqual(await ann.page.getByRole("alert").count(), 0, "it is no error")
    await ann.check()
    await ann.page.getByRole("link", { name: "Open Approvals" }).click()
    await says(ann.page, "You asked for this. Another person must approve it.")
    assert.strictEqual(await ann.page.getByRole("dialog").count(), 0)
    assert.strictEqual(await waiting(ann.page).count(), 0, "it waits for others")
    assert.deepStrictEqual((await partner.settlements.list(merchantId)).crypto, [])

    await comeBack(bob.page)
    await waiting(bob.page).waitFor()
    await bob.check()
    await waiting(bob.page).click()
    await says(bob.page, "Add settlement destinations")
    await says(bob.page, "Red Door Tea")
    await says(bob.page, "USDC · Base")
    await says(bob.page, `0x${"2".repeat(40)}`)
    await bob.check()
    await press(bob.page, "Approve")
    await says(bob.page, "Approve this request?")
    await bob.check()
    await confirm(bob.page, "Approve")
    await says(bob.page, "Approved by")

    await waiting(bob.page).waitFor({ state: "detached" })
    await comeBack(ann.page)
    await waiting(ann.page).waitFor()
    await press(ann.page, "Carry out")
    await confirm(ann.page, "Carry out")
    await says(ann.page, "It is done.")
    assert.lengthOf((await partner.settlements.list(merchantId)).crypto, 1)
    await comeBack(bob.page)
    await says(bob.page, "Nothing waits for a second person")
    await bob.check()
  })

  it("S41: cannot approve their own request, and carries out an approved one from the list", async (test) => {
    const { ann, bob, go } = await arrive(test)
    await go(ann.page, "/keys")
    await press(ann.page, "Create API key")
    await ann.page.getByLabel("Name").fill("Till 4")
    await confirm(ann.page, "Create API key")
    await says(ann.page, "Sent for approval")
    await go(ann.page, "/second-person")
    await says(ann.page, "You asked for this. Another person must approve it.")
    assert.strictEqual(await ann.page.getByRole("button", { name: "Approve" }).count(), 0)
    await ann.check()

    await go(bob.page, "/second-person")
    await press(bob.page, "Approve")
    await confirm(bob.page, "Approve")
    await says(bob.page, "Approved by")

    await ann.page.reload()
    await press(ann.page, "Carry out")
    await confirm(ann.page, "Carry out")
    await says(ann.page, /^flr_live_pk_/u)
    await ann.check()
  })

  it("fits each device, in each color scheme and in German", async (test) => {
    const { ann, go } = await arrive(test)
    await go(ann.page, "/keys")
    await press(ann.page, "Create API key")
    await ann.page.getByLabel("Name").fill("<b>Till</b> \u202e5")
    await confirm(ann.page, "Create API key")
    await says(ann.page, "Sent for approval")
    for (const language of ["en", "de"]) {
      // oxlint-disable no-await-in-loop -- One page shows one language after another.
      await go(ann.page, `/second-person?lang=${language}`)
      await ann.page.locator("li.card").first().waitFor()
      await Browser.inEveryLook(ann.page, () => ann.check())
      // oxlint-enable no-await-in-loop
    }
  })
})
