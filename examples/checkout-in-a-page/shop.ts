/**
 * A shop whose customers pay in its own page: the page, its orders, and a verified webhook.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import type { IncomingMessage, RequestListener } from "node:http"
import { InvalidWebhook, type Partner, verifyWebhook } from "@florin/client"

type State = "waiting" | "shipped" | "cancelled"

const outcomes: ReadonlyMap<string, State> = new Map([
  ["payment.succeeded", "shipped"],
  ["payment.failed", "cancelled"],
  ["payment.expired", "cancelled"],
  ["payment.cancelled", "cancelled"],
])

const html = readFileSync(new URL("page.html", import.meta.url), "utf8")

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export interface Options {
  /** A client of the service: `makePartner({ baseUrl, apiKey })`. */
  readonly florin: Pick<Partner, "payments">
  /** Where customers load the checkout from. */
  readonly florinUrl: string
  /** The secret with which the service signs its webhooks. */
  readonly webhookSecret: string
  /** The URL of the shop itself, to which the checkout leads if a browser does not show it in the page. */
  readonly url: string
}

interface Answer {
  readonly status?: number
  readonly type?: string
  readonly body?: string
}

const json = (value: object): Answer => ({ type: "application/json", body: JSON.stringify(value) })

export const makeShop = ({ florin, florinUrl, url, webhookSecret }: Options): RequestListener => {
  // In memory, for the example. Store yours in a database, so that a restart loses no order.
  const orders = new Map<string, State>()
  const page = html.replaceAll("https://pay.example.com", florinUrl)

  const order = async (): Promise<Answer> => {
    const id = randomBytes(8).toString("hex")
    orders.set(id, "waiting")
    // The server decides what a mug costs.
    const { gatewayUrl } = await florin.payments.create(
      {
        referenceId: id,
        amount: { unit: "iso4217/USD", value: "1400" },
        checkout: { successUrl: `${url}/`, errorUrl: `${url}/` },
      },
      { idempotencyKey: id },
    )
    return json({ id, payment: gatewayUrl })
  }

  /** Only a signed event changes an order: whatever a browser sends can be forged. */
  const receive = async (request: IncomingMessage): Promise<Answer> => {
    const { headers } = request
    const body = await bodyOf(request)
    try {
      const event = await verifyWebhook({ body, headers, secret: webhookSecret })
      const id = "referenceId" in event.data ? event.data.referenceId : ""
      const outcome = outcomes.get(event.type)
      if (outcome !== undefined && orders.get(id) === "waiting") orders.set(id, outcome)
      return { status: 204 }
    } catch (error) {
      if (!(error instanceof InvalidWebhook)) throw error
      return { status: 400 }
    }
  }

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const asked = `${request.method} ${request.url}`
    if (asked === "GET /") return { type: "text/html; charset=utf-8", body: page }
    if (asked === "POST /orders") return order()
    if (asked === "POST /webhooks/florin") return receive(request)
    const state = orders.get(/^GET \/orders\/(\w+)$/u.exec(asked)?.[1] ?? "")
    return state === undefined ? { status: 404 } : json({ state })
  }

  return (request, response) => {
    answer(request).then(
      ({ body = "", status = 200, type = "text/plain" }) =>
        response.writeHead(status, { "content-type": type }).end(body),
      () => response.writeHead(500).end(),
    )
  }
}
