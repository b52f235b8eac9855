/**
 * A process that opens an embedded database and commits rows, printing each, until it is killed.
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
  yield* sql`CREATE TABLE IF NOT EXISTS rows (number integer PRIMARY KEY, filler text)`
  yield* say("open")
  for (let number = 1; ; number++) {
    yield* sql.withTransaction(
      sql`INSERT INTO rows VALUES (${number}, ${"x".repeat(1000)})`.pipe(
        Effect.andThen(sql`UPDATE rows SET filler = 'y' WHERE number = ${number - 1}`),
      ),
    )
    yield* say(`committed ${number}`)
    yield* Effect.sleep(1)
  }
})

const layer = Embedded.layer({ dataDir: process.argv[2] ?? "", usedBy: "florin serve" })
await Effect.runPromise(
  program.pipe(
    Effect.provide(layer),
    Effect.catch(({ _tag, message }) => say(`${_tag}: ${message}`)),
  ),
)
process.exit()
