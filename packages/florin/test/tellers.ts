/**
 * Processes of one service on one PostgreSQL database, in real time: each serves requests and sends webhooks. One may
 * be killed, as with `kill -9`, at a point of its work.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import process from "node:process"
import * as VaultAes from "@florin/core/node/VaultAes"
import type * as Worker from "@florin/core/workers/Worker"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Processes from "../../postgres/test-support/processes.ts"

/** Calls around which a process can be killed. A webhook is called between `claimDeliveries` and `finishDelivery`. */
const calls = [
  "createPayment",
  "modify",
  "fanOut",
  "claimDeliveries",
  "finishDelivery",
  "events",
] as const
export const points = calls.flatMap((call) => [`before ${call}`, `after ${call}`])

export const Task = Schema.fromJsonString(
  Schema.Struct({
    databaseUrl: Schema.String,
    worker: Schema.Struct({
      idleInMs: Schema.optionalKey(Schema.Int),
      leaseInMs: Schema.optionalKey(Schema.Int),
    }),
    /** Where it is killed, and at which time that it comes there. */
    death: Schema.NullOr(Schema.Struct({ point: Schema.String, times: Schema.Int })),
  }),
)
export type Task = typeof Task.Type

type Around = <A, E, R>(call: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Ends this process where it comes to its point. */
export const dying = (death: Task["death"]): Around => {
  let reached = 0
  const reach = (point: string) =>
    Effect.sync(() => {
      if (point === death?.point && ++reached === death.times) process.kill(process.pid, "SIGKILL")
    })
  return (call, effect) =>
    reach(`before ${call}`).pipe(
      Effect.andThen(effect),
      Effect.tap(() => reach(`after ${call}`)),
    )
}

const wrap =
  (around: Around) =>
  <S extends object>(store: S): S =>
    new Proxy(store, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (typeof member !== "function" || !calls.some((call) => call === key)) return member
        return (...args: ReadonlyArray<unknown>) => {
          const result: unknown = Reflect.apply(member, target, args)
          return Effect.isEffect(result) ? around(String(key), result) : result
        }
      },
    })

const key = (byte: number) => Buffer.alloc(32, byte)

/** The service, as a host embeds it. */
export const service = (
  databaseUrl: string,
  worker: Partial<Worker.Options> = {},
  around: Around = (_, effect) => effect,
) => {
  const database = Postgres.layer({ url: Redacted.make(databaseUrl) })
  return createFlorin({
    payLinkHost: "pay.example.com",
    pages: false,
    sealKey: key(1),
    vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(key(2)) } }),
    chains: SimulatedChain.layerChains(),
    storage: Layer.provide(Layer.effectContext(Stores.wrapAll(wrap(around))), database),
    signals: database,
    allowPrivateWebhooks: true,
    rateLimit: null,
    worker,
  })
}

/** Starts a process; it has said where it listens by then, unless it was killed before. */
export const start = Effect.fnUntraced(function* (
  databaseUrl: string,
  worker: Task["worker"] = {},
  death: Task["death"] = null,
) {
  const task: Task = { databaseUrl, worker, death }
  const running = yield* Processes.run(
    new URL("teller.ts", import.meta.url),
    yield* Effect.orDie(Schema.encodeEffect(Task)(task)),
  )
  return { ...running, url: yield* running.line }
})
