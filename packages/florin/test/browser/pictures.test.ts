import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "@effect/vitest"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Page } from "playwright-core"
import * as Certificate from "../../../server/test-support/certificate.ts"
import * as Pictures from "../../../server/test-support/pictures.ts"
import * as Receiver from "../../../server/test-support/receiver.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const merchantName = "Blue Door Coffee"

/** Where a merchant keeps its logo: a host of its own, which no page may ask. */
const shop = Effect.gen(function* () {
  const certificate = Certificate.selfSigned("localhost")
  yield* Certificate.trust(certificate)
  const { connections, port } = yield* Receiver.listen((socket) => {
    Receiver.says(`HTTP/1.1 200 OK\r\ncontent-length: ${Pictures.png.length}\r\n\r\n`)(socket)
    Receiver.says(Pictures.png)(socket)
  }, certificate)
  return { connections, iconUrl: `https://localhost:${port}/logo.png` }
})

const readShown = Schema.decodeUnknownSync(Schema.Array(Schema.String))

/** Where the pictures come from that are drawn now. */
const shown = async (page: Page): Promise<ReadonlyArray<string>> => {
  await Browser.until(
    page,
    "[...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0)",
  )
  return readShown(await page.evaluate("[...document.images].map(({ currentSrc }) => currentSrc)"))
}

describe("the images of the checkout", () => {
  const open = Browser.openTab
  const service = Service.inFile()

  /** The checkout of a merchant with a logo, before a wallet that can pay. */
  const arrive = async (iconUrl: string) => {
    const { partner, simulated, url } = service()
    const { merchant } = await partner.merchants.create({
      merchantName,
      merchantEmail: "till@bluedoor.example",
      iconUrl,
    })
    const { paymentId } = await partner.payments.create(
      { referenceId: "order-1", amount: { unit: "iso4217/USD", value: "1250" } },
      { merchantId: merchant.id },
    )
    const tab = await open([url])
    await InjectedWallet.inject(tab.context, {
      name,
      wallet: Wallet.make(4_400_000),
      node: simulated.node,
      knows: [1, 8453],
      startsOn: 1,
    })
    // They come after the page was first looked at.
    await tab.context.route("**/icons/*", async (route) => {
      await setTimeout(300)
      await route.continue()
    })
    await tab.page.goto(`${url}/?pid=${paymentId}`)
    return { ...tab, paymentId, url }
  }

  it("come only from its own host, the merchant's logo as well as the tokens'", async () => {
    const scope = Scope.makeUnsafe()
    onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const { connections, iconUrl } = await Effect.runPromise(Scope.provide(shop, scope))
    const { check, page, paymentId, url } = await arrive(iconUrl)
    const logo = `${url}/pages/logos/${paymentId}`
    assert.include(await shown(page), logo)
    await Checkout.press(page, name)
    await Checkout.shows(page, "Choose how to pay")
    const [first, ...tokens] = await shown(page)
    assert.strictEqual(first, logo)
    assert.include(tokens, `${url}/icons/usdc.svg`)
    assert.strictEqual(connections(), 1)
    await check()
  })

  it("are replaced with an initial if the merchant's logo is not available", async () => {
    const { check, page } = await arrive("https://127.0.0.1:1/logo.png")
    const initial = page.locator(".merchant .picture", { hasText: /^B$/u })
    await initial.waitFor()
    await check()
  })
})
