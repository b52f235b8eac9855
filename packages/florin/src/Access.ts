/**
 * A place that is opened for one command: its storage, and its chains.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { env } from "node:process"
import * as Caip from "@florin/core/domain/Caip"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Failure from "./Failure.ts"
import * as LocalChains from "./LocalChains.ts"
import * as Place from "./Place.ts"
import * as ReadyFile from "./ReadyFile.ts"
import * as Configured from "./serve/Configured.ts"

const keptChains = (place: Place.Lasting): ReadonlyArray<Caip.ChainId> =>
  readdirSync(Place.chainsDirectory(place)).flatMap((name) => {
    const [, chainId] = /^([1-9][0-9]*)\.json$/u.exec(name) ?? []
    return chainId === undefined ? [] : [Caip.ChainId.make(Number(chainId))]
  })

/** The chains of the service that runs there; where none does, they are started for as long as the command needs them. */
const chainsOf = (place: Place.Lasting) =>
  Option.match(place._tag === "Server" ? ReadyFile.running(place) : Option.none(), {
    onSome: ({ chains }) => Effect.succeed(chains),
    onNone: () => LocalChains.start(keptChains(place), Place.chainsDirectory(place)),
  })

const lasting = (
  place: Place.Place,
  isThere: (place: Place.Lasting) => boolean,
): Effect.Effect<Place.Lasting, Failure.CommandFailed> => {
  const refuse = (message: string) => Effect.fail(new Failure.CommandFailed({ message }))
  if (place._tag === "Memory") {
    return refuse("what a service held in memory is gone: name --storage embedded, or a database")
  }
  return isThere(place)
    ? Effect.succeed(place)
    : refuse(`nothing is kept in ${place.home}: start florin dev there first`)
}

/** The storage of a place alone, for commands that need no chain. */
export const storage = (place: Place.Place, command: string) =>
  Layer.unwrap(Effect.map(lasting(place, Place.hasStorage), (kept) => Place.layer(kept, command)))

/**
 * Storage and chains of a place. The chains are those that the variables of `florin serve` name, or else those of a
 * service on this machine. An embedded storage is one process's at a time: while a service runs there, it cannot be
 * opened, and the failure says who has it.
 */
export const layer = (named: Place.Place, command: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const configured = yield* Configured.read({}, env)
      const namesChains = Configured.namesChains(configured)
      if (namesChains) yield* Configured.check(configured)
      const place = yield* lasting(named, namesChains ? Place.hasStorage : Place.exists)
      const opened = yield* Layer.build(Place.layer(place, command))
      const chains = namesChains
        ? Configured.chainsLayer(configured)
        : LocalChains.layer(yield* chainsOf(place))
      return Layer.merge(Layer.succeedContext(opened), chains)
    }),
  )
