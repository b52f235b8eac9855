/**
 * The process that waits: for one change after the other, through our signals or by a plain LISTEN, and says when it was
 * woken.
 *
 * @module
 */
import { once } from "node:events"
import process from "node:process"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import { Effect, Layer, Queue, Redacted, Schema } from "effect"
import * as Connection from "../src/Connection.ts"
import * as SignalsPostgres from "../src/SignalsPostgres.ts"

const url = Redacted.make(process.argv[2] ?? "")

const Wait = Schema.Struct({
  id: PaymentId.PaymentId,
  through: Schema.Literals(["florin", "bare"]),
})

const say = (message: string) => Effect.sync(() => void process.send?.(message))

const wait = Effect.gen(function* () {
  const signals = yield* Signals
  const connection = yield* PgConnection.make({ url })
  const notifications = yield* connection.listen("bare")
  yield* say("ready")
  for (;;) {
    const [message] = yield* Effect.promise(() => once(process, "message"))
    const { id, through } = yield* Schema.decodeUnknownEffect(Wait)(message)
    const woken =
      through === "florin"
        ? yield* signals.watch(id)
        : Effect.repeat(Queue.take(notifications), { until: ({ payload }) => payload === id })
    yield* say("waiting")
    yield* woken
    // The machine's monotonic clock, which its processes share.
    yield* say(String(process.hrtime.bigint()))
  }
})

const signals = SignalsPostgres.layer.pipe(Layer.provide(Connection.layer({ url })))

Effect.runFork(Effect.scoped(Effect.provide(wait, signals)))
