/**
 * Three server processes on one PostgreSQL database. Requests go to one after the other, and all of them do what is due
 * at the same time.
 *
 * Their chain is one simulated chain, which is here: what a process asks its chain is a call to this process, as it is
 * one to the node of a real chain. Their time is this process's test clock, too: all are set together.
 *
 * @module
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { Chain } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Vault } from "@florin/core/ports/Vault"
import type * as WebhookTransport from "@florin/core/ports/WebhookTransport"
import { Clock, Context, Deferred, Effect, Layer, ManagedRuntime, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll } from "vitest"
import * as Connection from "../../../postgres/src/Connection.ts"
import * as StoragePostgres from "../../../postgres/src/StoragePostgres.ts"
import * as StorageTime from "../../../postgres/src/StorageTime.ts"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as Processes from "../../../postgres/test-support/processes.ts"
import * as Scene from "../scene.ts"
import { World } from "../world.ts"
import * as Calls from "./calls.ts"

const count = 3
const script = new URL("server.ts", import.meta.url)

export interface Server {
  /** Its answer to a request; dies where it is gone. */
  readonly respond: (request: Request) => Effect.Effect<Response>
  /** A command to it, over when the process is. */
  readonly ask: (name: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  /** As `kill -9`. */
  readonly kill: Effect.Effect<void>
}

/** What happens around a call of a server to the chain. */
export type AroundChain = (
  server: Server,
  name: string,
  call: Effect.Effect<unknown, unknown>,
) => Effect.Effect<unknown, unknown>

const send = async (url: string, request: Request) => {
  const { pathname, search } = new URL(request.url)
  const { headers, method } = request
  const body = request.body === null ? null : await request.arrayBuffer()
  return fetch(new URL(`${pathname}${search}`, url), { method, headers, body })
}

/** A process that listens, until the scope ends. */
const start = Effect.fnUntraced(function* (
  database: string,
  seed: number,
  serve: (server: Server) => Calls.Serve,
) {
  const listening = Deferred.makeUnsafe<string>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(Processes.fileOf(script), [database, String(seed)], {
        execArgv: [],
        serialization: "advanced",
      }),
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL")),
  )
  const ended = once(child, "exit")
  const died = Effect.promise(() => ended)
  const ask = Calls.make(
    {
      // What is said to one that is gone is lost.
      send: (message) => child.connected && child.send(message, () => undefined),
      listen: (listener) => child.on("message", listener),
    },
    (name, args) =>
      name === "listens" ? Deferred.succeed(listening, String(args[0])) : serve(server)(name, args),
  )
  const server: Server = {
    respond: (request) =>
      Effect.flatMap(Deferred.await(listening), (url) => Effect.promise(() => send(url, request))),
    ask: (name, ...args) => Effect.raceFirst(Effect.orDie(ask(name, ...args)), died),
    kill: Effect.andThen(
      Effect.sync(() => child.kill("SIGKILL")),
      died,
    ),
  }
  yield* Effect.raceFirst(
    Deferred.await(listening),
    Effect.andThen(died, Effect.die(new Error("a server process ended before it listened"))),
  )
  return server
})

/** The server processes, and what a test does to them. */
export class Servers extends Context.Service<
  Servers,
  {
    readonly running: () => ReadonlyArray<Server>
    /** Sets what happens around calls to the chain from now on. */
    readonly aroundChain: (around: AroundChain) => void
    /** The calls that receivers of webhooks got, in their order. */
    readonly received: ReadonlyArray<WebhookTransport.Call>
    /** Kills one, and starts another in its place when it is told to. */
    readonly replace: (server: Server) => Effect.Effect<Effect.Effect<void>>
  }
>()("@florin/server/test/Servers") {}

const make = Effect.fnUntraced(function* (database: string) {
  const scope = yield* Effect.scope
  const chain = yield* Chain
  const clock = yield* Clock.Clock
  let running: ReadonlyArray<Server> = []
  let around: AroundChain = (_, __, call) => call
  let started = 0
  let asked = 0

  const received: Array<WebhookTransport.Call> = []
  const { open, seal } = yield* Vault
  const ports = {
    open,
    seal,
    post: (call: WebhookTransport.Call) => Effect.sync(() => (received.push(call), 200)),
  }

  const serve = (server: Server): Calls.Serve => {
    const ofChain = Calls.near(chain)
    const ofOthers = Calls.near(ports)
    return (name, args) =>
      name in ports
        ? ofOthers(name, args)
        : Effect.provideService(around(server, name, ofChain(name, args)), Clock.Clock, clock)
  }

  const tellAll = (name: string, ...args: ReadonlyArray<unknown>) =>
    Effect.forEach(running, (server) => server.ask(name, ...args), {
      concurrency: "unbounded",
      discard: true,
    })

  const tellTime = Effect.flatMap(Clock.currentTimeMillis, (now) => tellAll("setTime", now))

  const startOne = Effect.gen(function* () {
    started += 1
    const server = yield* Scope.provide(start(database, started, serve), scope)
    running = [...running, server]
  })

  yield* TestClock.setTime(Scene.now)
  yield* Effect.all(
    Array.from({ length: count }, () => startOne),
    { concurrency: "unbounded" },
  )

  const servers = Servers.of({
    running: () => running,
    aroundChain: (next) => {
      around = next
    },
    received,
    replace: (server) => {
      running = running.filter((each) => each !== server)
      return Effect.as(server.kill, Effect.andThen(startOne, tellTime))
    },
  })

  return Context.make(Servers, servers).pipe(
    Context.add(World, {
      respond: (request) =>
        Effect.suspend(() => {
          asked += 1
          const server = running[asked % running.length]
          return server === undefined
            ? Effect.die(new Error("no server process is left"))
            : server.respond(request)
        }),
      // Their time goes on from race to race: they share a database, and it knows what was.
      begin: Effect.void,
      pass: (time) => Effect.andThen(TestClock.adjust(time), tellTime),
      drain: (worker) => tellAll("drain", worker),
      // They pause by themselves.
    }),
  )
})

const world = Layer.unwrap(
  Effect.map(Databases.address("migrated"), (url) => {
    const storage = Layer.provide(
      StoragePostgres.layer,
      Layer.merge(Connection.layer({ url: Redacted.make(url) }), StorageTime.layerUnchecked),
    )
    return Layer.effectContext(make(url)).pipe(
      Layer.provideMerge(
        Scene.layer({ identifiers: Identifiers.layer, beforeStorage: Layer.orDie(storage) }),
      ),
      Layer.provideMerge(TestClock.layer()),
    )
  }),
)

/**
 * The same three processes for all tests of a file: to start them takes a second, and half a minute on a busy machine,
 * which is no test's time.
 */
export const shared = () => {
  const runtime = ManagedRuntime.make(world)
  beforeAll(() => runtime.runPromise(Effect.void))
  afterAll(() => runtime.dispose())
  return Layer.effectContext(Effect.promise(() => runtime.context()))
}
