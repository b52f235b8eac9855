/**
 * Storage in PostgreSQL, for any number of processes on one database.
 *
 * @module
 */
import { Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "./Connection.ts"
import * as Accounts from "./storage/Accounts.ts"
import * as Answers from "./storage/Answers.ts"
import * as ChainStates from "./storage/ChainStates.ts"
import * as Collected from "./storage/Collected.ts"
import * as Decisions from "./storage/Decisions.ts"
import * as DueWork from "./storage/DueWork.ts"
import * as Events from "./storage/Events.ts"
import * as Lanes from "./storage/Lanes.ts"
import * as Ledgers from "./storage/Ledgers.ts"
import * as Lists from "./storage/Lists.ts"
import * as Stats from "./storage/Stats.ts"

const time = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* sql<{ readonly now: bigint }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
  return Number(rows[0]?.now ?? 0n)
})

/**
 * The storage of the database that the client is connected to, which has the schema of `Migrations`. Where a connection
 * has a client for reads beside it, calls that every payer makes again and again read through that.
 */
export const layer: Layer.Layer<Storage, never, SqlClient.SqlClient> = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = Option.getOrElse(yield* Effect.serviceOption(Connection.Reads), () => sql)
    return Storage.of({
      time: Connection.guard(time(reads)),
      ...Accounts.make(sql, reads),
      ...Answers.make(sql),
      ...ChainStates.make(sql),
      ...Collected.make(sql, reads),
      ...Decisions.make(sql, reads),
      ...DueWork.make(sql),
      ...Events.make(sql),
      ...Lanes.make(sql),
      ...Ledgers.make(sql),
      ...Lists.make(sql),
      ...Stats.make(sql),
    })
  }),
)
