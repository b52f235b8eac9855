/**
 * Checkout pages with an invented document, for states that no payment of the service has, or has only briefly.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type { BrowserContext } from "playwright-core"
import type * as HostedPage from "../../../api/src/wire/HostedPage.ts"
import type * as Option from "../../../api/src/wire/Option.ts"
import * as Html from "../../../server/src/http/Html.ts"

type Page = HostedPage.Checkout

const isPage = (value: unknown): value is Page =>
  typeof value === "object" && value !== null && "page" in value && value.page === "checkout"

const place = /(<meta name="florin-page" content=")([^"]*)(")/u

const isCheckout = ({ pathname, searchParams }: URL): boolean =>
  pathname === "/" && searchParams.has("pid")

/** The text of an attribute. The document has no other references than these. */
const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** From now on, the service's documents say this. Scripts and calls stay the service's own. */
export const document = (context: BrowserContext, change: (page: Page) => Page): Promise<unknown> =>
  context.route(isCheckout, async (route) => {
    const answer = await route.fetch({ maxRetries: 2 })
    const text = await answer.text()
    const page: unknown = JSON.parse(unescaped(place.exec(text)?.[2] ?? assert.fail("no data")))
    const changed = change(isPage(page) ? page : assert.fail("no checkout"))
    await route.fulfill({
      response: answer,
      body: text.replace(
        place,
        (_, before: string, __, after: string) =>
          before + Html.escape(JSON.stringify(changed)) + after,
      ),
    })
  })

type Options = { readonly options: ReadonlyArray<Option.PaymentOption> | null }

const isOptions = (value: unknown): value is Options =>
  typeof value === "object" && value !== null && "options" in value

/** From now on, the service offers this. */
export const options = (
  context: BrowserContext,
  change: (option: Option.PaymentOption, index: number) => Option.PaymentOption,
): Promise<unknown> =>
  context.route(/\/pages\/.*\/options/u, async (route) => {
    const answer = await route.fetch({ maxRetries: 2 })
    const body: unknown = await answer.json()
    const offered = isOptions(body) ? (body.options ?? []) : []
    await route.fulfill({
      response: answer,
      json: { ...Object(body), options: offered.map(change) },
    })
  })

/** What an account holds, and what the network costs, which the next option has less of. */
export const costs = (option: Option.PaymentOption, index: number): Option.PaymentOption => ({
  ...option,
  balance: `${25_000_000 * (index + 1)}`,
  networkFee: {
    unit: "iso4217/USD",
    value: option.actions.some(({ type }) => type === "build") ? `${12 - index}` : "0",
    display: { assetName: "US dollar", assetSymbol: "USD", decimals: 2 },
  },
})

/** On its way: four of twelve blocks have confirmed it. */
export const processing = {
  status: { status: "processing", isFinal: false, pollInMs: 60_000, info: null },
  progress: {
    chain: "eip155:8453",
    hash: `0x${"5e1ec7ed".repeat(8)}`,
    blocks: { confirmed: 4, needed: 12 },
  },
} as const satisfies HostedPage.Watched

/** From now on, the stream says this, and nothing more. */
export const watched = (context: BrowserContext, state: HostedPage.Watched): Promise<unknown> =>
  context.route(/\/pages\/.*\/watch$/u, (route) =>
    route.fulfill({ contentType: "text/event-stream", body: `data: ${JSON.stringify(state)}\n\n` }),
  )

/** A merchant with everything that a page can show of it. */
export const full = (page: Page): Page => {
  const of = (value: string) => ({ ...page.info.amount, value })
  return {
    ...page,
    info: {
      ...page.info,
      merchant: {
        ...page.info.merchant,
        brandColor: "#b3261e",
        supportEmail: "help@bluedoor.example",
        supportUrl: "https://bluedoor.example/help",
      },
      description: "Breakfast for two, table 7",
      lineItems: [
        { name: "Flat white", quantity: 2, amount: of("700") },
        { name: "Almond croissant", quantity: 1, amount: of("350") },
        { name: "Still water", quantity: 1, amount: of("100") },
        { name: "Service", quantity: 1, amount: of("100") },
        { name: "A paper bag", quantity: 1 },
      ],
    },
  }
}
