/**
 * The shop of examples/shop, bought from in a browser: from its cart over the checkout of `florin dev` to the parcel.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { env, execPath } from "node:process"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Directory from "../directory.ts"
import * as Program from "../program.ts"
import * as Browser from "./Browser.ts"
import * as Checkout from "./Checkout.ts"

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : assert.fail("no port")
}

describe("the example shop", { timeout: Browser.patienceInMs * 2 }, () => {
  const directory = Directory.make()
  let running: Program.Running | undefined
  const service = (): Program.Running => running ?? assert.fail("it does not run")
  beforeAll(async () => {
    running = await Program.dev(directory, "--storage", "memory", "--chains", "8453")
  })
  afterAll(async () => {
    await Program.interrupt(service())
    Directory.remove(directory)
  })

  const open = Browser.openTab

  it("leads a customer from the cart to the checkout and back, and ships", async () => {
    const { baseUrl, partnerKey } = service().ready
    const port = await freePort()
    const shop = spawn(execPath, ["server.ts"], {
      cwd: "examples/shop",
      env: { ...env, PORT: String(port), FLORIN_URL: baseUrl, FLORIN_API_KEY: partnerKey },
      stdio: ["ignore", "pipe", "inherit"],
    })
    try {
      const [printed] = await once(shop.stdout, "data")
      assert.strictEqual(String(printed), `The shop is open: http://localhost:${port}\n`)

      const local = `http://localhost:${new URL(baseUrl).port}`
      const shopUrl = `http://localhost:${port}`
      const { page } = await open([baseUrl, local, shopUrl], "desktop")
      await page.goto(shopUrl)
      await page.getByLabel(/^Coffee beans/u).fill("2")
      await page.getByLabel(/^A blue mug/u).fill("1")
      await Checkout.press(page, "Buy")
      await Checkout.shows(page, Checkout.waiting)
      await Checkout.says(page, "$33.00")
      // It would leave by itself.
      await Checkout.pressOnce(page, /^Stay here$/u)
      await Checkout.payWith(page, "Test wallet: rich", /USDC.*Base/u)
      await Checkout.shows(page, "Paid")
      await page.getByRole("link", { name: /^Back to/u }).click()
      await page.waitForURL(`${shopUrl}/orders/*`)
      await Checkout.says(page, "$33.00: shipped.")
      if (env["FLORIN_SCREENSHOTS"] !== undefined) {
        await page.screenshot({ path: `${env["FLORIN_SCREENSHOTS"]}/shop.png` })
      }
    } finally {
      shop.kill("SIGTERM")
    }
  })

  it("shows the checkout in its own page, and ships", async () => {
    const { baseUrl, partnerKey } = service().ready
    const port = await freePort()
    const shop = spawn(execPath, ["server.ts"], {
      cwd: "examples/checkout-in-a-page",
      env: { ...env, PORT: String(port), FLORIN_URL: baseUrl, FLORIN_API_KEY: partnerKey },
      stdio: ["ignore", "pipe", "inherit"],
    })
    try {
      const [printed] = await once(shop.stdout, "data")
      assert.strictEqual(String(printed), `The shop is open: http://localhost:${port}\n`)

      const local = `http://localhost:${new URL(baseUrl).port}`
      const shopUrl = `http://localhost:${port}`
      const { check, page } = await open([baseUrl, local, shopUrl], "desktop")
      await page.goto(shopUrl)
      await check()
      await Checkout.press(page, "Buy")
      const frame = page.frameLocator("florin-checkout iframe")
      await frame.getByRole("button", { name: "Test wallet: rich" }).waitFor()
      // It would close by itself.
      const within = page.frames().find((each) => each.parentFrame() !== null)
      await Checkout.pressOnce(within ?? assert.fail("no checkout is open"), /^Stay here$/u)
      await frame.getByRole("button", { name: "Test wallet: rich" }).click()
      await frame
        .getByRole("button", { name: /USDC.*Base/u })
        .first()
        .click()
      await frame.getByRole("button", { name: /^Back to/u }).click()
      await Checkout.says(page, "Your mug is on its way.")
      assert.strictEqual(page.url(), `${shopUrl}/`)
      await check()
    } finally {
      shop.kill("SIGTERM")
    }
  })
})
