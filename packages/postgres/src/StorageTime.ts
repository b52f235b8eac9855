/**
 * The database's time. It decides everything on which processes must agree: expiry, leases, deadlines, and retention.
 *
 * Callers pass the time of Effect's `Clock`. Statements that decide by it compare it with the database's time, and do
 * nothing if it is too far off. A delay on the way must not count as a wrong clock. A time that the database has not
 * reached yet was never right, but a time in its past may only have waited, for a connection of the pool or in
 * PgBouncer. So a statement refuses any time that is ahead, and a time that is behind by more than the longest wait. A
 * clock that is behind by less is found by comparing both clocks every two seconds.
 *
 * @module
 */
import * as ClockDrift from "@florin/core/domain/ground/ClockDrift"
import * as Limits from "@florin/core/domain/ground/Limits"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "./Connection.ts"

/** How far the clock of a process may differ from the database's. */
export const DriftMaxInMs = Context.Reference<number>("@florin/postgres/StorageTime/DriftMaxInMs", {
  defaultValue: () => Limits.clockDriftMaxInMs,
})

/** For tests that set the time themselves: clocks are not compared with the database's. */
export const layerUnchecked: Layer.Layer<never> = Layer.succeed(DriftMaxInMs, Infinity)

const betweenLooksInMs = 2000

/** The text in the error of a statement that refuses, followed by the database's time. */
const refusal = "florin: the clock of a process is off, here it is"
const refused = new RegExp(`${refusal} (\\d+)`, "u")

/** The database's time at which a statement refused; null if it failed otherwise. */
const refusedAt = (error: unknown): number | null => {
  if (!SqlError.isSqlError(error)) return null
  const { cause } = error.reason
  const [, at] = (cause instanceof Error ? refused.exec(cause.message) : null) ?? []
  return at === undefined ? null : Number(at)
}

const waited = new StorageUnavailable({
  message: "The deadline of the call had passed when the database got it: try again",
})

/** The comparison of one process's clock with the database's. */
export interface StorageTime {
  /** The database's time. Each call also compares the clocks. */
  readonly now: Effect.Effect<number, StorageUnavailable>
  /** Fails while the clock is known to be off. */
  readonly requireRight: Effect.Effect<void, StorageUnavailable>
  /** `Connection.guard` for work that depends on time: it is not begun while the clock is off. */
  readonly guard: <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R>
  /** The time as a `bigint` of a statement, which fails as a whole if it is too far from the database's. */
  readonly checked: (now: number) => Fragment
  /** A condition that is true if the clock is right at this moment, and fails the statement if it is not. */
  readonly agrees: Effect.Effect<Fragment>
}

/** One client sends the statements; another, which delays nobody, asks for the time. */
export const make = (sql: SqlClient, driftMaxInMs: number, reads = sql): StorageTime => {
  const isChecked = Number.isFinite(driftMaxInMs)
  const aheadMax = sql.literal(String(driftMaxInMs))
  const behindMax = sql.literal(String(driftMaxInMs + Connection.patienceInMs))
  let off: StorageUnavailable | null = null

  /** Records how far the clock is off, and logs when that begins and ends. */
  const note = (before: number, there: number, after: number): Effect.Effect<void> => {
    const clockDriftInMs = ClockDrift.measure(before, there, after)
    const wasOff = off !== null
    if (ClockDrift.isTooFar(clockDriftInMs, driftMaxInMs)) {
      const message = ClockDrift.messageOf(clockDriftInMs)
      off = new StorageUnavailable({ message, clockDriftInMs })
      return wasOff ? Effect.void : Effect.logError(message, { clockDriftInMs })
    }
    // A slow response may fit even if the clock is off.
    if (!wasOff || after - before > driftMaxInMs) return Effect.void
    off = null
    return Effect.logInfo("the clock of this process is right again: work resumes")
  }

  const requireRight = Effect.suspend(() => (off === null ? Effect.void : Effect.fail(off)))

  const judging = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.currentTimeMillis, (before) =>
      effect.pipe(
        Effect.catch((error): Effect.Effect<never, E | StorageUnavailable> => {
          const there = refusedAt(error)
          if (there === null) return Effect.fail(error)
          return Clock.currentTimeMillis.pipe(
            Effect.flatMap((after) => note(before, there, after)),
            Effect.andThen(Effect.suspend(() => Effect.fail(off ?? waited))),
          )
        }),
      ),
    )

  // The time when the statement arrived, because later parts may wait for locks. Casting a text that is no number is
  // the only way to fail within an expression and give a reason. A subquery is computed once, and can limit an index
  // scan.
  const checked = (now: number): Fragment =>
    isChecked
      ? sql`(SELECT CASE WHEN proposed - here BETWEEN -${behindMax} AND ${aheadMax} THEN proposed
          ELSE (${sql.literal(`'${refusal} '`)} || here)::bigint END
        FROM (SELECT ${now}::bigint AS proposed,
          (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS here) AS clocks)`
      : sql`${now}::bigint`

  return {
    requireRight,

    now: Effect.gen(function* () {
      const before = yield* Clock.currentTimeMillis
      const [row] = yield* Connection.guard(
        reads<{ readonly now: bigint }>`
          SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`,
      )
      const there = Number(row?.now ?? 0n)
      yield* note(before, there, yield* Clock.currentTimeMillis)
      return there
    }),

    guard: (effect) => Effect.andThen(requireRight, Connection.guard(judging(effect))),

    checked,
    agrees: Effect.map(Clock.currentTimeMillis, (now) => sql`${checked(now)} IS NOT NULL`),
  }
}

/** Compares both clocks before anything is done, and from then on for as long as the scope lives. */
export const watch = Effect.fnUntraced(function* (
  sql: SqlClient,
  reads: SqlClient,
): Effect.fn.Return<StorageTime, never, Scope.Scope> {
  const driftMaxInMs = yield* DriftMaxInMs
  const time = make(sql, driftMaxInMs, reads)
  if (!Number.isFinite(driftMaxInMs)) return time
  // If the database does not respond, nothing is known about the clock.
  const look = Effect.ignore(time.now)
  yield* look
  yield* Connection.realTime(Effect.sleep(betweenLooksInMs)).pipe(
    Effect.andThen(look),
    Effect.forever,
    Effect.forkScoped,
  )
  return time
})
