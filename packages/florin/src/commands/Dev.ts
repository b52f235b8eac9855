/**
 * `florin dev`: runs the whole service on this machine, with its own chains, funded wallets, and a first partner.
 *
 * @module
 */
import { env } from "node:process"
import { makePartner } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as ExampleRates from "../dev/ExampleRates.ts"
import * as Front from "../dev/Front.ts"
import * as LocalChains from "../dev/LocalChains.ts"
import * as LocalService from "../dev/LocalService.ts"
import * as Story from "../dev/Story.ts"
import * as Collection from "../serve/Collection.ts"
import * as Configured from "../serve/Configured.ts"
import * as Misspelt from "../serve/Misspelt.ts"
import * as RequestLog from "../serve/RequestLog.ts"
import * as Settings from "../serve/Settings.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Terminal from "../terminal/Terminal.ts"

const usualPort = 3000

const shutdownInMs = 5000

const firstPaymentLifeInS = 24 * 60 * 60

/** A first payment, which is valid for a day. */
const firstPayment = Effect.fnUntraced(function* ({
  baseUrl,
  merchantId,
  partnerKey,
}: ReadyFile.Ready) {
  const client = makePartner({ baseUrl, apiKey: partnerKey, merchantId })
  const now = yield* Clock.currentTimeMillis
  return yield* Asked.ask("creating a payment", () =>
    client.payments.create({
      referenceId: "first-payment",
      amount: { unit: "iso4217/USD", value: "1250" },
      description: "A first order",
      lineItems: [
        { name: "Flat white", quantity: 2, amount: { unit: "iso4217/USD", value: "900" } },
        { name: "Croissant", amount: { unit: "iso4217/USD", value: "350" } },
      ],
      expiresAt: Math.floor(now / 1000) + firstPaymentLifeInS,
    }),
  )
})

/** Prints what a person needs at first; the tab of the console that it opens has the rest. */
const introduce = Effect.fnUntraced(function* (ready: ReadyFile.Ready, place: Place.Place) {
  const { gatewayUrl, paymentId } = yield* firstPayment(ready)
  Terminal.heading("Florin runs on this machine, on local chains. No real money moves.")
  Terminal.fact("open", ready.baseUrl)
  Terminal.fact("pay", gatewayUrl)
  // No other process can find a place in memory.
  if (place._tag !== "Memory") {
    Terminal.fact("", Hint.pasteable(`florin pay ${paymentId}`))
    Terminal.fact("listen", Hint.pasteable(Front.listenCommand))
    Terminal.fact("trigger", Hint.pasteable("florin trigger payment.failed"))
  }
  LocalService.printKeys(ready)
  Terminal.fact("stop", "Ctrl-C")
  if (place._tag === "Memory") return
  const moved = LocalChains.movedNotes(Place.chainsDirectory(place), ready.chains)
  for (const note of moved) Terminal.note(note)
})

/** Chains, storage and server take seconds to start, so say what is going on. */
const sayStarting = (chainIds: ReadonlyArray<Caip.ChainId>, isOnce: boolean): void => {
  const names = chainIds.map((chainId) => Catalog.networkName(BuiltIn.catalog, chainId))
  if (isOnce) Terminal.heading(`Florin on local chains: ${names.join(", ")}`)
  Terminal.aside("  Starting chains, storage, server and workers…")
}

const once = Effect.fnUntraced(function* (ready: ReadyFile.Ready) {
  let steps = 0
  yield* Story.play(ready, (text, facts) => {
    steps += 1
    Terminal.step(steps, text, facts)
  })
  Terminal.writeSuccess("All payments succeeded, and the ledger agrees with the chains.")
  Terminal.plain("Next, start a service for payments of your own: `florin dev`")
})

const flags = {
  port: Flags.port,
  storage: Flag.optional(
    Flags.storageOf(
      "memory|embedded|URL",
      "Storage of the service (default: embedded; memory with --once)",
    ),
  ),
  directory: Flags.directory,
  chains: Flags.chains,
  fieldHeader: Flags.optionalString(
    "field-header",
    "NAME",
    "Clients that send their API version in this header get the field profile",
  ),
  readyFile: Flags.optionalString(
    "ready-file",
    "FILE",
    "Write addresses and keys to this file as JSON when the service is ready",
  ),
  collect: Flags.toggle("collect", "Ask payers for their data before they pay"),
  rate: Flags.string(
    "rate",
    "EUR=1.08",
    "Price of a currency in US dollars; repeat for several",
  ).pipe(
    Flag.filterMap(ExampleRates.parse, () => ExampleRates.expected),
    Flag.atLeast(0),
  ),
  once: Flags.toggle(
    "once",
    "Pay in every way, settle, refund, reconcile, and exit; the exit code is 0 if all succeeded",
  ),
}

/** Runs the command, also under another name. */
export const run = Effect.fnUntraced(function* (
  options: Command.Command.Config.Infer<typeof flags>,
) {
  yield* Effect.fromResult(Misspelt.refuse(env))
  const place = yield* Effect.fromResult(
    Place.parse({
      ...options,
      storage: Option.getOrElse(options.storage, () => (options.once ? "memory" : "embedded")),
    }),
  )
  yield* Holder.requireNone(place)
  sayStarting(options.chains, options.once)
  const values: Settings.Values = {
    ...(yield* Effect.fromResult(Settings.resolve([]))),
    port: Option.getOrElse(options.port, () => (options.once ? 0 : usualPort)),
    // The operator's console, on any free port.
    operatorPort: options.once ? null : 0,
    localChains: options.chains,
    fieldHeader: Option.toArray(options.fieldHeader),
    collect: options.collect ? Collection.always : Collection.never,
    retentionDays: 1,
    // A developer's own pages may show the checkout in a frame.
    frameAncestor: ["http://localhost:*", "http://127.0.0.1:*"],
    // Gas of local chains costs nothing, however often somebody tries refunds or pays from one test wallet.
    failureBudgets: { account: 1000, refund: 1000 },
    privateWebhooks: true,
    // What the keys of another directory sealed is worth nothing here.
    newKeys: true,
  }
  const usual = yield* Configured.edge(values)
  const { console = null, pages = null } = usual
  let operatorUrl: string | null = null
  const { beginLog, ports, ready } = yield* LocalService.start({
    command: "florin dev",
    place,
    values,
    shutdownInMs,
    readyFile: Option.getOrNull(options.readyFile),
    onPaid: (line) => Terminal.line(line, true),
    onOperatorPort: (url) =>
      Effect.sync(() => {
        // Passkeys are bound to a name.
        operatorUrl = url.replace("//127.0.0.1:", "//localhost:")
      }),
    edge: {
      ...usual,
      console: console && { ...console, isLocal: true },
      operatorUrl: () => operatorUrl,
      pages: pages && Front.addTo(pages),
      log: (line) => {
        if (!RequestLog.isAsset(line)) usual.log?.(line)
      },
    },
    ...(pages !== null && {
      front: (service: () => ReadyFile.Ready | null) =>
        Front.layer({
          ready: service,
          currencies: ExampleRates.currencies(options.rate),
          consoleUrl: (open) => {
            if (console === null) return null
            return open === "operator" ? operatorUrl : ""
          },
        }),
    }),
    rates: ExampleRates.layer(options.rate),
  })
  if (options.once) return yield* Effect.provide(once(ready), ports)
  yield* introduce(ready, place)
  beginLog()
  return yield* Effect.never
}, Effect.scoped)

export const command = Command.make("dev", flags, run).pipe(
  Described.as({
    description:
      "Run the whole service on this machine: local chains, funded test wallets, storage, server and workers. No real money moves. The next start continues with the data and chains of the directory.",
    examples: [
      { command: "florin dev", description: "Run until Ctrl-C, on http://localhost:3000" },
      { command: "florin dev --once", description: "Check that everything works" },
      "florin dev --storage memory --chains 8453 --port 0 --ready-file ready.json",
    ],
  }),
)

/** The same as `florin dev --once`, under the name that people look for. */
export const demo = Command.make("demo", { chains: Flags.chains }, ({ chains }) =>
  run({
    chains,
    once: true,
    collect: false,
    rate: [],
    storage: Option.some("memory"),
    directory: ".florin",
    port: Option.none(),
    fieldHeader: Option.none(),
    readyFile: Option.none(),
  }),
).pipe(
  Described.as({
    description:
      "Run one payment of every kind on local chains and in memory: pay, settle, refund and reconcile, then exit. The same as florin dev --once.",
  }),
)
