import { assert, describe, it } from "@effect/vitest"
import * as WalletApps from "../../src/checkout/WalletApps.ts"

const page = "https://pay.example/?pid=pay_01JC8QZJ3V7T"
const encoded = "https%3A%2F%2Fpay.example%2F%3Fpid%3Dpay_01JC8QZJ3V7T"

describe("WalletApps", () => {
  it.each([
    ["MetaMask", "https://link.metamask.io/dapp/pay.example/?pid=pay_01JC8QZJ3V7T"],
    ["Trust Wallet", `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}`],
    ["Coinbase Wallet", `https://go.cb-w.com/dapp?cb_url=${encoded}`],
    ["Phantom", `https://phantom.app/ul/browse/${encoded}?ref=https%3A%2F%2Fpay.example`],
    [
      "OKX Wallet",
      `https://web3.okx.com/download?deeplink=${encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${encoded}`)}`,
    ],
  ])("opens the payment in %s as its maker documents", (name, link) => {
    assert.strictEqual(WalletApps.all.find((app) => app.name === name)?.open(page), link)
  })

  it("lists no other app, and opens none over http", () => {
    assert.lengthOf(WalletApps.all, 5)
    for (const { open } of WalletApps.all) assert.match(open(page), /^https:\/\//u)
  })
})
