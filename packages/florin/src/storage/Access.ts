/**
 * Opens the storage and the chains of a place for one command.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { env } from "node:process"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Assets } from "@florin/core/ports/Assets"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Place from "../access/Place.ts"
import * as ReadyFile from "../access/ReadyFile.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as SystemUser from "./SystemUser.ts"

/** The flags that name a storage. */
export const placeFlags = {
  storage: Flags.storage,
  schema: Flags.schema,
  directory: Flags.directory,
}

/** The flags of a command that opens a storage and prints a result. */
export const flags = { ...placeFlags, json: Flags.json }

export type Named = Place.Named

const placeOf = (named: Named) => Effect.fromResult(Place.parse(named))

const keptChains = (place: Place.Lasting): ReadonlyArray<Caip.ChainId> =>
  readdirSync(Place.chainsDirectory(place)).flatMap((name) => {
    const [, number] = /^([1-9][0-9]*)\.json$/u.exec(name) ?? []
    return number === undefined ? [] : [Eip155.chainId(Number(number))]
  })

/** Loading chains is slow, and most commands need none. */
const loadChains = Effect.promise(() =>
  Promise.all([import("../dev/LocalChains.ts"), import("../serve/Configured.ts")]),
)

const lasting = (
  place: Place.Place,
  isThere: (place: Place.Lasting) => boolean,
): Effect.Effect<Place.Lasting, Failure.CommandFailed> => {
  const refuse = (message: string) => Effect.fail(Failure.make(message))
  if (place._tag === "Memory") {
    return refuse(
      "a storage in memory is gone when its service stops: set --storage to embedded or to a database",
    )
  }
  if (isThere(place)) return Effect.succeed(place)
  return refuse(
    place._tag === "Server"
      ? `${place.home} has no local chains: set FLORIN_RPC or FLORIN_TEST_RPC to the values of florin serve, or set --directory to the directory of florin dev`
      : `${place.home} has no storage: start a service with \`florin dev\`, or set --directory to the directory of a service`,
  )
}

const storage = (named: Named, command: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      return Place.layer(yield* lasting(yield* placeOf(named), Place.hasStorage), command, true)
    }),
  )

/** The storage of a place, and what every write needs. */
export const storageLayer = (named: Named, command: string) =>
  Layer.provideMerge(
    Layer.mergeAll(Assets.layerStored(BuiltIn.catalog), Identifiers.layer, SystemUser.layer),
    storage(named, command),
  )

/**
 * The storage and chains of a place. The chains are those that the variables of `florin serve` name, or else those of a
 * service that runs there. If there are neither, the command starts the chains that are kept there, for as long as it
 * needs them. No other process may have the embedded storage open then, because it could be a service that is about to
 * start these chains.
 */
export const layer = (named: Named, command: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [LocalChains, Configured] = yield* loadChains
      const configured = yield* Configured.read({}, env)
      const namesChains = Configured.namesChains(configured)
      if (namesChains) yield* Configured.check(configured)
      const isThere = namesChains ? Place.hasStorage : Place.exists
      const place = yield* lasting(yield* placeOf(named), isThere)
      const running = ReadyFile.findRunning(place)
      const attaches = namesChains || Option.isSome(running)
      const opened = yield* Layer.build(Place.layer(place, command, attaches))
      const chains = namesChains
        ? Configured.chainsLayer(configured)
        : LocalChains.layer(
            Option.isSome(running)
              ? running.value.chains
              : yield* LocalChains.start(keptChains(place), Place.chainsDirectory(place)),
          )
      return Layer.provideMerge(
        Layer.mergeAll(
          Assets.layerStored(BuiltIn.catalog),
          chains,
          SystemUser.layer,
          yield* Configured.loadScreening(configured.values),
        ),
        Layer.succeedContext(opened),
      )
    }),
  )

/** The chains of a place that can be used without starting any: the configured ones, or those of a running service. */
export const reachable = Effect.fnUntraced(function* (named: Named) {
  const [LocalChains, Configured] = yield* loadChains
  const configured = yield* Configured.read({}, env)
  if (Configured.namesChains(configured)) {
    yield* Configured.check(configured)
    return Option.some(Configured.chainsLayer(configured))
  }
  const place = yield* placeOf(named)
  return place._tag === "Memory"
    ? Option.none()
    : Option.map(ReadyFile.findRunning(place), ({ chains }) => LocalChains.layer(chains))
})

/**
 * The schema version of a database before it is opened, because opening migrates it. Null for a storage without a
 * server.
 */
export const schemaOf = Effect.fnUntraced(function* (named: Named) {
  const place = yield* placeOf(named)
  if (place._tag !== "Server") return null
  const Postgres = yield* Effect.promise(() => import("@florin/postgres/Postgres"))
  const { schema } = yield* Postgres.inspect(place).pipe(
    Effect.mapError(({ message }) => Failure.make(message)),
  )
  return schema
})
