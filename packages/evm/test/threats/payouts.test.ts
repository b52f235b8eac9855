/**
 * Outgoing money: to the payer or to the merchant, once.
 *
 * @module
 */
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@florin/postgres/Postgres"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as Processes from "../../../postgres/test-support/processes.ts"
import { until } from "../../test-support/until.ts"
import * as Scene from "./scene.ts"
import * as StoppedWorker from "./stoppedWorker.ts"

const { price, tokens } = Scene

const timesEach = Counts.of({ usual: 1, full: 20 })
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

const script = new URL("stoppedWorker.ts", import.meta.url)
const isWord = (line: string) => StoppedWorker.words.some((word) => word === line)

/** What a worker says next, past what it logs; nothing when it has ended. */
const said = ({ line }: { readonly line: Effect.Effect<string> }) =>
  Effect.repeat(line, { until: (text) => text === "" || isWord(text) })

describe("a worker that resumes after its lease expired", () => {
  for (const point of Counts.some(StoppedWorker.points, 2)) {
    it.live(
      `M19: ${point}: sends nothing that another worker has sent`,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const databaseUrl = yield* Databases.address("migrated")
            const database = Postgres.layer({ url: Redacted.make(databaseUrl) })
            const scene = yield* Scene.alone({
              everyInMs: 100,
              florin: { storage: database, signals: database },
            })
            const work = (at: StoppedWorker.Point | null) => {
              const task: StoppedWorker.Task = {
                databaseUrl,
                rpcUrl: scene.local.rpcUrl,
                point: at,
              }
              return Processes.run(script, JSON.stringify(task))
            }
            for (let time = 0; time < timesEach; time++) {
              const before = yield* scene.sent
              const had = yield* scene.held(tokens.eip3009, scene.treasury.address)
              const made = yield* scene.order("eip3009")
              yield* scene.confirm(made)
              const slow = yield* work(point)
              assert.strictEqual(yield* said(slow), "stopped")
              const other = yield* work(null)
              const settled = until("the settlement", async () => {
                const details = await scene.client.payments.get(made.id, {
                  merchantId: scene.merchantId,
                })
                return details.settlement
              })
              yield* settled
              yield* Effect.sync(() => process.kill(slow.pid, "SIGCONT"))
              if (point !== "before it broadcasts") {
                assert.strictEqual(yield* said(slow), "sent nothing")
              }
              yield* slow.finish
              yield* other.finish
              assert.strictEqual(yield* scene.sent, before + 2)
              const paid = (yield* scene.held(tokens.eip3009, scene.treasury.address)) - had
              assert.strictEqual(paid, scene.netOf(price))
            }
            yield* scene.audit
          }),
        ),
      // Each waits for its own lease to lapse.
      { concurrent: true, timeout },
    )
  }
})
