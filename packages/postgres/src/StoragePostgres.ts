/**
 * Storage in PostgreSQL, for any number of processes on one database.
 *
 * @module
 */
import { AccountStore } from "@florin/core/ports/AccountStore"
import { AssetStore } from "@florin/core/ports/AssetStore"
import { AuditStore } from "@florin/core/ports/AuditStore"
import { DueWork } from "@florin/core/ports/DueWork"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import { StateStore } from "@florin/core/ports/StateStore"
import type { Storage } from "@florin/core/ports/Storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "./Connection.ts"
import * as Accounts from "./storage/Accounts.ts"
import * as Assets from "./storage/Assets.ts"
import * as AuditLogs from "./storage/AuditLogs.ts"
import * as Budgets from "./storage/Budgets.ts"
import * as Claims from "./storage/Claims.ts"
import * as Collected from "./storage/Collected.ts"
import * as Decisions from "./storage/Decisions.ts"
import * as Draws from "./storage/Draws.ts"
import * as Work from "./storage/DueWork.ts"
import * as Events from "./storage/Events.ts"
import * as Inflows from "./storage/Inflows.ts"
import * as Lanes from "./storage/Lanes.ts"
import * as Latest from "./storage/Latest.ts"
import * as Ledgers from "./storage/Ledgers.ts"
import * as Lists from "./storage/Lists.ts"
import * as Outflows from "./storage/Outflows.ts"
import * as RememberedKeys from "./storage/RememberedKeys.ts"
import * as Responses from "./storage/Responses.ts"
import * as Resting from "./storage/Resting.ts"
import * as Series from "./storage/Series.ts"
import * as States from "./storage/States.ts"
import * as Stats from "./storage/Stats.ts"
import * as StorageTime from "./StorageTime.ts"

/** All stores over a client: short reads that every payer makes repeatedly go over `reads`. */
export const stores = (
  sql: SqlClient.SqlClient,
  time: StorageTime.StorageTime,
  reads = sql,
): Context.Context<Storage> => {
  const remembered = RememberedKeys.make()
  const latest = Latest.make(sql)
  return Context.empty().pipe(
    Context.add(AccountStore, Accounts.make(sql, time, reads, remembered)),
    Context.add(StateStore, States.make(sql)),
    Context.add(ResponseStore, Responses.make(sql, time, remembered)),
    Context.add(AssetStore, Assets.make(sql)),
    Context.add(AuditStore, AuditLogs.make(sql, time, remembered)),
    Context.add(PaymentStore, {
      ...Draws.make(reads),
      ...Collected.make(sql, time, reads),
      ...Decisions.make(sql, time, reads, latest),
      ...Lists.make(sql),
      ...Resting.make(sql),
      ...Claims.make(sql),
      ...Stats.make(sql),
      ...Series.make(sql),
    }),
    Context.add(OutflowStore, Outflows.make(sql, time, latest)),
    Context.add(LaneStore, {
      ...Budgets.make(sql),
      ...States.ofChains(sql),
      ...Lanes.make(sql, time),
    }),
    Context.add(DueWork, { time: time.now, ...Work.make(sql, time, latest) }),
    Context.add(LedgerStore, Ledgers.make(sql)),
    Context.add(Outbox, Events.make(sql, time)),
    Context.add(InflowStore, Inflows.make(sql)),
  )
}

/** The storage in the client's database, which has the schema of `Migrations`. */
export const layer: Layer.Layer<Storage, never, SqlClient.SqlClient> = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = Option.getOrElse(yield* Effect.serviceOption(Connection.Reads), () => sql)
    return stores(sql, yield* StorageTime.watch(sql, reads), reads)
  }),
)
