/**
 * `florin migrate`: migrates a database to the newest schema before the servers of a new release start.
 *
 * @module
 */
import * as Postgres from "@florin/postgres/Postgres"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Place from "../access/Place.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Terminal from "../terminal/Terminal.ts"

const run = Effect.fnUntraced(function* (place: Place.Place, json: boolean) {
  if (place._tag !== "Server") {
    return yield* Failure.make(
      "no database is given: set DATABASE_URL or --storage postgres://…. An embedded storage is upgraded automatically when it is opened",
    )
  }
  const startedAt = yield* Clock.currentTimeMillis
  const applied = yield* Effect.mapError(Postgres.migrate(place), ({ message }) =>
    Failure.make(message),
  )
  const tookInMs = (yield* Clock.currentTimeMillis) - startedAt
  const schema = Postgres.newestSchema
  if (json) return Terminal.json({ schema, applied, tookInMs })
  Terminal.writeSuccess(
    applied.length === 0
      ? `The database has schema version ${schema} already: nothing to do.`
      : `The database has schema version ${schema} now. The upgrade took ${tookInMs} ms.`,
  )
})

export const command = Command.make(
  "migrate",
  Access.flags,
  Effect.fnUntraced(function* ({ json, ...named }) {
    yield* run(yield* Effect.fromResult(Place.parse(named)), json)
  }),
).pipe(
  Command.withDescription(
    "Upgrade a PostgreSQL database to the newest schema. There is no downgrade. Running the command again changes nothing, and several at the same time wait for each other. A server does the same when it starts; if you run this command first, servers need no right to change the schema.",
  ),
)
