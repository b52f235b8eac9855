/**
 * What `florin dev` serves in front of the service: the test wallets of its checkout, and what the console's tab for
 * trying things needs. Only this command serves it, as the tab shows every key and the wallets sign every request.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Local from "@florin/api/wire/Local"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Role from "@florin/core/domain/partner/Role"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import type { AuditStore } from "@florin/core/ports/AuditStore"
import type { Identifiers } from "@florin/core/ports/Identifiers"
import { loadLocal } from "@florin/pages/Site"
import * as Wallets from "@florin/pages/TestWallets"
import type { EdgeSettings } from "@florin/server/EdgeSettings"
import * as Exchange from "@florin/server/Exchange"
import { Handler } from "@florin/server/Handler"
import * as LocalHost from "@florin/server/LocalHost"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as Hint from "../terminal/Hint.ts"
import * as TestWallets from "./TestWallets.ts"

type HostedPages = NonNullable<EdgeSettings["Service"]["pages"]>

/** The hosted pages, with the test wallets in the checkout. */
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

const json = (status: number, body: object) => Exchange.json(status, body, common)

/** Forwards events to a server on this machine. */
export const listenCommand = "florin listen --forward-to http://localhost:4242/hook"

const localOf = (
  { chains, live, merchantId, partnerKey, walletKey, wallets }: ReadyFile.Ready,
  currencies: ReadonlyArray<string>,
): Local.Local => ({
  test: { merchantId, partnerKey, walletKey },
  live,
  listenCommand: Hint.pasteable(listenCommand),
  currencies,
  outcomes: TestOutcome.names,
  chains: chains.map(({ chainId, rpcUrl }) => ({
    chainId,
    rpcUrl,
    name: BuiltIn.catalog.network(Eip155.chainId(chainId))?.name ?? "",
  })),
  wallets,
})

const utf8 = new TextDecoder()

/**
 * Other content types are refused: any web page could send them here, because browsers send them without a preflight.
 */
const isJson = ({ header }: Exchange.Incoming): boolean =>
  /^application\/json\s*(?:;|$)/iu.test(header("content-type") ?? "")

const readBody = <A>(
  { body }: Exchange.Incoming,
  decode: (text: string) => Option.Option<A>,
): Effect.Effect<Option.Option<A>> =>
  Effect.map(
    Effect.option(body),
    Option.flatMap((bytes) => decode(utf8.decode(bytes))),
  )

const wallet = Effect.fnUntraced(function* (
  incoming: Exchange.Incoming,
  { chains }: ReadyFile.Ready,
) {
  const request = yield* readBody(incoming, TestWallets.read)
  return Option.isSome(request)
    ? json(200, yield* Effect.promise(() => TestWallets.execute(request.value, chains)))
    : json(400, {
        error: { code: -32_602, message: "The test wallet does not know this request." },
      })
})

const Open = Schema.Literals(Local.consoles)
type Open = Local.Open["open"]

const readOpen = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ open: Open })))

/** The key of a link into the console, for whoever sits at this machine. */
const signInKey = Effect.fnUntraced(function* (open: Open, { partnerKey }: ReadyFile.Ready) {
  const { key } = yield* (yield* AccountStore).keyByHash(ApiKey.hash(partnerKey))
  const own =
    open === "operator"
      ? { mode: null, owner: { _tag: "Operator", name: "florin dev" } as const }
      : { mode: open, owner: key.owner }
  return yield* Keys.issue({
    ...own,
    name: "florin dev",
    expiresAt: null,
    scopes: Role.scopesOf("admin", open === "operator" ? "operator" : "partner"),
    use: "sign_in",
  })
})

/** Responds with the link that opens the console signed in. */
const openConsole = Effect.fnUntraced(function* (
  incoming: Exchange.Incoming,
  now: ReadyFile.Ready,
  urlOf: Options["consoleUrl"],
) {
  const asked = yield* readBody(incoming, readOpen)
  const url = Option.isNone(asked) ? null : urlOf(asked.value.open)
  if (Option.isNone(asked) || url === null) return text(404, "There is no such console.")
  const { text: key } = yield* Effect.orDie(signInKey(asked.value.open, now))
  const opened: Local.Opened = { link: `${url}${HostedPage.consolePath}#sign-in=${key}` }
  return json(200, opened)
})

/** The route that is served here; undefined for all routes of the service itself. */
const routeOf = ({
  method,
  path,
  query,
}: Exchange.Incoming): "root" | "local" | "open" | "wallet" | undefined => {
  const isRead = method === "GET" || method === "HEAD"
  if (path === "/" && isRead) return new URLSearchParams(query).has("pid") ? undefined : "root"
  if (path === Local.path && isRead) return "local"
  if (method !== "POST") return undefined
  if (path === Local.path) return "open"
  return path === Wallets.path ? "wallet" : undefined
}

export type Needs = AccountStore | AuditStore | Handler | Identifiers

interface Options {
  /** The service, once it is ready. */
  readonly ready: () => ReadyFile.Ready | null
  readonly currencies: ReadonlyArray<string>
  /** Where a console is, without its path: empty for this origin, and null if it is nowhere. */
  readonly consoleUrl: (open: Open) => string | null
}

/** Serves it in front of a service, once that is ready. The address alone leads to the tab. */
export const layer = ({
  consoleUrl,
  currencies,
  ready,
}: Options): Layer.Layer<Handler, never, Needs> =>
  Layer.effect(
    Handler,
    Effect.gen(function* () {
      const service = yield* Handler
      const context = yield* Effect.context<Needs>()
      const tab = consoleUrl("test")
      return Handler.of({
        ...service,
        respond: (incoming) => {
          const route = routeOf(incoming)
          if (route === undefined || (route === "root" && tab === null)) {
            return service.respond(incoming)
          }
          if (!LocalHost.isDirect(incoming.header)) {
            return Effect.succeed(
              text(
                403,
                "It shows secret keys. Open it as http://localhost and the port, on this machine and without a proxy or tunnel.",
              ),
            )
          }
          const now = ready()
          if (now === null) return Effect.succeed(text(503, "Florin is starting. Try again."))
          if (incoming.method === "POST" && !isJson(incoming)) {
            return Effect.succeed(text(415, "Send the request as application/json."))
          }
          switch (route) {
            case "root": {
              const location = `${tab}${HostedPage.consolePath}${Local.screen}`
              const { body, headers, status } = text(302, `Open ${location}`)
              return Effect.succeed({ status, body, headers: { ...headers, location } })
            }
            case "local":
              return Effect.succeed(json(200, localOf(now, currencies)))
            case "wallet":
              return wallet(incoming, now)
            case "open":
              return Effect.provideContext(openConsole(incoming, now, consoleUrl), context)
          }
        },
      })
    }),
  )
