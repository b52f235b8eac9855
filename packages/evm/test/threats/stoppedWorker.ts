/**
 * A worker process that stops itself during a settlement, as on a machine that sleeps, and resumes long after its
 * lease. It prints when it stops, and the result of its settlement.
 *
 * @module
 */
import process from "node:process"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Service from "../../test-support/service.ts"
import * as Shop from "../../test-support/shop.ts"

export const points = ["before it decides", "before it stores", "before it broadcasts"] as const
export type Point = (typeof points)[number]

/** What it says, among what it logs. */
export const words = ["stopped", "sent", "sent nothing"] as const

/** Others wait for it to lapse; but a busy machine must get its work done within two thirds of it. */
const leaseInMs = 6_000
const givesUpWithinInMs = 3_000

const Task = Schema.fromJsonString(
  Schema.Struct({
    databaseUrl: Schema.String,
    rpcUrl: Schema.String,
    point: Schema.NullOr(Schema.Literals(points)),
  }),
)
export type Task = typeof Task.Type

const start = async ({ databaseUrl, point, rpcUrl }: Task) => {
  const database = Postgres.layer({ url: Redacted.make(databaseUrl) })
  const say = (word: (typeof words)[number]) => Effect.sync(() => process.stdout.write(`${word}\n`))

  let [hasStopped, hasSaid] = [false, false]
  const settling = new Set<string>()
  const sayNothing = Effect.suspend(() => (hasSaid ? Effect.void : say("sent nothing")))
  const reach = (here: Point) =>
    Effect.suspend(() => {
      if (here !== point || hasStopped) return Effect.void
      hasStopped = true
      return say("stopped").pipe(
        Effect.andThen(Effect.sync(() => process.kill(process.pid, "SIGSTOP"))),
        // Work that took too long is given up, so it may never come to a decision.
        Effect.andThen(Effect.forkDetach(Effect.delay(sayNothing, givesUpWithinInMs))),
      )
    })

  const watched = (chain: Chain["Service"]): Chain["Service"] => ({
    ...chain,
    rehearse: (order) =>
      Effect.tap(chain.rehearse(order), () =>
        order._tag === "Send" ? reach("before it decides") : Effect.void,
      ),
    sign: (lane, nonce, order) =>
      Effect.tap(chain.sign(lane, nonce, order), ({ hash }) => {
        if (order._tag === "Collect") return Effect.void
        settling.add(hash)
        return reach("before it stores")
      }),
    broadcast: (relayed) =>
      Effect.andThen(
        settling.has(relayed.hash) ? reach("before it broadcasts") : Effect.void,
        chain.broadcast(relayed),
      ),
  })

  const florin = createFlorin({
    payLinkHost: Service.payLinkHost,
    pages: false,
    sealKey: Service.sealKey,
    vault: Service.vault,
    payouts: { live: PayoutPolicy.immediate },
    chains: Layer.provide(
      Layer.effect(
        Chains,
        Effect.map(Chains, (chains) => Chains.of({ of: (mode) => watched(chains.of(mode)) })),
      ),
      Service.chainsOf([{ chainId: Shop.chainId, rpcUrl }], {
        finality: Shop.finality,
        flow: Shop.flowOf,
      }),
    ),
    storage: Layer.provideMerge(
      Layer.effect(
        OutflowStore,
        Effect.map(OutflowStore, (outflows) =>
          OutflowStore.of({
            ...outflows,
            modify: (...request) =>
              Effect.onExit(outflows.modify(...request), (exit) =>
                Effect.suspend(() => {
                  const [, , , signed] = request
                  if (!hasStopped || signed === undefined) return Effect.void
                  hasSaid = true
                  return say(Exit.isSuccess(exit) && exit.value !== null ? "sent" : "sent nothing")
                }),
              ),
          }),
        ),
      ),
      database,
    ),
    signals: database,
    worker: { idleInMs: 50, leaseInMs },
  })
  await florin.workers.start()
  process.stdin.resume().once("end", () => {
    void florin.dispose()
  })
}

const [, script, task] = process.argv
if (script === import.meta.filename) await start(Schema.decodeUnknownSync(Task)(task))
