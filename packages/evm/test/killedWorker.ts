/**
 * A worker process that is killed at one point of its work, or runs until its input ends.
 *
 * @module
 */
import { flushCompileCache } from "node:module"
import process from "node:process"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Service from "../test-support/service.ts"
import * as KillPoints from "./killPoints.ts"

const Task = Schema.fromJsonString(
  Schema.Struct({
    databaseUrl: Schema.String,
    chains: Schema.Array(Schema.Struct({ chainId: Caip.ChainId, rpcUrl: Schema.String })),
    point: Schema.NullOr(Schema.Literals(KillPoints.points)),
    times: Schema.Int,
    flow: PaymentOption.Flow,
  }),
)
export type Task = typeof Task.Type

// Otherwise Node keeps what it compiled at an end that this process does not come to.
flushCompileCache()

const { chains, databaseUrl, flow, point, times } = Schema.decodeUnknownSync(Task)(process.argv[2])
const killing = KillPoints.make(point, times)
const database = Postgres.layer({ url: Redacted.make(databaseUrl) })

const florin = createFlorin({
  payLinkHost: Service.payLinkHost,
  pages: false,
  sealKey: Service.sealKey,
  vault: Service.vault,
  chains: Layer.provide(
    killing.chains,
    Service.chainsOf(chains, { finality: KillPoints.finality, flow: () => flow }),
  ),
  payouts: { live: PayoutPolicy.immediate },
  storage: Layer.provideMerge(Layer.mergeAll(killing.outflows, killing.work), database),
  signals: database,
  // Whoever comes next takes over what this one leaves behind; but a busy machine must get its work done in time.
  worker: { idleInMs: 50, leaseInMs: 3000 },
})
await florin.workers.start()
process.stdin.resume().once("end", () => {
  void florin.dispose()
})
