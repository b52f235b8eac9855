import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import type { Page } from "playwright-core"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Relay from "./Relay.ts"
import * as RemoteWallet from "./RemoteWallet.ts"
import * as Service from "./Service.ts"

const base = 8453
const bnb = 56
const usdc = /USDC.*Base/u
/** What the wallet sends itself. */
const sent = /USDC.*BNB/u
let payers = 4_900_000

const open = Browser.openTab
const relay = Relay.inFile()

const frame = "iframe[src^='/pages/walletconnect/']"

/** The URI in the QR code, which the payer may also copy. */
const pairing = async (page: Page): Promise<string> => {
  await page.evaluate(
    "navigator.clipboard.writeText = async (text) => { window.florinCopied = text }",
  )
  await Checkout.press(page, "Copy link")
  return String(await page.evaluate("window.florinCopied"))
}

/** Greets a window as the checkout does, and asks it to connect. */
const greet = `(to) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => resolve("obeyed")
  to.postMessage("florin-walletconnect", "*", [port2])
  port1.postMessage({ _tag: "Connect", chains: ["eip155:8453"], stored: {}, mayPair: true })
  setTimeout(() => resolve("silent"), 2000)
})`

const gone = (page: Page) => page.locator(frame).waitFor({ state: "detached" })

const arriveAt = async (
  service: Service.Service,
  test: Browser.Ending,
  wallet: Wallet.Wallet,
  more: Partial<RemoteWallet.Options> = {},
) => {
  const [made, tab] = await Promise.all([service.order(), open([service.url], "phone", test)])
  const remote = await RemoteWallet.make({
    relayUrl: relay().url,
    wallet,
    node: service.nodes.length > 0 ? InjectedWallet.through(service.nodes) : service.simulated.node,
    knows: [base, bnb],
    ...more,
  })
  test.onTestFinished(remote.close)
  // How long the checkout waits for the frame to begin, and to end.
  await Browser.waitLonger(tab.context, 30_000, 5000)
  await tab.page.goto(made.url)
  return { ...tab, made, remote }
}

const connect = async (page: Page, remote: RemoteWallet.Remote) => {
  await Checkout.press(page, /WalletConnect/u)
  await Checkout.shows(page, "Connect your wallet")
  await remote.pair(await pairing(page))
  await Checkout.shows(page, "Choose how to pay")
}

describe("WalletConnect with the chains' own contracts", () => {
  const service = Service.inFile(() => ({ chainIds: [base, bnb], relayUrl: relay().url }))

  it("pays with a signature for USDC on Base (EIP-3009)", async (test) => {
    const wallet = LocalChains.wallets[0] ?? assert.fail("no such wallet")
    const { check, made, page, remote } = await arriveAt(service(), test, wallet)
    await connect(page, remote)
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.deepStrictEqual(remote.asked, [`eth_signTypedData_v4 on eip155:${base}`])
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
    await gone(page)
    await check()
  })

  it("pays with an approval and a signature for USDT on BNB Smart Chain (Permit2)", async (test) => {
    const wallet = LocalChains.wallets[1] ?? assert.fail("no such wallet")
    const { made, page, remote } = await arriveAt(service(), test, wallet)
    await connect(page, remote)
    await Checkout.pick(page, /USDT.*BNB/u)
    await Checkout.shows(page, "Paid")
    assert.deepStrictEqual(remote.asked, [
      `eth_sendTransaction on eip155:${bnb}`,
      `eth_signTypedData_v4 on eip155:${bnb}`,
    ])
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
  })
})

describe("WalletConnect on the checkout", { concurrent: true }, () => {
  const service = Service.inFile(() => ({ relayUrl: relay().url }))
  const arrive = (test: Browser.Ending, more: Partial<RemoteWallet.Options> = {}) =>
    arriveAt(service(), test, Wallet.make(++payers), more)

  it("loads nothing and calls nobody until the payer clicks it", async (test) => {
    const { order, url } = service()
    const { asked, context, page } = await open([url], "phone", test)
    const sockets: Array<string> = []
    page.on("websocket", (socket) => sockets.push(socket.url()))
    const { id, url: address } = await order()
    const response = await page.goto(address)
    await page.getByRole("button", { name: /WalletConnect/u }).waitFor()
    const ofAdapter = () => asked.filter((each) => /walletconnect/u.test(each))
    assert.deepStrictEqual(ofAdapter(), [])
    assert.deepStrictEqual(sockets, [])
    assert.strictEqual(await page.locator("iframe").count(), 0)
    assert.strictEqual(
      response?.headers()["content-security-policy"],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-src 'self'; frame-ancestors 'none'",
    )

    await Checkout.press(page, /WalletConnect/u)
    await pairing(page)
    assert.deepStrictEqual(
      ofAdapter().map((each) => new URL(each).pathname.replace(/-\w+\.js$/u, "-….js")),
      [`/pages/walletconnect/${id}`, "/pages/assets/walletconnect-….js"],
    )
    assert.deepStrictEqual(
      sockets.map((each) => new URL(each).origin),
      [relay().url],
    )
    await context.close()
  })

  it.for(Counts.some(Browser.devices, 1))(
    "shows the QR code on a %s while it connects, folded on a phone, and removes the frame when the payer leaves",
    async (device, test) => {
      const { order, url } = service()
      const { check, page } = await open([url], device, test)
      await page.goto((await order()).url)
      await Checkout.press(page, /WalletConnect/u)
      const uri = await pairing(page)
      assert.match(uri, /^wc:[0-9a-f]{64}@2\?/u)
      const code = page.getByRole("img", { name: "Connect your wallet" })
      const inApp = page.getByRole("link", { name: "Pay in your wallet app" })
      if (device === "phone") {
        assert.isFalse(await code.isVisible())
        assert.strictEqual(await inApp.getAttribute("href"), uri)
        await page.getByText("Pay from another device").click()
      } else {
        assert.strictEqual(await inApp.count(), 0)
      }
      await code.waitFor()
      await check()
      await Checkout.press(page, "Pay another way")
      await Checkout.shows(page, Checkout.waiting)
      await gone(page)
    },
  )

  it("asks the wallet only for the payment's chains, and offers only those that it shares", async (test) => {
    const { made, page, remote } = await arrive(test, { knows: [base] })
    await connect(page, remote)
    const { accepted } = JSON.parse(
      String(await page.evaluate(`document.querySelector("[name=florin-page]").content`)),
    )
    const chains = new Set<string>()
    for (const { unit } of accepted) chains.add(/caip19\/([^/]+)/u.exec(unit)?.[1] ?? "")
    assert.deepStrictEqual(new Set(remote.proposed), chains)
    assert.strictEqual(await page.getByRole("button", { name: /BNB/u }).count(), 0)
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.strictEqual((await service().partner.payments.status(made.id)).status, "succeeded")
  })

  it("disconnects, in the wallet too, when the payer leaves or has paid", async (test) => {
    const { page, remote } = await arrive(test)
    await connect(page, remote)
    await Checkout.press(page, "Pay another way")
    await gone(page)
    await remote.disconnected()
    await connect(page, remote)
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
    await gone(page)
    await remote.disconnected()
  })

  it("says so if the connection cannot begin, and connects at the next try", async (test) => {
    const { made, page, remote } = await arrive(test)
    await Checkout.spoilWalletConnect(page, made.id)
    await Checkout.press(page, /WalletConnect/u)
    await Checkout.says(page, /WalletConnect cannot be reached/u)
    await gone(page)
    await Checkout.press(page, "Try again")
    await remote.pair(await pairing(page))
    await Checkout.shows(page, "Choose how to pay")
  })

  it("says so after half a minute without a relay, and meanwhile asks the payer to scan nothing", async (test) => {
    const { order, url } = service()
    const { check, context, page } = await open([url], "phone", test)
    await page.clock.install()
    // It takes what it is asked, and never responds.
    const asked = Promise.withResolvers<void>()
    await context.routeWebSocket(/^ws/u, (socket) => socket.onMessage(() => asked.resolve()))
    await page.goto((await order()).url)
    await Checkout.press(page, /WalletConnect/u)
    await Checkout.says(page, "One moment")
    assert.strictEqual(
      await page
        .locator(".panel")
        .getByText(/Scan this code/u)
        .count(),
      0,
    )
    await asked.promise
    await page.clock.runFor(31_000)
    await Checkout.shows(page, "No connection")
    await Checkout.says(page, /WalletConnect cannot be reached/u)
    await check()
    await Checkout.press(page, "Pay another way")
    await Checkout.shows(page, Checkout.waiting)
  })

  it("returns to the start when the payer rejects the connection", async (test) => {
    const { page, remote } = await arrive(test)
    await Checkout.press(page, /WalletConnect/u)
    await remote.decline(await pairing(page))
    await Checkout.says(page, /You declined/u)
    await gone(page)
    await connect(page, remote)
  })

  it("does not say that WalletConnect is out of reach if the wallet knows none of the chains", async (test) => {
    const { page, remote } = await arrive(test)
    await Checkout.press(page, /WalletConnect/u)
    await remote.decline(await pairing(page), { code: 5100, message: "Unsupported chains." })
    await Checkout.says(page, /The wallet did not respond as expected/u)
    await gone(page)
  })

  it("offers the choice again after the payer rejected the request", async (test) => {
    const { page, remote } = await arrive(test)
    await connect(page, remote)
    remote.refuseNext()
    await Checkout.pick(page, usdc)
    await Checkout.says(page, /You declined this step in your wallet/u)
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
    assert.lengthOf(remote.asked, 2)
  })

  it("reports that the wallet disconnected, and connects again", async (test) => {
    const { page, remote } = await arrive(test)
    await connect(page, remote)
    await remote.disconnect()
    await gone(page)
    await Checkout.pick(page, usdc)
    await Checkout.says(page, /The connection to your wallet ended/u)
    await Checkout.press(page, "Try again")
    await remote.pair(await pairing(page))
    await Checkout.shows(page, "Choose how to pay")
    const held = remote.holdNext()
    await Checkout.pick(page, usdc)
    await held.reached
    await remote.disconnect()
    await Checkout.says(page, /The connection to your wallet ended/u)
    await Checkout.press(page, "Try again")
    await remote.pair(await pairing(page))
    await Checkout.shows(page, "Choose how to pay")
    await Checkout.pick(page, usdc)
    await Checkout.shows(page, "Paid")
  })

  it("may have sent the money if the connection ends during the request", async (test) => {
    const { page, remote } = await arrive(test)
    await connect(page, remote)
    const held = remote.holdNext()
    await Checkout.pick(page, sent)
    await held.reached
    await remote.disconnect()
    await Checkout.says(page, /has not reported whether it did/u)
  })

  it("keeps the connection after a reload, without a second approval", async (test) => {
    const { context, page, remote } = await arrive(test)
    await connect(page, remote)
    await page.reload()
    // The payer chose nothing yet, so nothing is loaded before they ask for it.
    await Checkout.shows(page, Checkout.waiting)
    assert.strictEqual(await page.locator("iframe").count(), 0)
    await Checkout.press(page, /WalletConnect/u)
    await Checkout.shows(page, "Choose how to pay")
    assert.lengthOf(new Set(remote.proposed), remote.proposed.length)

    // What was signed before a reload is handed in, without the wallet.
    const confirming = /\/pages\/v1\/gateway\/payment\/[^/]+\/confirm/u
    await context.route(confirming, (route) => route.abort())
    await Checkout.pick(page, usdc)
    await Checkout.says(page, /The connection was lost/u)
    await context.unroute(confirming)
    await page.reload()
    await Checkout.shows(page, "Paid")
    assert.lengthOf(remote.asked, 1)
  })

  it("continues by itself after a reload between the steps of a payment", async (test) => {
    const { page, remote } = await arrive(test)
    await connect(page, remote)
    const first = remote.holdNext()
    await Checkout.pick(page, sent)
    await first.reached
    const second = remote.holdNext()
    first.answer()
    await second.reached
    await page.reload()
    // A wallet shows one request after the other: the page does not know the first one any more.
    second.answer()
    await Checkout.shows(page, "Paid")
    assert.deepStrictEqual(remote.asked, [
      `eth_sendTransaction on eip155:${bnb}`,
      `personal_sign on eip155:${bnb}`,
      `personal_sign on eip155:${bnb}`,
    ])
    assert.lengthOf(new Set(remote.proposed), remote.proposed.length)
  })

  it("shows the wallet's own name as text, and loads no image of it", async (test) => {
    const { asked, check, page, remote } = await arrive(test, {
      name: "<img src=x onerror=florinTrap>\u202E<b>Trusted</b> Wallet of your very own bank",
      icon: "https://evil.example/icon.svg",
    })
    await connect(page, remote)
    await Checkout.says(page, /<img src=x onerror=florinTrap>/u)
    assert.notInclude(asked.join(), "evil.example")
    await check()
  })

  it("obeys only the surrounding page on its own host", async (test) => {
    const { order, url } = service()
    const { page } = await open([url], "desktop", test)
    const response = await page.goto(`${url}/pages/walletconnect/${(await order()).id}`)
    assert.strictEqual(
      response?.headers()["content-security-policy"],
      `default-src 'none'; script-src 'self'; style-src 'none'; img-src 'none'; connect-src ${relay().url}; base-uri 'none'; form-action 'none'; sandbox allow-scripts; frame-ancestors 'self'`,
    )
    assert.strictEqual(await page.evaluate("origin"), "null")
    // A window of an opaque origin, as another site's frame, sends it what the checkout sends.
    assert.strictEqual(await page.evaluate(`(${greet})(window)`), "silent")
  })

  it("is not shown in another site's frame, which gets no response from it", async (test) => {
    const { order, url } = service()
    const { id } = await order()
    const other = url.replace("127.0.0.1", "localhost")
    const { context, page } = await open([url, other], "desktop", test)
    await context.route(`${other}/other`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<iframe src="${url}/pages/walletconnect/${id}"></iframe>`,
      }),
    )
    await page.goto(`${other}/other`)
    assert.strictEqual(await page.evaluate(`(${greet})(frames[0])`), "silent")
    assert.strictEqual(page.frames()[1]?.url(), "chrome-error://chromewebdata/")
  })
})
