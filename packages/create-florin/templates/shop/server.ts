/**
 * A small shop: a cart, a payment, and an order that is shipped once it is paid.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import process from "node:process"
import { text } from "node:stream/consumers"
import { type FlorinEvent, InvalidWebhook, verifyWebhook } from "@florin/client"
import { openPayments } from "./payments.ts"
import * as testWallets from "./testWallets.ts"

const port = Number(process.env["PORT"] ?? 3000)
const url = `http://localhost:${port}`

/** Your products, with prices in cents. */
const cart = [
  { name: "Coffee beans, 1 kg", cents: 2400 },
  { name: "Mug", cents: 950 },
]
const total = cart.reduce((sum, { cents }) => sum + cents, 0)

interface Order {
  readonly paymentId: string
  status: "waiting for your payment" | "shipped" | "cancelled"
}

/** Store them in your database. */
const orders = new Map<string, Order>()
let ordersPlaced = 0

const payments = await openPayments(url)

const usd = (cents: number): string => `${(cents / 100).toFixed(2)} USD`

const show = (response: ServerResponse, status: number, title: string, body: string): void => {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" })
  response.end(`<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body { font: 1.1rem system-ui; max-width: 30rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit; padding: 0.4em 1em }</style>
<h1>${title}</h1>
${body}
</html>`)
}

const showCart = (response: ServerResponse): void => {
  const rows = cart.map(({ cents, name }) => `<li>${name}: ${usd(cents)}</li>`).join("\n")
  const form = `<form method="post" action="/orders"><button>Pay ${usd(total)}</button></form>`
  const links = [...orders.keys()].map((number) => `<a href="/orders/${number}">${number}</a>`)
  show(response, 200, "Your cart", `<ul>\n${rows}\n</ul>\n${form}\n<p>${links.join(" ")}</p>`)
}

/** Creates the payment of a new order, and sends the customer to the checkout. */
const placeOrder = async (response: ServerResponse): Promise<void> => {
  ordersPlaced += 1
  const number = `order-${ordersPlaced}`
  const order = `${url}/orders/${number}`
  const { paymentId } = await payments.shop.payments.create(
    {
      referenceId: number,
      amount: { unit: "iso4217/USD", value: String(total) },
      // The pages to which the checkout leads when it is done.
      checkout: { successUrl: order, errorUrl: order },
    },
    // If the response is lost, repeating the call does not create a second payment.
    { idempotencyKey: number },
  )
  orders.set(number, { paymentId, status: "waiting for your payment" })
  response.writeHead(303, { location: `/?pid=${paymentId}` }).end()
}

/** The page reloads itself while the order waits. */
const showOrder = (response: ServerResponse, number: string): void => {
  const order = orders.get(number)
  if (order === undefined) return show(response, 404, "No such order", `<a href="/">Cart</a>`)
  const link =
    order.status === "waiting for your payment"
      ? `<meta http-equiv="refresh" content="2"><a href="/?pid=${order.paymentId}">Pay</a>`
      : `<a href="/">Cart</a>`
  return show(response, 200, `Order ${number}`, `<p>Status: ${order.status}.</p>\n${link}`)
}

/** An event can arrive twice: only a waiting order is changed. */
const finishOrder = (number: string, status: "shipped" | "cancelled"): void => {
  const order = orders.get(number)
  if (order?.status !== "waiting for your payment") return
  order.status = status
  process.stdout.write(`${number}: ${status}\n`)
}

/** Handles an event of a payment that Florin reports. */
const takeEvent = ({ data, type }: FlorinEvent): void => {
  switch (type) {
    case "payment.succeeded":
      return finishOrder(data.referenceId, "shipped")
    case "payment.failed":
    case "payment.expired":
    case "payment.cancelled":
      return finishOrder(data.referenceId, "cancelled")
    default:
      return undefined
  }
}

const takeWebhook = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  try {
    const body = await text(request)
    const secret = payments.webhookSecret
    takeEvent(await verifyWebhook({ body, headers: request.headers, secret }))
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof InvalidWebhook ? 400 : 500).end()
  }
}

/** Serves the pages of the shop. Florin serves all other paths: the checkout, the API under /v1, and its docs. */
const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", url)
  switch (`${request.method} ${pathname}`) {
    case "GET /":
      return searchParams.has("pid") ? payments.listener(request, response) : showCart(response)
    case "POST /orders":
      return placeOrder(response)
    case "POST /webhook":
      return takeWebhook(request, response)
    case `POST ${testWallets.path}`:
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(await testWallets.answer(await text(request))))
      return undefined
    default:
      return request.method === "GET" && pathname.startsWith("/orders/")
        ? showOrder(response, pathname.slice("/orders/".length))
        : payments.listener(request, response)
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    if (!response.headersSent) show(response, 500, "Something went wrong", "Please try again.")
  })
})
server.once("error", ({ message }) => {
  process.stderr.write(`${message}. Try another port: PORT=${port + 1} npm start\n`)
  process.exit(1)
})
server.listen(port, () => process.stdout.write(`The shop is open: ${url}\n`))

const end = async (): Promise<void> => {
  server.close()
  await payments.dispose()
}
process.once("SIGINT", end).once("SIGTERM", end)
