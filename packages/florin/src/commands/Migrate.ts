/**
 * `florin migrate`: brings a database to the newest schema before the servers of a new release start.
 *
 * @module
 */
import * as Postgres from "@florin/postgres/Postgres"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Access from "../access/Access.ts"
import * as Place from "../access/Place.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

const run = Effect.fnUntraced(function* (place: Place.Place, json: boolean) {
  if (place._tag !== "Server") {
    return yield* new Failure.CommandFailed({
      message:
        "name a database with --storage postgres://…, or with DATABASE_URL: an embedded storage is brought up to date by whoever opens it",
    })
  }
  const startedAt = yield* Clock.currentTimeMillis
  const applied = yield* Effect.mapError(
    Postgres.migrate({ url: place.url }),
    ({ message }) => new Failure.CommandFailed({ message }),
  )
  const tookInMs = (yield* Clock.currentTimeMillis) - startedAt
  const schema = Postgres.newestSchema
  if (json) return Terminal.json({ schema, applied, tookInMs })
  Terminal.done(
    applied.length === 0
      ? `The database is at schema ${schema} already: nothing was left to do.`
      : `The database is at schema ${schema} now: it took ${tookInMs} ms.`,
  )
})

export const command = Command.make(
  "migrate",
  { ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* ({ directory, json, storage }) {
    yield* run(yield* Effect.fromResult(Place.parse(storage, directory)), json)
  }),
).pipe(
  Command.withDescription(
    "Brings a PostgreSQL database to the newest schema, forwards only. To do so again changes nothing, and of several at once each waits for the others. A server that starts does the same; with this it needs no right to change the schema.",
  ),
)
