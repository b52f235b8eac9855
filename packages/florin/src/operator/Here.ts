/**
 * The operator's API over the storage of a place in which no service runs.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { env } from "node:process"
import type { Carry } from "@florin/api/operator/Call"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import { Settings } from "@florin/core/ports/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Place from "../access/Place.ts"
import * as ReadyFile from "../access/ReadyFile.ts"
import * as SystemUser from "../access/SystemUser.ts"
import * as Failure from "../terminal/Failure.ts"

/** Loading the server is slow, and commands next to a service do not need it. */
const load = Effect.promise(() =>
  Promise.all([
    import("@florin/server/operator/Client"),
    import("@florin/server/Confusables"),
    import("../serve/Configured.ts"),
    import("../serve/Kept.ts"),
    import("../serve/PayoutDefaults.ts"),
  ]),
)

/** Loading chains is slow, too, and most commands need none. */
const loadChains = Effect.promise(() => import("../dev/LocalChains.ts"))

const noChains = Layer.succeed(Chains, {
  of: () => {
    throw new Error("this command was opened without chains")
  },
})

/** Whether a command looks at the chains: always, or at those that need not be started. */
export type Sees = boolean | "if reachable"

const keptChains = (place: Place.Lasting): ReadonlyArray<Caip.ChainId> =>
  readdirSync(Place.chainsDirectory(place)).flatMap((name) => {
    const [, number] = /^([1-9][0-9]*)\.json$/u.exec(name) ?? []
    return number === undefined ? [] : [Eip155.chainId(Number(number))]
  })

const requireStorage = (place: Place.Place, needsChains: boolean) => {
  if (place._tag === "Memory") {
    return Failure.make(
      "a storage in memory is gone when its service stops: set --storage to embedded or to a database",
    )
  }
  if (needsChains ? Place.exists(place) : Place.hasStorage(place)) return Effect.succeed(place)
  return Failure.make(
    place._tag === "Server"
      ? `${place.home} has no local chains: set FLORIN_RPC or FLORIN_TEST_RPC to the values of florin serve, or set --directory to the directory of florin dev`
      : `${place.home} has no storage: start a service with \`florin dev\`, or set --directory to the directory of a service`,
  )
}

/**
 * Carries calls for as long as the scope. The chains are those that the variables of `florin serve` name, or else those
 * of a service that runs there. If there are neither, a command that must see chains starts those that are kept there.
 * No other process may have the embedded storage open then, because it could be a service that is about to start them.
 */
export const open = Effect.fnUntraced(function* (
  named: Place.Named,
  command: string,
  seesChains: Sees,
) {
  const [Client, Confusables, Configured, Kept, PayoutDefaults] = yield* load
  const configured = yield* Configured.read({}, env)
  const { values } = configured
  const isConfigured = Configured.namesChains(configured)
  if (seesChains !== false && isConfigured) yield* Configured.check(configured)
  const place = yield* requireStorage(
    yield* Effect.fromResult(Place.parse(named)),
    seesChains === true && !isConfigured,
  )
  const running = isConfigured ? Option.none() : ReadyFile.findRunning(place)
  const startsChains = seesChains === true && !isConfigured && Option.isNone(running)
  const storage = yield* Layer.build(Place.layer(place, command, !startsChains))
  const findChains = Effect.gen(function* () {
    if (seesChains === false) return noChains
    if (isConfigured) return Configured.chainsLayer(configured)
    const LocalChains = yield* loadChains
    if (Option.isSome(running)) return LocalChains.layer(running.value.chains)
    return startsChains
      ? LocalChains.layer(yield* LocalChains.start(keptChains(place), Place.chainsDirectory(place)))
      : Chains.layerShared.pipe(Layer.provide(JoinedChain.layer<never, never>([])), Layer.orDie)
  })
  const settings = yield* Configured.core(values, PayoutDefaults.usualIn(values, place))
  const { sealKey, vault } = yield* Effect.provide(
    Kept.forCommand(place, settings.sealKey, values.vaultKey),
    Identifiers.layer,
  )
  const context = yield* Layer.build(
    Layer.mergeAll(
      yield* Configured.policies(values),
      vault,
      Confusables.layer,
      Assets.layerStored(BuiltIn.catalog),
      SystemUser.layer,
      Layer.succeed(Settings, {
        ...settings,
        payLinkHost: settings.payLinkHost ?? `localhost:${values.port}`,
        sealKey,
      }),
    ).pipe(
      Layer.provideMerge(Layer.merge(yield* findChains, Layer.succeedContext(storage))),
      Layer.provideMerge(Identifiers.layer),
    ),
  )
  const carry: Carry = Client.carrier(Effect.runPromiseWith(context), {
    publicUrl: Configured.publicUrlOf(values),
    // No server runs that could show a page.
    console: null,
    operatorUrl: () => null,
  })
  return carry
})
