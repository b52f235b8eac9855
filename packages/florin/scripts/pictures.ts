/**
 * Makes the pictures of the README anew: the checkout on a phone, paying on local chains, the console of a partner, of the
 * operator and of a developer, and what the program says in a terminal.
 *
 * @example
 * pnpm --filter florin pictures
 *
 * @module
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Wallet from "@florin/testing/Wallet"
import * as Schema from "effect/Schema"
import type { Browser as Chromium } from "playwright-core"
import * as ReadyFile from "../src/access/ReadyFile.ts"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Browser from "../test/browser/Browser.ts"
import * as Checkout from "../test/browser/Checkout.ts"
import * as ConsoleServer from "../test/browser/ConsoleServer.ts"
import * as InjectedWallet from "../test/browser/InjectedWallet.ts"
import * as OperatorConsole from "../test/browser/OperatorConsole.ts"
import * as Service from "../test/browser/Service.ts"

const folder = fileURLToPath(new URL("../../../docs/images/", import.meta.url))
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const phone = { width: 390, height: 900 }
const chainIds = [8453, 137]
const walletName = "Pocket Wallet"

const dataUrl = (image: Uint8Array): string =>
  `data:image/png;base64,${Buffer.from(image).toString("base64")}`

/** Draws a document, and keeps what it shows; all around it is transparent. */
const keep = async (browser: Chromium, name: string, width: number, html: string) => {
  const page = await browser.newPage({ viewport: { width, height: 400 } })
  await page.setContent(html)
  writeFileSync(join(folder, name), await page.locator("body").screenshot({ omitBackground: true }))
  await page.close()
}

const phones = (images: ReadonlyArray<Uint8Array>) => `<!doctype html><style>
  body { display: flex; gap: 24px; justify-content: center; margin: 0; padding: 4px; }
  img { inline-size: 270px; border-radius: 26px; outline: 1px solid #8886; }
</style>${images.map((image) => `<img src="${dataUrl(image)}" />`).join("")}`

/** A payer arrives, chooses, and has paid. */
const checkout = async (
  browser: Chromium,
  service: Service.Service,
  colorScheme: "dark" | "light",
) => {
  const { nodes, order } = service
  const context = await browser.newContext({
    colorScheme,
    hasTouch: true,
    isMobile: true,
    viewport: phone,
  })
  const [wallet] = LocalChains.wallets
  if (wallet === undefined) throw new Error("there is no local wallet")
  await InjectedWallet.inject(context, {
    name: walletName,
    wallet,
    node: InjectedWallet.through(nodes),
    knows: chainIds,
    startsOn: 8453,
  })
  const page = await context.newPage()
  await page.goto((await order({ referenceId: "order-1042" })).url)
  await page.getByRole("button", { name: walletName }).waitFor()
  const arrived = await page.screenshot()
  await Checkout.press(page, walletName)
  await Checkout.shows(page, "Choose how to pay")
  await page.evaluate("Promise.all(Array.from(document.images, (image) => image.decode()))")
  const choosing = await page.screenshot()
  await Checkout.press(page, /USDC.*Base/u)
  await Checkout.shows(page, "Paid")
  const paid = await page.screenshot()
  await context.close()
  await keep(browser, `checkout-${colorScheme}.png`, 880, phones([arrived, choosing, paid]))
}

/** Amounts in cents, and what is asked for. */
const orders = [
  ["4890", "Two months of coffee beans"],
  ["1250", "Filter papers and a mug"],
  ["21900", "Espresso machine, refurbished"],
  ["640", "Two flat whites"],
  ["3475", "Barista course, one evening"],
  ["980", "Breakfast for two"],
  ["15600", "Catering on Friday"],
  ["2230", "Gift card"],
] as const

const people = { admin: ["read", "support", "treasury", "admin"] } as const

const framed = (image: Uint8Array) => `<!doctype html><style>
  body { margin: 0; padding: 4px; }
  img { inline-size: 880px; border-radius: 12px; outline: 1px solid #8886; display: block; }
</style><img src="${dataUrl(image)}" />`

/** Keeps a screen of the console, once it shows a text. */
const screen = async (
  browser: Chromium,
  name: string,
  colorScheme: "dark" | "light",
  { shows, url }: { readonly shows: string; readonly url: string },
) => {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 700 } })
  await page.goto(url)
  await page.getByText(shows).first().waitFor()
  const image = await page.screenshot()
  await page.close()
  await keep(browser, `${name}-${colorScheme}.png`, 888, framed(image))
}

/** The payments of a shop, and what needs the operator. */
const consoles = async (browser: Chromium) => {
  const service = await Service.start({ merchantName: "Blue Door Coffee" })
  for (const [index, [value, description]] of orders.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- The list shows them in this order.
    const order = await service.order({
      referenceId: `order-${1042 + index}`,
      amount: { unit: "iso4217/USD", value },
      description,
    })
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (index % 4 !== 3) await service.payBy(order, Wallet.make(700 + index))
  }
  const { data } = await service.partner.payments.list({ status: ["succeeded"] })
  const [refunded] = data
  if (refunded === undefined) throw new Error("nothing was paid")
  const { paymentId } = refunded
  await service.partner.refunds.create({
    paymentId,
    amount: { unit: "iso4217/USD", value: "500" },
    reason: "One item was sold out",
  })
  await service.florin.run(
    Lanes.stop("live", Eip155.chainId(137), "two nodes show different final blocks"),
  )
  const partner = await ConsoleServer.start({
    target: service.url,
    apiKey: service.partnerKey,
    partner: { id: service.partnerId, name: "Corner Payments" },
  })
  const operator = await OperatorConsole.start(service)
  for (const colorScheme of ["light", "dark"] as const) {
    // oxlint-disable-next-line no-await-in-loop -- One page at a time.
    await screen(browser, "console-payments", colorScheme, {
      url: `${partner.url}/console/payments`,
      shows: "order-1042",
    })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await screen(browser, "console-operator", colorScheme, {
      // oxlint-disable-next-line no-await-in-loop -- A link works once.
      url: await operator.link("Ada", people.admin),
      shows: "Resume the chain",
    })
  }
  await partner.close()
  await operator.close()
  await service.close()
}

const readReady = Schema.decodeUnknownSync(Schema.fromJsonString(ReadyFile.Ready))

/** What `npm start` opens, with a payment that a test wallet has made. */
const tryIt = async (browser: Chromium) => {
  const directory = mkdtempSync(join(import.meta.dirname, "../node_modules/.pictures-"))
  const readyFile = join(directory, "ready.json")
  const args = ["dev", "--port", "0", "--ready-file", readyFile, "--storage", "memory"]
  // Where it keeps its data is a part of the commands that it shows, but not if that is where it runs.
  const child = spawn(execPath, [main, ...args, "--chains", "8453,137"], { cwd: directory })
  const ended = once(child, "exit")
  // oxlint-disable-next-line no-await-in-loop -- It takes some seconds.
  while (!existsSync(readyFile)) await setTimeout(100)
  const { baseUrl } = readReady(readFileSync(readyFile, "utf8"))
  const page = await browser.newPage({ viewport: { width: 1200, height: 1060 } })
  await page.goto(baseUrl)
  await page.getByLabel("Description").fill("Two bags of coffee")
  await Checkout.press(page, "Create payment")
  const [pay] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("link", { name: /^Open the checkout \(/u }).click(),
  ])
  await Checkout.payWith(pay, "Test wallet: rich", /USDC.*Base/u)
  await Checkout.shows(pay, "Paid")
  await page.getByText("payment.succeeded").first().waitFor()
  for (const colorScheme of ["light", "dark"] as const) {
    // oxlint-disable no-await-in-loop -- One page has one look at a time.
    await page.emulateMedia({ colorScheme })
    await keep(browser, `console-try-${colorScheme}.png`, 888, framed(await page.screenshot()))
    // oxlint-enable no-await-in-loop
  }
  await page.context().close()
  child.kill("SIGINT")
  await ended
  rmSync(directory, { recursive: true })
}

const colours: { readonly [code: string]: string } = {
  1: "font-weight:700;color:#fff",
  2: "color:#8b9aa8",
  31: "color:#ff8f85",
  32: "color:#6fd7a0",
  33: "color:#eec46f",
  36: "color:#67c7d3",
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** What a terminal makes of its escapes. */
const drawn = (said: string): string =>
  said
    .split("\u001B[")
    .map((part, index) => {
      const [, code, text = ""] = /^(\d+)m([^]*)$/u.exec(part) ?? []
      if (index === 0 || code === undefined) return escaped(part)
      return `</span><span style="${colours[code] ?? ""}">${escaped(text)}`
    })
    .join("")

/** Lets the program believe that a terminal with colours reads what it says. */
const inColours =
  "data:text/javascript,import{stdout}from'node:process';stdout.isTTY=true;stdout.hasColors=()=>true"

const terminal = async (browser: Chromium) => {
  // Inside the repository, as the commands that it prints depend on where it runs.
  const directory = mkdtempSync(join(import.meta.dirname, "../node_modules/.pictures-"))
  const said = execFileSync(execPath, ["--import", inColours, main, "dev", "--once"], {
    cwd: directory,
    encoding: "utf8",
    env: {},
  })
  rmSync(directory, { recursive: true })
  await keep(
    browser,
    "terminal.png",
    800,
    `<!doctype html><style>
      body { margin: 0; padding: 1px }
      pre { margin: 0; padding: 16px 24px 24px; border-radius: 12px; background: #10191d; color: #d8e2e8;
        font: 13px/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
      i { color: #67d3b5; font-style: normal }
      b { display: block; padding-block-end: 12px; letter-spacing: 5px; color: #3d4c54 }
    </style><pre><b>●●●</b><i>$</i> npm start -- --once\n<span>${drawn(said.trimEnd())}</span></pre>`,
  )
}

mkdirSync(folder, { recursive: true })
const [browser, service] = await Promise.all([Browser.launch(), Service.start({ chainIds })])
await checkout(browser, service, "light")
await checkout(browser, service, "dark")
await consoles(browser)
await tryIt(browser)
await terminal(browser)
await browser.close()
await service.close()
