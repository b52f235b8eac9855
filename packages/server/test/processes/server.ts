/**
 * One server process of several (see servers.ts): a whole service on their database, behind a listener. The chain and
 * the time are those of the process that started it, which also says when it works.
 *
 * @module
 */
import process from "node:process"
import * as PaymentId from "@florin/core/domain/PaymentId"
import { Chain, Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Signals } from "@florin/core/ports/Signals"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import * as Stores from "@florin/testing/Stores"
import { type Context, Deferred, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Postgres from "../../../postgres/src/Postgres.ts"
import * as StorageTime from "../../../postgres/src/StorageTime.ts"
import * as Drains from "../drains.ts"
import * as Drawing from "../drawing.ts"
import * as Pausing from "../pausing.ts"
import * as Calls from "./calls.ts"

const [, , url = "", seed = ""] = process.argv

const draw = Drawing.make(Number(seed))
const pause = Effect.suspend(() =>
  draw(3) === 0 ? TestClock.withLive(Effect.sleep(draw(4))) : Effect.void,
)

const shared = Layer.mergeAll(
  Layer.effectContext(Stores.wrapAll((store) => Pausing.paused(store, pause))),
  Layer.effect(Signals, Signals),
).pipe(
  Layer.provide(Postgres.layer({ url: Redacted.make(url), maxConnections: 10 })),
  // They are told what time it is.
  Layer.provide(StorageTime.layerUnchecked),
)

const commands = {
  setTime: TestClock.setTime,
  drain: (worker: Drains.Worker) => Drains.all[worker],
  startWorkers: () => Effect.forkDetach(Layer.launch(workers)).pipe(Effect.asVoid),
  /** How many polls are parked on a payment. */
  parked: (id: string) =>
    Effect.map(Signals, ({ watching }) => watching(PaymentId.PaymentId.make(id)).here),
}

/** So small a batch that no process takes all that is due at once; time passes in steps of seconds. */
const workers = Layer.provide(Florin.workers({ batch: 2, idleInMs: 1000 }), WebhookHttp.layer)

const started = Deferred.makeUnsafe<Context.Context<never>>()
const ask = Calls.make(
  {
    send: (message) => process.send?.(message),
    listen: (listener) => process.on("message", listener),
  },
  (name, args) =>
    Effect.flatMap(Deferred.await(started), (context) =>
      Effect.provideContext(Calls.near(commands)(name, args), context),
    ),
)

/** The chain of the parent. The one at hand is never asked. */
const chains = Layer.effect(
  Chains,
  Effect.map(Chain, (own) => {
    const chain = Calls.far(own, ask)
    return Chains.of({ of: () => chain })
  }),
)

const server = NodeListener.layer({ port: 0 }).pipe(
  Layer.provideMerge(Florin.layer({ publicUrl: "https://pay.example.com" })),
  Layer.provideMerge(Layer.merge(shared, chains)),
  Layer.provideMerge(Service.layer({ identifiers: Identifiers.layer })),
  Layer.provideMerge(TestClock.layer({ warningDelay: "1 hour" })),
)

process.once("disconnect", () => process.exit())

Effect.runFork(
  Effect.gen(function* () {
    yield* TestClock.setTime(Fixtures.now)
    yield* Deferred.succeed(started, yield* Effect.context<Layer.Success<typeof server>>())
    yield* ask("listens", (yield* NodeListener.NodeListener).url)
    return yield* Effect.never
  }).pipe(Effect.provide(server)),
)
