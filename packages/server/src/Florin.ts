/**
 * The whole service to embed: one function from `Request` to `Response`.
 *
 * @example
 * const florin = createFlorin({ payLinkHost: "pay.example.com", chains, pages: false })
 * await florin.workers.start()
 * const response = await florin.handler(new Request("https://api.example.com/healthz"))
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Nearest from "@florin/core/domain/ground/Nearest"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Alert from "@florin/core/domain/notify/Alert"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Treasury from "@florin/core/domain/outflow/Treasury"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as OwnAccounts from "@florin/core/engine/chain/OwnAccounts"
import * as TestWorld from "@florin/core/engine/payment/TestWorld"
import * as KeysInUse from "@florin/core/engine/record/KeysInUse"
import { Assets } from "@florin/core/ports/Assets"
import { Acting } from "@florin/core/ports/AuditStore"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import type { Confusables as ConfusablesPort } from "@florin/core/ports/Confusables"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { RateSource } from "@florin/core/ports/RateSource"
import { Screening } from "@florin/core/ports/Screening"
import * as ServiceLog from "@florin/core/ports/ServiceLog"
import { Settings } from "@florin/core/ports/Settings"
import { Signals } from "@florin/core/ports/Signals"
import * as Storage from "@florin/core/ports/Storage"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import type { Transaction, Transactions } from "@florin/core/ports/Transactions"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import { Vault } from "@florin/core/ports/Vault"
import type { WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Cleaner from "@florin/core/workers/Cleaner"
import * as Collector from "@florin/core/workers/Collector"
import * as Expirer from "@florin/core/workers/Expirer"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Notifier from "@florin/core/workers/Notifier"
import * as Payer from "@florin/core/workers/Payer"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sender from "@florin/core/workers/Sender"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Treasurer from "@florin/core/workers/Treasurer"
import * as WebhookSender from "@florin/core/workers/WebhookSender"
import type * as Worker from "@florin/core/workers/Worker"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import * as Confusables from "./edge/Confusables.ts"
import { EdgeSettings } from "./edge/EdgeSettings.ts"
import * as Problems from "./edge/Problems.ts"
import * as EventHandlers from "./EventHandlers.ts"
import { Handler } from "./Handler.ts"
import * as Mount from "./http/Mount.ts"
import * as InTransaction from "./InTransaction.ts"
import * as Members from "./operations/Members.ts"
import type * as Operation from "./operations/Operation.ts"
import * as OperatorClient from "./operator/Client.ts"
import * as Site from "./pages/Site.ts"
import * as Scrape from "./Scrape.ts"
import * as WebHandler from "./WebHandler.ts"
import * as WebhookBody from "./WebhookBody.ts"

/** The defaults of the edge. */
const edgeDefaults: Omit<EdgeSettings["Service"], "publicUrl"> = {
  fieldVersionHeaders: [],
  apps: new Map(),
  legacyList: false,
  allowedOrigins: "all",
  rateLimit: null,
  accountsLimit: { burst: 3000, perSecond: 100 },
  proxyHeader: null,
  pages: null,
  console: null,
  operatorUrl: () => null,
  metrics: true,
  exampleKeys: () => null,
  log: null,
}

/**
 * The handler over the ports of an Effect application, for applications that build their own layers.
 *
 * @example
 * const server = Florin.layer({ publicUrl: "https://pay.example.com" }).pipe(Layer.provide(ports))
 */
export const layer = (
  edge: Pick<EdgeSettings["Service"], "publicUrl"> & Partial<EdgeSettings["Service"]>,
): Layer.Layer<Handler | EdgeSettings, never, Exclude<Operation.Ports, ConfusablesPort>> =>
  Handler.layer.pipe(
    Layer.provide([Confusables.layer, TestWorld.layer]),
    Layer.provideMerge(Layer.succeed(EdgeSettings, { ...edgeDefaults, ...edge })),
  )

/**
 * The workers that advance payments, watch the chains, notify partners, and delete expired data. They run over the
 * ports of a service and a webhook transport. Any number of processes may run them. They fail to start if an account of
 * the service has no key.
 */
export const workers = (
  options?: Partial<Worker.Options>,
  handlers: Pick<ReturnType<typeof EventHandlers.make>, "take"> = EventHandlers.make(),
) => {
  const all = Layer.mergeAll(
    Collector.layer(options),
    Payer.layer(options),
    Sender.layer(options),
    Treasurer.layer,
    Expirer.layer(options),
    LateWatcher.layer(options),
    Scanner.layer,
    Auditor.layer(options),
    Sentinel.layer,
    Layer.unwrap(
      Effect.map(Assets, (catalog) =>
        WebhookSender.layer(WebhookBody.render(catalog), options, handlers.take(catalog)),
      ),
    ),
    Cleaner.layer,
  )
  return Layer.provide(Layer.unwrap(Effect.as(OwnAccounts.requireKeys, all)), TestWorld.layer)
}

/** Loaded when workers start: a host without Node's modules can still respond to requests. */
const byNode = Effect.promise(() => import("./WebhookHttp.ts"))
const webhooksByNode = Layer.unwrap(Effect.map(byNode, (webhookHttp) => webhookHttp.layer))
const alertsByNode = Layer.unwrap(Effect.map(byNode, (webhookHttp) => webhookHttp.layerOwn))

type Port<S> = Layer.Layer<S, unknown>

/** Your own webhook for alerts. */
export interface AlertOptions {
  /** An https URL, or one in a private network. */
  readonly url: string
  /** The secret that signs the calls, `whsec_…`. */
  readonly secret: string
  /** How often the status is checked: 60 s by default. */
  readonly everyInMs?: number
}

export interface Options extends Partial<Omit<EdgeSettings["Service"], "pages">> {
  /**
   * The host of payment links, such as `pay.example.com`: wallets trust it and its subdomains. On your own machine
   * `localhost` and the port, such as `localhost:3000`: the links then begin with `http` and open in your browser.
   */
  readonly payLinkHost: string
  /**
   * How the service reaches the chains. Without workers, the addresses of its accounts are enough: it needs no keys.
   */
  readonly chains: Port<Chains>
  /**
   * The checkout that a payment link opens in a browser, and the form that collects payers' data: `await Pages.load(…)`
   * of `@florin/pages`. `false` if another server serves them, or if there are none: a link then opens in wallets only.
   */
  readonly pages: HostedPage.Pages | false
  /**
   * At least 32 random bytes that every process of the service shares. They authenticate option ids, cursors and the
   * tokens of pages. Of several keys, the first seals and all open. Required with a storage of your own. In memory a
   * fresh key is enough, as nothing outlives the process.
   */
  readonly sealKey?: Uint8Array | ReadonlyArray<Uint8Array>
  /** Where everything is stored: in memory by default, which is lost with the process. */
  readonly storage?: Port<Storage.Storage>
  /** What wakes waiting calls of other processes: by default only those of this process. */
  readonly signals?: Port<Signals>
  /** Seals webhook secrets, new keys and payers' data. Required with a storage of your own, like `sealKey`. */
  readonly vault?: Port<Vault>
  /**
   * The exchange rates of currencies to tokens: by default pegs only. docs/prices.md lists sources for other
   * currencies.
   */
  readonly rates?: Port<RateSource>
  /** Which accounts may not pay or be paid: by default none is refused. */
  readonly screening?: Port<Screening>
  /** Which payments need the payer's data: by default none. */
  readonly collectData?: Port<CollectDataPolicy>
  /** Ids and random bytes: by default those of the system. Tests give their own. */
  readonly identifiers?: Port<Identifiers>
  /** How the workers reach webhooks: by default over HTTPS, to the public internet only. */
  readonly webhooks?: Port<WebhookTransport>
  /**
   * Your own webhook. While workers run, it is notified when `operator.status.get` reports something red, and when that is
   * over.
   */
  readonly alerts?: AlertOptions
  /**
   * What the service says to the people who run it: that a node is behind, or a handler rejected. By default it is
   * written to the console. `log` gets the requests.
   *
   * @example ({ details, level, message }) => pino[level](details, message)
   */
  readonly logger?: (entry: ServiceLog.Entry) => void
  /** How long collected personal data is kept: 30 days by default. */
  readonly collectedKeptInMs?: number
  /** How long entries of the audit log are kept: forever by default. */
  readonly auditLogKeptInMs?: number
  /**
   * When merchants are paid out, in each mode, unless they or their partner have a policy of their own. By default test
   * payments are paid out immediately, and live ones every 15 minutes.
   */
  readonly payouts?: Partial<PayoutPolicy.ByMode>
  /**
   * How long a change of a merchant's destination waits in each mode before it takes effect: by default 24 hours for
   * live payments, and no time for test payments.
   */
  readonly destinationDelayInMs?: Partial<SettlementDestination.DelayByMode>
  /** Pays a new destination only after its account has signed a proof of control. By default this is off. */
  readonly proveDestinations?: boolean
  /**
   * What the merchants of a partner may owe the operator in each mode after refunds of money that they had received,
   * unless the partner was granted other credit. By default nothing in live mode, and up to the available float in test
   * mode.
   */
  readonly credit?: Partial<Credit.ByMode>
  /**
   * The accounts to which `operator.float.withdraw` may send your own money, and what is swept to them: by default none
   * and nothing.
   */
  readonly treasury?: Treasury.Policy
  /**
   * How many failed collects are paid for in an hour: by default 2 for an account, and 10 for a merchant, partner or
   * key. `refund` limits the gas of each partner's refunds on each chain, in multiples of the chain's `gasAllowance`: by
   * default 20.
   */
  readonly failureBudgets?: Partial<FailureBudget.Limits>
  /**
   * Which live merchants you must approve with `operator.merchants.approve` before payers see them: none (`never`, the
   * default), those whose name looks like another partner's (`alike`), or each merchant, name, icon and support contact
   * (`always`).
   */
  readonly approveMerchants?: Merchant.Approval
  /**
   * Whether a second person of yours must approve what moves your own money, new keys, and an earlier change of a
   * destination: by default nobody must. Both need a key or a session of their own.
   */
  readonly secondPerson?: boolean
  /**
   * Accepts for one start that `sealKey` or `vault` has not the key that the storage was used with: what it sealed cannot
   * be read any more. By default such a start is refused. A rotation, with the old key behind the new one, needs no
   * acceptance.
   */
  readonly newKeys?: boolean
  /** Allows webhooks to private addresses: for development only. */
  readonly allowPrivateWebhooks?: boolean
  /** Options of the workers, for tests and demos. */
  readonly worker?: Partial<Worker.Options>
}

const collectedKeptInMs = 30 * 24 * 60 * 60 * 1000

const settingsOf = (options: Options) =>
  Layer.effect(
    Settings,
    Effect.gen(function* () {
      const given = options.sealKey ?? (yield* (yield* Identifiers).randomBytes(32))
      const sealKeys = given instanceof Uint8Array ? [given] : given
      return {
        payLinkHost: options.payLinkHost,
        sealKey: yield* Effect.fromResult(Seal.makeKeys(sealKeys)),
        collectedKeptInMs: options.collectedKeptInMs ?? collectedKeptInMs,
        auditLogKeptInMs: options.auditLogKeptInMs ?? null,
        payouts: { ...PayoutPolicy.defaults, ...options.payouts },
        destinationDelayInMs: { ...SettlementDestination.delays, ...options.destinationDelayInMs },
        proveDestinations: options.proveDestinations ?? false,
        credit: { ...Credit.defaults, ...options.credit },
        failureBudgets: { ...FailureBudget.defaults, ...options.failureBudgets },
        approveMerchants: options.approveMerchants ?? "never",
        secondPerson: options.secondPerson ?? false,
        allowPrivateWebhooks: options.allowPrivateWebhooks ?? false,
      }
    }),
  )

/** Only this port of a layer: a database layer provides both storage and signals, and one of them may be wrapped. */
const only = <I, S>(port: Context.Key<I, S>, given: Port<I>): Port<I> =>
  Layer.provide(Layer.effect(port, Effect.service(port)), given)

/** All stores of a storage, and its transactions, and nothing else that its layer provides. */
const stores = (given: Port<Storage.Storage>): Port<InTransaction.Available | Storage.Storage> =>
  Layer.provide(Layer.merge(Layer.effectContext(Storage.all), InTransaction.Available.layer), given)

/** Memory has no keys of an earlier process. */
const requireKeys = ({ newKeys = false, storage }: Options) =>
  storage === undefined ? Layer.empty : Layer.effectDiscard(KeysInUse.require(newKeys))

const portsOf = (options: Options) =>
  Layer.mergeAll(
    settingsOf(options),
    options.vault ?? Vault.layerMemory,
    Assets.layer,
    Confusables.layer,
    Layer.succeed(TreasuryPolicy, options.treasury ?? Treasury.closedPolicy),
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        only(Chains, options.chains),
        stores(options.storage ?? StorageMemory.layer),
        only(Signals, options.signals ?? Signals.layerMemory),
        only(RateSource, options.rates ?? RateSource.layerPegs),
        only(Screening, options.screening ?? Screening.layerAllowAll),
        only(CollectDataPolicy, options.collectData ?? CollectDataPolicy.layerNever),
        only(Identifiers, options.identifiers ?? Identifiers.layer),
      ),
    ),
  )

/** The options of {@link createFlorin} contradict each other. */
export class InvalidOptions extends Error {
  override readonly name = "InvalidOptions"
}

/** A host as it appears in a link: no scheme, port or path. A service on this machine has a port. */
const isHost = (text: string): boolean => {
  if (PaymentLink.isLocal(text)) return text === text.toLowerCase()
  const url = `https://${text}/`
  return URL.canParse(url) && new URL(url).href === url && !/[:@/]/u.test(text)
}

/** Whether a text is the address of a service, to which paths are appended. */
const isServiceUrl = (text: string): boolean =>
  /^https?:\/\/[^?#]*[^/?#]$/u.test(text) && URL.canParse(text)

/** Whether a text may be a source of a content security policy: it must not end its directive and begin another. */
const isSource = (text: string): boolean => /^[!-+\--:<-~]+$/u.test(text)

/**
 * An origin whose pages may show the checkout, or all subdomains or ports of one. The checkout reads the same texts, and
 * answers no page that it does not find in them. A mere scheme or `*` would let any page of the web frame it.
 */
const isAncestor = (text: string): boolean =>
  /^https?:\/\/(?:\*\.)?(?:[\w.-]+|\[[\d:a-f]+\])(?::(?:\d+|\*))?\/?$/iu.test(text)

/** The relay is named in a content security policy. On a developer's own machine it needs no certificate. */
const isRelay = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, origin, protocol } = new URL(url)
  const isOwn = protocol === "ws:" && /^(?:localhost|127(?:\.\d+){3})$/u.test(hostname)
  return (protocol === "wss:" || isOwn) && isSource(origin)
}

function* faultsOfPages({
  frameAncestors = [],
  site,
  walletConnect,
}: HostedPage.Pages): Generator<string, void> {
  if (!Site.areComplete([site.checkout, site.collect])) {
    yield `pages.site is not the built pages: each document has ${Site.place} once`
  }
  if (walletConnect !== undefined && !Site.areComplete([walletConnect.document])) {
    yield `pages.walletConnect is not what \`WalletConnect.load\` of @florin/walletconnect returns: its document has ${Site.place} once`
  }
  if (walletConnect !== undefined && !isRelay(walletConnect.relayUrl)) {
    yield "pages.walletConnect.relayUrl is not the address of a relay, such as wss://relay.walletconnect.org"
  }
  if (!frameAncestors.every(isAncestor)) {
    yield "pages.frameAncestors are origins, such as https://wallet.example or https://*.shop.example, each an element of its own"
  }
}

/** All options but those of the edge, and whether each is a layer. Untyped code may misspell one, and go without it. */
const own: { readonly [Name in Exclude<keyof Options, keyof typeof edgeDefaults>]: boolean } = {
  publicUrl: false,
  payLinkHost: false,
  chains: false,
  sealKey: false,
  storage: true,
  signals: true,
  vault: true,
  rates: true,
  screening: true,
  collectData: true,
  identifiers: true,
  webhooks: true,
  alerts: false,
  logger: false,
  collectedKeptInMs: false,
  auditLogKeptInMs: false,
  payouts: false,
  destinationDelayInMs: false,
  proveDestinations: false,
  credit: false,
  treasury: false,
  failureBudgets: false,
  approveMerchants: false,
  secondPerson: false,
  newKeys: false,
  allowPrivateWebhooks: false,
  worker: false,
}

function* faultsOfMembers(options: Options): Generator<string, void> {
  const areLayers = new Map(Object.entries(own))
  const known = [...Object.keys(edgeDefaults), ...areLayers.keys()]
  for (const [name, given] of Object.entries(options)) {
    if (areLayers.get(name) === true && given !== undefined && !Layer.isLayer(given)) {
      yield `${name} must be a layer, not the pool, key or function that it works with: for storage, \`Postgres.layer({ pool })\` of @florin/postgres makes one`
    }
    if (known.includes(name)) continue
    const nearest = Nearest.to(name, known)
    yield `${name} is no option${nearest === undefined ? "" : `: did you mean ${nearest}?`}`
  }
}

const isKey = (given: unknown): boolean => given instanceof Uint8Array

/** What is wrong with the options. */
function* faultsOf(options: Options): Generator<string, void> {
  yield* faultsOfMembers(options)
  const { chains, collectData, logger, pages, payLinkHost, publicUrl, sealKey, storage, vault } =
    options
  if (typeof payLinkHost !== "string" || !isHost(payLinkHost)) {
    yield "payLinkHost is a host in lower case, such as pay.example.com, without scheme, port or path; on your own machine localhost and the port, such as localhost:3000"
  }
  if (publicUrl !== undefined && !isServiceUrl(publicUrl)) {
    yield "publicUrl is the address at which clients reach the API, such as https://shop.example/pay, with https:// or http:// and without query or a slash at the end"
  }
  // Untyped code may leave both out, or not wait for the pages.
  if (!Layer.isLayer(chains)) {
    yield "chains is missing: give `Chains.layer({ live, test })` of @florin/core, such as with `Evm.layer` of @florin/evm, or `SimulatedChain.layerChains()` of @florin/testing"
  }
  if (pages !== false && pages?.site === undefined) {
    yield "pages is missing: give `await Pages.load({ termsUrl, privacyUrl })` of @florin/pages, so that a payment link opens the checkout in a browser, or `false` if another server serves the pages or nobody does"
  }
  if (pages !== false) yield* faultsOfPages(pages)
  else if (collectData !== undefined && publicUrl === undefined) {
    yield "collectData asks payers for data, and with `pages: false` nobody serves the form: give `pages`, or the `publicUrl` of the server that serves the pages of this service"
  }
  if (logger !== undefined && typeof logger !== "function") {
    yield "logger is a function of one entry, not a logger itself: ({ details, level, message }) => logger[level](details, message)"
  }
  if (sealKey !== undefined && !(Array.isArray(sealKey) ? sealKey : [sealKey]).every(isKey)) {
    yield 'sealKey is a Uint8Array of at least 32 random bytes, or a list of those: make it of text with Buffer.from(text, "base64")'
  }
  if (storage !== undefined && sealKey === undefined) {
    yield "sealKey is needed with a storage of your own: 32 random bytes, the same in every process and after every restart"
  }
  if (storage !== undefined && vault === undefined) {
    yield "vault is needed with a storage of your own: it seals secrets of webhooks, new keys and payers' data, and what the memory's vault sealed cannot be opened after a restart. Give VaultAes.layer of @florin/core with 32 random bytes, the same in every process, or a vault of your own"
  }
}

const receiverOf = ({ secret, url }: AlertOptions): Alert.Receiver => {
  const read = Result.all([Alert.parseUrl(url), Webhook.parseSecret(secret)])
  if (Result.isFailure(read)) throw new InvalidOptions(`alerts: ${read.failure.message}`)
  return { url, secrets: [read.success[1]] }
}

/** Why a handler of events could not be added. */
const notAdded = {
  taken:
    "onEvent: this process has a handler of that name for these events already: give it another name",
  elsewhere:
    "onEventInTransaction: the pool does not lead to the service's database, or cannot connect: give one with the same address",
}

/** The options that the edge gets: none of their keys. */
const edgeOf = (options: Options): EdgeSettings["Service"] => {
  const { pages, payLinkHost, publicUrl = PaymentLink.originOf({ payLinkHost }) } = options
  return {
    ...edgeDefaults,
    ...Members.given(Struct.pick(options, Struct.keys(edgeDefaults))),
    pages: pages === false ? null : pages,
    publicUrl,
  }
}

export interface Florin {
  /**
   * Responds to a request. The response is 503 once the service is disposed of, or if it cannot start. Rejects only if
   * the request's own signal is aborted.
   */
  readonly handler: (request: Request) => Promise<Response>
  /**
   * Responds like `handler` in an app that has pages of its own, and resolves with null if the request is the app's: the
   * API is below the path of `publicUrl`, and the checkout where payment links lead. `@florin/server/hono` and
   * `@florin/server/next` call it.
   */
  readonly route: (request: Request) => Promise<Response | null>
  /** The address of the API, as in the options. */
  readonly publicUrl: string
  /** Resolves when the service can respond; rejects with the reason if it cannot. */
  readonly ready: () => Promise<void>
  /**
   * The workers that advance payments. They do nothing until they are started, here or in another process. `start`
   * rejects if an account of the service has no key in this process.
   */
  readonly workers: {
    readonly start: () => Promise<void>
    readonly stop: () => Promise<void>
  }
  /**
   * Calls a function in this process with each event of a partner in one mode: at least once, again if it rejects, and
   * also for events that happened while no process ran. The workers call the function, so register it before
   * `workers.start()`, in every process that runs workers. Resolves once the handler is stored. After the first
   * registration no event is missed.
   *
   * @example
   * await florin.onEvent({ partnerId, mode: "live", name: "orders" }, async (event) => {
   *   if (event.type === "payment.succeeded") await ship(event.data.referenceId)
   * })
   */
  readonly onEvent: (
    source: EventHandlers.EventSource,
    handler: EventHandlers.EventHandler,
  ) => Promise<void>
  /** The operator's API: partners, keys, merchants, money and what needs a person. docs/operator-api.md lists it. */
  readonly operator: OperatorClient.Client
  /** The same operator, under a name that the audit log records: the person who works with an embedder's own tools. */
  readonly operatorAs: (name: string) => OperatorClient.Client
  /**
   * All metrics in the Prometheus text format. Serve them only to yourself: they show what the service holds and owes.
   */
  readonly metrics: () => Promise<string>
  /** Runs an effect on the ports of the service. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Operation.Ports | Handler>) => Promise<A>
  /**
   * Stops taking requests, finishes the open ones, responds to waiting polls immediately, stops the workers, and
   * releases all resources. A second call waits for the first.
   */
  readonly dispose: () => Promise<void>
}

/** A service whose storage is on a PostgreSQL server. */
export interface FlorinInDatabase extends Florin {
  /**
   * Calls inside a transaction that you began in the same database: with `pg`, pass the client on which you sent BEGIN.
   * What they write commits with your transaction, or not at all.
   *
   * @example
   * await client.query("BEGIN")
   * const payment = await florin.in(client).payments.create({ partnerId, mode: "live", ...request })
   * await client.query("INSERT INTO orders (id, payment_id) VALUES ($1, $2)", [id, payment.paymentId])
   * await client.query("COMMIT")
   */
  readonly in: (transaction: Transaction) => InTransaction.InTransaction
  /**
   * Like `onEvent`, but the function's effect in the same database happens exactly once: it runs in a transaction of
   * your pool that also acknowledges the event, so that both commit or neither. The events of a payment come one after
   * the other. One that fails is retried until it succeeds, and holds back only its own payment. Each has 20 seconds.
   *
   * @example
   * await florin.onEventInTransaction({ partnerId, mode: "live", name: "orders", pool }, async (event, client) => {
   *   if (event.type !== "payment.succeeded") return
   *   await client.query("UPDATE orders SET paid = true WHERE id = $1", [event.data.referenceId])
   * })
   */
  readonly onEventInTransaction: <C extends EventHandlers.PoolClient>(
    source: EventHandlers.EffectSource<C>,
    handler: EventHandlers.EffectHandler<C>,
  ) => Promise<void>
}

interface CreateFlorin {
  (options: Options & { readonly storage: Port<Storage.Storage | Transactions> }): FlorinInDatabase
  (options: Options): Florin
}

/**
 * Makes a service. Two services share nothing, unless they use the same database.
 *
 * Everything has a default except the host of payment links, the chains and the pages: storage in memory, stablecoin
 * pegs as rates, no screening, no data collection.
 */
export const createFlorin: CreateFlorin = (options: Options): FlorinInDatabase => {
  // Untyped code may leave the options out.
  const [fault] = faultsOf({ ...options })
  if (fault !== undefined) throw new InvalidOptions(fault)
  const { alerts, logger, webhooks } = options
  const edge = edgeOf(options)
  const { publicUrl } = edge
  const notifier =
    alerts === undefined
      ? Layer.empty
      : Layer.provide(
          Notifier.layer(receiverOf(alerts), alerts.everyInMs),
          webhooks ?? alertsByNode,
        )
  /** Node's listeners keep the handler. It refuses requests once the service is disposed of. */
  const untilDisposed = Layer.effect(
    Handler,
    Effect.map(Handler, (handler) =>
      Handler.of({
        ...handler,
        respond: (incoming) =>
          ending === null
            ? handler.respond(incoming)
            : Effect.succeed(Problems.ofEnding("req_none")),
      }),
    ),
  )
  const runtime = ManagedRuntime.make(
    untilDisposed.pipe(
      Layer.provideMerge(layer(edge)),
      Layer.provideMerge(requireKeys(options)),
      Layer.provideMerge(portsOf(options)),
      // Two services in one process have separate metrics.
      Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())),
      Layer.provideMerge(logger === undefined ? Layer.empty : ServiceLog.layer(logger)),
    ),
  )
  /** A runtime at its end rejects with mere text. */
  const refuse = () =>
    Promise.reject(new Error("the service is disposed of: make another one with createFlorin"))
  const run = <A, E>(
    effect: Effect.Effect<A, E, Handler | InTransaction.Available | Operation.Ports>,
  ): Promise<A> => (isOver ? refuse() : runtime.runPromise(effect))
  const handlers = EventHandlers.make()
  let working: { readonly scope: Scope.Closeable; readonly started: Promise<void> } | null = null
  let ending: Promise<void> | null = null
  let isOver = false
  let text: Promise<Effect.Effect<string>> | undefined

  const respond = async <A>(
    request: Request,
    responding: Effect.Effect<A, never, Handler>,
  ): Promise<A | Response> => {
    const { signal } = request
    const exit = await runtime.runPromiseExit(responding, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    signal.throwIfAborted()
    return WebHandler.refuse(request)
  }

  const stop = async () => {
    const scope = working?.scope
    working = null
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  const startIn = async (scope: Scope.Closeable): Promise<void> => {
    const all = Layer.merge(
      Layer.provide(workers(options.worker, handlers), webhooks ?? webhooksByNode),
      notifier,
    )
    try {
      await run(Layer.buildWithScope(all, scope))
    } catch (error) {
      await stop()
      throw error
    }
  }

  const end = async () => {
    // A service that could not start has no open requests.
    await runtime.runPromiseExit(Effect.flatMap(Handler, (handler) => handler.close))
    await stop()
    isOver = true
    await runtime.dispose()
  }

  const registering = async (
    { name }: EventHandlers.EventSource,
    handler: unknown,
    adding: ReturnType<typeof handlers.addTogether>,
  ): Promise<void> => {
    if (typeof handler !== "function") {
      throw new InvalidOptions(
        "onEvent: the second argument is the function that gets each event, such as async (event) => {}",
      )
    }
    if (!EventHandlers.isName(name)) {
      throw new InvalidOptions(
        "onEvent: name is 1 to 64 lower-case letters, digits and hyphens, such as orders",
      )
    }
    const added = await run(adding)
    if (added !== "kept") throw new InvalidOptions(notAdded[added])
  }

  return {
    handler: (request) => respond(request, WebHandler.respond(request)),
    route: async (request) => {
      const target = Mount.locate(publicUrl, WebHandler.targetOf(request))
      return target === null ? null : respond(request, WebHandler.respondAt(request, target))
    },
    publicUrl,
    ready: () => run(Effect.void),
    workers: {
      start: () => {
        if (ending !== null) return refuse()
        if (working === null) {
          const scope = Scope.makeUnsafe()
          working = { scope, started: startIn(scope) }
        }
        return working.started
      },
      stop,
    },
    onEvent: (source, handler) => registering(source, handler, handlers.add(source, handler)),
    onEventInTransaction: (source, handler) =>
      registering(source, handler, handlers.addTogether(source, handler)),
    in: InTransaction.make(run, publicUrl),
    operator: OperatorClient.make(run, edge),
    operatorAs: (name) =>
      OperatorClient.make((effect) => {
        const actor = { _tag: "Operator", name, processId: null } as const
        return run(Effect.provideService(effect, Acting, { actor, requestId: null }))
      }, edge),
    metrics: async () => {
      text ??= run(Scrape.text)
      return run(await text)
    },
    run,
    dispose: () => (ending ??= end()),
  }
}
