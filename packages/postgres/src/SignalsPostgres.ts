/**
 * Signals between the processes that share a database, over LISTEN and NOTIFY.
 *
 * Each process has one connection only for signals, so that a busy pool delays none. Waiting work in the same process
 * is woken without it. While the connection is lost, everything continues: waiting work reads the storage again every
 * few seconds.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as SqlError from "effect/sql/SqlError"
import * as Connection from "./Connection.ts"
import * as Namespace from "./Namespace.ts"
import * as Pooler from "./Pooler.ts"

/** The channel of the services in a schema: those in other schemas of the database have channels of their own. */
export const channelOf = (schema: string): string => `${schema}_payment_changed`

/** PostgreSQL takes less than 8000 bytes in one NOTIFY, and an id has at most 68. */
const idsPerNotify = 100

/**
 * Changes within this time are sent as one signal: a single change is not delayed, and a burst costs few statements.
 */
const restInMs = 3

/** A process that cannot notify the others for long drops its unsent signals: the others read again on their own. */
const unsentMax = 10_000

/** So often a process says that it listens. One that hears no other three times as long sends nothing else. */
export const GreetingInMs = Context.Reference<number>(
  "@florin/postgres/SignalsPostgres/GreetingInMs",
  { defaultValue: () => 30_000 },
)

const firstPauseInMs = 100
const longestPauseInMs = 10_000

const responseTimeout = "10 seconds"

/** Signals over sessions that this opens, one after the other. */
const make = (open: Connection.Sessions["Service"]) =>
  Effect.gen(function* () {
    const greetingInMs = yield* GreetingInMs
    const heardInMs = 3 * greetingInMs
    const channel = channelOf(yield* Namespace.Name)
    const { signals, wakeAll } = Signals.makeMemory()
    // Every message begins with its sender's name: a process ignores its own messages, because it has already woken its
    // waiting work.
    const self = randomBytes(9).toString("base64url")
    const unsent = new Set<PaymentId.PaymentId>()
    const gathered = Latch.makeUnsafe(false)
    const tried = Latch.makeUnsafe(false)
    let failures = 0
    let warned = false
    let isHearing = false
    // Until then another process may listen. One that has just begun does not know yet, and may end before it does.
    let heardUntil = 0
    const hasHeard = () => performance.now() < heardUntil

    // Only a connection that keeps its session receives signals. This may change while the process runs.
    const noticeShared = Effect.suspend(() => {
      if (warned) return Effect.void
      warned = true
      return Effect.logError(
        `signals between processes are lost: the connection pooler ${Pooler.shares}`,
      )
    })

    const gather = (ids: Iterable<PaymentId.PaymentId>) => {
      for (const id of ids) if (unsent.size < unsentMax) unsent.add(id)
      gathered.openUnsafe()
    }

    const take = () => {
      const ids = [...unsent].slice(0, idsPerNotify)
      for (const id of ids) unsent.delete(id)
      return ids
    }

    const send = (connection: Connection.Session, listening: unknown, ids: ReadonlyArray<string>) =>
      connection
        .query("SELECT pg_notify($1, $2), pg_backend_pid() AS pid", [
          channel,
          [self, ...ids].join(" "),
        ])
        .pipe(
          Effect.timeout(responseTimeout),
          Effect.flatMap(({ rows }) =>
            rows[0]?.["pid"] === listening ? Effect.void : noticeShared,
          ),
        )

    const notify = (connection: Connection.Session, listening: unknown) =>
      Effect.suspend(() => {
        const ids = take()
        return hasHeard()
          ? Effect.onError(send(connection, listening, ids), () => Effect.sync(() => gather(ids)))
          : Effect.void
      })

    const notifyRest = (connection: Connection.Session, listening: unknown) =>
      Effect.whileLoop({
        while: () => unsent.size > 0,
        body: () => notify(connection, listening),
        step: () => undefined,
      })

    const notifyAll = Effect.fnUntraced(function* (
      connection: Connection.Session,
      listening: unknown,
    ) {
      for (;;) {
        yield* gathered.await
        yield* gathered.close
        yield* notifyRest(connection, listening)
        yield* Effect.sleep(restInMs)
      }
    })

    const receive = (
      payload: string,
      greet: Effect.Effect<void, SqlError.SqlError | Cause.TimeoutError>,
    ) => {
      const [sender, ...texts] = payload.split(" ")
      if (sender === self) return Effect.void
      const ids = texts.map(PaymentId.parse).filter(Result.isSuccess)
      const wake = Effect.forEach(ids, (id) => signals.changed(id.success), { discard: true })
      // Who begins to listen shall know soon that somebody does.
      const isNew = !hasHeard()
      heardUntil = performance.now() + heardInMs
      return isNew ? Effect.andThen(wake, greet) : wake
    }

    const receiveAll = (
      notifications: Queue.Dequeue<{ readonly payload: string }, SqlError.SqlError>,
      greet: Effect.Effect<void, SqlError.SqlError | Cause.TimeoutError>,
    ) =>
      Effect.forever(
        Effect.flatMap(Queue.take(notifications), ({ payload }) => receive(payload, greet)),
      )

    const session = Effect.gen(function* () {
      const connection = yield* open
      const notifications = yield* connection.listen(channel)
      const { rows } = yield* connection.query("SELECT pg_backend_pid() AS pid")
      if (failures > 0) yield* Effect.logInfo("signals between processes are back")
      failures = 0
      isHearing = true
      heardUntil = performance.now() + heardInMs
      // Changes up to now were not signalled here.
      yield* wakeAll
      yield* tried.open
      const listening = rows[0]?.["pid"]
      // A short command ends soon after its change, and nobody else sends its signals. A lost connection cannot.
      yield* Effect.addFinalizer((exit) =>
        Exit.hasInterrupts(exit) ? Effect.ignore(notifyRest(connection, listening)) : Effect.void,
      )
      const greet = send(connection, listening, [])
      yield* Effect.all(
        [
          receiveAll(notifications, greet),
          notifyAll(connection, listening),
          Effect.forever(Effect.andThen(greet, Effect.sleep(greetingInMs))),
        ],
        { concurrency: 3 },
      )
    })

    const pause = Effect.suspend(() => {
      const inMs = Math.min(firstPauseInMs * 2 ** failures++, longestPauseInMs)
      // Processes that lost the database together should not all reconnect at the same moment.
      return Effect.flatMap(Random.nextBetween(0.5, 1), (part) => Effect.sleep(inMs * part))
    })

    const lost = Effect.suspend(() => {
      isHearing = false
      return failures === 0
        ? Effect.logWarning(
            "signals between processes are lost: until they are back, long polls respond some seconds later",
          )
        : Effect.void
    }).pipe(Effect.andThen(tried.open), Effect.andThen(pause))

    yield* Effect.scoped(session).pipe(
      Effect.catchCause(() => lost),
      Effect.forever,
      Connection.realTime,
      Effect.forkScoped,
    )
    yield* tried.await

    return Signals.of({
      ...signals,
      // A pooler that shares connections loses signals without a word.
      isReliable: () => isHearing && !warned,
      changed: (id) =>
        Effect.andThen(
          signals.changed(id),
          Effect.sync(() => gather([id])),
        ),
    })
  })

/**
 * Signals for this process and all others on the database. The layer is ready when it listens; if that fails at first,
 * it is ready without, and continues to try.
 */
export const layer: Layer.Layer<Signals, never, Connection.Sessions> = Layer.effect(
  Signals,
  Effect.flatMap(Connection.Sessions, make),
)
