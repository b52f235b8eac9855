/**
 * The start page of `florin dev`, and the test wallets of its checkout. Only this command serves them, in front of the
 * service, because the page shows every key and the wallets sign every request.
 *
 * @module
 */
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import { loadLocal } from "@florin/pages/Site"
import type { Start } from "@florin/pages/Start"
import * as Wallets from "@florin/pages/TestWallets"
import type { EdgeSettings } from "@florin/server/EdgeSettings"
import * as Exchange from "@florin/server/Exchange"
import { Handler } from "@florin/server/Handler"
import * as LocalHost from "@florin/server/LocalHost"
import * as Site from "@florin/server/Site"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as Hint from "../terminal/Hint.ts"
import * as TestWallets from "./TestWallets.ts"

type HostedPages = NonNullable<EdgeSettings["Service"]["pages"]>

/** The hosted pages, with the test wallets in the checkout and the files of the start page. */
export const addTo = (pages: HostedPages): HostedPages => {
  const { checkout, files } = loadLocal()
  return { ...pages, site: { ...pages.site, checkout, files } }
}

const common = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

const text = (status: number, body: string): Exchange.Outgoing => ({
  status,
  headers: { ...common, "content-type": "text/plain; charset=utf-8" },
  body: `${body}\n`,
})

/** Forwards events to a server on this machine. */
export const listenCommand = "florin listen --forward-to http://localhost:4242/hook"

const startOf = (ready: ReadyFile.Ready, currencies: ReadonlyArray<string>): Start => ({
  page: "start",
  partnerKey: ready.partnerKey,
  walletKey: ready.walletKey,
  merchantId: ready.merchantId,
  live: ready.live,
  listenCommand: Hint.pasteable(listenCommand),
  currencies,
  outcomes: TestOutcome.names,
  chains: ready.chains.map(({ chainId, rpcUrl }) => ({
    chainId,
    rpcUrl,
    name: BuiltIn.catalog.network(Eip155.chainId(chainId))?.name ?? "",
  })),
  wallets: ready.wallets,
})

const page = (document: string, start: Start): Exchange.Outgoing => ({
  status: 200,
  headers: {
    ...common,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": Site.policy({ "frame-ancestors": "'none'" }),
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
  },
  body: Site.fill(document, start),
})

const utf8 = new TextDecoder()

/**
 * Other content types are refused: any web page could send them here, because browsers send them without a preflight.
 */
const isJson = ({ header }: Exchange.Incoming): boolean =>
  /^application\/json\s*(?:;|$)/iu.test(header("content-type") ?? "")

const wallet = Effect.fnUntraced(function* (
  incoming: Exchange.Incoming,
  { chains }: ReadyFile.Ready,
) {
  if (!isJson(incoming)) return text(415, "Send the request as application/json.")
  const body = yield* Effect.option(incoming.body)
  const request = Option.flatMap(body, (bytes) => TestWallets.read(utf8.decode(bytes)))
  if (Option.isNone(request)) {
    return Exchange.json(
      400,
      { error: { code: -32_602, message: "The test wallet does not know this request." } },
      common,
    )
  }
  return Exchange.json(
    200,
    yield* Effect.promise(() => TestWallets.execute(request.value, chains)),
    common,
  )
})

/** The route that is served here; undefined for all routes of the service itself. */
const routeOf = ({ method, path, query }: Exchange.Incoming): "page" | "wallet" | undefined => {
  if (path === "/" && (method === "GET" || method === "HEAD")) {
    return new URLSearchParams(query).has("pid") ? undefined : "page"
  }
  return path === Wallets.path && method === "POST" ? "wallet" : undefined
}

/** Serves the page and the wallets in front of a service, once that is ready. */
export const layer = (
  ready: () => ReadyFile.Ready | null,
  currencies: ReadonlyArray<string>,
): Layer.Layer<Handler, never, Handler> =>
  Layer.effect(
    Handler,
    Effect.gen(function* () {
      const service = yield* Handler
      const { start: document } = loadLocal()
      return Handler.of({
        ...service,
        respond: (incoming) => {
          const route = routeOf(incoming)
          if (route === undefined) return service.respond(incoming)
          if (!LocalHost.isDirect(incoming.header)) {
            return Effect.succeed(
              text(
                403,
                "This page shows secret keys. Open it as http://localhost and the port, on this machine and without a proxy or tunnel.",
              ),
            )
          }
          const now = ready()
          if (now === null) return Effect.succeed(text(503, "Florin is starting. Try again."))
          return route === "page"
            ? Effect.succeed(page(document, startOf(now, currencies)))
            : wallet(incoming, now)
        },
      })
    }),
  )
