/**
 * `florin dev`: the whole service on this machine, with chains of its own, funded wallets, and a partner to begin with.
 *
 * @module
 */
import process from "node:process"
import { makePartner } from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import * as Idempotency from "@florin/core/domain/Idempotency"
import * as Network from "@florin/core/domain/Network"
import type * as Seal from "@florin/core/domain/Seal"
import * as Float from "@florin/core/engine/Float"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { RateSource } from "@florin/core/ports/RateSource"
import { Screening } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import { Storage } from "@florin/core/ports/Storage"
import { Vault } from "@florin/core/ports/Vault"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Asked from "../Asked.ts"
import * as Failure from "../Failure.ts"
import * as FirstPartner from "../FirstPartner.ts"
import * as Kept from "../Kept.ts"
import * as LocalChains from "../LocalChains.ts"
import * as Place from "../Place.ts"
import * as ReadyFile from "../ReadyFile.ts"
import * as RequestLog from "../RequestLog.ts"
import * as Story from "../Story.ts"
import * as Terminal from "../Terminal.ts"
import * as Flags from "./Flags.ts"

const payLinkHost = "pay.localhost"
const usualPort = 3000

/** How often one key may call: far more than a person does, and less than what would starve the others. */
const rateLimit = { burst: 200, perSecond: 100 }
const shutdownInMs = 5000
const modes = ["live", "test"] as const

const portsWith = (sealKey: Seal.SealKey) =>
  Layer.mergeAll(
    Vault.layerMemory,
    RateSource.layerPegs,
    Screening.layerAllowAll,
    CollectDataPolicy.layerNever,
    Layer.succeed(Settings, {
      payLinkHost,
      sealKey,
      collectedKeptInMs: 24 * 60 * 60 * 1000,
      allowPrivateWebhooks: true,
    }),
  ).pipe(Layer.provideMerge(Identifiers.layer))

/** Only one service at a time uses a place: two would have two chains under one ledger. */
const alone = (place: Place.Place) =>
  place._tag === "Memory"
    ? Effect.void
    : Option.match(ReadyFile.running(place), {
        onNone: () => Effect.void,
        onSome: ({ baseUrl, pid }) =>
          Effect.fail(
            new Failure.CommandFailed({
              message: `florin dev runs there already, as process ${pid} on ${baseUrl}: stop it, or use another --storage`,
            }),
          ),
      })

/** A ledger is worth nothing on a chain that began anew: what it knows to be final must still be there. */
const sameChains = Effect.fnUntraced(function* (chainIds: ReadonlyArray<Caip.ChainId>) {
  for (const mode of modes) {
    const chain = (yield* Chains).of(mode)
    for (const { chainId, marks } of yield* (yield* Storage).chainStates(mode)) {
      const [newest] = marks
      if (newest === undefined || !chainIds.includes(chainId)) continue
      const stands = yield* Effect.orElseSucceed(chain.stands(chainId, newest), () => false)
      if (!stands) {
        return yield* new Failure.CommandFailed({
          message: `the storage tells of a chain ${chainId} that is no more (its file was removed, or its node was killed): begin anew with an empty storage and another --directory`,
        })
      }
    }
  }
})

/** The operator's own tokens are on the collecting accounts: they are written down, once. */
const bookFloat = (chainIds: ReadonlyArray<Caip.ChainId>) =>
  Effect.forEach(modes, (mode) =>
    Effect.forEach(
      LocalChains.float(chainIds, mode),
      (each) =>
        Float.put(mode, {
          ...each,
          key: Idempotency.IdempotencyKey.make(
            `local float ${Caip.formatToken(each.token)} ${each.collecting}`,
          ),
        }),
      { concurrency: "unbounded", discard: true },
    ),
  )

/** The keys of the last start, where the storage still knows them; else new ones. */
const issued = Effect.fnUntraced(function* (
  kept: Effect.Success<ReturnType<typeof Kept.load>>,
  baseUrl: string,
) {
  if (kept.issued !== null) {
    const { merchantId, partnerKey } = kept.issued.test
    const known = Asked.ask("reading the merchant", () =>
      makePartner({ baseUrl, apiKey: partnerKey }).merchants.get(merchantId),
    )
    if (yield* Effect.isSuccess(known)) return kept.issued
  }
  const made = yield* FirstPartner.register(baseUrl)
  yield* kept.keep(made)
  return made
})

interface Chosen {
  readonly place: Place.Place
  readonly port: number
  readonly chainIds: ReadonlyArray<Caip.ChainId>
  readonly fieldHeaders: ReadonlyArray<string>
  readonly log: Parameters<typeof Florin.layer>[0]["log"]
}

/** Starts everything; it ends with the scope, the server first and the storage last. */
const start = Effect.fnUntraced(function* ({ chainIds, fieldHeaders, log, place, port }: Chosen) {
  yield* alone(place)
  const storage = yield* Layer.build(Place.layer(place, "florin dev"))
  const chains = yield* LocalChains.start(
    chainIds,
    place._tag === "Memory" ? null : Place.chainsDirectory(place),
  )
  const kept = yield* Effect.provide(Kept.load(place), Identifiers.layer)
  const ports = yield* Layer.build(
    Layer.mergeAll(
      portsWith(kept.sealKey),
      LocalChains.layer(chains),
      Layer.succeedContext(storage),
    ),
  )
  return yield* Effect.gen(function* () {
    yield* sameChains(chainIds)
    yield* bookFloat(chainIds)
    const server = yield* Layer.build(
      Florin.workers({ idleInMs: 50 }).pipe(
        Layer.provide(WebhookHttp.layer),
        Layer.provideMerge(NodeListener.layer({ port, shutdownInMs })),
        Layer.provideMerge(
          Florin.layer({
            publicUrl: `http://127.0.0.1:${port}`,
            rateLimit,
            fieldVersionHeaders: fieldHeaders,
            ...(log !== undefined && { log }),
          }),
        ),
      ),
    )
    const { url: baseUrl } = yield* Effect.provide(NodeListener.NodeListener, server)
    const { live, test } = yield* issued(kept, baseUrl)
    const ready: ReadyFile.Ready = {
      pid: process.pid,
      baseUrl,
      payLinkHost,
      ...test,
      live,
      chains,
      wallets: LocalChains.wallets.map(({ address, privateKey }) => ({
        address: Caip.formatAddress(address),
        privateKey,
      })),
      relayers: LocalChains.relayers.map(({ address }) => Caip.formatAddress(address)),
    }
    return { ready, ports }
  }).pipe(Effect.provide(ports))
})

const example = ({ baseUrl, merchantId, partnerKey }: ReadyFile.Ready): ReadonlyArray<string> => [
  `curl ${baseUrl}/v1/payments \\`,
  `  -H 'Api-Key: ${partnerKey}' -H 'Merchant-Id: ${merchantId}' \\`,
  "  -H 'Content-Type: application/json' \\",
  `  -d '{"referenceId":"order-1","amount":{"unit":"iso4217/USD","value":"1250"}}'`,
]

/** Everything that a person needs to begin with. */
const introduce = (ready: ReadyFile.Ready, place: Place.Place, readyFile: string | null): void => {
  Terminal.heading("Florin runs on this machine, on chains of its own. No real money is touched.")
  Terminal.fact("server", `${ready.baseUrl} (how to call it: ${ready.baseUrl}/docs)`)
  for (const { chainId, rpcUrl } of ready.chains) {
    const name = Network.find(Caip.ChainId.make(chainId))?.name ?? ""
    Terminal.fact("chain", `${rpcUrl} ${name} (${chainId})`)
  }
  Terminal.fact("storage", Place.describe(place))
  for (const { address, privateKey } of ready.wallets) {
    Terminal.fact("wallet", `${address} holds every token; its key is ${privateKey}`)
  }
  Terminal.fact("merchant", ready.merchantId)
  Terminal.fact("keys", `${ready.partnerKey} for the partner`)
  Terminal.fact("", `${ready.walletKey} for a wallet`)
  if (readyFile !== null) Terminal.fact("file", `${readyFile} tells all of this to programs`)
  Terminal.heading("Create a payment; the answer's gatewayUrl is its link:")
  for (const each of example(ready)) Terminal.plain(each)
  Terminal.heading("Ctrl-C ends all of it.")
}

const once = Effect.fnUntraced(function* (ready: ReadyFile.Ready) {
  const names = ready.chains.map(
    ({ chainId }) => Network.find(Caip.ChainId.make(chainId))?.name ?? `${chainId}`,
  )
  Terminal.heading(`Florin on local chains: ${names.join(", ")}`)
  let steps = 0
  yield* Story.tell(ready, (text, facts) => {
    steps += 1
    Terminal.step(steps, text, facts)
  })
  Terminal.done("Everything came out as it should, and ledger and chains agree.")
})

const flags = {
  port: Flags.port,
  storage: Flag.String("storage").pipe(
    Flag.withMetavar("memory|embedded|URL"),
    Flag.withDescription("What it keeps its data in (embedded; with --once memory)"),
    Flag.optional,
  ),
  directory: Flags.directory,
  chains: Flags.chains,
  fieldHeader: Flag.String("field-header").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Who sends its version in this header is answered in the field's shapes"),
    Flag.optional,
  ),
  readyFile: Flag.String("ready-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Where addresses and keys are written as JSON, once all is ready"),
    Flag.optional,
  ),
  once: Flag.Boolean("once").pipe(
    Flag.withoutNegation,
    Flag.withDescription(
      "Pay in every way, settle, refund, reconcile, and end: 0 if all went well",
    ),
    Flag.withDefault(false),
  ),
}

export const command = Command.make(
  "dev",
  flags,
  Effect.fnUntraced(function* (options) {
    const place = yield* Effect.fromResult(
      Place.parse(
        Option.getOrElse(options.storage, () => (options.once ? "memory" : "embedded")),
        options.directory,
      ),
    )
    const writeLine = RequestLog.toStdout()
    // The introduction comes first: requests are written down once it was told.
    let isTold = false
    const { ports, ready } = yield* start({
      place,
      port: Option.getOrElse(options.port, () => (options.once ? 0 : usualPort)),
      chainIds: options.chains,
      fieldHeaders: Option.toArray(options.fieldHeader),
      log: (line) => {
        if (isTold) writeLine(line)
      },
    })
    const named = Option.getOrNull(options.readyFile)
    const files = [
      ...(named === null ? [] : [named]),
      ...(place._tag === "Memory" ? [] : [ReadyFile.inPlace(place)]),
    ]
    for (const file of files) {
      yield* ReadyFile.reserve(file)
      yield* ReadyFile.write(file, ready)
    }
    if (options.once) return yield* Effect.provide(once(ready), ports)
    introduce(ready, place, files[0] ?? null)
    isTold = true
    return yield* Effect.never
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Runs the whole service on this machine: chains of its own, funded test wallets, storage, server and workers. What it keeps in a directory goes on at the next start, the chains with it.",
  ),
  Command.withShortDescription("Run everything on this machine"),
  Command.withExamples([
    { command: "florin dev", description: "Stay up on http://127.0.0.1:3000" },
    { command: "florin dev --once", description: "See whether everything works" },
    { command: "florin dev --storage memory --chains 8453 --port 0 --ready-file ready.json" },
  ]),
)
