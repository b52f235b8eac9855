import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as VaultAes from "@florin/core/node/VaultAes"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import type { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import { createFlorin, type Florin } from "@florin/server/Florin"
import * as Fixtures from "@florin/testing/Fixtures"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Embedded from "../src/Embedded.ts"
import * as Postgres from "../src/Postgres.ts"
import { address } from "../test-support/databases.ts"
import * as Processes from "../test-support/processes.ts"
import * as Older from "./older.ts"

const start = (
  database: Layer.Layer<Storage | Signals, unknown>,
  options: Partial<Parameters<typeof createFlorin>[0]> = {},
): Florin =>
  createFlorin({
    payLinkHost: "pay.example.com",
    pages: false,
    chains: SimulatedChain.layerChains({ unseenBalance: 1000 }),
    sealKey: new Uint8Array(32).fill(7),
    vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(new Uint8Array(32)) } }),
    storage: database,
    signals: database,
    ...options,
  })

const call = async (florin: Florin, key: string, path: string, body?: object, headers = {}) => {
  const response = await florin.handler(
    new Request(`https://api.example.com${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "Api-Key": key, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, text: await response.text() }
}

const idIn = (text: string, prefix: string): string =>
  new RegExp(`${prefix}_[0-9A-Za-z]+`, "u").exec(text)?.[0] ??
  assert.fail(`no ${prefix}_ in ${text}`)

/** A partner's key, its merchant, and a payment. */
const open = async (florin: Florin) => {
  const partner = await florin.operator.partners.create({ name: "P" })
  const { secret: key } = await florin.operator.keys.issue({
    partnerId: partner.id,
    mode: "test",
    name: "k",
  })
  const merchant = await call(
    florin,
    key,
    "/v1/merchants",
    { merchantName: "Shop", merchantEmail: "a@b.example" },
    { "Idempotency-Key": "shop" },
  )
  const merchantId = idIn(merchant.text, "mrch")
  const payment = await call(florin, key, "/v1/payments", {
    referenceId: "R",
    amount: { unit: "iso4217/USD", value: "100" },
  })
  return { key, headers: { "Merchant-Id": merchantId }, id: idIn(payment.text, "pay") }
}

const statusOf = (text: string) => /"status":"(\w+)"/u.exec(text)?.[1]

describe("Postgres.layerEmbedded", () => {
  it("keeps everything in its directory from one process to the next", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "florin-embedded-"))
    try {
      const first = start(Postgres.layerEmbedded({ dataDir }))
      const { headers, id, key } = await open(first)
      await first.dispose()
      const second = start(Postgres.layerEmbedded({ dataDir }))
      const found = await call(second, key, `/v1/payments/${id}`, undefined, headers)
      assert.strictEqual(found.status, 200, found.text)
      const again = await call(
        second,
        key,
        "/v1/merchants",
        { merchantName: "Shop", merchantEmail: "a@b.example" },
        { "Idempotency-Key": "shop" },
      )
      assert.strictEqual(idIn(again.text, "mrch"), headers["Merchant-Id"])
      await second.dispose()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe("Postgres.layerEmbedded on the directory of a version before the first release", () => {
  it.live("refuses to start, says what to do, and changes nothing", () =>
    Effect.gen(function* () {
      const dataDir = yield* Processes.directory
      const inDirectory = Effect.provide(Embedded.layer({ dataDir }))
      const before = yield* Effect.andThen(Older.restore, Older.contents).pipe(inDirectory)
      const started = Effect.provide(AccountStore, Postgres.layerEmbedded({ dataDir }))
      const error = yield* Effect.flip(started)
      assert.strictEqual(error._tag, "SchemaForeign")
      assert.include(error.message, "start with a new database or another data directory")
      assert.deepStrictEqual(yield* inDirectory(Older.contents), before)
    }),
  )
})

describe("Postgres.layer", () => {
  it("says what to give instead of the pool itself, or of an address that logs would show", () => {
    const untyped: (config: never) => unknown = Postgres.layer
    const wrong: { readonly pool: never; readonly text: never } = JSON.parse(
      '{"pool":{},"text":{"url":"postgres://florin:secret@db.example/florin"}}',
    )
    for (const config of [wrong.pool, wrong.text]) {
      assert.throws(() => untyped(config), TypeError, /give \{ pool \} .* Redacted\.make/u)
    }
  })

  it.live("deletes expired data in processes that run workers", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const florin = start(Postgres.layer({ url: Redacted.make(yield* address("empty")) }))
        const world = Fixtures.make("old")
        const once = world.once()
        const remember = Effect.flatMap(ResponseStore, (responses) =>
          responses.respondOnce(once, 0, Effect.succeed("an answer")),
        )
        // Asked as if no time had passed.
        const answered = Effect.flatMap(ResponseStore, (responses) =>
          responses.storedResponse(once, 0),
        )
        yield* Effect.promise(async () => {
          await florin.run(remember)
          assert.strictEqual(await florin.run(answered), "an answer")
          await florin.workers.start()
          const schedule = Schedule.spaced("5 millis")
          await florin.run(Effect.repeat(answered, { until: (each) => each === null, schedule }))
          await florin.dispose()
        })
      }),
    ),
  )

  it.live("S22: reports a statement that can never succeed as a defect, with its cause", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = Redacted.make(yield* address("empty"))
        const lines: Array<{ readonly status: number; readonly defect: unknown }> = []
        const log = (line: (typeof lines)[number]) => lines.push(line)
        const florin = start(Postgres.layer({ url }), { log })
        const { headers, id, key } = yield* Effect.promise(() => open(florin))
        const sql = Effect.provide(Connection.layer({ url }))
        yield* Effect.flatMap(
          SqlClient.SqlClient,
          (client) => client`ALTER VIEW florin.whole_payments RENAME COLUMN document TO papers`,
        ).pipe(sql)
        const answered = yield* Effect.promise(() =>
          call(florin, key, `/v1/payments/${id}`, undefined, headers),
        )
        assert.strictEqual(answered.status, 500, answered.text)
        assert.include(answered.text, "internal_error")
        assert.notInclude(answered.text, "papers")
        const line = lines.at(-1)
        assert.strictEqual(line?.status, 500)
        assert.include(JSON.stringify(line?.defect), "StatementRejected 42703")
        yield* Effect.promise(() => florin.dispose())
      }),
    ),
  )

  it.live("lets two services on one database wake each other's polls", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = Redacted.make(yield* address("empty"))
        const [one, two] = [start(Postgres.layer({ url })), start(Postgres.layer({ url }))]
        yield* Effect.promise(async () => {
          await Promise.all([one.ready(), two.ready()])
          const { headers, id, key } = await open(one)
          const path = `/v1/payments/${id}`
          const waiting = call(two, key, `${path}/status?maxPollMs=25000`, undefined, headers)
          const cancelled = await call(one, key, `${path}/cancel`, {}, headers)
          assert.strictEqual(statusOf(cancelled.text), "cancelled", cancelled.text)
          assert.strictEqual(statusOf((await waiting).text), "cancelled")
          await Promise.all([one.dispose(), two.dispose()])
        })
      }),
    ),
  )
})
