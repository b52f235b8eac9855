/**
 * A whole shop: a cart, an order, the checkout, a verified webhook, a parcel.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { InvalidWebhook, type Partner, verifyWebhook } from "@florin/client"
import express, { type Express } from "express"

const products = [
  { id: "beans", name: "Coffee beans, 250 g", cents: 950 },
  { id: "mug", name: "A blue mug", cents: 1400 },
]

interface Order {
  readonly cents: number
  state: "waiting for payment" | "shipped" | "cancelled"
}

/** The new state of a waiting order after an event. Other events change nothing. */
const outcomes: ReadonlyMap<string, Order["state"]> = new Map([
  ["payment.succeeded", "shipped"],
  ["payment.failed", "cancelled"],
  ["payment.expired", "cancelled"],
  ["payment.cancelled", "cancelled"],
])

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:1.1rem/1.6 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}</style>
<h1>${title}</h1>${body}</html>`

const cart = products
  .map(
    ({ cents, id, name }) =>
      `<p><label>${name}, ${dollars(cents)}
      <input type="number" name="${id}" value="0" min="0" max="9"></label></p>`,
  )
  .join("")

export interface Options {
  /** A client of the service: `makePartner({ baseUrl, apiKey })`. */
  readonly florin: Pick<Partner, "payments">
  /** The secret with which the service signs its webhooks. */
  readonly webhookSecret: string
  /** The URL of the shop itself, without a slash at the end. */
  readonly url: string
}

export const makeShop = ({ florin, url, webhookSecret }: Options): Express => {
  const app = express()
  // In memory, for the example. Store yours in a database, so that a restart loses no order.
  const orders = new Map<string, Order>()

  // 1. The cart.
  app.get("/", (_request, response) => {
    const form = `<form method="post" action="/orders">${cart}<button>Buy</button></form>`
    response.send(page("Blue Door Coffee", form))
  })

  // 2. The order becomes a payment, and the customer goes to its checkout.
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 takes a rejection to its error handler.
  app.post("/orders", express.urlencoded(), async (request, response) => {
    // The server adds up the prices itself: the browser sends only the quantities.
    const cents = products.reduce((sum, product) => {
      const count = Number(request.body[product.id])
      return sum + product.cents * (Number.isInteger(count) && count > 0 && count < 10 ? count : 0)
    }, 0)
    if (cents === 0) {
      response.redirect(303, "/")
      return
    }
    const id = randomBytes(8).toString("hex")
    orders.set(id, { cents, state: "waiting for payment" })
    const { gatewayUrl } = await florin.payments.create(
      {
        referenceId: id,
        amount: { unit: "iso4217/USD", value: String(cents) },
        checkout: { successUrl: `${url}/orders/${id}`, errorUrl: `${url}/orders/${id}` },
      },
      { idempotencyKey: id }, // one order is one payment, however often the call is repeated
    )
    response.redirect(303, gatewayUrl)
  })

  // 3. The customer returns. Anybody can open this address, so it proves nothing and ships nothing.
  app.get("/orders/:id", (request, response) => {
    const order = orders.get(request.params.id)
    if (order === undefined) {
      response.status(404).send(page("There is no such order", ""))
      return
    }
    // The webhook may arrive a moment after the customer.
    if (order.state === "waiting for payment") response.set("Refresh", "1")
    response.send(page("Your order", `<p>${dollars(order.cents)}: ${order.state}.</p>`))
  })

  // 4. The service sends an event. It signs the bytes of the body, so no JSON parser may come first.
  app.post(
    "/webhooks/florin",
    express.raw({ type: "application/json" }),
    // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- As above.
    async (request, response) => {
      const { body, headers } = request
      try {
        const event = await verifyWebhook({ body, headers, secret: webhookSecret })
        const outcome = outcomes.get(event.type)
        const order = "referenceId" in event.data ? orders.get(event.data.referenceId) : undefined
        // An event may arrive twice: only a waiting order is changed.
        if (order?.state === "waiting for payment" && outcome !== undefined) {
          order.state = outcome // 5. Money that succeeded is there for good: hand over the parcel.
        }
        response.status(204).end()
      } catch (error) {
        if (!(error instanceof InvalidWebhook)) throw error
        response.status(400).send(error.message)
      }
    },
  )

  return app
}
