/**
 * Runs the templates in their source folder; pack:check runs them as installed.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { env, execPath } from "node:process"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as customers from "../test-support/customers.ts"

const serverOf = (template: string) => `packages/create-florin/templates/${template}/server.ts`

const start = (template: string) => customers.start([execPath, serverOf(template)])

describe("the template shop", () => {
  it("ships an order that was paid in the checkout", async () => {
    const shop = await start("shop")
    const cart = await (await fetch(shop.url)).text()
    assert.include(cart, "Pay 33.50 USD")
    assert.strictEqual(await customers.buy(shop.url), "shipped")
    assert.strictEqual(await shop.end(), 0)
  })

  it("refuses webhooks that Florin did not sign", async () => {
    const shop = await start("shop")
    await fetch(`${shop.url}/orders`, { method: "POST", redirect: "manual" })
    const forged = await fetch(`${shop.url}/webhook`, {
      method: "POST",
      body: JSON.stringify({ type: "payment.succeeded", data: { referenceId: "order-1" } }),
    })
    assert.strictEqual(forged.status, 400)
    const order = await (await fetch(`${shop.url}/orders/order-1`)).text()
    assert.include(order, "waiting for your payment")
    assert.strictEqual(await shop.end(), 0)
  })
})

describe("the template embed", () => {
  it("has its own routes, and prints a link that a wallet can pay", async () => {
    const server = await start("embed")
    const hello = await fetch(`${server.url}/hello`)
    assert.strictEqual(await hello.text(), "Hello from your own route.\n")
    assert.strictEqual((await fetch(`${server.url}/pay/docs`)).status, 200)
    assert.include(await (await fetch(`${server.url}/buy`)).text(), "<florin-checkout payment=")
    const [link = ""] = /http:\/\/\S+pid=\w+/u.exec(server.printed) ?? []
    const [key = ""] = /flr_test_wk_\w+/u.exec(server.printed) ?? []
    const checkout = await fetch(link)
    assert.strictEqual(checkout.status, 200)
    await customers.payLink(link, `${server.url}/pay`, key)
    assert.strictEqual(await server.end(), 0)
  })
})

describe("every template", () => {
  it.for(["shop", "embed"])("%s suggests another port if its own is taken", async (template) => {
    const other = await start(template)
    const { port } = new URL(other.url)
    const again = promisify(execFile)(execPath, [serverOf(template)], {
      env: { ...env, PORT: port },
    })
    const failed: { readonly stderr: string } = await again.then(
      () => assert.fail("it listens, too"),
      (error) => error,
    )
    assert.match(
      failed.stderr,
      new RegExp(`^listen EADDRINUSE[^\\n]* PORT=${Number(port) + 1} npm start\\n$`, "u"),
    )
    await other.end()
  })
})
