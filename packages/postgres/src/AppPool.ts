/**
 * The pool of connections that the application has already, a `Pool` of `pg`, in place of one of our own.
 *
 * No statement has a name and no setting outlives its transaction, so the pool may lead to a pooler that shares
 * connections. There, only signals between processes are missing, and those who wait read again.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import * as Connection from "./Connection.ts"
import * as Lent from "./Lent.ts"
import * as Namespace from "./Namespace.ts"
import * as TextFormat from "./TextFormat.ts"

/** As much as is used of a client of `pg`. */
interface Client {
  readonly query: (statement: {
    readonly text: string
    readonly values: Array<unknown>
    readonly types: { readonly getTypeParser: (oid: number) => (text: string) => unknown }
  }) => PromiseLike<{ readonly rows: ReadonlyArray<object>; readonly command?: string }>
  readonly release: (destroy?: boolean) => void
  readonly on: (event: "notification" | "error", listener: (event: unknown) => void) => unknown
  readonly off: (event: "notification" | "error", listener: (event: unknown) => void) => unknown
}

/** As much as is used of a `Pool` of `pg`. */
interface Pool {
  readonly connect: () => Promise<Client>
}

export interface Config {
  /** Has at least three connections: one of them is for signals. */
  readonly pool: Pool
  /** The PostgreSQL schema of the service's tables (default: `florin`). It is created if necessary. */
  readonly schema?: string | undefined
}

const types = { getTypeParser: TextFormat.parserOf }

const ignore = () => {}
const listened = new WeakSet<Client>()

/**
 * A lost connection fails its statements. Without a listener, it would end the process, too, even while it is closed.
 * The pool still reports what it loses.
 */
const outlive = (client: Client): void => {
  if (listened.has(client)) return
  listened.add(client)
  client.on("error", ignore)
}

/**
 * Leases a client. A lease that ends in the middle of a statement is returned to the pool after that statement; if the
 * statement does not end, its connection is closed.
 */
const lease = (pool: Pool, waitInMs: number) => {
  const take = async () => {
    const client = await pool.connect()
    outlive(client)
    let isOver = false
    const release = (destroy: boolean) => {
      if (isOver) return
      isOver = true
      client.release(destroy)
    }
    const closeLater = () => {
      const timer = setTimeout(() => release(true), waitInMs)
      timer.unref()
      return timer
    }
    const sent = Lent.statements(async (text, values) => {
      const result = await client.query({ text, values, types })
      // Several statements in one have several results.
      return Array.isArray(result) ? { rows: [] } : result
    }, closeLater)
    const end = async () => {
      if (sent.isIdle()) return release(false)
      const timer = closeLater()
      await sent.idle()
      clearTimeout(timer)
      release(false)
    }
    return { client, end, release, ...sent }
  }
  return Effect.acquireRelease(Effect.tryPromise({ try: take, catch: Lent.errorOf }), ({ end }) =>
    Effect.sync(() => void end()),
  )
}

/** A process that stops in the middle of its work must not keep rows locked. */
const begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '30s'"

/** A connection of the pool that is kept for signals, and closed afterwards. */
const session = (
  pool: Pool,
  waitInMs: number,
): Effect.Effect<Connection.Session, SqlError.SqlError, Scope.Scope> =>
  Effect.map(lease(pool, waitInMs), ({ client, release, run }) => {
    const query = (text: string, values: ReadonlyArray<unknown> = []) =>
      Effect.map(run(text, values), ({ rows }) => ({ rows: rows.map((row) => ({ ...row })) }))
    return {
      query,
      listen: Effect.fnUntraced(function* (channel: string) {
        const queue = yield* Queue.unbounded<{ readonly payload: string }, SqlError.SqlError>()
        const take = (message: unknown) => {
          const payload = Predicate.hasProperty(message, "payload") ? message.payload : undefined
          Queue.offerUnsafe(queue, { payload: String(payload ?? "") })
        }
        const lose = (cause: unknown) => {
          Queue.failCauseUnsafe(queue, Cause.fail(Lent.errorOf(cause)))
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            client.on("notification", take)
            client.on("error", lose)
          }),
          () =>
            Effect.sync(() => {
              client.off("notification", take)
              client.off("error", lose)
              release(true)
            }),
        )
        yield* query(`LISTEN "${channel}"`)
        return queue
      }),
    }
  })

export const layer = (
  { pool, schema = "florin" }: Config,
  waitInMs = Connection.patienceInMs,
): Layer.Layer<SqlClient.SqlClient | Connection.Sessions, Namespace.NameUnusable> => {
  const client = SqlClient.make({
    acquirer: Effect.map(lease(pool, waitInMs), ({ connection }) => connection),
    compiler: Lent.compiler,
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]],
    beginTransaction: begin,
    commit: (connection) =>
      Effect.flatMap(connection.executeRaw("COMMIT", []), Connection.requireCommitted),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
  })
  return Layer.mergeAll(
    Layer.effect(
      SqlClient.SqlClient,
      Effect.map(client, (sql) => Namespace.qualified(sql, schema)),
    ).pipe(Layer.provide(Reactivity.layer)),
    Layer.succeed(Connection.Sessions, session(pool, waitInMs)),
    Layer.effect(Namespace.Name, Namespace.requireUsable(schema)),
  )
}
