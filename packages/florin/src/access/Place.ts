/**
 * The place of a service's data: in memory, embedded in a directory, or on a PostgreSQL server.
 *
 * Local chains are kept next to the storage, and each storage has its own, because a ledger is worthless without the
 * chain that it describes.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type * as PrivateSocket from "@florin/core/node/PrivateSocket"
import { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"

export type Place =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Embedded"; readonly home: string }
  | {
      readonly _tag: "Server"
      readonly home: string
      readonly url: Redacted.Redacted
      readonly schema: string
    }

/** A place that outlives the process. */
export type Lasting = Exclude<Place, { readonly _tag: "Memory" }>

/** How settings and flags name a place. */
export interface Named {
  readonly storage: string
  readonly directory: string
  readonly schema?: string | undefined
}

const usualSchema = "florin"

/** The same server, database and schema are the same place, whatever user connects. */
const nameOf = ({ host, pathname }: URL, schema: string): string => {
  const name = schema === usualSchema ? `${host}${pathname}` : `${host}${pathname} ${schema}`
  return `postgres-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`
}

/**
 * @example
 * Place.parse({ storage: "embedded", directory: ".florin" }) // in .florin/embedded
 */
export const parse = ({
  directory,
  schema = usualSchema,
  storage: text,
}: Named): Result.Result<Place, Failure.CommandFailed> => {
  if (text === "memory") return Result.succeed({ _tag: "Memory" })
  if (text === "embedded") {
    return Result.succeed({ _tag: "Embedded", home: join(directory, "embedded") })
  }
  const url = URL.parse(text)
  return url !== null && Flags.isStorage(text)
    ? Result.succeed({
        _tag: "Server",
        home: join(directory, nameOf(url, schema)),
        url: Redacted.make(text),
        schema,
      })
    : Result.fail(
        Failure.make(
          `FLORIN_STORAGE or DATABASE_URL must be ${Flags.storageFormat}: correct the variable`,
        ),
      )
}

/** The name of the place for a person. */
export const describe = (place: Place): string => {
  switch (place._tag) {
    case "Memory":
      return "in memory: all data is lost when the process stops"
    case "Embedded":
      return `embedded, in ${place.home}`
    case "Server":
      return `PostgreSQL, with its chains in ${place.home}`
  }
}

/** Where commands look for a service, for a person: a directory, and a database without its password. */
export const whereOf = (place: Lasting): string => {
  const directory = dirname(place.home)
  if (place._tag === "Embedded") return directory
  const { host, pathname } = new URL(Redacted.value(place.url))
  const schema = place.schema === usualSchema ? "" : `, schema ${place.schema}`
  return `${directory} for the database ${host}${pathname}${schema}`
}

export const chainsDirectory = ({ home }: Lasting): string => join(home, "chains")

const dataDirectory = ({ home }: Lasting): string => join(home, "data")

/** The socket of the operator's API, for commands on this machine. */
export const operatorSocket = ({ home }: Lasting): PrivateSocket.Place => ({
  directory: home,
  name: "operator.sock",
})

/** Fails if a directory of the place is there and may not be read, which would look as if it were empty. */
export const requireAccess = Effect.fnUntraced(function* (place: Lasting) {
  const parent = dirname(place.home)
  const paths = [parent, place.home, dataDirectory(place), chainsDirectory(place)]
  for (const path of paths) {
    const mode = path === parent ? constants.X_OK : constants.R_OK + constants.X_OK
    const used = Result.try(() => accessSync(path, mode))
    if (Result.isSuccess(used)) continue
    if (!Predicate.hasProperty(used.failure, "code") || used.failure.code !== "EACCES") continue
    const owner = Result.match(
      Result.try(() => statSync(path)),
      {
        onFailure: () => "a directory above it is closed to you",
        onSuccess: ({ uid }) => `it belongs to user ${uid}`,
      },
    )
    return yield* Failure.make(
      `${path} cannot be read (${owner}): run this command as the user of the service, or set --directory to another one`,
    )
  }
  return undefined
})

/** Whether there is a storage to open. For a server, this is only known once it is opened. */
export const hasStorage = (place: Lasting): boolean =>
  place._tag === "Server" || existsSync(dataDirectory(place))

/** Whether local chains are kept there. */
export const hasChains = (place: Lasting): boolean => existsSync(chainsDirectory(place))

const explained = <A, E extends Error>(opening: Layer.Layer<A, E>) =>
  Layer.unwrap(Effect.map(Effect.mapError(Layer.build(opening), Failure.of), Layer.succeedContext))

const memory = Effect.map(
  Effect.promise(() => import("@florin/core/ports/StorageMemory")),
  (StorageMemory) => Layer.merge(StorageMemory.layer, Signals.layerMemory),
)

const loadPostgres = Effect.promise(() => import("@florin/postgres/Postgres"))

/**
 * Storage and signals; only the needed parts are loaded. Another process that wants the same directory gets `usedBy` in
 * its error.
 */
export const layer = (
  place: Place,
  usedBy: string,
): Layer.Layer<Signals | Storage, Failure.CommandFailed> => {
  switch (place._tag) {
    case "Memory":
      return Layer.unwrap(memory)
    case "Embedded":
      return Layer.unwrap(
        Effect.map(loadPostgres, (Postgres) =>
          explained(Postgres.layerEmbedded({ dataDir: dataDirectory(place), usedBy })),
        ),
      )
    case "Server":
      return Layer.unwrap(Effect.map(loadPostgres, (Postgres) => explained(Postgres.layer(place))))
  }
}
