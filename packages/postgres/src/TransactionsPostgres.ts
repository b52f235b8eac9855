/**
 * Work in a transaction that the application began on its own connection to the service's database.
 *
 * @module
 */
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import { type Transaction, Transactions } from "@florin/core/ports/Transactions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Reactivity } from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "./Connection.ts"
import * as Lent from "./Lent.ts"
import * as Namespace from "./Namespace.ts"
import * as SignalsPostgres from "./SignalsPostgres.ts"
import * as StoragePostgres from "./StoragePostgres.ts"
import * as StorageTime from "./StorageTime.ts"

/** No process has this name, so every process takes the signal, and PostgreSQL delivers it when the application commits. */
const sender = "-"

/** Nobody waits in a transaction, so only changes are signalled. */
const signalsOf = (sql: SqlClient.SqlClient, schema: string) => {
  const channel = SignalsPostgres.channelOf(schema)
  return Signals.of({
    ...Signals.makeMemory().signals,
    changed: (id: PaymentId.PaymentId) =>
      // Prisma refuses to read a column of type void.
      Effect.orDie(Effect.asVoid(sql`SELECT 1 FROM pg_notify(${channel}, ${`${sender} ${id}`})`)),
  })
}

/** What is a transaction for the statements is a savepoint for the application. */
const clientOf = (transaction: Transaction) =>
  SqlClient.make({
    acquirer: Effect.succeed(
      Lent.statements((text, values) => transaction.query(text, values)).connection,
    ),
    compiler: Lent.compiler,
    driver: "lent",
    spanAttributes: [["db.system.name", "postgresql"]],
    beginTransaction: "SAVEPOINT florin",
    commit: "RELEASE SAVEPOINT florin",
    rollback: "ROLLBACK TO SAVEPOINT florin",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
  })

export const layer: Layer.Layer<Transactions, never, Reactivity> = Layer.effect(
  Transactions,
  Effect.gen(function* () {
    const schema = yield* Namespace.Name
    const driftMaxInMs = yield* StorageTime.DriftMaxInMs
    const reactivity = yield* Reactivity
    return Transactions.of({
      within: (transaction) => (work) =>
        Effect.gen(function* () {
          const sql = Namespace.qualified(yield* clientOf(transaction), schema)
          const services = Context.add(
            StoragePostgres.stores(sql, StorageTime.make(sql, driftMaxInMs)),
            Signals,
            signalsOf(sql, schema),
          )
          return yield* Connection.within(
            sql.withTransaction(Effect.provideContext(work, services)),
          )
        }).pipe(
          // A statement cannot be called back, and none may run after the work.
          Effect.uninterruptible,
          Effect.provideService(Connection.IsLent, true),
          Effect.provideService(Reactivity, reactivity),
        ),
    })
  }),
)
