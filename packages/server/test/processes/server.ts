/**
 * One server process of several (see servers.ts): a whole service on their database, behind a listener. The chain and
 * the time are those of the process that started it, which also says when it works.
 *
 * @module
 */
import process from "node:process"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { Assets } from "@florin/core/ports/Assets"
import { Chain, Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Signals } from "@florin/core/ports/Signals"
import { Vault } from "@florin/core/ports/Vault"
import { WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as WebhookSender from "@florin/core/workers/WebhookSender"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import * as Stores from "@florin/testing/Stores"
import { type Context, Deferred, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Postgres from "../../../postgres/src/Postgres.ts"
import * as StorageTime from "../../../postgres/src/StorageTime.ts"
import * as WebhookBody from "../../src/WebhookBody.ts"
import * as Drawing from "../../test-support/drawing.ts"
import * as Drains from "../drains.ts"
import * as Pausing from "../pausing.ts"
import * as Calls from "./calls.ts"

const [, , url = "", seed = ""] = process.argv

const draw = Drawing.make(Number(seed))

/** One call of a port, after so many others, waits longer than they do. */
let held = { after: -1, inMs: 0 }
const holdInMs = () => (held.after-- === 0 ? held.inMs : 0)
const sleep = (inMs: number) => (inMs === 0 ? Effect.void : TestClock.withLive(Effect.sleep(inMs)))
const hold = Effect.suspend(() => sleep(holdInMs()))
const pause = Effect.suspend(() => sleep(holdInMs() || (draw(3) === 0 ? draw(4) : 0)))

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
  hold: (after: number, inMs: number) => Effect.sync(() => void (held = { after, inMs })),
  changeMerchant: Merchants.changeAsOperator,
  deliver: () =>
    Effect.flatMap(Assets, (assets) => WebhookSender.drain(WebhookBody.render(assets))).pipe(
      Effect.provide(transport),
    ),
  startWorkers: () => Effect.forkDetach(Layer.launch(workers)).pipe(Effect.asVoid),
  /** How many polls are parked on a payment. */
  parked: (id: string) =>
    Effect.map(Signals, ({ watching }) => watching(PaymentId.PaymentId.make(id)).here),
}

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

/** The receivers of webhooks, who are with the parent. */
const transport = Layer.succeed(
  WebhookTransport,
  Calls.far(WebhookTransport.of({ post: () => Effect.succeed(200) }), ask),
)

/** So small a batch that no process takes all that is due at once; time passes in steps of seconds. */
const workers = Layer.provide(Florin.workers({ batch: 2, idleInMs: 1000 }), transport)

/** The chain of the parent. The one at hand is never asked. */
const chains = Layer.effect(
  Chains,
  Effect.map(Chain, (own) => {
    const chain = Pausing.paused(Calls.far(own, ask), hold)
    return Chains.of({ of: () => chain })
  }),
)

/** One vault for all, as the same key would be. */
const vault = Layer.effect(
  Vault,
  Effect.map(Vault, (own) => Calls.far(own, ask)),
)

/** An idle connection is kept for long: on a busy machine, a caller may use it just when it would be closed. */
const server = NodeListener.layer({ port: 0, keepAliveInMs: 600_000 }).pipe(
  Layer.provideMerge(Florin.layer({ publicUrl: "https://pay.example.com" })),
  Layer.provideMerge(Layer.mergeAll(shared, chains, vault)),
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
