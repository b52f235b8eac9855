/**
 * Makes the pictures of the README anew: the checkout on a phone, paying on local chains, and what the program says in a
 * terminal.
 *
 * @example
 * pnpm --filter florin pictures
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import type { Browser as Chromium } from "playwright-core"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Browser from "../test/browser/Browser.ts"
import * as Checkout from "../test/browser/Checkout.ts"
import * as InjectedWallet from "../test/browser/InjectedWallet.ts"
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
await terminal(browser)
await browser.close()
await service.close()
