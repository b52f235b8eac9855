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
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

const noDatabase = Failure.make(
  "no database is given: set DATABASE_URL or --storage postgres://…. An embedded storage is upgraded automatically when it is opened",
)

const foundIn = (place: Extract<Place.Place, { readonly _tag: "Server" }>) =>
  Effect.map(Effect.mapError(Postgres.inspect(place), Failure.of), ({ schema }) => schema.found)

/** Without a database, everything is printed. */
const print = Effect.fnUntraced(function* (place: Place.Place, schema: string) {
  const found = place._tag === "Server" ? yield* foundIn(place) : 0
  const script = Postgres.printMigrations(found, schema).trimEnd()
  if (script !== "") Terminal.result(script)
})

const check = Effect.fnUntraced(function* (place: Place.Place, json: boolean) {
  if (place._tag !== "Server") return yield* noDatabase
  const [found, schema] = [yield* foundIn(place), Postgres.newestSchema]
  if (json) Terminal.json({ schema, found })
  if (found !== schema) {
    return yield* Failure.make(
      `the database has schema version ${found}, and this release needs ${schema}: run \`florin migrate\``,
    )
  }
  if (!json) Terminal.writeSuccess(`The database has schema version ${schema}: nothing to do.`)
})

const migrate = Effect.fnUntraced(function* (place: Place.Place, json: boolean) {
  if (place._tag !== "Server") return yield* noDatabase
  const startedAt = yield* Clock.currentTimeMillis
  const applied = yield* Effect.mapError(Postgres.migrate(place), Failure.of)
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
  {
    print: Flags.toggle("print", "Print the SQL of the missing versions, and change nothing"),
    check: Flags.toggle("check", "Fail if a version is missing, and change nothing"),
    ...Flags.place,
    json: Flags.json,
  },
  Effect.fnUntraced(function* ({ check: isCheck, json, print: isPrint, ...named }) {
    yield* Flags.refuseTogether({ print: isPrint, check: isCheck })
    yield* Flags.refuseTogether({ print: isPrint, json })
    const place = yield* Effect.fromResult(Place.parse(named))
    if (isPrint) return yield* print(place, named.schema)
    return yield* isCheck ? check(place, json) : migrate(place, json)
  }),
).pipe(
  Described.as({
    description:
      "Upgrade a PostgreSQL database to the newest schema. There is no downgrade. Running the command again changes nothing, and several at the same time wait for each other. A server does the same when it starts; if you run this command first, servers need no right to change the schema.",
  }),
)
