/**
 * `florin dev`: runs the whole service on this machine, with its own chains, funded wallets, and a first partner.
 *
 * @module
 */
import { makePartner } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Screening } from "@florin/core/ports/Screening"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as Place from "../access/Place.ts"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as ExampleRates from "../dev/ExampleRates.ts"
import * as LocalChains from "../dev/LocalChains.ts"
import * as LocalService from "../dev/LocalService.ts"
import * as StartPage from "../dev/StartPage.ts"
import * as Story from "../dev/Story.ts"
import * as HostedPages from "../serve/HostedPages.ts"
import * as OperatorPort from "../serve/OperatorPort.ts"
import * as PayoutDefaults from "../serve/PayoutDefaults.ts"
import * as RequestLog from "../serve/RequestLog.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Terminal from "../terminal/Terminal.ts"

const usualPort = 3000

/** How often one key may call: far more than a person needs, and too little to starve the other keys. */
const rateLimit = { burst: 200, perSecond: 100 }
const shutdownInMs = 5000

const example = ({ baseUrl, merchantId, partnerKey }: ReadyFile.Ready): ReadonlyArray<string> => [
  `curl ${baseUrl}/v1/payments \\`,
  `  -H 'Api-Key: ${partnerKey}' -H 'Merchant-Id: ${merchantId}' \\`,
  "  -H 'Content-Type: application/json' \\",
  `  -d '{"referenceId":"order-1","amount":{"unit":"iso4217/USD","value":"1250"}}'`,
]

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

/** Prints what a person needs at first; the start page has the rest. */
const introduce = Effect.fnUntraced(function* (ready: ReadyFile.Ready, place: Place.Place) {
  const { gatewayUrl, paymentId } = yield* firstPayment(ready)
  Terminal.heading("Florin runs on this machine, on local chains. No real money moves.")
  Terminal.fact("open", ready.baseUrl)
  Terminal.fact("pay", gatewayUrl)
  // No other process can find a place in memory.
  if (place._tag !== "Memory") {
    Terminal.fact("", Hint.pasteable(`florin pay ${paymentId}`))
    Terminal.fact("listen", Hint.pasteable(StartPage.listenCommand))
    Terminal.fact("trigger", Hint.pasteable("florin trigger payment.failed"))
  }
  LocalService.printKeys(ready)
  Terminal.fact("stop", "Ctrl-C")
  if (place._tag === "Memory") return
  const moved = LocalChains.movedNotes(Place.chainsDirectory(place), ready.chains)
  for (const note of moved) Terminal.note(note)
})

/** Prints all addresses, accounts and files. */
const printAll = (ready: ReadyFile.Ready, place: Place.Place, readyFile: string | null): void => {
  LocalService.printWhere(ready, place)
  for (const { address, privateKey } of ready.wallets) {
    Terminal.fact("wallet", `${address} holds every token; its private key is ${privateKey}`)
  }
  if (readyFile !== null) Terminal.fact("file", `${readyFile} has all of this as JSON`)
  Terminal.heading("Create a payment. Its link is gatewayUrl in the response:")
  for (const each of example(ready)) Terminal.plain(each)
}

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
  storage: Flags.optionalString(
    "storage",
    "memory|embedded|URL",
    "Storage of the service (default: embedded; memory with --once)",
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
  verbose: Flags.toggle("verbose", "Also print all addresses, accounts and files"),
  once: Flags.toggle(
    "once",
    "Pay in every way, settle, refund, reconcile, and exit; the exit code is 0 if all succeeded",
  ),
}

/** Runs the command, also under another name. */
export const run = Effect.fnUntraced(function* (
  options: Command.Command.Config.Infer<typeof flags>,
) {
  const place = yield* Effect.fromResult(
    Place.parse({
      ...options,
      storage: Option.getOrElse(options.storage, () => (options.once ? "memory" : "embedded")),
    }),
  )
  const writeLine = RequestLog.toStdout()
  sayStarting(options.chains, options.once)
  // The introduction comes first: requests are logged after it was printed.
  let isReady = false
  const port = Option.getOrElse(options.port, () => (options.once ? 0 : usualPort))
  const publicUrl = `http://localhost:${port}`
  // A local service has no terms: the links of the form lead to the start page.
  const pages = yield* HostedPages.load({
    termsUrl: publicUrl,
    privacyUrl: publicUrl,
    // A developer's own pages may show the checkout in a frame.
    frameAncestors: ["http://localhost:*", "http://127.0.0.1:*"],
  })
  const console = yield* HostedPages.loadConsole
  let operatorUrl: string | null = null
  const { ports, ready } = yield* LocalService.start({
    command: "florin dev",
    place,
    chainIds: options.chains,
    listen: { port, shutdownInMs },
    isTraced: false,
    onPaid: (line) => {
      if (isReady) Terminal.line(line, true)
    },
    operator: OperatorPort.layer(
      options.once ? OperatorPort.socketOnly : OperatorPort.forConsole,
      place,
      (url) =>
        Effect.sync(() => {
          // Passkeys are bound to a name.
          operatorUrl = url.replace("//127.0.0.1:", "//localhost:")
        }),
    ),
    edge: {
      publicUrl,
      console,
      operatorUrl: () => operatorUrl,
      rateLimit,
      fieldVersionHeaders: Option.toArray(options.fieldHeader),
      pages: pages && StartPage.addTo(pages),
      log: (line) => {
        if (isReady && !RequestLog.isAsset(line)) writeLine(line)
      },
    },
    ...(pages !== null && {
      startPage: (service: () => ReadyFile.Ready | null) =>
        StartPage.layer({
          ready: service,
          currencies: ExampleRates.currencies(options.rate),
          consoleUrl: (open) => {
            if (console === null) return null
            return open === "operator" ? operatorUrl : ""
          },
        }),
    }),
    policies: Layer.mergeAll(
      Screening.layerAllowAll,
      options.collect ? CollectDataPolicy.layerAlways : CollectDataPolicy.layerNever,
      ExampleRates.layer(options.rate),
    ),
    vaultKeys: [],
    settings: {
      payLinkHost: null,
      sealKey: null,
      collectedKeptInMs: 24 * 60 * 60 * 1000,
      auditLogKeptInMs: null,
      payouts: PayoutDefaults.local,
      credit: PayoutDefaults.localCredit,
      // Gas of local chains costs nothing, however often somebody tries refunds or pays from one test wallet.
      failureBudgets: { ...FailureBudget.defaults, account: 1000, refund: 1000 },
      approveMerchants: "never",
      secondPerson: false,
      destinationDelayInMs: SettlementDestination.delays,
      proveDestinations: false,
      allowPrivateWebhooks: true,
    },
  })
  const readyFile = yield* LocalService.announce(place, ready, Option.getOrNull(options.readyFile))
  if (options.once) return yield* Effect.provide(once(ready), ports)
  yield* introduce(ready, place)
  if (options.verbose) printAll(ready, place, readyFile)
  isReady = true
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
    verbose: false,
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
