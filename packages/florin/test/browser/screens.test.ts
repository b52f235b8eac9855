/**
 * Every screen that a payer can meet, on every device in every colour scheme. Pictures of them are put into the folder
 * that `FLORIN_SCREENSHOTS` names.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { describe, it, onTestFinished } from "@effect/vitest"
import { prefillUrl } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import type { BrowserContext, Page, Route } from "playwright-core"
import type * as Machine from "../../../pages/src/checkout/Machine.ts"
import type * as Submission from "../../../pages/src/collect/Submission.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as MadeUp from "./MadeUp.ts"
import * as Relay from "./Relay.ts"
import * as Service from "./Service.ts"

const folder = env["FLORIN_SCREENSHOTS"]
const name = "Pocket Wallet"
const ethereum = 1
const bnb = 56
const base = 8453
/** What a payer signs for once, what takes an approval first, and what the wallet sends itself. */
const usdc = /USDC.*Base/u
const usdt = /USDT.*BNB/u
const sent = /USDC.*BNB/u
let payers = 4_300_000

interface Given {
  readonly service: Service.Service
  readonly context: BrowserContext
  readonly page: Page
  readonly wallet: Wallet.Wallet
}

/** Brings a page to one of its screens. */
type Scene = (given: Given) => Promise<void>

type Request = Parameters<Service.Service["order"]>[0]

/** Opens a payment in a browser with a wallet. */
const visit = async (
  { context, page, service, wallet }: Given,
  request?: Request,
  chains: Partial<Pick<InjectedWallet.Options, "knows" | "startsOn">> = {},
) => {
  const injected = await InjectedWallet.inject(context, {
    name,
    wallet,
    node: service.simulated.node,
    knows: [base, bnb],
    startsOn: base,
    ...chains,
  })
  const made = await service.order(request)
  await page.goto(made.url)
  return { injected, made }
}

/** Goes on to the ways to pay. */
const connect = async (given: Given, ...more: [] | [Request]) => {
  const visited = await visit(given, ...more)
  await Checkout.press(given.page, name)
  await Checkout.shows(given.page, "Choose how to pay")
  return visited
}

/** Stands between the page and what it calls. */
const intercept = ({ context }: Given, call: string, handler: (route: Route) => unknown) =>
  context.route(new RegExp(`/pages/.*${call}`, "u"), handler)

const never = () => new Promise(() => undefined)

const problem = (status: number, body: object) => (route: Route) =>
  route.fulfill({ status, contentType: "application/problem+json", body: JSON.stringify(body) })

/** A page's token as it is after its time. */
const withoutToken = (route: Route) =>
  route.continue({ headers: { ...route.request().headers(), "page-token": "too-old" } })

const large: Request = { amount: { unit: "iso4217/USD", value: "64000" } }

/** Goes on to the form that a large payment needs. */
const openForm = async (given: Given) => {
  const visited = await connect(given, large)
  await Checkout.pick(given.page, usdc)
  await given.page.frameLocator("iframe").getByLabel("Full name").waitFor()
  return visited
}

/** Presses what makes the wallet ask the payer, who does not answer. */
const unanswered =
  (before: typeof connect, button: RegExp | string, title: RegExp): Scene =>
  async (given) => {
    const { injected } = await before(given)
    injected.hesitate()
    await Checkout.pick(given.page, button)
    await Checkout.shows(given.page, title)
  }

type Screens = {
  readonly [Tag in Exclude<Machine.Screen["_tag"], "Halted">]: { readonly [picture: string]: Scene }
}

const screens: Screens = {
  Waiting: {
    waiting: async (given) => {
      await visit(given)
      await given.page.getByRole("button", { name }).waitFor()
    },
    "waiting-for-a-scan": async ({ page, service }) => {
      await page.goto((await service.order()).url)
      await Checkout.shows(page, Checkout.waiting)
    },
  },
  Connecting: {
    connecting: unanswered(visit, name, /^Connect /u),
  },
  Preparing: {
    preparing: async (given) => {
      await intercept(given, "options", never)
      await visit(given)
      await Checkout.press(given.page, name)
      await Checkout.shows(given.page, "One moment")
    },
  },
  Choosing: {
    choosing: async (given) => {
      await connect(given)
    },
    "choosing-found": async (given) => {
      await connect(given)
      const filter = given.page.getByLabel("Find a token or network")
      await filter.fill("litecoin")
      await Checkout.says(given.page, "No way to pay matches this name.")
      await filter.fill("usdt")
      await given.page.getByRole("button", { name: usdt }).waitFor()
    },
  },
  Collecting: {
    collecting: async (given) => {
      await openForm(given)
    },
  },
  Asking: {
    signing: unanswered(connect, usdc, /^Sign in /u),
    allowing: unanswered(connect, usdt, /^Allow in /u),
    sending: unanswered(connect, sent, /^Send in /u),
  },
  Confirming: {
    confirming: async (given) => {
      await intercept(given, "confirm", never)
      await connect(given)
      await Checkout.pick(given.page, usdc)
      await Checkout.shows(given.page, "Sending your payment")
    },
  },
  Processing: {
    processing: async ({ page, service, wallet }) => {
      const made = await service.order()
      await service.florin.workers.stop()
      // It stays on its way for as long as it is looked at.
      onTestFinished(() => service.florin.workers.start())
      void service.payBy(made, wallet)
      await service.accepted(made)
      await page.goto(made.url)
      await Checkout.shows(page, "Payment on its way")
    },
  },
  NoFit: {
    "no-option-fits": async (given) => {
      await visit(given, { amount: { unit: "iso4217/USD", value: "123456789" } })
      await Checkout.press(given.page, name)
      await Checkout.shows(given.page, "This wallet cannot pay now")
    },
  },
  Refused: {
    refused: async (given) => {
      given.service.refuse(given.wallet)
      await visit(given)
      await Checkout.press(given.page, name)
      await Checkout.shows(given.page, "This wallet cannot pay here")
    },
  },
  Succeeded: {
    succeeded: async (given) => {
      const { made } = await visit(given)
      await given.service.payBy(made, given.wallet)
      await Checkout.shows(given.page, "Paid")
    },
    "succeeded-with-a-way-back": async (given) => {
      const shop = "https://bluedoor.example"
      const checkout = { successUrl: `${shop}/thanks`, errorUrl: `${shop}/sorry` }
      const { made } = await visit(given, { checkout })
      await Checkout.pressOnce(given.page, /^Stay here$/u)
      await given.service.payBy(made, given.wallet)
      await Checkout.shows(given.page, "Paid")
      await given.page.getByRole("link", { name: /^Back to/u }).waitFor()
    },
    "succeeded-and-sent-as-well": async (given) => {
      const { injected, made } = await connect(given)
      const { answer, reached } = injected.hold("eth_sendTransaction")
      await Checkout.pick(given.page, sent)
      await reached
      await given.service.payBy(made, Wallet.make(++payers))
      await Checkout.shows(given.page, "Paid")
      answer()
      await Checkout.says(given.page, /The service knows about it/u)
    },
  },
  Unpaid: {
    failed: async (given) => {
      const { page, service, wallet } = given
      const { made } = await visit(given)
      await service.florin.workers.stop()
      const paying = service.payBy(made, wallet)
      await service.accepted(made)
      const option = await service.promised(made)
      await Effect.runPromise(service.simulated.cancelAuthorization(option))
      await service.florin.workers.start()
      await paying
      await Checkout.shows(page, "Payment failed")
    },
    declined: async (given) => {
      await connect(given)
      given.service.refuse(given.wallet)
      await Checkout.pick(given.page, usdc)
      await Checkout.shows(given.page, "Payment declined")
    },
    expired: async (given) => {
      await visit(given, { lifeInS: 8 })
      await Checkout.shows(given.page, "Time is up")
    },
    cancelled: async (given) => {
      const { made } = await visit(given)
      await given.service.partner.payments.cancel(made.id)
      await Checkout.shows(given.page, "Payment cancelled")
    },
  },
}

/** Sends the money, and does not sign that it did. */
const sendUnsigned = async (given: Given) => {
  const visited = await connect(given)
  visited.injected.refuseOnce("personal_sign")
  await Checkout.pick(given.page, sent)
  await Checkout.says(given.page, /Sign in your wallet to confirm that you sent this/u)
  return visited
}

/** Whatever the page says of why it stands where it stands. */
const notices: { readonly [Tag in Machine.Notice["_tag"]]: Scene } = {
  Rejected: async (given) => {
    const { injected } = await connect(given)
    injected.refuseNext()
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /You declined/u)
  },
  WrongNetwork: async (given) => {
    await visit(given, {}, { knows: [ethereum], startsOn: ethereum })
    await Checkout.payWith(given.page, name, usdc)
    await Checkout.says(given.page, /did not switch to .?Base/u)
  },
  Pending: async (given) => {
    const { injected } = await connect(given)
    injected.refuseNext({ code: -32_002, message: "Request already pending." })
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /has an open request/u)
  },
  NoAccount: async (given) => {
    const { injected } = await visit(given)
    injected.lock()
    await Checkout.press(given.page, name)
    await Checkout.says(given.page, /shared no account/u)
  },
  OtherAccount: async (given) => {
    const { injected, made } = await sendUnsigned(given)
    await given.service.partner.payments.cancel(made.id)
    injected.share(Wallet.make(++payers).address)
    await Checkout.press(given.page, /^Sign in /u)
    await Checkout.says(given.page, /shared another account/u)
  },
  WalletFailed: async (given) => {
    const { injected } = await connect(given)
    injected.refuseNext({ code: -32_603, message: "Internal error." })
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /did not respond as expected/u)
  },
  Unreachable: async (given) => {
    const { made } = await visit(given)
    await Checkout.spoilWalletConnect(given.page, made.id)
    await Checkout.press(given.page, /WalletConnect/u)
    await Checkout.says(given.page, /WalletConnect cannot be reached/u)
  },
  Disconnected: async (given) => {
    const { injected } = await connect(given)
    injected.refuseNext({ code: 4900, message: "The provider is disconnected." })
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /connection to your wallet ended/u)
  },
  Offline: async (given) => {
    await intercept(given, "confirm", (route) => route.abort())
    await connect(given)
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /The connection was lost/u)
  },
  Stale: async (given) => {
    await intercept(given, "watch", withoutToken)
    await visit(given)
    await Checkout.says(given.page, /open for a long time/u)
  },
  Unsafe: async (given) => {
    await intercept(given, "options", async (route) => {
      const answer = await route.fetch({ maxRetries: 2 })
      const text = await answer.text()
      await route.fulfill({ response: answer, body: text.replaceAll("signTypedData_v4", "sign") })
    })
    await connect(given)
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /something that this page does not allow/u)
  },
  Service: async (given) => {
    // What a hotel's network answers to everybody who has not signed in.
    await intercept(given, "options", (route) => route.fulfill({ body: "<h1>Welcome</h1>" }))
    await visit(given)
    await Checkout.press(given.page, name)
    await Checkout.says(given.page, /could not do this now/u)
  },
  OptionExpired: async (given) => {
    await intercept(given, "confirm", problem(409, { code: "quote_expired", message: "expired" }))
    await connect(given)
    await Checkout.pick(given.page, usdc)
    await Checkout.says(given.page, /That offer has expired/u)
  },
  FormClosed: async (given) => {
    await openForm(given)
    await Checkout.press(given.page, "Close")
    await Checkout.says(given.page, /The form was closed/u)
  },
  GoOn: async (given) => {
    const { injected } = await connect(given)
    injected.hesitate("eth_signTypedData_v4")
    await Checkout.pick(given.page, usdt)
    await Checkout.shows(given.page, /^Sign in /u)
    injected.lock()
    await given.page.reload()
    await Checkout.says(given.page, /You have already started to pay/u)
  },
  MayBeSent: async (given) => {
    const { injected } = await connect(given)
    injected.hesitate("eth_sendTransaction")
    await Checkout.pick(given.page, sent)
    await Checkout.shows(given.page, /^Send in /u)
    await given.page.reload()
    await Checkout.says(given.page, /Check your wallet first/u)
  },
  Sent: async (given) => {
    const { injected } = await connect(given)
    injected.hesitate("personal_sign")
    await Checkout.pick(given.page, sent)
    await Checkout.shows(given.page, /^Sign in /u)
    injected.lock()
    await given.page.reload()
    await Checkout.says(given.page, /Sign in your wallet to confirm that you sent this/u)
  },
  Unsigned: async (given) => {
    await sendUnsigned(given)
    await Checkout.says(given.page, /your wallet has not signed for it/u)
  },
  SentLate: async (given) => {
    await intercept(given, "confirm", problem(409, { code: "quote_expired", message: "expired" }))
    await connect(given)
    await Checkout.pick(given.page, sent)
    await Checkout.says(given.page, /so it does not count/u)
  },
}

/** Sends the money, of which the service then does not hear. */
const sendUnheard = async (given: Given) => {
  await intercept(given, "confirm", (route) => route.abort())
  const visited = await connect(given)
  await Checkout.pick(given.page, sent)
  await Checkout.says(given.page, /does not know about it yet: try again/u)
  return visited
}

/** Whatever the page says of money that went and has not paid. */
const moneys: { readonly [S in Machine.Standing | "mayBeSent" | "mayBeSentLate"]: Scene } = {
  unsigned: async (given) => {
    await sendUnsigned(given)
  },
  unreported: async (given) => {
    await sendUnheard(given)
  },
  unsignedLate: async (given) => {
    const { made } = await sendUnsigned(given)
    await given.service.partner.payments.cancel(made.id)
    await Checkout.says(given.page, /has not signed that you sent it/u)
    await given.page.getByRole("button", { name: /^Sign in /u }).waitFor()
  },
  unreportedLate: async (given) => {
    const { made } = await sendUnheard(given)
    await given.service.partner.payments.cancel(made.id)
    await Checkout.says(given.page, /Reload this page/u)
  },
  reported: async (given) => {
    await connect(given)
    given.service.refuse(given.wallet)
    await Checkout.pick(given.page, sent)
    await Checkout.says(given.page, /The service knows about it/u)
  },
  mayBeSent: async (given) => {
    const { injected } = await connect(given)
    injected.hesitate("eth_sendTransaction")
    await Checkout.pick(given.page, sent)
    await Checkout.shows(given.page, /^Send in /u)
    given.service.refuse(given.wallet)
    await given.page.reload()
    await Checkout.press(given.page, name)
    await Checkout.shows(given.page, "This wallet cannot pay here")
    await Checkout.says(given.page, /Check your wallet first/u)
  },
  mayBeSentLate: async (given) => {
    const { injected, made } = await connect(given)
    const { reached } = injected.hold("eth_sendTransaction")
    await Checkout.pick(given.page, sent)
    await reached
    await given.service.partner.payments.cancel(made.id)
    await Checkout.says(given.page, /if it still asks, decline/u)
  },
}

/** Opens the form by its own address, filled in or not. */
const visitForm = async (
  { page, service, wallet }: Given,
  prefill?: { readonly [id: string]: string },
) => {
  const made = await service.order(large)
  const form = await service.formOf(made, Eip155.formatAccount(wallet.account(base)))
  await page.goto(prefill === undefined ? form : prefillUrl(form, prefill))
  await Checkout.shows(page, "Your details")
  return made
}

/** Fills the form in, and sends it. */
const submitForm = async (given: Given): Promise<void> => {
  await visitForm(given, {
    fullName: "Ada Lovelace",
    dob: "1985-12-10",
    porCountry: "GB",
    porAddress: "12 St James's Square, London",
  })
  await given.page.getByRole("checkbox").check()
  await Checkout.press(given.page, "Accept and send")
}

type Forms = {
  readonly [Tag in "Asking" | Submission.Outcome["_tag"]]: { readonly [picture: string]: Scene }
}

const forms: Forms = {
  Asking: {
    form: async (given) => {
      await visitForm(given)
    },
    "form-with-faults": async (given) => {
      await visitForm(given, { fullName: "Ada Lovelace", dob: "1985-12-10" })
      await Checkout.press(given.page, "Accept and send")
      await Checkout.says(given.page, "Country of birth is required.")
    },
  },
  Refused: {
    "form-refused": async (given) => {
      const issues = [{ field: "collectedData.fullName", message: "must not be empty" }]
      const refusal = { code: "invalid_input", message: "fullName must not be empty", issues }
      await intercept(given, "collected", problem(400, refusal))
      await submitForm(given)
      await Checkout.says(given.page, "Full name must not be empty.")
    },
  },
  NotSent: {
    "form-not-sent": async (given) => {
      await intercept(given, "collected", (route) => route.abort())
      await submitForm(given)
      await Checkout.says(given.page, /were not saved/u)
    },
  },
  Stored: {
    "form-stored": async (given) => {
      await submitForm(given)
      await Checkout.shows(given.page, "Thank you")
    },
  },
  Closed: {
    "form-closed": async (given) => {
      const made = await visitForm(given)
      await given.service.partner.payments.cancel(made.id)
      await given.page.reload()
      await Checkout.shows(given.page, "No details are needed any more")
    },
  },
  Absent: {
    "form-absent": async (given) => {
      await intercept(given, "collected", withoutToken)
      await submitForm(given)
      await Checkout.shows(given.page, "This page cannot be used")
    },
  },
}

const test = (page: Parameters<typeof MadeUp.full>[0]) => ({ ...page, mode: "test" as const })

/** Made up: what a merchant may add, what costs are, and how far a transaction got. */
const madeUp: { readonly [picture: string]: Scene } = {
  "made-up-order": async (given) => {
    await MadeUp.document(given.context, MadeUp.full)
    await visit(given)
    await given.page.getByRole("button", { name }).waitFor()
  },
  "made-up-test": async (given) => {
    await MadeUp.document(given.context, test)
    await given.page.goto((await given.service.order()).url)
    await Checkout.says(given.page, "TEST · no real money")
  },
  "made-up-pale-brand": async (given) => {
    await MadeUp.document(given.context, (page) => {
      const { info } = page
      return { ...page, info: { ...info, merchant: { ...info.merchant, brandColor: "#fff176" } } }
    })
    await connect(given)
  },
  "made-up-costs": async (given) => {
    await MadeUp.options(given.context, MadeUp.costs)
    await connect(given)
    await given.page.evaluate(
      "document.querySelectorAll('details').forEach((each) => (each.open = true))",
    )
  },
  "made-up-cancelling": async (given) => {
    await visit(given)
    await Checkout.press(given.page, "Cancel payment")
    await given.page.getByRole("dialog").waitFor()
  },
  "made-up-failure": async (given) => {
    await MadeUp.document(given.context, (page) => {
      const status = { status: "failed", isFinal: true, info: null, failureCode: null } as const
      return { ...test(MadeUp.full(page)), status }
    })
    await given.page.goto((await given.service.order()).url)
    await Checkout.says(given.page, "help@bluedoor.example")
  },
  "made-up-progress": async (given) => {
    await MadeUp.document(given.context, (page) => ({ ...page, status: MadeUp.processing.status }))
    await MadeUp.watched(given.context, MadeUp.processing)
    await given.page.goto((await given.service.order()).url)
    await Checkout.says(given.page, "4 of 12 blocks")
  },
  "made-up-receipt": async (given) => {
    await MadeUp.document(given.context, (page) => ({
      ...test(MadeUp.full(page)),
      status: {
        status: "succeeded",
        isFinal: true,
        info: {
          optionAmount: page.accepted[0] ?? page.info.amount,
          txId: `0x${"5e1ec7ed".repeat(8)}`,
        },
      },
    }))
    await given.page.goto((await given.service.order()).url)
    await Checkout.shows(given.page, "Paid")
  },
}

const scenes: ReadonlyArray<readonly [picture: string, Scene]> = [
  ...Object.values(screens).flatMap(Object.entries<Scene>),
  ...Object.entries(notices).map(([tag, scene]) => [`notice-${tag}`, scene] as const),
  ...Object.entries(moneys).map(([tag, scene]) => [`money-${tag}`, scene] as const),
  ...Object.values(forms).flatMap(Object.entries<Scene>),
  ...Object.entries(madeUp),
  [
    "not-found",
    async ({ page, service }) => {
      await page.goto(`${service.url}/?pid=pay_none`)
      await Checkout.shows(page, "Page not found")
    },
  ],
]

describe("every screen of the hosted pages, in every scheme", () => {
  const open = Browser.openTab
  const relay = Relay.inFile()
  const service = Service.inFile(() => ({ collectsFrom: 50_000n, relayUrl: relay().url }))

  const asked = folder === undefined ? Counts.some(scenes, 8) : scenes
  it.each(asked)("fits the viewport, and axe finds no fault: %s", async (picture, scene) => {
    const { checkWhole, context, page } = await open([service().url], "desktop")
    await scene({ service: service(), context, page, wallet: Wallet.make(++payers) })
    await Browser.inEveryLook(page, async (shown) => {
      await checkWhole()
      if (folder === undefined) return
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `${picture}-${shown.look}.png`), await shown.picture())
    })
  })
})
