/**
 * The whole service to embed: one function from `Request` to `Response`.
 *
 * @example
 * const florin = createFlorin({ payLinkHost: "pay.example.com", chains, pages: false })
 * florin.workers.start()
 * const response = await florin.handler(new Request("https://api.example.com/healthz"))
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Alert from "@florin/core/domain/Alert"
import * as Credit from "@florin/core/domain/Credit"
import * as FailureBudget from "@florin/core/domain/FailureBudget"
import type * as Merchant from "@florin/core/domain/Merchant"
import * as PayoutPolicy from "@florin/core/domain/PayoutPolicy"
import * as Seal from "@florin/core/domain/Seal"
import * as SettlementDestination from "@florin/core/domain/SettlementDestination"
import * as Treasury from "@florin/core/domain/Treasury"
import * as Webhook from "@florin/core/domain/Webhook"
import * as OwnAccounts from "@florin/core/engine/OwnAccounts"
import { Assets } from "@florin/core/ports/Assets"
import { Acting } from "@florin/core/ports/AuditStore"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import type { Confusables as ConfusablesPort } from "@florin/core/ports/Confusables"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { RateSource } from "@florin/core/ports/RateSource"
import { Screening } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import { Signals } from "@florin/core/ports/Signals"
import * as Storage from "@florin/core/ports/Storage"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import { Vault } from "@florin/core/ports/Vault"
import type { WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Cleaner from "@florin/core/workers/Cleaner"
import * as Collector from "@florin/core/workers/Collector"
import * as Expirer from "@florin/core/workers/Expirer"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Notifier from "@florin/core/workers/Notifier"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sender from "@florin/core/workers/Sender"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Settler from "@florin/core/workers/Settler"
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
import * as Confusables from "./Confusables.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import * as EventHandlers from "./EventHandlers.ts"
import { Handler } from "./Handler.ts"
import type * as Operation from "./Operation.ts"
import * as Operator from "./Operator.ts"
import * as Scrape from "./Scrape.ts"
import * as Site from "./Site.ts"
import * as WebHandler from "./WebHandler.ts"
import * as WebhookBody from "./WebhookBody.ts"

/** What the edge does where nothing else is said. */
const edgeDefaults: Omit<EdgeSettings["Service"], "publicUrl"> = {
  fieldVersionHeaders: [],
  apps: new Map(),
  legacyList: false,
  allowedOrigins: "all",
  rateLimit: null,
  accountsLimit: { burst: 3000, perSecond: 100 },
  proxyHeader: null,
  pages: null,
  metrics: true,
  exampleKeys: () => null,
  log: null,
}

/**
 * The handler over the ports of an Effect application, for those who build their own layers.
 *
 * @example
 * const server = Florin.layer({ publicUrl: "https://pay.example.com" }).pipe(Layer.provide(ports))
 */
export const layer = (
  edge: Pick<EdgeSettings["Service"], "publicUrl"> & Partial<EdgeSettings["Service"]>,
): Layer.Layer<Handler, never, Exclude<Operation.Ports, ConfusablesPort>> =>
  Handler.layer.pipe(
    Layer.provide(Layer.succeed(EdgeSettings, { ...edgeDefaults, ...edge })),
    Layer.provide(Confusables.layer),
  )

/**
 * The workers that move payments on, watch the chains, tell partners, and delete what is past its time, over the ports of
 * a service and a way out to webhooks. Any number of processes may run them. They fail to start without the key of an
 * account that the service has.
 */
export const workers = (
  options?: Partial<Worker.Options>,
  handlers: Pick<ReturnType<typeof EventHandlers.make>, "take"> = EventHandlers.make(),
) => {
  const all = Layer.mergeAll(
    Collector.layer(options),
    Settler.layer(options),
    Sender.layer(options),
    Treasurer.layer,
    Expirer.layer(options),
    LateWatcher.layer(options),
    Scanner.layer,
    Auditor.layer(options),
    Sentinel.layer(),
    Layer.unwrap(
      Effect.map(Assets, (catalog) =>
        WebhookSender.layer(WebhookBody.render(catalog), options, handlers.take(catalog)),
      ),
    ),
    Cleaner.layer(),
  )
  return Layer.unwrap(Effect.as(OwnAccounts.requireKeys, all))
}

/** Loaded when workers start: a host without Node's modules can still answer requests. */
const byNode = Effect.promise(() => import("./WebhookHttp.ts"))
const webhooksByNode = Layer.unwrap(Effect.map(byNode, (webhookHttp) => webhookHttp.layer))
const alertsByNode = Layer.unwrap(Effect.map(byNode, (webhookHttp) => webhookHttp.layerOwn))

type Port<S> = Layer.Layer<S, unknown>

/** A webhook of your own. */
export interface AlertOptions {
  /** https, or in a private network. */
  readonly url: string
  /** `whsec_…`, which signs what is sent. */
  readonly secret: string
  /** How often the status is looked at: 60 s if nothing else is given. */
  readonly everyInMs?: number
}

export interface Options extends Partial<Omit<EdgeSettings["Service"], "pages">> {
  /** The host of payment links, such as `pay.example.com`: wallets trust it and its subdomains. */
  readonly payLinkHost: string
  /** How the service reaches the chains. Without workers, addresses of its accounts are enough: it needs no key. */
  readonly chains: Port<Chains>
  /**
   * The checkout that a payment link opens in a browser, and the form that collects payers' data: `await Pages.load(…)` of
   * `@florin/pages`. `false` if another server serves them, or nobody does: a link then opens in wallets alone.
   */
  readonly pages: HostedPage.Pages | false
  /**
   * At least 32 random bytes that every process of the service shares. They authenticate option ids, cursors and the
   * tokens of pages. Of several keys the first seals and all open. Needed with a storage of your own; in memory a fresh
   * one does, as nothing outlives the process.
   */
  readonly sealKey?: Uint8Array | ReadonlyArray<Uint8Array>
  readonly storage?: Port<Storage.Storage>
  readonly signals?: Port<Signals>
  /** Seals secrets of webhooks, new keys and payers' data. Needed with a storage of your own, as `sealKey`. */
  readonly vault?: Port<Vault>
  /** What currencies buy of tokens: pegs alone by default. docs/prices.md has sources for other currencies. */
  readonly rates?: Port<RateSource>
  readonly screening?: Port<Screening>
  readonly collectData?: Port<CollectDataPolicy>
  readonly identifiers?: Port<Identifiers>
  /** How the workers reach webhooks: over HTTPS, to the public internet only. */
  readonly webhooks?: Port<WebhookTransport>
  /** Your own webhook: while workers run, it is sent what `operator.status` calls red, and that it is over. */
  readonly alerts?: AlertOptions
  /** How long collected personal data is kept: 30 days where nothing else is said. */
  readonly collectedKeptInMs?: number
  /** How long entries of the audit log are kept: for ever if nothing else is given. */
  readonly auditLogKeptInMs?: number
  /**
   * When merchants are paid out, in each mode, unless they or their partner have a policy of their own: test payments
   * immediately, and live ones every 15 minutes if nothing else is given.
   */
  readonly payouts?: Partial<PayoutPolicy.ByMode>
  /**
   * How long a change of a merchant's destination waits in each mode before it takes effect: 24 hours for live payments and
   * not at all for test payments, if nothing else is given.
   */
  readonly destinationDelayInMs?: Partial<SettlementDestination.DelayByMode>
  /** Pays a new destination only once its account signed that somebody controls it: not by default. */
  readonly proveDestinations?: boolean
  /**
   * What the merchants of a partner may owe the operator in each mode, after refunds of money that they had, unless the
   * partner was granted other credit: nothing in live mode, and whatever float is there in test mode.
   */
  readonly credit?: Partial<Credit.ByMode>
  /** Where `operator.withdrawFloat` may send your own money, and what is swept there: nowhere and nothing by default. */
  readonly treasury?: Treasury.Policy
  /** How many failed collects of an account, merchant, partner or key are paid for in an hour: 2, and 10 of the others. */
  readonly failureBudgets?: Partial<FailureBudget.Limits>
  /**
   * What of live merchants you approve with `operator.approveMerchant` before payers see it: nothing (`never`, if nothing
   * else is given), names that look like another partner's (`alike`), or each merchant, name and icon (`always`).
   */
  readonly approveMerchants?: Merchant.Approval
  /** Lets webhooks go to private addresses: for development only. */
  readonly allowPrivateWebhooks?: boolean
  /** How the workers work; for tests and demos. */
  readonly worker?: Partial<Worker.Options>
}

const collectedKeptInMs = 30 * 24 * 60 * 60 * 1000
const sealKeyBytes = 32

const settingsOf = (options: Options) =>
  Layer.effect(
    Settings,
    Effect.gen(function* () {
      const given = options.sealKey ?? (yield* (yield* Identifiers).randomBytes(sealKeyBytes))
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
        allowPrivateWebhooks: options.allowPrivateWebhooks ?? false,
      }
    }),
  )

/** A port, and nothing else that its layer brings: a database is storage and signals, of which one may be wrapped. */
const only = <I, S>(port: Context.Key<I, S>, given: Port<I>): Port<I> =>
  Layer.provide(Layer.effect(port, Effect.service(port)), given)

/** All stores of a storage, and nothing else that its layer provides. */
const stores = (given: Port<Storage.Storage>): Port<Storage.Storage> =>
  Layer.provide(Layer.effectContext(Storage.all), given)

const portsOf = (options: Options) =>
  Layer.mergeAll(
    settingsOf(options),
    options.vault ?? Vault.layerMemory,
    Assets.layer,
    Confusables.layer,
    Layer.succeed(TreasuryPolicy, options.treasury ?? Treasury.closed),
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

/** What {@link createFlorin} was given does not go together. */
export class InvalidOptions extends Error {
  override readonly name = "InvalidOptions"
}

/** A host as it stands in a link: no scheme, port or path. */
const isHost = (text: string): boolean => {
  const url = `https://${text}/`
  return URL.canParse(url) && new URL(url).href === url && !/[:@/]/u.test(text)
}

/** Sources of a policy, none of which could end it and begin another rule. */
const areSources = (sources: ReadonlyArray<string>): boolean =>
  sources.every((source) => /^[!-+\--:<-~]+$/u.test(source))

const checkSite = ({ frameAncestors = [], site }: HostedPage.Pages): void => {
  if (!Site.isComplete(site)) {
    throw new InvalidOptions(
      `pages.site is not the built pages: each document has ${Site.place} once`,
    )
  }
  if (!areSources(frameAncestors)) {
    throw new InvalidOptions(
      "pages.frameAncestors are origins, such as https://wallet.example, each an element of its own",
    )
  }
}

const checkPages = ({ collectData, pages, publicUrl }: Options): void => {
  // Code without types may leave it out.
  if (typeof pages !== "object" && pages !== false) {
    throw new InvalidOptions(
      "pages is missing: give `await Pages.load({ termsUrl, privacyUrl })` of @florin/pages, so that a payment link opens the checkout in a browser, or `false` if another server serves the pages or nobody does",
    )
  }
  if (pages !== false) checkSite(pages)
  else if (collectData !== undefined && publicUrl === undefined) {
    throw new InvalidOptions(
      "collectData asks payers for data, and with `pages: false` nobody serves the form: give `pages`, or the `publicUrl` of the server that serves the pages of this service",
    )
  }
}

const receiverOf = ({ secret, url }: AlertOptions): Alert.Receiver => {
  const read = Result.all([Alert.parseUrl(url), Webhook.parseSecret(secret)])
  if (Result.isFailure(read)) throw new InvalidOptions(`alerts: ${read.failure.message}`)
  return { url, secrets: [read.success[1]] }
}

const check = (options: Options): void => {
  if (!isHost(options.payLinkHost)) {
    throw new InvalidOptions(
      "payLinkHost is a host in lower case, such as pay.example.com, without scheme, port or path",
    )
  }
  checkPages(options)
  if (options.storage !== undefined && options.sealKey === undefined) {
    throw new InvalidOptions(
      "sealKey is needed with a storage of your own: 32 random bytes, the same in every process and after every restart",
    )
  }
  if (options.storage !== undefined && options.vault === undefined) {
    throw new InvalidOptions(
      "vault is needed with a storage of your own: it seals secrets of webhooks, new keys and payers' data, and what the memory's vault sealed cannot be opened after a restart. Give VaultAes.layer of @florin/postgres with 32 random bytes, the same in every process, or a vault of your own",
    )
  }
}

/** What of the options the edge is told: no key of theirs is. */
const edgeOf = ({
  accountsLimit = edgeDefaults.accountsLimit,
  allowedOrigins = edgeDefaults.allowedOrigins,
  apps = edgeDefaults.apps,
  exampleKeys = edgeDefaults.exampleKeys,
  fieldVersionHeaders = edgeDefaults.fieldVersionHeaders,
  legacyList = edgeDefaults.legacyList,
  log = edgeDefaults.log,
  metrics = edgeDefaults.metrics,
  pages,
  payLinkHost,
  proxyHeader = edgeDefaults.proxyHeader,
  publicUrl = `https://${payLinkHost}`,
  rateLimit = edgeDefaults.rateLimit,
}: Options): EdgeSettings["Service"] => ({
  accountsLimit,
  allowedOrigins,
  apps,
  exampleKeys,
  fieldVersionHeaders,
  legacyList,
  log,
  metrics,
  pages: pages === false ? null : pages,
  proxyHeader,
  publicUrl,
  rateLimit,
})

export interface Florin {
  /**
   * Answers a request, with 503 once it is disposed of or where it cannot start; rejects only when the request's own
   * signal was aborted.
   */
  readonly handler: (request: Request) => Promise<Response>
  /** Resolves when the service can answer; rejects with what keeps it from that. */
  readonly ready: () => Promise<void>
  /**
   * Moves payments on. They do nothing until they are started, here or in another process. `start` rejects where an
   * account of the service has no key in this process.
   */
  readonly workers: {
    readonly start: () => Promise<void>
    readonly stop: () => Promise<void>
  }
  /**
   * Calls a function in this process with each event of a partner in one mode: at least once, again if it rejects, and
   * also with what happened while no process ran. The workers call it, so call this before `workers.start()`, in every
   * process that runs them. Resolves once it is stored that there is such a handler: from the first time on, no event is
   * missed.
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
  readonly operator: Operator.Operator
  /** The same operator, under a name that the audit log keeps: whoever works with an embedder's own tools. */
  readonly operatorAs: (name: string) => Operator.Operator
  /** All metrics as Prometheus reads them. Serve them where only you can read: they tell what the service holds and owes. */
  readonly metrics: () => Promise<string>
  /** Runs an effect on the ports of the service. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Operation.Ports | Handler>) => Promise<A>
  /**
   * Takes no more requests, answers those that are open, parked polls at once, stops the workers, and lets go of
   * everything. A second call waits for the first.
   */
  readonly dispose: () => Promise<void>
}

/**
 * Makes a service. Two of them share nothing, unless they are given the same database.
 *
 * Everything has a default but the host of payment links, the chains and the pages: storage in memory, stablecoin pegs as rates, no
 * screening, no data collection.
 */
export const createFlorin = (options: Options): Florin => {
  check(options)
  const { alerts, webhooks } = options
  const notifier =
    alerts === undefined
      ? Layer.empty
      : Layer.provide(
          Notifier.layer(receiverOf(alerts), alerts.everyInMs),
          webhooks ?? alertsByNode,
        )
  const runtime = ManagedRuntime.make(
    layer(edgeOf(options)).pipe(
      Layer.provideMerge(portsOf(options)),
      // Two services in a process have figures of their own.
      Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())),
    ),
  )
  const handlers = EventHandlers.make()
  let working: Scope.Closeable | null = null
  let ending: Promise<void> | null = null
  let text: Promise<Effect.Effect<string>> | undefined

  const stop = async () => {
    const scope = working
    working = null
    if (scope !== null) await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  const end = async () => {
    // One that could not start has nothing to answer.
    await runtime.runPromiseExit(Effect.flatMap(Handler, (handler) => handler.close))
    await stop()
    await runtime.dispose()
  }

  return {
    handler: async (request) => {
      if (ending !== null) return WebHandler.refuse(request)
      const { signal } = request
      const exit = await runtime.runPromiseExit(WebHandler.respond(request), { signal })
      if (Exit.isSuccess(exit)) return exit.value
      signal.throwIfAborted()
      return WebHandler.refuse(request)
    },
    ready: () => runtime.runPromise(Effect.void),
    workers: {
      start: async () => {
        if (working !== null) return
        const scope = Scope.makeUnsafe()
        working = scope
        const all = Layer.merge(
          Layer.provide(workers(options.worker, handlers), webhooks ?? webhooksByNode),
          notifier,
        )
        try {
          await runtime.runPromise(Layer.buildWithScope(all, scope))
        } catch (error) {
          await stop()
          throw error
        }
      },
      stop,
    },
    onEvent: async (source, handler) => {
      if (!EventHandlers.isName(source.name)) {
        throw new InvalidOptions(
          "onEvent: name is 1 to 64 lower-case letters, digits and hyphens, such as orders",
        )
      }
      if (!(await runtime.runPromise(handlers.add(source, handler)))) {
        throw new InvalidOptions(
          "onEvent: this process has a handler of that name for these events already: give it another name",
        )
      }
    },
    operator: Operator.make((effect) => runtime.runPromise(effect)),
    operatorAs: (name) =>
      Operator.make((effect) => {
        const actor = { _tag: "Operator", name, processId: null } as const
        return runtime.runPromise(Effect.provideService(effect, Acting, { actor, requestId: null }))
      }),
    metrics: async () => {
      text ??= runtime.runPromise(Scrape.text)
      return runtime.runPromise(await text)
    },
    run: (effect) => runtime.runPromise(effect),
    dispose: () => (ending ??= end()),
  }
}
