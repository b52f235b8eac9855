/**
 * What a payment costs a real service and its database, from its creation until its share is paid out: our server and
 * its workers in this process, on a PostgreSQL of its own that waits for the disk, and on the simulated chain. Payers
 * sign in this process, too.
 *
 * @module
 */
import "effect/schema/SchemaJITCompiler/enable"
import { readFileSync } from "node:fs"
import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Florin from "@florin/server/Florin"
import * as WebHandler from "@florin/server/WebHandler"
import * as Service from "@florin/testing/Service"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../../postgres/src/Connection.ts"
import * as Migrations from "../../postgres/src/Migrations.ts"
import * as SignalsPostgres from "../../postgres/src/SignalsPostgres.ts"
import * as StoragePostgres from "../../postgres/src/StoragePostgres.ts"
import * as Costs from "../../postgres/test-support/costs.ts"
import * as Shop from "./shop.ts"

/** How many payments are on their way at a time, and how many come before the measured ones. */
const [atOnce, warmUps] = [16, 50]
/** After three times as long alone, a process sends no signals. */
const greetingInMs = 2000
const chainId = 8453

const Created = Schema.Struct({ paymentId: Schema.String })
const Offered = Schema.Struct({ options: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Fetched = Schema.Struct({
  actions: Schema.Array(
    Schema.Struct({
      data: Schema.Struct({
        chain_id: Caip.ChainId,
        method: Schema.String,
        params: Schema.Array(Schema.String),
      }),
    }),
  ),
})
const Merchant = Schema.Struct({ merchant: Schema.Struct({ id: Schema.String }) })

const ask = Effect.fnUntraced(function* <A, I>(
  answer: Schema.Codec<A, I>,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
) {
  const request = new Request(`https://api.example.com/v1/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
  const response = yield* WebHandler.respond(request)
  const json: unknown = yield* Effect.promise(() => response.json())
  return yield* Schema.decodeUnknownEffect(answer)(json).pipe(
    Effect.mapError(() => new Error(`${path}: ${JSON.stringify(json)}`)),
    Effect.orDie,
  )
})

/** The processor time of the server's processes. */
const cpuOfDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity`
  const ticks = rows.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) * 10
})

const database = Layer.effectDiscard(Migrations.run()).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(Costs.server({ fsync: "on" }), ({ url }) =>
        Connection.layer({ url: Redacted.make(url) }),
      ),
    ),
  ),
)

const service = Florin.layer({ publicUrl: Shop.publicUrl, accountsLimit: null }).pipe(
  Layer.merge(
    Layer.provide(
      Florin.workers(),
      WebhookTransport.layerFunction(() => 200),
    ),
  ),
  Layer.provideMerge(
    Layer.provideMerge(
      Layer.merge(
        StoragePostgres.layer,
        Layer.provide(
          SignalsPostgres.layer,
          Layer.succeed(SignalsPostgres.GreetingInMs, greetingInMs),
        ),
      ),
      database,
    ),
  ),
  Layer.provideMerge(
    Service.layer({
      identifiers: Identifiers.layer,
      chain: { blocks: "instant", unseenBalance: 1_000_000_000 },
    }),
  ),
)

const main = Effect.fnUntraced(function* (payments: number) {
  const partner = yield* Keys.createPartner({ name: "Bench", feeTerms: Fees.none })
  const owner = { _tag: "Partner", partnerId: partner.id } as const
  const { text: key } = yield* Keys.issue({ mode: "test", owner, name: "Bench", expiresAt: null })
  const headers = { "Api-Key": key, "Idempotency-Key": "bench" }
  const shop = { merchantName: "Corner Shop", merchantEmail: "shop@example.com" }
  const { merchant } = yield* ask(Merchant, "merchants", headers, shop)
  const destination = Eip155.formatAccount(Wallet.make(2).account(chainId))
  const asset = `eip155:${chainId}/erc20:${Shop.usdc}`
  const settlements = [{ asset, destination }]
  const path = `merchants/${merchant.id}/settlements/crypto`
  yield* ask(Schema.Unknown, path, headers, { settlements })

  const chain = yield* SimulatedChain
  const sql = yield* SqlClient.SqlClient
  let payers = 100
  /** What a payer signed, to measure it alone: it is not the service's. */
  let sign: Effect.Effect<unknown, unknown> = Effect.void
  const payOne = Effect.gen(function* () {
    const payer = (payers += 1)
    const wallet = Wallet.make(payer)
    const amount = { unit: "iso4217/USD", value: "1234" }
    const mine = { "Api-Key": key, "Merchant-Id": merchant.id }
    const { paymentId } = yield* ask(Created, "payments", mine, { referenceId: "ORDER-1", amount })
    const gateway = `gateway/payment/${paymentId}`
    const accounts = [Eip155.formatAccount(wallet.account(chainId))]
    const { options } = yield* ask(Offered, `${gateway}/options`, mine, { accounts })
    const optionId = options[0]?.id ?? ""
    const { actions } = yield* ask(Fetched, `${gateway}/fetch`, mine, { optionId, data: "" })
    const asked = actions.map(({ data: { chain_id, method, params } }) => ({
      _tag: "WalletRpc" as const,
      chainId: chain_id,
      method,
      params,
    }))
    sign = Effect.suspend(() => Wallet.make(payer).execute(asked, chain.node))
    const outputs = yield* wallet.execute(asked, chain.node)
    const results = outputs.map((output) => ({ type: "walletRpc", data: [output] }))
    yield* ask(Schema.Unknown, `${gateway}/confirm`, mine, { optionId, results })
  })
  /** Work that is left for a payment: one row is enough to know. */
  const isBusy = sql`SELECT FROM florin.due_work LIMIT 1`
  const pay = Effect.fnUntraced(function* (count: number) {
    yield* Effect.forEach(Array.from({ length: count }), () => payOne, {
      concurrency: atOnce,
      discard: true,
    })
    while ((yield* isBusy).length > 0) {
      yield* chain.settle(chainId)
      yield* Effect.promise(() => sleep(100))
    }
  })
  const settling = Effect.andThen(
    chain.settle(chainId),
    Effect.promise(() => sleep(100)),
  ).pipe(Effect.forever, Effect.forkScoped)
  yield* settling
  const empty = yield* Costs.sizes
  yield* pay(warmUps)
  yield* Effect.promise(() => sleep(4 * greetingInMs))
  const [ours, theirs, since] = [process.cpuUsage(), yield* cpuOfDatabase, performance.now()]
  const costs = yield* Costs.of(pay(payments))
  const used = process.cpuUsage(ours)
  const theirsUsed = (yield* cpuOfDatabase) - theirs
  const seconds = (performance.now() - since) / 1000
  const signing = process.cpuUsage()
  yield* Effect.replicateEffect(sign, payments, { discard: true })
  const signed = process.cpuUsage(signing)
  yield* Costs.pack
  const stored = Costs.growth(empty, yield* Costs.sizes)
  const each = (name: string, unit: string, value: number, of = payments) => ({
    name,
    unit,
    value: value / of,
  })
  const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
  const all = payments + warmUps
  process.send?.([
    each("statements", "", sum(costs.statements.map(({ calls }) => calls))),
    each("writing commits", "", costs.commits),
    each("rows read without an index", "", sum(Object.values(costs.scanned))),
    each("write-ahead log", "KiB", costs.walBytes / 1024),
    each("stored", "KB", sum(Object.values(stored)) / 1000, all),
    each("processor time of ours", "ms", (used.user + used.system) / 1000),
    each("of it, of payers that sign", "ms", (signed.user + signed.system) / 1000),
    each("processor time of PostgreSQL", "ms", theirsUsed),
    each("time", "ms", seconds * 1000),
    ...Object.entries(stored).map(([name, bytes]) => each(`stored in ${name}`, "B", bytes, all)),
    ...Object.entries(costs.wal).map(([name, bytes]) => each(`log of ${name}`, "B", bytes)),
    ...Object.entries(costs.scanned).map(([name, rows]) => each(`rows read of ${name}`, "", rows)),
    ...costs.statements.map(({ calls, text }) =>
      each(text.replaceAll(/\s+/gu, " ").slice(0, 100), "statements", calls),
    ),
  ])
})

await Effect.runPromise(Effect.scoped(Effect.provide(main(Number(process.argv[2])), service)))
process.exit(0)
