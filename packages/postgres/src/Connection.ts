/**
 * The connections to a PostgreSQL server, and the mapping of its failures to errors of the ports.
 *
 * @module
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Namespace from "./Namespace.ts"
import * as Pooler from "./Pooler.ts"

/** The server's address, and how many connections to use. */
export interface Config {
  /** `postgres://user:password@host:port/database`, with libpq parameters such as `?sslmode=require`. */
  readonly url: Redacted.Redacted
  /** The maximum number of connections for this process's work; it has one more for reads, and one for signals. */
  readonly maxConnections?: number | undefined
  /** The PostgreSQL schema of the service's tables (default: `florin`). It is created if necessary. */
  readonly schema?: string | undefined
}

/** The server could not be used at the start. */
export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()(
  "DatabaseUnreachable",
  { message: Schema.String },
) {}

/** How long a caller waits for a response, including the wait for a free connection. */
export const patienceInMs = 10_000

/** How often work is tried that collides with other work. */
const attempts = 6

/** Waits in this module use real time, whichever clock the service runs on. */
export const realTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** SQLSTATE, or the system's name of the fault. */
const stateOf = (cause: unknown): string | undefined => {
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return typeof code === "string" && /^[A-Z0-9_]{5,}$/u.test(code) ? code : undefined
}

/** The code of a fault. The server's messages are not passed on, because they quote what was sent. */
const codeOf = (error: unknown): string =>
  SqlError.isSqlError(error) ? (stateOf(error.reason.cause) ?? error.reason._tag) : "unknown"

const collided = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

const retried = <A, E, R>(effect: Effect.Effect<A, E, R>, attempt = 1): Effect.Effect<A, E, R> =>
  attempt === attempts
    ? effect
    : Effect.catchIf(effect, collided, () =>
        Random.nextBetween(0.5, 1.5).pipe(
          Effect.flatMap((jitter) => realTime(Effect.sleep(jitter * 5 * 2 ** attempt))),
          Effect.andThen(retried(effect, attempt + 1)),
        ),
      )

const tooLate = Effect.fail(
  new StorageUnavailable({ message: "The database did not respond in time: try again" }),
)

/**
 * Ends the wait, not the work: a COMMIT without a response cannot be interrupted. Its result is not known, as with
 * every `StorageUnavailable`.
 */
const bounded = <A, E, R>(effect: Effect.Effect<A, E, R>, waitInMs: number) =>
  Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (work) => {
    const abandon = Effect.sync(() => work.interruptUnsafe())
    return Fiber.join(work).pipe(
      Effect.timeoutOrElse({
        duration: waitInMs,
        orElse: () => Effect.andThen(abandon, tooLate),
      }),
      realTime,
      Effect.onInterrupt(() => abandon),
    )
  })

/** SQLSTATE of a column, a table and a function that are not there. */
const missing = new Set(["42703", "42P01", "42883"])

/**
 * A statement that the database will always reject, for example because of a missing column: a fault of the program,
 * the schema or the rights. The name is what logs may show.
 */
class StatementRejected extends Error {
  override readonly name: string

  constructor(code: string) {
    super(
      missing.has(code)
        ? "The database has no such table, column or function: another version of Florin made its tables. Start that version, or this one with a new database or another data directory"
        : "The database rejected a statement, and would reject it again",
    )
    this.name = `StatementRejected ${code}`
  }
}

/** SQLSTATE classes of failures that a retry cannot fix: wrong data, rights, names and violated constraints. */
const rejections = /^(?:0A|21|22|23|2F|38|39|3F|42|44)/u

const isRejection = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { reason } = error
  switch (reason._tag) {
    case "AuthorizationError":
    case "ConstraintError":
    case "SqlSyntaxError":
    case "UniqueViolation":
      return true
    case "UnknownError":
      return rejections.test(stateOf(reason.cause) ?? "")
    default:
      return false
  }
}

/** SQLSTATE of a disk without space. */
const diskFull = "53100"

/** Whether the database has no space left on its disk. */
export const isFull = (error: unknown): boolean => codeOf(error) === diskFull

const causeOf = (error: unknown): unknown =>
  SqlError.isSqlError(error) ? error.reason.cause : undefined

const unavailableFor = (error: unknown) => {
  const code = codeOf(error)
  const refusal = Pooler.explain(causeOf(error))
  return new StorageUnavailable({
    message: isRejection(error)
      ? `The database rejects a statement (${code}): check its schema, and the rights of its user`
      : isFull(error)
        ? `The disk of the database is full (${diskFull}): free space there`
        : refusal === undefined
          ? `The database could not run the statement (${code}): try again`
          : `The pooler in front of the database ${refusal} (${code})`,
  })
}

const isOther = <E>(error: E): error is Exclude<E, SqlError.SqlError> => !SqlError.isSqlError(error)

/** Maps every failure of the database, thrown ones too, with `report`. */
const reporting =
  (report: (error: unknown) => Effect.Effect<never, StorageUnavailable>) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R> =>
    effect.pipe(
      // If a rollback fails because of a lost connection, it adds a defect next to the original failure.
      Effect.catchCause((cause) => {
        const database = cause.reasons
          .map((reason) =>
            reason._tag === "Fail"
              ? reason.error
              : reason._tag === "Die"
                ? reason.defect
                : undefined,
          )
          .find(SqlError.isSqlError)
        return database === undefined ? Effect.failCause(cause) : Effect.fail(database)
      }),
      Effect.catch(
        (error): Effect.Effect<never, Exclude<E, SqlError.SqlError> | StorageUnavailable> =>
          isOther(error) ? Effect.fail(error) : report(error),
      ),
    )

/** Every failure of the database as `StorageUnavailable`: without SQL, and without a value. */
export const unavailable = reporting((error) => Effect.fail(unavailableFor(error)))

/** The same, but a failure that a retry cannot fix is a defect. */
const unavailableOrDefect = reporting((error) =>
  isRejection(error)
    ? Effect.die(new StatementRejected(codeOf(error)))
    : Effect.fail(unavailableFor(error)),
)

/** How long a guarded write is waited for. Others, such as the migration of a large table, take as long as they take. */
const Patience = Context.Reference<number | undefined>("@florin/postgres/Connection/Patience", {
  defaultValue: () => undefined,
})

/** Whether statements run on a connection that the application lent, in a transaction that is not ours to repeat. */
export const IsLent = Context.Reference<boolean>("@florin/postgres/Connection/IsLent", {
  defaultValue: () => false,
})

/** What a failed statement means for the transaction of an application. */
const lentFailures: Readonly<Record<string, string>> = {
  "25001": "is read-only or has another isolation level than this work needs",
  "25006": "is read-only: begin one that may write",
  "25P01": "is not open: begin it first, on the client that you pass",
  "25P02": "has failed earlier: roll it back, and run all of it again",
  "40001": "lost against another one: roll it back, and run all of it again",
  "40P01": "and another one waited for each other: roll it back, and run all of it again",
}

const unavailableWithin = (error: unknown) => {
  const code = codeOf(error)
  const means = lentFailures[code]
  return means === undefined
    ? unavailableFor(error)
    : new StorageUnavailable({ message: `The transaction of the application ${means} (${code})` })
}

/** The failures of the application's transaction, in words for its developer. */
export const within = reporting((error) =>
  isRejection(error) && lentFailures[codeOf(error)] === undefined
    ? Effect.die(new StatementRejected(codeOf(error)))
    : Effect.fail(unavailableWithin(error)),
)

/**
 * Wraps every operation of a port, once and outermost. Work that collided with other work is retried (so it is one
 * statement, or one transaction), the wait is bounded, and failures of the database become `StorageUnavailable`, or a
 * defect. On a lent connection it is neither repeated nor left alone: its transaction belongs to the application.
 *
 * @example Connection.guard(sql.withTransaction(program))
 */
export const guard = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  waitInMs = patienceInMs,
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R> =>
  Effect.flatMap(IsLent, (isLent) =>
    isLent
      ? within(effect)
      : unavailableOrDefect(
          bounded(Effect.provideService(retried(effect), Patience, waitInMs), waitInMs),
        ),
  )

/**
 * How often a decision is repeated because another write came first. One of the competing writes succeeds each time.
 */
const decisionsMax = 200

/** Decides and writes until no other write came first. */
export const retryUntilWritten = Effect.fnUntraced(function* <A, E, R>(
  attempt: Effect.Effect<{ readonly result: A } | null, E, R>,
): Effect.fn.Return<A, E | StorageUnavailable, R> {
  for (let count = 0; count < decisionsMax; count++) {
    const written = yield* attempt
    if (written !== null) return written.result
  }
  return yield* new StorageUnavailable({
    message: "Too many other processes write these records now: try again",
  })
})

const unusable = (url: Redacted.Redacted, who: string, what: string) => {
  const address = URL.parse(Redacted.value(url))
  const where = address?.host ? ` at ${address.host}` : ""
  return new DatabaseUnreachable({ message: `The ${who}${where} ${what}` })
}

const unreachable = (url: Redacted.Redacted) => (error: SqlError.SqlError) => {
  const code = codeOf(error)
  const refusal = Pooler.explain(error.reason.cause)
  if (refusal !== undefined) return unusable(url, "connection pooler", `${refusal} (${code})`)
  const what = code.startsWith("28")
    ? "refused the login: check the user and the password in the address"
    : code === "3D000"
      ? "has no database of that name: create it, or check the name in the address"
      : code === "53300"
        ? "takes no more connections: raise its max_connections, or run fewer processes"
        : "cannot be used: check that it runs and that the address is right"
  // The connection was closed, or not opened in time, without a reason.
  const hint = code === "ConnectionError" ? ". A connection pooler in between logs why" : ""
  return unusable(url, "database server", `${what} (${code})${hint}`)
}

/** PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK. */
export const requireCommitted = (result: unknown): Effect.Effect<void, SqlError.SqlError> => {
  if (!Predicate.hasProperty(result, "command") || result.command !== "ROLLBACK") return Effect.void
  const message = "COMMIT rolled back a failed transaction"
  const reason = new SqlError.ConnectionError({ cause: new Error(message), message })
  return Effect.fail(new SqlError.SqlError({ reason }))
}

/**
 * A process that stops in the middle of its work must not keep rows locked. Poolers refuse the setting as a parameter of
 * the start, so each connection sends it before its first transaction.
 */
const idleLimit = "SET idle_in_transaction_session_timeout = '30s'"

/** The driver makes a new view of a connection for each lease, of what stays. Without that, each lease is limited again. */
const sessionOf = (connection: SqlConnection.Connection): object => {
  const lease = Predicate.hasProperty(connection, "connection") ? connection.connection : undefined
  const session = Predicate.hasProperty(lease, "base") ? lease.base : undefined
  return Predicate.isObject(session) ? session : connection
}

/** Ends a lease after so long, on the machine's clock; returns what prevents that. */
const endLater = (lease: Scope.Closeable, waitInMs: number): (() => void) => {
  const timer = setTimeout(() => Effect.runFork(Scope.close(lease, Exit.void)), waitInMs)
  return () => clearTimeout(timer)
}

/** Statements that are reads, so that they may be cancelled. */
const isSelect = (template: unknown): boolean =>
  Namespace.isTemplate(template) && /^\s*SELECT\b/u.test(template[0] ?? "")

const mayWrite = (statement: string): boolean =>
  !/^\s*(?:SELECT|WITH)\b/u.test(statement) || /\b(?:INSERT|UPDATE|DELETE)\b/u.test(statement)

/**
 * The driver's client, which gives up no write that may be committing. If the driver is interrupted it cancels its
 * statement, and PostgreSQL then ends the wait for a synchronous standby, not the write: others see what the standby
 * does not have. So what may commit is not interrupted. After so long without a response, the lease of the connection
 * ends, and the driver closes a connection whose lease ends in the middle of a statement.
 */
const patient = Effect.fnUntraced(function* (driver: PgClient.PgClient, waitInMs: number) {
  const leases = new WeakMap<SqlConnection.Connection, Scope.Closeable>()
  const leased = Effect.flatMap(Effect.scope, (scope) =>
    Effect.flatMap(Scope.fork(scope), (lease) =>
      Effect.map(Scope.provide(driver.reserve, lease), (connection) => {
        leases.set(connection, lease)
        return connection
      }),
    ),
  )
  const committed = <A>(
    connection: SqlConnection.Connection,
    statement: Effect.Effect<A, SqlError.SqlError>,
    patience = waitInMs,
  ) =>
    Effect.suspend(() => {
      const stay = endLater(leases.get(connection) ?? Scope.makeUnsafe(), patience)
      return Effect.ensuring(statement, Effect.sync(stay))
    }).pipe(Effect.uninterruptible)

  /** Each statement is a transaction of its own. */
  const alone = (connection: SqlConnection.Connection): SqlConnection.Connection => {
    const run = <A>(sql: string, statement: Effect.Effect<A, SqlError.SqlError>) =>
      Effect.flatMap(Patience, (patience) =>
        patience !== undefined && mayWrite(sql)
          ? committed(connection, statement, patience)
          : statement,
      )
    return {
      execute: (sql, ...rest) => run(sql, connection.execute(sql, ...rest)),
      executeRaw: (sql, ...rest) => run(sql, connection.executeRaw(sql, ...rest)),
      executeStream: (...statement) => connection.executeStream(...statement),
      executeValues: (sql, ...rest) => run(sql, connection.executeValues(sql, ...rest)),
      executeValuesUnprepared: (sql, ...rest) =>
        run(sql, connection.executeValuesUnprepared(sql, ...rest)),
      executeUnprepared: (sql, ...rest) => run(sql, connection.executeUnprepared(sql, ...rest)),
    }
  }

  const limited = new WeakSet<object>()
  const control = (connection: SqlConnection.Connection, statement: string) =>
    committed(connection, connection.executeRaw(statement, []))
  const run = (connection: SqlConnection.Connection, statement: string) =>
    Effect.asVoid(control(connection, statement))
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService: driver.transactionService,
    spanAttributes: [["db.system.name", "postgresql"]],
    acquireConnection: (restore) => restore(leased),
    begin: (connection, statement = "BEGIN") => {
      const session = sessionOf(connection)
      const limit = limited.has(session)
        ? Effect.void
        : Effect.tap(run(connection, idleLimit), () => Effect.sync(() => limited.add(session)))
      return Effect.andThen(limit, run(connection, statement))
    },
    commit: (connection) => Effect.flatMap(control(connection, "COMMIT"), requireCommitted),
    rollback: (connection) => run(connection, "ROLLBACK"),
    savepoint: (connection, depth) => run(connection, `SAVEPOINT florin_${depth}`),
    releaseSavepoint: (connection, depth) => run(connection, `RELEASE SAVEPOINT florin_${depth}`),
    rollbackSavepoint: (connection, depth) =>
      run(connection, `ROLLBACK TO SAVEPOINT florin_${depth}`),
  })

  const sql = yield* SqlClient.make({
    acquirer: Effect.map(leased, alone),
    compiler: PgClient.makeCompiler(),
    driver: driver.driver,
    spanAttributes: [["db.system.name", "postgresql"]],
    transactionService: driver.transactionService,
  })
  return new Proxy(Object.assign(sql, { withTransaction }), {
    apply: (target, self, args: ReadonlyArray<unknown>) =>
      Reflect.apply(isSelect(args[0]) ? driver : target, self, args),
  })
})

/**
 * A client for short reads, such as of one row by its key. It sends them one after the other on one connection, without
 * waiting for earlier responses: that is less work for each, and none waits for a writer's connection. Because
 * responses come in order, slow queries and transactions do not belong on it.
 */
export class Reads extends Context.Service<Reads, SqlClient.SqlClient>()(
  "@florin/postgres/Connection/Reads",
) {}

/** A connection that keeps its session, for signals only. */
export interface Session {
  readonly query: (
    text: string,
    values?: ReadonlyArray<unknown>,
  ) => Effect.Effect<
    { readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> },
    SqlError.SqlError
  >
  readonly listen: (
    channel: string,
  ) => Effect.Effect<
    Queue.Dequeue<{ readonly payload: string }, SqlError.SqlError>,
    SqlError.SqlError,
    Scope.Scope
  >
}

/** Opens such connections. */
export class Sessions extends Context.Service<
  Sessions,
  Effect.Effect<Session, SqlError.SqlError, Scope.Scope>
>()("@florin/postgres/Connection/Sessions") {}

/** An operator can distinguish these connections from the others by their name. */
export const sessions = (url: Redacted.Redacted): Layer.Layer<Sessions> =>
  Layer.succeed(
    Sessions,
    Effect.flatMap(
      PgConnection.make({ url, applicationName: "florin signals", keepAlive: "30 seconds" }),
      ({ pin }): Effect.Effect<Session, never, Scope.Scope> => pin,
    ),
  )

const applicationName = "florin"

/** As many as the driver sends on one connection without waiting. */
const readsAtOnce = 128

/**
 * A pool of connections, and one for reads; fails if the first connection cannot be made, or has no session of its own.
 * Beginning and ending a transaction each time out after the time that callers of a port wait for all of it.
 */
export const layer = (
  { maxConnections, schema = "florin", url }: Config,
  waitInMs = patienceInMs,
): Layer.Layer<
  SqlClient.SqlClient | Reads | Sessions,
  DatabaseUnreachable | Namespace.NameUnusable
> => {
  const made = <A, R>(client: Effect.Effect<A, SqlError.SqlError, R>) =>
    realTime(Effect.mapError(client, unreachable(url)))
  const inspected = Effect.flatMap(
    made(Pooler.inspect({ url, applicationName }, waitInMs)),
    (fault) => (fault === null ? Effect.void : Effect.fail(unusable(url, fault.who, fault.what))),
  )
  const pool = PgClient.make({ url, maxConnections, applicationName }).pipe(
    Effect.flatMap((driver) => patient(driver, waitInMs)),
    Effect.map((sql) => Namespace.qualified(sql, schema)),
  )
  const reads = PgClient.make({
    url,
    maxConnections: 1,
    applicationName: "florin reads",
    multiplex: true,
    multiplexConcurrency: readsAtOnce,
    // A read that was given up stays open, so only the connection's age ends a silent one.
    connectionTTL: 3 * waitInMs,
  }).pipe(Effect.map((sql) => Namespace.qualified(sql, schema)))
  return Layer.mergeAll(
    Layer.effect(SqlClient.SqlClient, Effect.andThen(inspected, made(pool))),
    Layer.effect(Reads, made(reads)),
    sessions(url),
    Layer.effect(Namespace.Name, Namespace.requireUsable(schema)),
  ).pipe(Layer.provide(Reactivity.layer))
}
