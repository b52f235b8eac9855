/**
 * Connection poolers such as PgBouncer, between this process and PostgreSQL: what they refuse, and whether they leave a
 * connection its session.
 *
 * @module
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** What a pooler that shares connections breaks, and what to do about it. */
export const shares =
  "runs the transactions of one client on several connections (pool_mode = transaction or statement in PgBouncer). Florin needs its sessions: it listens for signals (LISTEN), and keeps a timeout and prepared statements in them. Set pool_mode = session for this database, or connect to PostgreSQL directly"

/** What each client that waits for a connection is told, whatever the reason. */
const poolSize = "default_pool_size in PgBouncer is at least 12 for each process of Florin"
const none = `has no connection to PostgreSQL left, or cannot make one: check that PostgreSQL runs, and that ${poolSize}`

/** What PgBouncer says, and what that means for its operator. */
const refusals: ReadonlyArray<readonly [said: RegExp, means: (name: string) => string]> = [
  [
    /^unsupported startup parameter(?: in options)?: ([\w.]+)/u,
    (name) =>
      `refuses the parameter ${name}: remove it from the address, or add it to ignore_startup_parameters in PgBouncer`,
  ],
  [
    /^(?:no more connections allowed|client connections exceeded) \((max_\w+)\)/u,
    (name) => `takes no more clients: raise ${name} in PgBouncer`,
  ],
  [
    /^(?:no such database|database ".*" does not exist)/u,
    () =>
      "has no database of that name: check the name in the address, and [databases] in PgBouncer",
  ],
  [/^(?:query_wait_timeout|server login has been failing)/u, () => none],
]

/** What a pooler means with its error, as the rest of a sentence about it. */
export const explain = (cause: unknown): string | undefined => {
  const said = Predicate.hasProperty(cause, "message") ? String(cause.message) : ""
  // PostgreSQL itself may say this.
  if (Predicate.hasProperty(cause, "code") && cause.code === "3D000") return undefined
  for (const [pattern, means] of refusals) {
    const found = pattern.exec(said)
    if (found !== null) return means(found[1] ?? "")
  }
  return undefined
}

/** No two connections of a server have the same at the same time, and none has it again later. */
const backend = Effect.fnUntraced(function* ({ query }: PgConnection.PgConnection) {
  const { rows } = yield* query(
    "SELECT pid, backend_start::text AS since FROM pg_stat_activity WHERE pid = pg_backend_pid()",
    [],
    false,
  )
  const [{ pid, since } = {}] = rows
  return { pid, name: `${String(pid)} ${String(since)}` }
})

/** One finds a pooler that nobody else uses; the others find one that many use. */
const rounds = 10

/** Whether the two are ever seen on one process, or the first one on another than its own. */
const areShared = Effect.fnUntraced(function* (
  own: string,
  first: PgConnection.PgConnection,
  second: PgConnection.PgConnection,
) {
  const isOwn = (connection: PgConnection.PgConnection) =>
    Effect.map(backend(connection), ({ name }) => name === own)
  const control = (statement: string) => second.query(statement, [], false)
  for (let round = 0; round < rounds; round++) {
    if (!(yield* isOwn(first)) || (yield* isOwn(second))) return true
    // From here on, the second one keeps the process that it has. A pooler of single statements refuses that.
    if ((yield* Effect.result(control("BEGIN")))._tag === "Failure") return true
    if ((yield* isOwn(second)) || !(yield* isOwn(first))) return true
    yield* control("ROLLBACK")
  }
  return false
})

/** A sentence about what is at the address. */
interface Fault {
  readonly who: "connection pooler" | "database server"
  readonly what: string
}

const ofPooler = (what: string): Fault => ({ who: "connection pooler", what })

const silent: Fault = {
  who: "database server",
  what: `accepts a connection and then does not respond: check that it runs. If it is a connection pooler, check that ${poolSize}`,
}

/**
 * Finds out what is wrong with a pooler that leaves a connection no session of its own. There is no pooler if the connection
 * is to the process that it was told at its start, because a pooler tells a number that it made up. The check leaves
 * nothing behind in any session.
 */
export const inspect = Effect.fnUntraced(function* (config: PgConnection.Config, waitInMs: number) {
  const first = yield* PgConnection.make(config)
  const own = yield* Effect.timeoutOption(backend(first), waitInMs)
  if (Option.isNone(own)) return silent
  if (own.value.pid === first.processId) return null
  const second = yield* PgConnection.make(config)
  // A pooler without one closes the connection after a while.
  const other = yield* Effect.result(Effect.timeout(backend(second), waitInMs))
  if (other._tag === "Failure") return ofPooler(none)
  const shared = yield* Effect.timeoutOption(areShared(own.value.name, first, second), waitInMs)
  if (Option.isNone(shared)) return silent
  return shared.value ? ofPooler(shares) : null
}, Effect.scoped)
