/**
 * The service as an operator configured it: the ports that the settings lead to, and the settings that conflict.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Version from "@florin/core/domain/ground/Version"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as KeysInUse from "@florin/core/engine/record/KeysInUse"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Settings as CoreSettings } from "@florin/core/ports/Settings"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import * as AssetFile from "@florin/evm/AssetFile"
import * as Evm from "@florin/evm/Evm"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Alerts from "./Alerts.ts"
import * as Collection from "./Collection.ts"
import * as ConfigFile from "./ConfigFile.ts"
import * as DenyList from "./DenyList.ts"
import * as HostedPages from "./HostedPages.ts"
import * as Misspelt from "./Misspelt.ts"
import * as Nodes from "./Nodes.ts"
import * as OperatorPort from "./OperatorPort.ts"
import * as PayoutDefaults from "./PayoutDefaults.ts"
import * as Prices from "./Prices.ts"
import * as Relayers from "./Relayers.ts"
import * as RequestLog from "./RequestLog.ts"
import * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"
import * as Shortfalls from "./Shortfalls.ts"
import * as Signers from "./Signers.ts"
import * as StoredKeys from "./StoredKeys.ts"
import * as Telemetry from "./Telemetry.ts"
import * as TreasurySettings from "./TreasurySettings.ts"
import * as WorkerHandler from "./WorkerHandler.ts"

/**
 * A load balancer keeps its connections open for a minute. Ours close later, so that it never sends into a closing one.
 */
const keepAliveInMs = 75_000
const minuteInMs = 60 * 1000
const hourInMs = 60 * minuteInMs
const dayInMs = 24 * hourInMs

/** The names of the settings of each mode. */
const names = {
  live: { rpc: "rpc", keys: "relayerKeys", named: "relayers", signers: "signers" },
  test: {
    rpc: "testRpc",
    keys: "testRelayerKeys",
    named: "testRelayers",
    signers: "testSigners",
  },
} as const

/** The accounts, the nodes and the chains of one mode, with the variables that they come from. */
const ofMode = (
  values: Settings.Values,
  { keys, named, rpc, signers }: (typeof names)[keyof typeof names],
) => {
  const nodes = values[rpc]
  const relayers: Relayers.Relayers = {
    // Only workers need signers. A process without workers has their accounts by address, whatever keys it is given.
    keys: [
      ...values[keys],
      ...(values.role === "api" ? Signers.toRelayers(values[signers]) : values[signers]),
    ],
    named: values[named],
  }
  const optionsOf = (chainId: Caip.ChainId): Evm.Options => ({
    chainId: Eip155.numberOf(chainId),
    rpcUrls: nodes.flatMap((node) => (node.chainId === chainId ? [node.url] : [])),
    accounts: Relayers.ofChain(relayers, chainId),
    flow: (asset) => values.flow.get(Caip.tokenKey(asset.token)) ?? asset.flow,
    ...values.chains[Caip.referenceOf(chainId)],
  })
  return {
    relayers,
    signers: values[signers],
    nodes,
    chains: [...new Set(nodes.map(({ chainId }) => chainId))].map(optionsOf),
    settings: {
      rpc,
      keys: Setting.variable(Settings.rows[keys]),
      named: Setting.variable(Settings.rows[named]),
      signers: Setting.variable(Settings.rows[signers]),
    },
  }
}
type OfMode = ReturnType<typeof ofMode>

export interface Configured {
  readonly values: Settings.Values
  readonly place: Place.Place
  /** The built-in tokens and networks, with those of the operator's file. */
  readonly assets: AssetFile.AssetFile
  readonly live: OfMode
  readonly test: OfMode
}

/** Each chain must have accounts, and each account for one chain must have that chain. */
const relayersConflict = ({ nodes, relayers, settings }: OfMode): string | undefined => {
  const { keys, named, rpc, signers } = settings
  const chainIds = nodes.map(({ chainId }) => chainId)
  const bare = chainIds.find((chainId) => Relayers.ofChain(relayers, chainId).length === 0)
  if (bare !== undefined) {
    return `${keys} is required with ${rpc} (with --role api, ${named} is enough): chain ${bare} has no account that collects`
  }
  const doubled = Relayers.findDuplicate(relayers)
  if (doubled !== undefined) {
    return `account ${Relayers.formatAddress(doubled)} is twice in ${keys} and ${signers}: keep one of them`
  }
  const stranger = Relayers.stranger(relayers, chainIds)
  return stranger === undefined
    ? undefined
    : `an account of ${named}, ${keys} or ${signers} is for chain ${stranger}, which is not in ${rpc}: correct it`
}

const bothModes = ({ live, test }: Configured): boolean => {
  const addresses = Relayers.addresses(live.relayers)
  return [...Relayers.addresses(test.relayers)].some((address) => addresses.has(address))
}

/** What is wrong with settings together, and what to do. */
type Rule = (configured: Configured) => string | false | undefined

/** The settings that all processes with one database need. */
const requiredWithDatabase = (
  [
    ["payLinkHost", "the host of payment links"],
    ["sealKey", "which all processes share"],
    ["vaultKey", "which all processes share"],
  ] as const
).map(
  ([name, what]): Rule =>
    ({ place, values: { [name]: value } }) =>
      place._tag === "Server" &&
      (value ?? "").length === 0 &&
      `${Setting.variable({ name })}, ${what}, is required with PostgreSQL: docs/operations.md describes how`,
)

const liveChainsRule: Rule = ({ assets, values: { rpc } }) => {
  const forTests = rpc.find(({ chainId }) => assets.catalog.network(chainId)?.isTest === true)
  return (
    forTests &&
    `chain ${forTests.chainId} is a test network, and rpc is for live payments: move it to testRpc`
  )
}

const explorersRule: Rule = ({ assets, values: { explorer } }) => {
  const served = new Set<string>(assets.catalog.networks.map(({ chainId }) => chainId))
  const unknown = Object.keys(explorer).find((chain) => !served.has(chain))
  return unknown && `explorer names ${unknown}, which is not served: correct it`
}

const ratesRule: Rule = ({ assets, values: { rate } }) => {
  const symbols = new Set(assets.catalog.assets.map(({ symbol }) => symbol))
  const unknown = rate.find(({ symbol }) => !symbols.has(symbol))
  return unknown && `rate names ${unknown.symbol}, which is not a token of this service: correct it`
}

const flowsRule: Rule = ({ assets, values: { flow } }) => {
  const taken = new Set(assets.catalog.assets.map(({ token }) => Caip.tokenKey(token)))
  const unknown = [...flow.keys()].find((key) => !taken.has(key))
  return (
    unknown &&
    `flow names ${unknown.replace(":0x", "/erc20:0x")}, which is not a token of this service: correct it`
  )
}

const tuningsRule: Rule = ({ values: { chains, rpc, testRpc } }) => {
  const known = new Set([...rpc, ...testRpc].map(({ chainId }) => Caip.referenceOf(chainId)))
  return (
    Object.keys(chains).some((id) => !known.has(id)) &&
    "chains has a chain without a node: add a node to rpc, or remove the chain"
  )
}

/** Each has its own message; all that are broken are reported. */
const rules: ReadonlyArray<Rule> = [
  ({ values: { operatorPort, port } }) =>
    operatorPort !== 0 &&
    operatorPort === port &&
    `operatorPort is port ${port}, the public port: choose another one`,
  ...requiredWithDatabase,
  ({ place, values: { role } }) =>
    place._tag !== "Server" &&
    role !== "all" &&
    `--role ${role} needs a database that processes share: set DATABASE_URL`,
  ({ place, values: { collect, vaultKey } }) =>
    Collection.collects(collect) &&
    place._tag === "Embedded" &&
    vaultKey.length === 0 &&
    "FLORIN_VAULT_KEY is required if payers' data is collected: set it",
  ({ values: { collect, privacyUrl, termsUrl } }) =>
    Collection.collects(collect) &&
    (termsUrl === null || privacyUrl === null) &&
    "FLORIN_TERMS_URL and FLORIN_PRIVACY_URL are required if payers' data is collected: set both",
  (configured) =>
    bothModes(configured) &&
    "a relayer is configured for live and for test payments: use different accounts for each mode",
  ({ live }) => relayersConflict(live),
  ({ test }) => relayersConflict(test),
  ({ values: { app } }) =>
    new Set(app.map(({ id }) => id)).size < app.length &&
    "an app id is given twice: each app id has one mode",
  liveChainsRule,
  explorersRule,
  ratesRule,
  flowsRule,
  tuningsRule,
  ({ values }) => Prices.conflict(values),
  ({ values }) => TreasurySettings.conflict(values),
  ({ values }) => Alerts.conflict(values),
]

/** The tokens and networks of a file, together with the built-in ones. */
const readAssets = Effect.fnUntraced(function* ({ assets: path, rpc, testRpc }: Settings.Values) {
  const text = path === null ? "{}" : PrivateFile.read(path)
  if (text === undefined)
    return yield* Failure.make(`${path} cannot be read: set assets to the token file`)
  const chainIds = [...rpc, ...testRpc].map(({ chainId }) => Eip155.numberOf(chainId))
  return yield* Effect.fromResult(
    Result.mapError(AssetFile.parse(text, chainIds), ({ message }) =>
      Failure.make(`${path}: ${message}`),
    ),
  )
})

/** All settings from all sources. */
export const read = Effect.fnUntraced(function* (
  flags: { readonly [name: string]: ReadonlyArray<string> },
  env: { readonly [name: string]: string | undefined },
) {
  yield* Effect.fromResult(Misspelt.refuse(env))
  const sources = yield* Effect.fromResult(ConfigFile.sources(flags, env))
  const values = yield* Effect.fromResult(Settings.resolve(sources))
  const place = yield* Effect.fromResult(Place.parse(values))
  const configured: Configured = {
    values,
    place,
    assets: yield* readAssets(values),
    live: ofMode(values, names.live),
    test: ofMode(values, names.test),
  }
  return configured
})

/** Fails with what to do if the settings conflict. */
export const check = (configured: Configured): Effect.Effect<void, Failure.CommandFailed> => {
  const broken = rules.flatMap((rule) => rule(configured) || [])
  return broken.length === 0 ? Effect.void : Effect.fail(Failure.make(broken.join("\n  ")))
}

/** All settings, without conflicts. */
export const settle = (...from: Parameters<typeof read>) => Effect.tap(read(...from), check)

/** The accounts that money may come from and go to. */
const loadScreening = ({ denyList }: Settings.Values) =>
  denyList === null ? Effect.succeed(DenyList.unnamed) : DenyList.open(denyList)

/**
 * Who may pay, at which rates, who must identify themselves, and where the operator's own money may go. Files are read
 * now, before anything is started.
 */
export const policies = Effect.fnUntraced(function* (values: Settings.Values) {
  return Layer.mergeAll(
    yield* loadScreening(values),
    Collection.layer(values.collect),
    Prices.layer(values),
    Layer.succeed(TreasuryPolicy, TreasurySettings.policy(values)),
  )
})

/**
 * The options of the core, with the default payout policies, credit and approval. If the operator sets no seal key, the
 * caller supplies a stored one; if it sets no host of links, the caller names this machine.
 */
export const core = Effect.fnUntraced(function* (
  values: Settings.Values,
  usual: PayoutDefaults.Usual,
) {
  const { auditDays, sealKey } = values
  return {
    payLinkHost: values.payLinkHost,
    sealKey: sealKey.length === 0 ? null : yield* Effect.fromResult(Seal.makeKeys(sealKey)),
    collectedKeptInMs: values.retentionDays * dayInMs,
    auditLogKeptInMs: auditDays === null ? null : auditDays * dayInMs,
    payouts: PayoutDefaults.make(values, usual),
    destinationDelayInMs: {
      live: values.destinationDelayHours * hourInMs,
      test: values.testDestinationDelayHours * hourInMs,
    },
    proveDestinations: values.proveDestinations,
    credit: usual.credit,
    failureBudgets: { ...FailureBudget.defaults, ...values.failureBudgets },
    approveMerchants: values.approveMerchants,
    secondPerson: values.secondPerson,
    allowPrivateWebhooks: values.privateWebhooks,
  }
})

/** The URL under which the service is reached. */
const publicUrlOf = ({ payLinkHost, port, publicUrl }: Settings.Values): string =>
  publicUrl ?? PaymentLink.originOf({ payLinkHost: payLinkHost ?? `localhost:${port}` })

/** Where a person opens the operator's port; null if there is none, or if its number is only known later. */
const operatorUrlOf = ({ operatorHost, operatorPort, operatorUrl }: Settings.Values) => {
  if (operatorUrl !== null || operatorPort === null || operatorPort === 0) return operatorUrl
  const address = operatorHost.includes(":") ? `[${operatorHost}]` : operatorHost
  // Passkeys are bound to a name.
  const host = operatorHost === "127.0.0.1" ? "localhost" : address
  return `http://${host}:${operatorPort}`
}

/** An app has no name or icon for merchants. Its id opens the gateway, so merchants do not see it. */
const appsOf = ({ app }: Settings.Values) =>
  new Map(
    app.map(({ id, ...own }) => [
      id,
      { ...own, name: "", iconUrl: null, versionPin: Version.newestStable },
    ]),
  )

/** How calls reach the service. */
export type Edge = Parameters<typeof Florin.layer>[0]

/** Whether the operator can open the console of this process. */
const hasOperatorConsole = ({ noConsole, operatorPort, operatorUrl }: Settings.Values): boolean =>
  !noConsole && (operatorPort !== null || operatorUrl !== null)

/** The options of the edge. A worker serves no pages but the operator's console, on the operator's port. */
export const edge = (values: Settings.Values): Effect.Effect<Edge> => {
  const publicUrl = publicUrlOf(values)
  const isWorker = values.role === "worker"
  const isConsoleServed = isWorker ? hasOperatorConsole(values) : !values.noConsole
  const loading = Effect.all([
    isWorker ? Effect.succeed(null) : HostedPages.load(values, publicUrl),
    isConsoleServed ? HostedPages.loadConsole : Effect.succeed(null),
  ])
  return Effect.map(loading, ([pages, console]) => ({
    publicUrl,
    console,
    operatorUrl: () => operatorUrlOf(values),
    rateLimit: values.rateLimit,
    proxyHeader: values.proxyHeader,
    fieldVersionHeaders: values.fieldHeader,
    apps: appsOf(values),
    legacyList: values.legacyList,
    allowedOrigins: values.corsOrigin.length === 0 ? "all" : values.corsOrigin,
    pages,
    log: RequestLog.toStdout(values.logFormat),
  }))
}

export const listen = ({ host, port }: Settings.Values): NodeListener.Options => ({
  host,
  port,
  keepAliveInMs,
})

/** The chains of both modes. */
export const chainsLayer = ({ assets: { catalog }, live, test }: Configured) =>
  Chains.layer({
    live: Evm.layer(live.chains, catalog),
    test: Evm.layer(test.chains, catalog),
  })

/** Whether any setting says where money is; if none does, the money stays on this machine. */
export const namesChains = ({ values }: Configured): boolean =>
  values.rpc.length + values.testRpc.length > 0

/** Real money needs a ledger that outlives the process and its disk. */
const onlyLocal = Effect.fnUntraced(function* ({
  assets: { catalog },
  live,
  place,
  test,
}: Configured) {
  if (place._tag === "Server") return
  for (const chain of [...live.chains, ...test.chains]) {
    if (yield* Evm.isLocal(chain, catalog)) continue
    return yield* Failure.make(
      `chain ${Eip155.chainId(chain.chainId)} is not a local chain, and ${place._tag === "Memory" ? "memory" : "an embedded storage"} is not safe for real money: ` +
        "set DATABASE_URL to a PostgreSQL server, or accept the risk with --i-know",
    )
  }
})

/** An account without a key, with the setting in which its key belongs. */
const withoutKey = ({ chains, settings }: OfMode): string | undefined => {
  for (const { accounts, chainId } of chains) {
    const keyless = accounts.find((account) => !Evm.hasKey(account))
    if (keyless === undefined) continue
    return `account ${Relayers.formatAddress(keyless)} of ${settings.named} has no key for chain ${Eip155.chainId(chainId)}, and workers must sign: set its key in ${settings.keys} or its signer in ${settings.signers}, or start this process with --role api`
  }
  return undefined
}

/** Only workers need keys: a worker without them could not send, and keys in any other process are a risk. */
const checkKeys = Effect.fnUntraced(function* ({ live, test, values }: Configured) {
  if (values.role !== "api") {
    const refusal = withoutKey(live) ?? withoutKey(test)
    if (refusal !== undefined) return yield* Failure.make(refusal)
    return yield* Signers.check([...live.signers, ...test.signers])
  }
  for (const { relayers, settings } of [live, test]) {
    if (!relayers.keys.some(({ account }) => Evm.hasKey(account))) continue
    yield* Effect.logWarning(
      `this process has private keys that it does not need: for --role api, set ${settings.named} to the addresses and remove ${settings.keys}`,
    )
  }
  return undefined
})

/**
 * Also prints the accounts, so that an operator who has only their keys finds here the addresses for other processes.
 */
const logChains = (mode: string, { chains }: OfMode) => {
  const addresses = new Set(chains.flatMap(({ accounts }) => accounts.map(Relayers.formatAddress)))
  return chains.length === 0
    ? Effect.logWarning(`no chain is configured for ${mode} payments: nothing is offered to them`)
    : Effect.logInfo(
        `${mode} payments move on ${chains.map(({ chainId }) => Eip155.chainId(chainId)).join(", ")}, by the accounts ${[...addresses].join(", ")}`,
      )
}

/** Without a price for its coin, a chain's gas may cost more than small payments bring in. */
const logUnpriced = ({ assets: { catalog }, values }: Configured) => {
  const unpriced = Prices.unpriced(values, catalog)
  return unpriced.length === 0
    ? Effect.void
    : Effect.logWarning(
        `no source prices ${unpriced.join(" and ")}, so the minimum payment does not follow the gas price: check each chain's minimum, or add a rateFeed such as ${unpriced[0]}.USD`,
      )
}

/** The background workers. */
const working = (values: Settings.Values) =>
  Layer.mergeAll(
    Florin.workers().pipe(Layer.provide(WebhookHttp.layer)),
    Alerts.layer(values),
    values.reconcileMinutes === 0
      ? Layer.empty
      : Shortfalls.layer(values.reconcileMinutes * minuteInMs),
  )

/** The chains of a service, and the defaults that fit them. */
interface Ground {
  readonly chains: Layer.Layer<Chains, Error>
  readonly usual: PayoutDefaults.Usual
}

/** The chains of the settings. */
export const ownGround = (configured: Configured): Ground => ({
  chains: chainsLayer(configured),
  usual: PayoutDefaults.usual,
})

/** Opens the storage, and what else a service works with. */
const open = Effect.fnUntraced(function* (
  configured: Configured,
  { chains, usual }: Ground,
  isOperatorOnly = false,
) {
  const { place, values } = configured
  if (!values.iKnow) yield* onlyLocal(configured)
  yield* Nodes.check(values)
  const decided = yield* policies(values)
  const settings = yield* core(values, usual)
  // Any number of processes share a database. The first of them in a directory answers the commands there.
  if (isOperatorOnly || place._tag !== "Server") yield* Holder.requireNone(place)
  yield* Holder.hold(place, { isOperatorOnly, hasConsole: hasOperatorConsole(values) })
  const storage = yield* Layer.build(Place.layer(place, "florin serve"))
  const { sealKey, vault } = yield* Effect.provide(
    StoredKeys.complete(place, settings.sealKey, values.vaultKey),
    Identifiers.layer,
  )
  const ports = yield* Layer.build(
    Layer.mergeAll(
      decided,
      vault,
      Layer.succeed(CoreSettings, {
        ...settings,
        payLinkHost: settings.payLinkHost ?? `localhost:${values.port}`,
        sealKey,
      }),
      Assets.layer,
    ).pipe(
      Layer.provideMerge(Layer.merge(chains, Layer.succeedContext(storage))),
      Layer.provideMerge(Identifiers.layer),
    ),
  )
  if (place._tag !== "Memory") {
    yield* Effect.provideContext(KeysInUse.require(values.newKeys), ports)
  }
  return Layer.succeedContext(ports)
})

/** Serves the operator, and returns what serves everybody. */
const serveOperator = Effect.fnUntraced(function* (
  { place, values }: Configured,
  ports: Effect.Success<ReturnType<typeof open>>,
  reached: Edge,
  onOpen?: (url: string) => Effect.Effect<void>,
) {
  const whole = Layer.succeedContext(
    yield* Layer.build(Layer.provide(Florin.layer(reached), ports)),
  )
  yield* Layer.build(
    OperatorPort.layer(values, place, onOpen).pipe(Layer.provide(whole), Layer.provide(ports)),
  )
  return whole
})

/** Starts only what is for the operator. Nothing is signed, whatever keys there are. */
export const startForOperator = Effect.fnUntraced(function* (
  configured: Configured,
  ground: Ground,
) {
  const ports = yield* open(configured, ground, true)
  const { log, ...reached } = yield* edge({ ...configured.values, role: "worker" })
  yield* serveOperator(
    configured,
    ports,
    {
      ...reached,
      log: (line) => {
        // What the operator asked for is in the audit log.
        if (line.status >= 500) log?.(line)
      },
    },
    (url) => Effect.sync(() => Terminal.aside(`The operator's port is open: ${url}`)),
  )
})

/**
 * Starts the parts that the role needs. They stop with the scope, the workers first and the storage last. There is no
 * span around it, because everything it starts would belong to that trace forever.
 */
export const start = Effect.fnUntraced(function* (configured: Configured) {
  const { live, place, test, values } = configured
  yield* checkKeys(configured)
  const ports = yield* open(configured, ownGround(configured))
  // The operator's port stops after the server, so that the shutdown can be observed.
  const whole = yield* serveOperator(configured, ports, yield* edge(values))
  const server = yield* Layer.build(
    NodeListener.layer(listen(values)).pipe(
      Layer.provide(values.otlp === null ? Layer.empty : Telemetry.layerTracing),
      Layer.provide(values.role === "worker" ? Layer.provide(WorkerHandler.layer, whole) : whole),
      Layer.provide(ports),
    ),
  )
  if (values.role !== "api") {
    yield* Layer.build(Layer.provide(working(values), ports))
  }
  yield* logChains("live", live)
  yield* logUnpriced(configured)
  yield* logChains("test", test)
  const { url } = yield* Effect.provide(NodeListener.NodeListener, server)
  yield* Effect.logInfo("ready").pipe(
    Effect.annotateLogs({ url, role: values.role, storage: place._tag }),
  )
})
