/**
 * Storage in PostgreSQL, for any number of processes on one database.
 *
 * @module
 */
import { Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Accounts from "./storage/Accounts.ts"
import * as Answers from "./storage/Answers.ts"
import * as Collected from "./storage/Collected.ts"
import * as Decisions from "./storage/Decisions.ts"
import * as DueWork from "./storage/DueWork.ts"
import * as Events from "./storage/Events.ts"
import * as Lanes from "./storage/Lanes.ts"
import * as Ledgers from "./storage/Ledgers.ts"
import * as Lists from "./storage/Lists.ts"

/** The storage of the database that the client is connected to, which has the schema of `Migrations`. */
export const layer: Layer.Layer<Storage, never, SqlClient.SqlClient> = Layer.effect(
  Storage,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Storage.of({
      ...Accounts.make(sql),
      ...Answers.make(sql),
      ...Collected.make(sql),
      ...Decisions.make(sql),
      ...DueWork.make(sql),
      ...Events.make(sql),
      ...Lanes.make(sql),
      ...Ledgers.make(sql),
      ...Lists.make(sql),
    }),
  ),
)
