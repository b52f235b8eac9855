import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { LaneStore } from "@florin/core/ports/LaneStore"
import * as Postgres from "@florin/postgres/Postgres"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Processes from "../../postgres/test-support/processes.ts"
import * as Service from "../test-support/service.ts"
import * as Signers from "../test-support/signers.ts"
import { until } from "../test-support/until.ts"
import type { Task } from "./killedWorker.ts"
import * as KillPoints from "./killPoints.ts"

const timesEach = Counts.of({ usual: 1, full: 20 })
/** A worker waits for blocks most of the time. */
const roundsAtOnce = 2
const timeout = Counts.of({ usual: 600_000, full: 3_600_000 })
const script = new URL("killedWorker.ts", import.meta.url)

const base = Eip155.chainId(8453)
const treasury = Wallet.make(2_300_000)
const price = 5_000_000n

/** Where a worker is killed, and when it comes there for which time. */
const deathsOf = {
  eip3009: Counts.some(
    KillPoints.points.map((point) => ({ point, times: 1 })),
    4,
  ),
  // Its two transactions, and what follows them, which is the same in every flow.
  permit: Counts.some(
    [1, 2].flatMap((times) => KillPoints.twice.map((point) => ({ point, times }))),
    4,
  ),
} as const

/** A shop of its own, whose workers are killed once at each point, and one more that brings all to an end. */
const round = Effect.fnUntraced(function* (flow: keyof typeof deathsOf) {
  const databaseUrl = yield* Databases.address("migrated")
  const database = Postgres.layer({ url: Redacted.make(databaseUrl) })
  const service = yield* Service.make({
    chainIds: [base],
    everyInMs: 100,
    finality: KillPoints.finality,
    flow: () => flow,
    florin: {
      storage: database,
      signals: database,
      sealKey: Service.sealKey,
      vault: Service.vault,
    },
  })
  const { chains, client, florin, held, local, merchantId, netOf, reconciled } = service
  const [{ token } = assert.fail()] = Catalog.assetsOf(BuiltIn.catalog, base)
  yield* Effect.promise(() =>
    client.settlements.create(merchantId, {
      settlements: [
        {
          asset: Eip155.formatToken(token),
          destination: Eip155.formatAccount({ chainId: base, address: treasury.address }),
        },
      ],
    }),
  )
  const work = (point: KillPoints.Point | null, times = 1) => {
    const task: Task = { databaseUrl, chains, flow, point, times }
    return Processes.run(script, JSON.stringify(task))
  }

  const payments: Array<string> = []
  const paying: Array<ReturnType<typeof service.pay>> = []
  for (const { point, times } of deathsOf[flow]) {
    const payer = Signers.viem(2_300_001 + payments.length)
    const address = Caip.Address.make(payer.address.toLowerCase())
    yield* local(base).fund(token.address, address, price)
    const created = yield* Effect.promise(() =>
      client.payments.create({
        merchantId,
        referenceId: `${point} ${times}`,
        amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: `${price}` },
      }),
    )
    payments.push(created.paymentId)
    paying.push(service.pay(created.gatewayUrl, payer))
    const worker = yield* work(point, times)
    const [, signal] = yield* Effect.timeoutOrElse(worker.ended, {
      duration: "4 minutes",
      orElse: () => Effect.die(`the worker did not come to this: ${point}`),
    })
    assert.strictEqual(signal, "SIGKILL", point)
  }

  const last = yield* work(null)
  for (const paid of yield* Effect.promise(() => Promise.all(paying))) {
    assert.strictEqual(paid._tag, "Succeeded", JSON.stringify(paid))
  }
  for (const paymentId of payments) {
    yield* until("the settlement", async () => {
      const { settlement } = await client.payments.get(paymentId, { merchantId })
      return settlement
    })
  }
  yield* last.finish

  assert.strictEqual(yield* held(token, treasury.address), netOf(price) * BigInt(payments.length))
  const { differences, unsound } = yield* reconciled
  assert.deepStrictEqual(differences, [])
  assert.deepStrictEqual(unsound, [])
  let sent = 0
  for (const { address: sender } of Service.collecting) {
    const lane = { chainId: base, sender }
    const stored = yield* Effect.promise(() =>
      florin.run(Effect.flatMap(LaneStore, (lanes) => lanes.laneTransactions(lane, 0))),
    )
    assert.deepStrictEqual(
      stored.map(({ nonce }) => nonce),
      stored.map((_, index) => index),
    )
    const used = yield* service.onChain((chain) => chain.nonceFloor(lane))
    assert.strictEqual(used, stored.length)
    sent += stored.length
  }
  // To collect each, and at most one to pay it out: what waits for one destination may go out together.
  const toCollect = (flow === "permit" ? 2 : 1) * payments.length
  assert.isAbove(sent, toCollect)
  assert.isAtMost(sent, toCollect + payments.length)
}, Effect.scoped)

describe("a worker that is killed", () => {
  for (const flow of ["eip3009", "permit"] as const) {
    it.live(
      `P1, M13: ${flow}: loses, doubles and leaves nothing: ${timesEach} times at each of ${deathsOf[flow].length} points`,
      () =>
        Effect.all(
          Array.from({ length: timesEach }, () => round(flow)),
          { concurrency: roundsAtOnce },
        ),
      timeout,
    )
  }
})
