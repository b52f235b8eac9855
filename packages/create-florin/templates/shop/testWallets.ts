/**
 * Test wallets in the checkout. They sign for a well-known key, so remove this file before you take real money.
 *
 * @module
 */
import * as Pages from "@florin/pages"
import { loadLocal } from "@florin/pages/Site"
import { path as walletsPath } from "@florin/pages/TestWallets"
import * as Wallet from "@florin/testing/Wallet"

/** The path on which the checkout asks its test wallets to sign. */
export const path = walletsPath

/** The checkout with test wallets. */
export const pages = async (links: Parameters<typeof Pages.load>[0]) => {
  const { site, ...rest } = await Pages.load(links)
  const { checkout, files } = loadLocal()
  return { site: { ...site, checkout, files }, ...rest }
}

const wallet = Wallet.make(1)

type Asked =
  | { readonly account: string; readonly method: "eth_accounts" }
  | ({ readonly account: string } & Parameters<typeof wallet.request>[0])

/** Responds to a test wallet as a wallet's provider does. */
export const answer = async (body: string): Promise<object> => {
  const asked: Asked = JSON.parse(body)
  const fail = (message: string) => ({ error: { code: -32_603, message } })
  if (asked.account !== "rich") return fail("On simulated chains, use the rich wallet.")
  if (asked.method === "eth_accounts") return { result: [wallet.address] }
  try {
    return { result: await wallet.request(asked) }
  } catch (error) {
    return fail(error instanceof Error ? error.message : "the test wallet failed")
  }
}
