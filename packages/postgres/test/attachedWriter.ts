/**
 * A process that attaches to another process's embedded database, writes in a transaction, and keeps it open until it
 * is killed.
 *
 * @module
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Embedded from "../src/Embedded.ts"

const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    sql`UPDATE counter SET value = 99`.pipe(
      Effect.andThen(say("written")),
      Effect.andThen(Effect.never),
    ),
  )
})

const layer = Embedded.layer({
  dataDir: process.argv[2] ?? "",
  usedBy: "a command",
  attaches: true,
})
await Effect.runPromise(
  program.pipe(
    Effect.provide(layer),
    Effect.catch(({ _tag, message }) => say(`${_tag}: ${message}`)),
  ),
)
process.exit()
