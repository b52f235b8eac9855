import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Service from "./Service.ts"

const name = "Pocket Wallet"
const chainIds = [8453, 56]

/** Each way to pay has one device in a usual run and the other with full counts: every wallet pays once. */
const deviceOf = (way: number): Browser.Device =>
  Browser.devices[(way + Number(Counts.full)) % 2] ?? "phone"

// Each waits for blocks most of the time.
describe("a payment in the browser, with the chains' own contracts", { concurrent: true }, () => {
  const open = Browser.openTab
  const service = Service.inFile({ chainIds })

  const arrive = async (test: Browser.Ending, number: number) => {
    const { nodes, order, url } = service()
    const [made, tab] = await Promise.all([order(), open([url], deviceOf(number), test)])
    const wallet = LocalChains.wallets[number] ?? assert.fail("no such wallet")
    const injected = await InjectedWallet.inject(tab.context, {
      name,
      wallet,
      node: InjectedWallet.through(nodes),
      knows: [1, ...chainIds],
      startsOn: 1,
    })
    await tab.page.goto(made.url)
    return { ...tab, injected, made }
  }

  it("needs one signature for USDC on Base (EIP-3009), and shows the receipt", async (test) => {
    const { check, injected, made, page } = await arrive(test, 0)
    await Checkout.payWith(page, name, /USDC.*Base/u)
    await Checkout.shows(page, "Paid")
    assert.deepStrictEqual(
      injected.asked.filter((method) => method.startsWith("eth_s")),
      ["eth_signTypedData_v4"],
    )
    const { info, status } = await service().partner.payments.status(made.id)
    assert.strictEqual(status, "succeeded")
    const explorer = page.getByRole("link", { name: /See transaction/u })
    assert.strictEqual(await explorer.getAttribute("href"), `https://basescan.org/tx/${info?.txId}`)
    await check()
  })

  it("needs an approval and a signature for USDT on BNB Smart Chain (Permit2)", async (test) => {
    const { check, injected, made, page } = await arrive(test, 1)
    await Checkout.payWith(page, name, /USDT.*BNB/u)
    await Checkout.shows(page, "Paid")
    assert.deepStrictEqual(
      injected.asked.filter((method) => method.startsWith("eth_s")),
      ["eth_sendTransaction", "eth_signTypedData_v4"],
    )
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
    await check()
    // The same wallet is offered the same way first, next time.
    await page.goto((await service().order()).url)
    await Checkout.press(page, name)
    await page
      .getByRole("region", { name: "Recommended" })
      .getByRole("button", { name: /USDT.*BNB/u })
      .waitFor()
  })

  it("is sent by the wallet itself for USDC on BNB Smart Chain", async (test) => {
    const { check, injected, made, page } = await arrive(test, 2)
    await Checkout.payWith(page, name, /USDC.*BNB/u)
    await Checkout.shows(page, "Paid")
    assert.include(injected.asked, "eth_sendTransaction")
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
    await check()
  })
})
