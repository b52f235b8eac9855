import { mkdirSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const folder = env["FLORIN_SCREENSHOTS"] ?? mkdtempSync(join(tmpdir(), "florin-screens-"))
const name = "Pocket Wallet"
const base = 8453
const usdc = /USDC.*Base/u
let payers = 4_300_000

/** Brings a page to one of its screens. */
type Scene = (given: {
  readonly service: Service.Service
  readonly tab: Browser.Tab
  readonly wallet: Wallet.Wallet
  readonly injected: InjectedWallet.Injected
}) => Promise<void>

const visit = async (
  { service, tab }: Parameters<Scene>[0],
  request?: Parameters<Service.Service["order"]>[0],
): Promise<Service.Order> => {
  const made = await service.order(request)
  await tab.page.goto(made.url)
  return made
}

/** Every state that a payer can meet, under the name of its picture. */
const scenes: { readonly [picture: string]: Scene } = {
  "not-found": async ({ service, tab }) => {
    await tab.page.goto(`${service.url}/?pid=pay_none`)
    await Checkout.shows(tab.page, "No such payment")
  },
  waiting: async (given) => {
    await visit(given)
    await Checkout.shows(given.tab.page, Checkout.waiting)
  },
  connecting: async (given) => {
    given.injected.hesitate()
    await visit(given)
    await Checkout.press(given.tab.page, name)
    await Checkout.shows(given.tab.page, /^Connect /u)
  },
  choosing: async (given) => {
    await visit(given)
    await Checkout.press(given.tab.page, name)
    await Checkout.shows(given.tab.page, "Choose how to pay")
  },
  "no-option-fits": async (given) => {
    await visit(given, { amount: { unit: "iso4217/USD", value: "123456789" } })
    await Checkout.press(given.tab.page, name)
    await Checkout.shows(given.tab.page, "Not enough in this wallet")
  },
  signing: async (given) => {
    await visit(given)
    await Checkout.press(given.tab.page, name)
    await Checkout.shows(given.tab.page, "Choose how to pay")
    given.injected.hesitate()
    await Checkout.press(given.tab.page, usdc)
    await Checkout.shows(given.tab.page, /^Sign in /u)
  },
  rejected: async (given) => {
    await visit(given)
    given.injected.refuseNext()
    await Checkout.payWith(given.tab.page, name, usdc)
    await Checkout.says(given.tab.page, /You said no/u)
  },
  processing: async (given) => {
    const made = await given.service.order()
    await given.service.florin.workers.stop()
    void given.service.payBy(made, given.wallet)
    await given.service.accepted(made)
    await given.tab.page.goto(made.url)
    await Checkout.shows(given.tab.page, "Payment on its way")
    await given.service.florin.workers.start()
  },
  succeeded: async (given) => {
    const made = await visit(given)
    await given.service.payBy(made, given.wallet)
    await Checkout.shows(given.tab.page, "Paid")
  },
  failed: async (given) => {
    const { service, tab, wallet } = given
    const made = await visit(given)
    await service.florin.workers.stop()
    const paying = service.payBy(made, wallet)
    await service.accepted(made)
    const option = await service.promised(made)
    await Effect.runPromise(service.simulated.cancelAuthorization(option))
    await service.florin.workers.start()
    await paying
    await Checkout.shows(tab.page, "Payment failed")
  },
  expired: async (given) => {
    await visit(given, { expiresAt: Math.floor(Date.now() / 1000) + 2 })
    await Checkout.shows(given.tab.page, "Time is up")
  },
  cancelled: async (given) => {
    const made = await visit(given)
    await given.service.partner.payments.cancel(made.id)
    await Checkout.shows(given.tab.page, "Payment cancelled")
  },
  collect: async ({ service, tab, wallet }) => {
    const made = await service.order()
    const account = encodeURIComponent(Caip.formatAccount(wallet.account(base)))
    await tab.page.goto(`${service.url}/collect/?pid=${made.id}&accounts=${account}`)
    await tab.page.getByRole("heading").first().waitFor()
  },
}

describe("every screen of the hosted pages", () => {
  const open = Browser.inFile()
  const service = Service.inFile()

  for (const [picture, scene] of Object.entries(scenes)) {
    for (const look of Browser.looks) {
      const title = `${picture}-${look.device}-${look.scheme}`
      it(`is without a fault that axe finds: ${title}`, async () => {
        const wallet = Wallet.make(++payers)
        const tab = await open([service().url], look)
        const injected = await InjectedWallet.inject(tab.context, {
          name,
          wallet,
          chains: [],
          knows: [base],
          startsOn: base,
        })
        await scene({ service: service(), tab, wallet, injected })
        mkdirSync(folder, { recursive: true })
        const file = join(folder, `${title}.png`)
        const image = await tab.page.screenshot({ path: file, fullPage: true })
        assert.isAbove(image.byteLength, 1000)
        await tab.check()
      })
    }
  }
})
