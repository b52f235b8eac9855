/**
 * A whole service on this machine: its own chains, funded wallets, storage, server, workers, and first keys.
 *
 * @module
 */
import process from "node:process"
import { makePartner } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Float from "@florin/core/engine/books/Float"
import * as KeysInUse from "@florin/core/engine/record/KeysInUse"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { LaneStore } from "@florin/core/ports/LaneStore"
import type { RateSource } from "@florin/core/ports/RateSource"
import { Settings } from "@florin/core/ports/Settings"
import * as Confusables from "@florin/server/Confusables"
import * as Florin from "@florin/server/Florin"
import type { Handler } from "@florin/server/Handler"
import * as NodeListener from "@florin/server/NodeListener"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Asked from "../access/Asked.ts"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as ReadyFile from "../access/ReadyFile.ts"
import * as Alerts from "../serve/Alerts.ts"
import * as Configured from "../serve/Configured.ts"
import * as OperatorPort from "../serve/OperatorPort.ts"
import * as PayoutDefaults from "../serve/PayoutDefaults.ts"
import type * as ServeSettings from "../serve/Settings.ts"
import * as StoredKeys from "../serve/StoredKeys.ts"
import * as Telemetry from "../serve/Telemetry.ts"
import * as VaultKey from "../serve/VaultKey.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as ChangedPayments from "./ChangedPayments.ts"
import * as FirstPartner from "./FirstPartner.ts"
import type * as Front from "./Front.ts"
import * as LocalChains from "./LocalChains.ts"

const modes = ["live", "test"] as const

/** The listening addresses that are reached as `localhost`. */
const isThisMachine: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "0.0.0.0", "::"])

export interface Options {
  /** The command that has the place, for the error of another process. */
  readonly command: string
  readonly place: Place.Place
  /** If there is no seal key, one is generated and stored. If there is no host, links lead to this machine. */
  readonly values: ServeSettings.Values
  readonly shutdownInMs?: number
  /** The file to write when the service is ready, besides the one in its place. */
  readonly readyFile?: string | null
  /** Called with the address of the operator's port. */
  readonly onOperatorPort?: (url: string) => Effect.Effect<void>
  /** How calls reach it. Its log begins after the introduction. */
  readonly edge: Configured.Edge
  /** What is in front of the service, served once the service is ready. */
  readonly front?: (ready: () => ReadyFile.Ready | null) => Layer.Layer<Handler, never, Front.Needs>
  /** Called for each payment that succeeds, with a line for people. */
  readonly onPaid?: (line: string) => void
  /** In place of the rates that the settings lead to. */
  readonly rates?: Layer.Layer<RateSource>
}

/** A ledger is worthless on a chain that was reset: the blocks that it knows to be final must still be there. */
const sameChains = Effect.fnUntraced(function* (chainIds: ReadonlyArray<Caip.ChainId>) {
  for (const mode of modes) {
    const chain = (yield* Chains).of(mode)
    for (const { chainId, checkpoints } of yield* (yield* LaneStore).chainStates(mode)) {
      const [newest] = checkpoints
      if (newest === undefined || !chainIds.includes(chainId)) continue
      const stands = yield* Effect.orElseSucceed(chain.stands(chainId, newest), () => false)
      if (!stands) {
        return yield* Failure.make(
          `the storage has payments on a local chain ${chainId} that does not exist any more (its file was removed, or its node was killed): start with an empty storage and another --directory`,
        )
      }
    }
  }
})

/** The collecting accounts hold the operator's own tokens, which are recorded once. */
const bookFloat = (chainIds: ReadonlyArray<Caip.ChainId>) =>
  Effect.forEach(modes, (mode) =>
    Effect.forEach(
      LocalChains.float(chainIds, mode),
      (each) =>
        Float.put(mode, {
          ...each,
          key: Idempotency.IdempotencyKey.make(
            `local float ${Eip155.formatToken(each.token)} ${each.collecting}`,
          ),
        }),
      { concurrency: "unbounded", discard: true },
    ),
  )

/** The keys of the last start if the storage still knows them, or else new ones. */
const issued = Effect.fnUntraced(function* (
  kept: Effect.Success<ReturnType<typeof StoredKeys.load>>,
  baseUrl: string,
) {
  if (kept.issued !== null) {
    const { merchantId, partnerKey } = kept.issued.test
    const known = Asked.ask("reading the merchant", () =>
      makePartner({ baseUrl, apiKey: partnerKey }).merchants.get(merchantId),
    )
    if (yield* Effect.isSuccess(known)) return { keys: kept.issued, areNew: false }
  }
  const keys = yield* FirstPartner.register(baseUrl)
  yield* kept.keep(keys)
  return { keys, areNew: true }
})

/** Starts everything. It stops with the scope, the server first and the storage last. */
export const start = Effect.fnUntraced(function* ({
  command,
  edge,
  front,
  onOperatorPort,
  onPaid,
  place,
  rates,
  readyFile = null,
  shutdownInMs,
  values,
}: Options) {
  const chainIds = values.localChains
  const settings = yield* Configured.core(values, PayoutDefaults.local)
  const policies = yield* Configured.policies(values)
  yield* Holder.requireNone(place)
  yield* Holder.hold(place, { isOperatorOnly: false, hasConsole: true })
  const readyFiles = [
    ...(readyFile === null ? [] : [readyFile]),
    ...(place._tag === "Memory" ? [] : [ReadyFile.inPlace(place)]),
  ]
  // A program that waits for one must not find that of a run that was killed.
  yield* Effect.forEach(readyFiles, PrivateFile.remove)
  // The introduction comes first: payments and requests are logged after it was printed.
  let isIntroduced = false
  const onceIntroduced =
    <A>(tell: (line: A) => void) =>
    (line: A): void => {
      if (isIntroduced) tell(line)
    }
  const reorganised: ChangedPayments.Hashes = new Set()
  const storage = yield* Layer.build(
    ChangedPayments.reporting(onceIntroduced((line) => onPaid?.(line))).pipe(
      Layer.provideMerge(ChangedPayments.reorganising(reorganised)),
      Layer.provideMerge(Place.layer(place, command)),
    ),
  )
  const chains = yield* LocalChains.start(
    chainIds,
    place._tag === "Memory" ? null : Place.chainsDirectory(place),
    reorganised,
  )
  // Links contain the port, which is known once the server listens.
  let payLinkHost = settings.payLinkHost ?? "localhost:0"
  const kept = yield* Effect.provide(StoredKeys.load(place), Identifiers.layer)
  const ports = yield* Layer.build(
    Layer.mergeAll(
      rates === undefined ? policies : Layer.merge(policies, rates),
      yield* VaultKey.layer([...values.vaultKey, kept.vaultKey]),
      Layer.succeed(Settings, {
        ...settings,
        get payLinkHost() {
          return payLinkHost
        },
        sealKey: settings.sealKey ?? kept.sealKey,
      }),
      Assets.layer,
      Confusables.layer,
    ).pipe(
      Layer.provideMerge(Layer.merge(LocalChains.layer(chains), Layer.succeedContext(storage))),
      Layer.provideMerge(Identifiers.layer),
    ),
  )
  let ready: ReadyFile.Ready | null = null
  const served: Configured.Edge = {
    ...edge,
    exampleKeys: () => ready,
    log: onceIntroduced((line) => edge.log?.(line)),
  }
  return yield* Effect.gen(function* () {
    if (place._tag !== "Memory") yield* KeysInUse.require(values.newKeys)
    yield* sameChains(chainIds)
    yield* bookFloat(chainIds)
    const florin =
      values.otlp === null
        ? Florin.layer(served)
        : Layer.provideMerge(Telemetry.layerTracing, Florin.layer(served))
    const server = yield* Layer.build(
      Florin.workers({ idleInMs: 200 }).pipe(
        Layer.provide(WebhookHttp.layer),
        Layer.provideMerge(
          NodeListener.layer({
            ...Configured.listen(values),
            ...(shutdownInMs !== undefined && { shutdownInMs }),
          }),
        ),
        Layer.provideMerge(OperatorPort.layer(values, place, onOperatorPort)),
        Layer.provideMerge(Alerts.layer(values)),
        Layer.provideMerge(front?.(() => ready) ?? Layer.empty),
        Layer.provideMerge(florin),
      ),
    )
    const { host, port, url } = yield* Effect.provide(NodeListener.NodeListener, server)
    if (settings.payLinkHost === null) payLinkHost = `localhost:${port}`
    const baseUrl = isThisMachine.has(host) ? `http://localhost:${port}` : url
    const { areNew, keys } = yield* issued(kept, baseUrl)
    ready = {
      pid: process.pid,
      baseUrl,
      payLinkHost,
      ...keys.test,
      live: keys.live,
      chains,
      wallets: LocalChains.wallets.map(({ address, privateKey }) => ({
        address: Eip155.formatAddress(address),
        privateKey,
      })),
      relayers: LocalChains.relayers.map(({ address }) => Eip155.formatAddress(address)),
    }
    for (const file of readyFiles) yield* ReadyFile.keep(file, ready)
    return {
      ready,
      ports,
      areKeysNew: areNew,
      readyFile: readyFiles[0] ?? null,
      /** Called after the introduction. */
      beginLog: () => {
        isIntroduced = true
      },
    }
  }).pipe(Effect.provide(ports))
})

/** Prints the addresses of the server and its chains, and the directory of its data. */
export const printWhere = (ready: ReadyFile.Ready, place: Place.Place): void => {
  Terminal.heading("Florin runs on this machine, on local chains. No real money moves.")
  Terminal.fact("server", `${ready.baseUrl} (how to call it: ${ready.baseUrl}/docs)`)
  for (const { chainId, rpcUrl } of ready.chains) {
    const id = Eip155.chainId(chainId)
    const name = BuiltIn.catalog.network(id)?.name ?? ""
    Terminal.fact("chain", `${rpcUrl} ${name} (${id})`)
  }
  Terminal.fact("storage", Place.describe(place))
}

export const printKeys = (ready: ReadyFile.Ready): void => {
  Terminal.fact("merchant", ready.merchantId)
  Terminal.fact("keys", `${ready.partnerKey} for the partner`)
  Terminal.fact("", `${ready.walletKey} for a wallet`)
}
