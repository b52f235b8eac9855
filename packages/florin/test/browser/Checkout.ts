/**
 * What a payer sees and presses on the checkout page, by the names that a screen reader tells.
 *
 * @module
 */
import type { Frame, Page } from "playwright-core"

/** Whoever waits in vain reads what the page showed instead. */
const orTell = async (page: Page, done: Promise<void>): Promise<void> => {
  try {
    await done
  } catch (error) {
    const shown = await page.locator("body").innerText()
    throw new Error(`${String(error)}\nThe page shows: ${shown.replaceAll(/\s+/gu, " ")}`, {
      cause: error,
    })
  }
}

/** Waits for a screen. */
export const shows = (page: Page, title: RegExp | string): Promise<void> =>
  orTell(page, page.getByRole("heading", { name: title }).first().waitFor())

/** What the first screen is called. */
export const waiting = /^Pay .?Blue Door Coffee/u

/** Waits for something that the page says. */
export const says = (page: Page, text: RegExp | string): Promise<void> =>
  orTell(page, page.getByText(text).first().waitFor())

export const press = (page: Page, name: RegExp | string): Promise<void> =>
  orTell(page, page.getByRole("button", { name }).first().click())

/** Presses a button or link as soon as it is there, from within: this process may be too busy for what soon passes. */
export const pressOnce = (page: Frame | Page, name: RegExp): Promise<void> =>
  page.evaluate(`{
    const look = (_, observer) => {
      const all = [...document.querySelectorAll("a, button")]
      const found = all.find(({ textContent }) => ${name}.test(textContent))
      if (found === undefined) return
      observer.disconnect()
      found.click()
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { childList: true, subtree: true })
    look([], observer)
  }`)

/** Picks a way to pay. Those of one token may be folded. */
export const pick = async (page: Page, option: RegExp | string): Promise<void> => {
  const row = page.getByRole("button", { name: option, includeHidden: true })
  await row.first().waitFor({ state: "attached" })
  const folded = page.locator("details:not([open])").filter({ has: row })
  if ((await folded.count()) > 0) await folded.first().locator("summary").click()
  await press(page, option)
}

/** Leaves something from an earlier visit that WalletConnect's client cannot read, so that it does not start. */
export const spoilWalletConnect = async (page: Page, paymentId: string): Promise<void> => {
  const left = JSON.stringify({ "wc@2:core:0.3//keychain": "{" })
  await page.evaluate(
    `sessionStorage.setItem("florin-walletconnect-${paymentId}", ${JSON.stringify(left)})`,
  )
}

/** Connects a wallet, and picks the option that is called so. */
export const payWith = async (page: Page, wallet: string, option: RegExp): Promise<void> => {
  await press(page, wallet)
  await shows(page, "Choose how to pay")
  await pick(page, option)
}
