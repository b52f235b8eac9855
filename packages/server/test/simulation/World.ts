/**
 * A whole service in a world that follows from a seed: processes over one storage, chains, partners and payers, who talk
 * to it over HTTP. Every response, delivery and block is kept as evidence.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Confusables } from "@florin/core/ports/Confusables"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import { Screening } from "@florin/core/ports/Screening"
import type { Settings } from "@florin/core/ports/Settings"
import { Signals } from "@florin/core/ports/Signals"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import { WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Fixtures from "@florin/testing/Fixtures"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import * as SeededIdentifiers from "@florin/testing/SeededIdentifiers"
import * as Service from "@florin/testing/Service"
import * as Stores from "@florin/testing/Stores"
import { Cause, Clock, Context, Effect, Exit, Layer, Scheduler, Scope } from "effect"
import * as Bidding from "../../../core/test-support/bidding.ts"
import * as Unicode from "../../src/edge/Confusables.ts"
import * as Florin from "../../src/Florin.ts"
import { Handler } from "../../src/Handler.ts"
import * as Exchange from "../../src/http/Exchange.ts"
import * as Drawing from "../../test-support/drawing.ts"
import * as Machine from "./Machine.ts"

// A world waits for nothing that is not in it.
await Effect.runPromise(Effect.provide(Effect.flatten(Confusables), Unicode.layer))

/** What may go wrong, in parts of a thousand calls of ports. */
export interface Rates {
  /** Others get a turn. */
  readonly pause: number
  /** The storage fails, half of the times after it wrote. */
  readonly storage: number
  /** The response to a request is lost. */
  readonly response: number
  /** A transaction of ours that waits is bid for again. */
  readonly bid: number
}
export const calm: Rates = { pause: 0, storage: 0, response: 0, bid: 0 }

/** A replaced part of the service, such as a fault that must be noticed. */
export type Replacing = (ports: Context.Context<Ports>) => Context.Context<Ports>

export interface Options {
  readonly seed: number
  readonly processes: number
  readonly finalityDepth: number
  /** By how much the clocks of processes are off, at most. */
  readonly driftInMs?: number
  /** Whether payers are asked who they are from ten dollars on; what they said is kept for ten minutes. */
  readonly asksForData?: boolean
  readonly settings?: Partial<Settings["Service"]>
  readonly replace?: Replacing
  /** Hears what happens, in its order. */
  readonly tell?: (what: string) => void
}

export type Ports = Layer.Success<ReturnType<typeof Service.layer>>

export interface Request {
  /** Default: POST with a body, and GET without. */
  readonly method?: "PUT" | "DELETE"
  readonly path: string
  readonly key: string
  readonly merchantId?: string
  readonly idempotencyKey?: string
  readonly body?: Evidence.Json
}
export type Response = Evidence.Exchange["response"]

const encoder = new TextEncoder()
const nothing = new Uint8Array()

const methodOf = ({ body, method }: Request) => method ?? (body === undefined ? "GET" : "POST")

const incomingOf = (request: Request) => {
  const { body, idempotencyKey, key, merchantId, path } = request
  const headers = new Map([
    ["api-key", key],
    ["content-type", "application/json"],
  ])
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  if (merchantId !== undefined) headers.set("merchant-id", merchantId)
  return {
    ...Exchange.locate(path),
    method: methodOf(request),
    header: (name: string) => headers.get(name),
    body: Effect.succeed(body === undefined ? nothing : encoder.encode(JSON.stringify(body))),
  }
}

const parse = (text: string): Evidence.Json => {
  const parsed: Evidence.Json = JSON.parse(text)
  return parsed
}

const shown = (response: Response): string =>
  response === null ? "lost" : `${response.status} ${JSON.stringify(response.body).slice(0, 160)}`

/** A process of the service, from its start until it dies. */
interface Server {
  readonly life: Machine.Process
  readonly handler: Handler["Service"]
  readonly ports: Context.Context<Ports | WebhookTransport>
  /** Requests that it has not responded to. */
  readonly open: Set<(response: null) => void>
  isWorking: boolean
  /** Within a transaction, no other process has a turn, and nothing is lost. */
  isInTransaction: boolean
  /** After how many calls of ports it dies, and whether the last of them still has its effect. */
  dies: { calls: number; readonly isCarriedOut: boolean } | null
}

const yields = (count: number) =>
  count === 1 ? Effect.yieldNow : Effect.andThen(Effect.yieldNow, Effect.yieldNow)

export const make = (options: Options) => {
  const draw = Drawing.make(options.seed)
  const machine = Machine.make(draw, Fixtures.now)
  const exchanges: Array<Evidence.Exchange> = []
  const delivered = new Map<string, Array<Evidence.Json>>()
  const denied = new Set<string>()
  /** Texts are only made for somebody who hears them. */
  const tell = (what: () => string): void => {
    if (isHushed || options.tell === undefined) return
    options.tell(`${((machine.now() - Fixtures.now) / 1000).toFixed(3).padStart(10)} ${what()}`)
  }
  let isHushed = false
  let rates = calm
  let aheadBy = 0
  let moments = 0
  let lives = 0

  const scope = Scope.makeUnsafe()
  const built = Effect.runSync(
    Layer.buildWithScope(
      Service.layer({
        settings: { collectedKeptInMs: 600_000, ...options.settings },
        chain: { blocks: "manual", finalityDepth: options.finalityDepth, unseenBalance: 1_000_000 },
      }),
      scope,
    ),
  )
  const shared = built.pipe(
    Context.add(CollectDataPolicy, {
      isNeeded: ({ amount }) =>
        Effect.succeed(options.asksForData === true && amount.quantity >= 1000n),
    }),
    Context.add(Screening, {
      refused: (accounts) =>
        Effect.sync(() => accounts.filter(({ address }) => denied.has(address))),
    }),
    Context.add(Clock.Clock, machine.clock),
  )
  const transport = {
    post: ({ body, url }: { readonly body: string; readonly url: string }) =>
      Effect.sync(() => {
        const event = parse(body)
        const received = delivered.get(url)
        if (received === undefined) delivered.set(url, [event])
        else received.push(event)
        tell(
          () =>
            `delivered: ${Reading.text(event, "type")} ${Reading.text(event, "data", "paymentId")}`,
        )
        return 200
      }),
  }

  /** Those who call the service. They never die, and what they run costs the service nothing. */
  const outside = machine.start("outside")

  const servers: Array<Server> = []

  /** What a call of a port meets on its way. */
  const tapOf =
    (server: () => Server | null, canFail: boolean): Stores.Tap =>
    (name, call) =>
      Effect.suspend(() => {
        const here = server()
        if (here === null || here.isInTransaction) return call
        if (here.dies !== null && here.dies.calls-- === 0) {
          const { isCarriedOut } = here.dies
          tell(() => `process ${here.life.name} dies ${isCarriedOut ? "after" : "before"} ${name}`)
          const end = Effect.suspend(() => {
            kill(here)
            return Effect.never
          })
          return isCarriedOut ? Effect.andThen(call, end) : end
        }
        if (canFail && rates.storage > 0 && draw(1000) < rates.storage) {
          const lost = new StorageUnavailable({ message: "the storage does not respond" })
          const isWritten = draw(2) === 0
          tell(
            () =>
              `the storage fails ${isWritten ? "after" : "before"} ${name} of ${here.life.name}`,
          )
          return isWritten ? Effect.andThen(call, lost) : lost
        }
        return draw(1000) < rates.pause ? Effect.andThen(yields(1 + draw(2)), call) : call
      })

  /** The shared ports as one process sees them. */
  const portsOf = (name: string, server: () => Server | null) => {
    const tap = tapOf(server, true)
    const stores = Effect.runSyncWith(shared)(Stores.wrapAll((store) => Stores.tapped(store, tap)))
    const responses = Context.get(shared, ResponseStore)
    const tapped = Stores.tapped(Context.get(shared, Chains).of("test"), tapOf(server, false))
    const chain: typeof tapped = {
      ...tapped,
      nonceFloor: (lane) => Effect.map(tapped.nonceFloor(lane), (floor) => (floor ?? 0) + aheadBy),
      outbid: (last) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          draw(1000) < rates.bid ? Bidding.versionOf(last, now, 1 + draw(3)) : null,
        ),
    }
    const own = built.pipe(
      Context.add(Screening, Context.get(shared, Screening)),
      Context.add(CollectDataPolicy, Context.get(shared, CollectDataPolicy)),
      Context.merge(stores),
      // A transaction: it is carried out whole, and nobody sees a part of it.
      Context.add(ResponseStore, {
        ...Context.get(stores, ResponseStore),
        respondOnce: (once, now, write) => {
          const setInTransaction = (isSo: boolean) =>
            Effect.sync(() => {
              const here = server()
              if (here !== null) here.isInTransaction = isSo
            })
          return Effect.andThen(
            setInTransaction(true),
            Effect.ensuring(responses.respondOnce(once, now, write), setInTransaction(false)),
          )
        },
      }),
      Context.add(Chains, { of: () => chain }),
      Context.add(Signals, Signals.makeMemory().signals),
      Context.add(
        Identifiers,
        Context.get(
          Effect.runSync(Layer.buildWithScope(SeededIdentifiers.layer(name), scope)),
          Identifiers,
        ),
      ),
    )
    return (options.replace ?? ((ports) => ports))(own)
  }

  const start = (index: number): Server => {
    const name = `${index}.${lives++}`
    const drift = options.driftInMs ?? 0
    let self: Server | null = null
    const ports = portsOf(`${options.seed}/${name}`, () => self)
    const layer = Layer.provide(
      Florin.layer({ publicUrl: "https://pay.example.com", metrics: false }),
      Layer.succeedContext(ports),
    )
    const life = machine.start(name, drift === 0 ? 0 : draw(2 * drift) - drift)
    const building = Effect.provideService(
      Layer.buildWithScope(layer, scope),
      Scheduler.Scheduler,
      life.scheduler,
    )
    self = {
      life,
      handler: Context.get(Effect.runSync(building), Handler),
      ports: Context.add(ports, WebhookTransport, transport),
      open: new Set(),
      isWorking: false,
      isInTransaction: false,
      dies: null,
    }
    return self
  }

  const kill = (server: Server) => {
    server.life.kill()
    const at = servers.indexOf(server)
    for (const lost of server.open) lost(null)
    // Somebody starts it again.
    if (at !== -1) servers[at] = start(at)
  }
  for (let index = 0; index < options.processes; index++) servers.push(start(index))

  const anyServer = () => servers[draw(servers.length)] ?? assert.fail("there is no process")

  /** Sends a request to some process. */
  const call = (request: Request): Effect.Effect<Response> =>
    Effect.callback((resume) => {
      const startedAt = moments++
      const server = anyServer()
      const name = `${methodOf(request)} ${request.path} ${request.idempotencyKey ?? ""}`
      tell(() => `request ${startedAt} to ${server.life.name}: ${name}`)
      const finish = (response: Response) => {
        server.open.delete(finish)
        tell(() => `response ${startedAt}: ${shown(response)}`)
        exchanges.push({
          startedAt,
          endedAt: moments++,
          process: server.life.name,
          method: methodOf(request),
          path: request.path,
          key: request.key,
          idempotencyKey: request.idempotencyKey ?? null,
          body: request.body ?? null,
          response,
        })
        outside.later(() => resume(Effect.succeed(response)))
      }
      server.open.add(finish)
      server.life.run(server.handler.respond(incomingOf(request)), (exit) => {
        if (!server.open.has(finish)) return
        if (Exit.isFailure(exit)) return assert.fail(`the handler failed: ${exit.cause}`)
        const { body, status } = exit.value
        const isLost = draw(1000) < rates.response
        finish(isLost || typeof body !== "string" ? null : { status, body: parse(body) })
      })
    })

  /** One process does what is due, if it is not at it already. */
  const work = <E>(what: Effect.Effect<unknown, E, Ports | WebhookTransport>) => {
    const server = anyServer()
    if (server.isWorking) return
    server.isWorking = true
    tell(() => `process ${server.life.name} works`)
    server.life.run(Effect.provideContext(Effect.exit(what), server.ports), (exit) => {
      server.isWorking = false
      const inner = Exit.isSuccess(exit) ? exit.value : exit
      // A worker's round may fail, as its storage or chain may; it must never find a bug.
      if (Exit.isFailure(inner) && Cause.hasDies(inner.cause))
        defects.push(Cause.pretty(inner.cause))
    })
  }
  const defects: Array<string> = []

  return {
    anyServer,
    call,
    defects,
    delivered,
    denied,
    draw,
    exchanges,
    kill,
    machine,
    outside,
    servers,
    shared,
    tell,
    /** What follows is told to nobody. */
    hush: () => {
      isHushed = true
    },
    work,
    setRates: (next: Rates) => {
      rates = next
    },
    /** Nodes tell that our accounts sent so many transactions more. */
    tellAhead: (by: number) => {
      aheadBy = by
    },
  }
}

export type World = ReturnType<typeof make>
