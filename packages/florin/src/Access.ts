/**
 * A place that is opened for one command: its storage, and its chains.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import * as Caip from "@florin/core/domain/Caip"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Failure from "./Failure.ts"
import * as LocalChains from "./LocalChains.ts"
import * as Place from "./Place.ts"
import * as ReadyFile from "./ReadyFile.ts"

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

/**
 * Storage and chains of a place. An embedded storage is one process's at a time: while a service runs there, it cannot be
 * opened, and the failure says who has it.
 */
export const layer = (place: Place.Place, command: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (place._tag === "Memory") {
        return yield* new Failure.CommandFailed({
          message: "what a service held in memory is gone: name --storage embedded, or a database",
        })
      }
      if (!Place.exists(place)) {
        return yield* new Failure.CommandFailed({
          message: `nothing is kept in ${place.home}: start florin dev there first`,
        })
      }
      const storage = yield* Layer.build(Place.layer(place, command))
      return Layer.merge(Layer.succeedContext(storage), LocalChains.layer(yield* chainsOf(place)))
    }),
  )
