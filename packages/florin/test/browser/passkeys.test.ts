/**
 * Passkeys of people in the console, with Chromium's own authenticator, on both sides of a real service.
 *
 * @module
 */
import { assert, describe, it, type TestContext } from "@effect/vitest"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import { AccountStore } from "@florin/core/ports/AccountStore"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import * as OperatorConsole from "./OperatorConsole.ts"
import * as Service from "./Service.ts"

const options = { timeout: Browser.patienceInMs * 2 }

/** A device that has passkeys, and whose owner can do without the right finger. */
const authenticator = async (page: Page) => {
  const debugging = await page.context().newCDPSession(page)
  await debugging.send("WebAuthn.enable")
  const { authenticatorId } = await debugging.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: (isUserVerified: boolean) =>
      debugging.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    credentials: async () =>
      (await debugging.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
  }
}

describe("passkeys in the console", options, () => {
  const service = Service.inFile({ merchantName: "Blue Door Coffee" })

  /** From now on, no session may move money without a passkey, as if minutes had passed. */
  const minutesLater = () => {
    const { florin, partnerId } = service()
    return florin.run(
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const owners = [PartnerId.PartnerId.make(partnerId), null]
        const keys = yield* Effect.forEach(owners, (id) => accounts.keys(id, null))
        for (const { id } of keys.flat().filter(({ use }) => use === "session")) {
          yield* accounts.modifyKey(id, (key) =>
            Result.succeed({ result: undefined, keys: [{ ...key, freshUntil: 0 }] }),
          )
        }
      }),
    )
  }

  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true }).click()

  /** Signs in by a link and adds a passkey. */
  const arrive = async (face: "operator" | "partner", test: TestContext) => {
    const console = await OperatorConsole.start(service(), face)
    test.onTestFinished(() => console.close())
    const tab = await Browser.openTab([console.url], "desktop", test)
    const device = await authenticator(tab.page)
    const scopes = face === "operator" ? ApiKey.OperatorScope : ApiKey.PartnerScope
    await tab.page.goto(await console.link("Ada", scopes.literals))
    await press(tab.page, "Passkeys")
    await says(tab.page, "You have no passkey yet.")
    await tab.page.getByLabel("Name").fill("Laptop")
    await press(tab.page, "Add a passkey")
    await says(tab.page, /^Added/u)
    await tab.check()
    assert.lengthOf(await device.credentials(), 1)
    await press(tab.page, "Close")
    return { ...tab, console, device }
  }

  const leave = async (page: Page) => {
    await press(page, "Sign out")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  }

  it("S40: sign a partner's person in, and confirm a refund with what was typed kept", async (test) => {
    const { asked, check, console, device, page } = await arrive("partner", test)
    await leave(page)
    await check()
    await press(page, "Sign in with a passkey")
    await page.getByRole("heading", { name: "Overview" }).waitFor()

    const order = await service().order({ referenceId: "CONFIRMED-1" })
    await service().payBy(order, Wallet.make(700))
    await page.goto(`${console.url}/console/payments/${order.id}`)
    await press(page, "Refund")
    await page.getByLabel("Amount in USD").fill("2.50")
    await page.getByLabel("Reason").fill("One bag came back")
    await minutesLater()
    // Whoever only has the session has no finger.
    await device.setVerified(false)
    await press(page, "Refund $2.50")
    await says(page, "This needs your passkey.")
    await check()
    assert.strictEqual(await page.getByLabel("Amount in USD").inputValue(), "2.50")
    await device.setVerified(true)
    await press(page, "Refund $2.50")
    await says(page, "The refund of $2.50 is on its way.")
    await says(page, "One bag came back")
    const refunds = asked.filter((url) => url.endsWith("/v1/refunds"))
    assert.lengthOf(refunds, 3, "refused, refused and confirmed")

    await press(page, "Passkeys")
    await press(page, "Remove Laptop")
    await says(page, /It is your only passkey\./u)
    await check()
    await press(page, "Remove the passkey")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await press(page, "Sign in with a passkey")
    await says(page, "No passkey of yours was accepted.")
    await check()
  })

  it("S40: sign an operator's person in, and confirm what moves money", async (test) => {
    const { check, console, page } = await arrive("operator", test)
    await leave(page)
    await press(page, "Sign in with a passkey")
    await page.getByRole("heading", { name: "Now", exact: true }).waitFor()
    await page.goto(`${console.url}/console/keys?kind=people`)
    await page.getByText("Passkey", { exact: true }).waitFor()
    await check()
    await minutesLater()
    await press(page, "Invite a person")
    await page.getByLabel("Name").fill("Bob")
    await page.getByRole("dialog").getByRole("button", { name: "Invite a person" }).click()
    await says(page, /#sign-in=flr_op_/u)
  })
})
