/**
 * What the views show of each thing equals what the partner API shows, is found without reading whole tables, and
 * cannot be written.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as PaymentState from "@florin/core/domain/payment/PaymentState"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import type { FlorinInDatabase } from "@florin/server/Florin"
import * as Fixtures from "@florin/testing/Fixtures"
import { eq, gt } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import { Effect, Exit, Redacted, Schema, Scope } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import type { Pool } from "pg"
import { expectTypeOf } from "vitest"
import * as Views from "../src/schema/Views.ts"
import * as ViewTypes from "../src/ViewTypes.ts"
import * as Databases from "../test-support/databases.ts"
import * as Plans from "../test-support/plans.ts"
import * as Shop from "../test-support/shop.ts"
import * as FlorinDrizzle from "./fixtures/views/drizzle.ts"
import type * as FlorinKysely from "./fixtures/views/kysely.ts"

type Json = Schema.Json
type Row = Readonly<Record<string, unknown>>

const scope = Scope.makeUnsafe()
let pool: Pool
let florin: FlorinInDatabase
let whose: Awaited<ReturnType<typeof Shop.register>>
let key: string

const asRecord = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))
const asRecords = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Json)))

/** Does the work with each, one after another. */
const inTurn = <A, B>(list: ReadonlyArray<A>, work: (each: A) => Promise<B>) =>
  Effect.runPromise(Effect.forEach(list, (each) => Effect.promise(() => work(each))))

const call = async (
  path: string,
  init: { readonly method?: string; readonly body?: Json } = {},
) => {
  const { body, method = body === undefined ? "GET" : "POST" } = init
  const response = await florin.handler(
    new Request(`https://pay.example.com${path}`, {
      method,
      headers: {
        "api-key": key,
        "merchant-id": whose.merchantId,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  assert.isBelow(response.status, 300, `${path}: ${text}`)
  return text === "" ? {} : asRecord(JSON.parse(text))
}

const rowsOf = async (view: string): Promise<ReadonlyArray<Row>> =>
  (
    await pool.query<Row>(`SELECT * FROM florin.${view} WHERE partner_id = $1 ORDER BY id`, [
      whose.partnerId,
    ])
  ).rows

const world = Fixtures.make("views")

/** A payment at each stage, of the registered merchant, with everything around it. */
const write = Effect.gen(function* () {
  const stores = { ...(yield* PaymentStore), ...(yield* OutflowStore) }
  for (const stage of Fixtures.stages) {
    const writes = world.path(stage, {
      partnerId: PartnerId.PartnerId.make(whose.partnerId),
      merchantId: MerchantId.MerchantId.make(whose.merchantId),
      metadata: { stage, "it's": '"quoted"' },
    })
    for (const each of writes) yield* Fixtures.store(stores, each)
  }
})

/** What only the API writes: parts of refunds, a changed and a deleted merchant, and events of no payment. */
const surround = async () => {
  const { rows } = await pool.query<{ readonly id: string }>(
    "SELECT id FROM florin.payment WHERE metadata ->> 'stage' = 'owed'",
  )
  await inTurn(["300", "250"], async (value) => {
    await call("/v1/refunds", {
      body: {
        paymentId: rows[0]?.id ?? "",
        amount: { unit: "iso4217/USD", value },
        reason: "one of two came back",
      },
    })
  })
  const own = `/v1/merchants/${whose.merchantId}`
  await call(own, {
    method: "PATCH",
    body: {
      brandColor: "#1F4E8C",
      iconUrl: "https://shop.example/icon.png",
      supportEmail: "help@shop.example",
      supportUrl: "https://shop.example/help",
      checkoutOrigins: ["https://shop.example", "https://www.shop.example"],
    },
  })
  const { settlements } = await call(`${own}/settlements/crypto`, {
    body: {
      settlements: [
        {
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
      ],
    },
  })
  const settlementId = at(asRecords(settlements)[0], "id")
  await call(`${own}/settlements/crypto/${String(settlementId)}`, { method: "DELETE" })
  const webhook = await call("/v1/webhooks", {
    body: { url: "https://shop.example/hook", events: ["payment.succeeded"] },
  })
  await call(`/v1/webhooks/${String(at(webhook, "webhook", "id"))}/test`, { body: {} })
  const other = await call("/v1/merchants", {
    body: { merchantName: "Gone", merchantEmail: "gone@example.com" },
  })
  await call(`/v1/merchants/${String(at(other, "merchant", "id"))}`, { method: "DELETE" })
}

beforeAll(async () => {
  const url = await Effect.runPromise(Scope.provide(Databases.address("migrated"), scope))
  pool = Shop.poolOf(url)
  florin = Shop.florinOn({ url: Redacted.make(url) })
  await florin.ready()
  whose = await Shop.register(florin, pool)
  key = (await florin.operator.keys.issue({ ...whose, name: "views" })).secret
  await florin.run(write)
  await surround()
})

afterAll(async () => {
  await florin.dispose()
  await pool.end()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const byId = (left: Row, right: Row) => (String(left["id"]) < String(right["id"]) ? -1 : 1)

/** Everything that a list of the API has. */
const listed = async (
  path: string,
  member: string,
  cursor = "",
): Promise<ReadonlyArray<Schema.JsonObject>> => {
  const page = await call(`${path}${cursor === "" ? "" : `?cursor=${cursor}`}`)
  const rows = asRecords(page[member])
  const next = page["hasMore"] === false || rows.length === 0 ? null : page["nextCursor"]
  const rest = typeof next === "string" ? await listed(path, member, next) : []
  return [...rows, ...rest].toSorted(byId)
}

const isObject = (json: Json | undefined): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** The member of a response at a path; null if there is none. */
const at = (json: Json | undefined, ...path: ReadonlyArray<string>): Json => {
  const [first, ...rest] = path
  if (first === undefined) return json ?? null
  return isObject(json) ? at(json[first], ...rest) : null
}

/** Units and accounts as views spell them. */
const lower = (json: Json): Json =>
  typeof json === "string" ? json.replace(/0x[0-9a-fA-F]{40}$/u, (hex) => hex.toLowerCase()) : json

const date = (json: Json): Date | null => (typeof json === "string" ? new Date(json) : null)

/** What the view of payments must show, by the two responses of the API that show a payment, and its events. */
const paymentBy = (details: Json, item: Json, events: ReadonlyArray<Json>): Row => ({
  id: at(details, "paymentId"),
  partner_id: whose.partnerId,
  mode: whose.mode,
  merchant_id: at(details, "merchant", "id"),
  reference_id: at(details, "referenceId"),
  status: at(details, "status"),
  amount: at(details, "amount", "value"),
  unit: lower(at(details, "amount", "unit")),
  description: at(details, "description"),
  metadata: at(details, "metadata"),
  failure_code: at(details, "failureCode"),
  cancelled_reason: at(details, "cancelledReason"),
  buyer: at(details, "buyer", "accountCaip10"),
  paid_amount: at(details, "info", "optionAmount", "value"),
  paid_unit: lower(at(details, "info", "optionAmount", "unit")),
  tx_id: at(details, "info", "txId"),
  fee_amount: at(item, "fees", "total", "value"),
  payout_id: at(details, "payout", "id"),
  settled_amount: at(details, "settlement", "successful", "amount", "value"),
  settled_tx_id: at(details, "settlement", "successful", "txId"),
  settled_at: date(at(item, "settledAt")),
  refunded_amount: at(details, "refunded", "value"),
  expires_at: new Date(Number(at(details, "expiresAt")) * 1000),
  created_at: date(at(details, "createdAt")),
  updated_at: date(at(item, "lastUpdatedAt")),
  succeeded_at: date(
    at(
      events.find(
        (each) =>
          at(each, "type") === "payment.succeeded" &&
          at(each, "data", "paymentId") === at(details, "paymentId"),
      ),
      "timestamp",
    ),
  ),
  cancelled_at: date(at(details, "cancelledAt")),
})

const refundBy = (refund: Json, payment: Json, requestedAt: Date | null): Row => ({
  id: at(refund, "refundId"),
  payment_id: at(payment, "paymentId"),
  partner_id: whose.partnerId,
  mode: whose.mode,
  merchant_id: at(payment, "merchant", "id"),
  status: at(refund, "status"),
  amount: at(refund, "amount", "value"),
  unit: lower(at(refund, "amount", "unit")),
  requested_amount: at(refund, "requested", "value") ?? at(payment, "amount", "value"),
  requested_unit: lower(at(refund, "requested", "unit") ?? at(payment, "amount", "unit")),
  reason: at(refund, "reason"),
  destination: lower(at(refund, "destination") ?? at(payment, "buyer", "accountCaip10")),
  tx_id: at(refund, "txId"),
  pending_reason: at(refund, "pendingReason"),
  held_reason: at(refund, "held", "reason"),
  created_at: requestedAt,
  succeeded_at: at(refund, "status") === "succeeded" ? new Date(Fixtures.now) : null,
  held_at: date(at(refund, "held", "since")),
})

const payoutBy = (payout: Json): Row => ({
  id: at(payout, "id"),
  partner_id: whose.partnerId,
  mode: whose.mode,
  status: at(payout, "state"),
  reason: at(payout, "reason"),
  amount: at(payout, "amount", "value"),
  unit: lower(at(payout, "amount", "unit")),
  destination: lower(at(payout, "destination")),
  tx_id: at(payout, "txId"),
  payment_count: at(payout, "paymentCount"),
  created_at: date(at(payout, "createdAt")),
  sent_at: date(at(payout, "sentAt")),
  paid_at: date(at(payout, "paidAt")),
})

const merchantBy = (merchant: Json): Row => ({
  id: at(merchant, "id"),
  partner_id: whose.partnerId,
  mode: whose.mode,
  name: at(merchant, "name"),
  email: at(merchant, "email"),
  icon_url: at(merchant, "iconUrl"),
  brand_color: at(merchant, "brandColor"),
  support_email: at(merchant, "supportEmail"),
  support_url: at(merchant, "supportUrl"),
  checkout_origins: at(merchant, "checkoutOrigins"),
  status: at(merchant, "status"),
  created_at: date(at(merchant, "createdAt")),
})

const eventBy = (event: Json): Omit<Row, "refund_id"> => ({
  id: at(event, "id"),
  partner_id: whose.partnerId,
  mode: whose.mode,
  type: at(event, "type"),
  payment_id: at(event, "data", "paymentId"),
  payment_state_version: at(event, "data", "payment_state_version"),
  status: at(event, "data", "status"),
  merchant_id: at(event, "data", "merchantId"),
  settlement_id: at(event, "data", "settlementId"),
  webhook_id: at(event, "data", "webhookId"),
  created_at: date(at(event, "timestamp")),
})

/** Reading a payment that is past its time writes that it expired: the API is asked before the views. */
const shownByApi = async () => {
  const items = await listed("/v1/payments", "data")
  const details = await Promise.all(
    items.map((each) => call(`/v1/payments/${String(each["paymentId"])}`)),
  )
  return { items, details, events: await listed("/v1/events", "data") }
}

describe("a view shows the same as the partner API", () => {
  it("of payments in each state", async () => {
    const { details, events, items } = await shownByApi()
    const expected = items.map((item, index) => paymentBy(details[index] ?? {}, item, events))
    assert.deepStrictEqual(await rowsOf("payment"), expected.toSorted(byId))
    assert.isAtLeast(expected.length, Fixtures.stages.length)
    for (const column of Views.views[0]?.columns ?? []) {
      if (column.name === "description") continue
      assert.isTrue(
        expected.some((each) => each[column.name] !== null),
        `no payment has a ${column.name}`,
      )
    }
  })

  it("of refunds in each state, whole ones and parts", async () => {
    const { details } = await shownByApi()
    const found = await rowsOf("refund")
    const expected = details.flatMap((payment) =>
      Schema.decodeUnknownSync(Schema.Array(Schema.Json))(at(payment, "refunds") ?? []).map(
        (refund) => {
          const own = found.find((each) => each["id"] === at(refund, "refundId"))
          const requestedAt = own?.["created_at"]
          return refundBy(refund, payment, requestedAt instanceof Date ? requestedAt : null)
        },
      ),
    )
    assert.deepStrictEqual(found, expected.toSorted(byId))
    assert.sameMembers(
      [...new Set(expected.map((each) => each["status"]))],
      ["pending", "processing", "succeeded", "held"],
    )
    assert.includeMembers(
      expected.map((each) => each["requested_amount"]),
      ["300", "1000"],
    )
  })

  it("of payouts in each state", async () => {
    const expected = (await listed("/v1/payouts", "data")).map(payoutBy)
    assert.deepStrictEqual(await rowsOf("payout"), expected)
    assert.includeMembers(
      expected.map((each) => each["status"]),
      ["waiting", "sent", "paid", "held"],
    )
  })

  it("of merchants, and hides deleted ones", async () => {
    const expected = (await listed("/v1/merchants", "merchants")).map(merchantBy)
    assert.deepStrictEqual(await rowsOf("merchant"), expected)
    assert.lengthOf(expected, 1)
  })

  it("of events of each kind, and which refund changed", async () => {
    const expected = (await listed("/v1/events", "data")).map(eventBy)
    const found = await rowsOf("event")
    assert.deepStrictEqual(
      found,
      expected.map((each, index) => ({ ...each, refund_id: found[index]?.["refund_id"] })),
    )
    for (const { refund_id: id, type } of found) {
      assert.strictEqual(id !== null, String(type).startsWith("refund."), String(type))
    }
    assert.includeMembers(
      expected.map((each) => each["type"]),
      ["payment.created", "settlement_destination.changed", "webhook.test", "refund.held"],
    )
  })
})

describe("a view", () => {
  it("has the described columns and comments, and null only where it says so", async () => {
    await inTurn(Views.views, async ({ columns, name, says }) => {
      const { rows } = await pool.query<Row>(
        `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, col_description(attrelid, attnum) AS says
          FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
        [`florin.${name}`],
      )
      assert.deepStrictEqual(
        rows,
        columns.map((column) => ({
          name: column.name,
          type: column.type === "timestamptz" ? "timestamp with time zone" : column.type,
          says: column.says,
        })),
      )
      const { rows: described } = await pool.query<Row>(
        "SELECT obj_description($1::regclass) AS says",
        [`florin.${name}`],
      )
      assert.deepStrictEqual(described, [{ says }])
      const found = await rowsOf(name)
      assert.isNotEmpty(found)
      for (const column of columns) {
        for (const row of found) {
          const value = row[column.name]
          const where = `${name}.${column.name} of ${String(row["id"])}`
          if (value === null) assert.isTrue(column.isNullable, where)
          else if (column.values !== undefined) assert.include(column.values, value, where)
        }
      }
    })
  })

  it("cannot be written, even by the owner of the tables", async () => {
    const statements = Views.views.flatMap(({ name }) => [
      `UPDATE florin.${name} SET mode = 'live'`,
      `DELETE FROM florin.${name}`,
      `INSERT INTO florin.${name} (id) VALUES ('x')`,
    ])
    await inTurn(statements, async (statement) => {
      const outcome = await pool.query(statement).then(
        () => "written",
        (error: Error) => error.message,
      )
      assert.match(outcome, /^cannot (?:update|delete from|insert into) view/u, statement)
    })
  })

  it("is read by a user who may not read the tables", async () => {
    const role = `reader_${randomUUID().replaceAll("-", "")}`
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      await client.query(`CREATE ROLE ${role}`)
      await client.query(`GRANT USAGE ON SCHEMA florin TO ${role}`)
      const names = Views.views.map(({ name }) => `florin.${name}`).join(", ")
      await client.query(`GRANT SELECT ON ${names} TO ${role}`)
      await client.query(`SET LOCAL ROLE ${role}`)
      await inTurn(Views.views, async ({ name }) => {
        assert.isNotEmpty((await client.query(`SELECT * FROM florin.${name}`)).rows)
      })
      const refused = await client.query("SELECT FROM florin.payments").then(
        () => "read",
        (error: Error) => error.message,
      )
      assert.strictEqual(refused, "permission denied for table payments")
    } finally {
      await client.query("ROLLBACK")
      client.release()
    }
  })

  it("can be created again, and keeps its columns", async () => {
    await inTurn(Views.replaced, (statement) => pool.query(statement))
    const lost = Views.replaced[0]?.replace("payments.id AS id,", "") ?? ""
    const outcome = await pool.query(lost).then(
      () => "replaced",
      (error: Error) => error.message,
    )
    assert.match(outcome, /^cannot (?:change name of view column|drop columns from view)/u)
  })
})

describe("generated types", () => {
  it("read with Drizzle, next to the shop's own columns", async () => {
    const rows = await drizzle({ client: pool })
      .select({
        id: FlorinDrizzle.payment.id,
        status: FlorinDrizzle.payment.status,
        amount: FlorinDrizzle.payment.amount,
        metadata: FlorinDrizzle.payment.metadata,
        settledAt: FlorinDrizzle.payment.settledAt,
        refund: FlorinDrizzle.refund.requestedAmount,
        origins: FlorinDrizzle.merchant.checkoutOrigins,
      })
      .from(FlorinDrizzle.payment)
      .innerJoin(FlorinDrizzle.refund, eq(FlorinDrizzle.refund.paymentId, FlorinDrizzle.payment.id))
      .innerJoin(
        FlorinDrizzle.merchant,
        eq(FlorinDrizzle.merchant.id, FlorinDrizzle.payment.merchantId),
      )
      .where(gt(FlorinDrizzle.payment.createdAt, new Date(0)))
      .orderBy(FlorinDrizzle.payment.id)
    expectTypeOf(rows).toEqualTypeOf<
      Array<{
        id: string
        status: PaymentState.Status
        amount: string
        metadata: Record<string, string>
        settledAt: Date | null
        refund: string
        origins: Array<string>
      }>
    >()
    const settled = rows.find(({ settledAt }) => settledAt !== null)
    assert.deepInclude(settled, {
      status: "succeeded",
      amount: "1000",
      metadata: { stage: "refundAfterSettlement", "it's": '"quoted"' },
      settledAt: new Date(Fixtures.now),
      origins: ["https://shop.example", "https://www.shop.example"],
    })
  })

  it("read with Kysely, and refuse to write", async () => {
    const db = new Kysely<FlorinKysely.FlorinViews>({
      dialect: new PostgresDialect({
        pool: Object.assign(Object.create(pool), { end: async () => {} }),
      }),
    })
    const rows = await db
      .selectFrom("florin.event")
      .innerJoin("florin.payment", "florin.payment.id", "florin.event.payment_id")
      .select(["florin.event.type", "florin.event.created_at", "florin.payment.refunded_amount"])
      .where("florin.event.type", "=", "refund.succeeded")
      .execute()
    expectTypeOf(rows).toEqualTypeOf<
      Array<{
        type: FlorinKysely.Event["type"]["__select__"]
        created_at: Date
        refunded_amount: string | null
      }>
    >()
    assert.deepStrictEqual(rows, [
      { type: "refund.succeeded", created_at: new Date(Fixtures.now), refunded_amount: "10000000" },
    ])
    // @ts-expect-error nothing is written through a view
    db.updateTable("florin.payment").set({ status: "succeeded" })
    // @ts-expect-error it has no such column
    db.selectFrom("florin.payment").select("document")
  })

  it("read with SQL, as the declarations for other tools say", async () => {
    const own = Views.views.map(
      ({ columns, name }) =>
        [name, columns.map((column) => [column.name, column.isNullable ? "YES" : "NO"])] as const,
    )
    const declared = ViewTypes.print("sql", "declared")
    await pool.query(declared)
    await inTurn(own, async ([name, columns]) => {
      const { rows } = await pool.query<{ readonly column: ReadonlyArray<string> }>(
        `SELECT ARRAY[column_name, is_nullable]::text[] AS column FROM information_schema.columns
          WHERE table_schema = 'declared' AND table_name = $1 ORDER BY ordinal_position`,
        [name],
      )
      assert.deepStrictEqual(
        rows.map(({ column }) => column),
        columns,
      )
    })
  })

  it("are one field for each column in Prisma's schema", () => {
    const text = ViewTypes.print("prisma", "florin")
    for (const { columns, name } of Views.views) {
      const view = new RegExp(
        `^view Florin\\w+ \\{\\n((?:.+\\n)+)\\n  @@map\\("${name}"\\)\\n  @@schema\\("florin"\\)\\n\\}$`,
        "mu",
      ).exec(text)
      const fields = (view?.[1] ?? assert.fail(name))
        .split("\n")
        .filter((line) => /^ {2}\w/u.test(line))
      assert.deepStrictEqual(
        fields.map((line) => /@map\("(\w+)"\)/u.exec(line)?.[1] ?? line.trim().split(" ")[0]),
        columns.map((column) => column.name),
      )
      for (const [index, line] of fields.entries()) {
        const field =
          /^ {2}[a-z]\w* (?:String|Int|Decimal|DateTime|Json)(?:\[\]|\?)?(?: @unique)?(?: @map\("\w+"\))?(?: @db\.\w+(?:\(6\))?)?$/u
        assert.match(line, field)
        assert.strictEqual(line.includes("?"), columns[index]?.isNullable === true, line)
      }
    }
  })
})

const rowCount = 12_000
const owned = `CASE WHEN n % 200 = 0 THEN 'prtn_few' ELSE 'prtn_many' || n % 50 END, 'live'`
const tenant = `florin.numbered(CASE WHEN n % 200 = 0 THEN 'prtn_few' ELSE 'prtn_many' || n % 50 END || '/live')`
const madeAt = `${Fixtures.now}::bigint + n * 60000`

/** Many rows of each table, one per minute. Few belong to each partner. */
const copies = [
  `INSERT INTO florin.payments (id, tenant, merchant, revision, created_at, expires_at, standing, reference, amount_group,
      amount, chain, asset, customer, updated_at, state_version, document, progress)
    SELECT 'pay_' || n, ${tenant}, florin.numbered('mrch_' || n % 200), revision, ${madeAt}, expires_at, standing, reference,
      amount_group, amount, chain, asset, customer, updated_at, state_version, document, progress FROM one, numbers`,
  `INSERT INTO florin.entries (id, tenant, merchant, created_at, chain, asset, revision, is_stuck, is_owed,
      net_quantity, succeeded_at, updated_at, state_version, document)
    SELECT 'pay_' || n, ${tenant}, merchant, ${madeAt}, chain, asset, revision, false, false,
      net_quantity, succeeded_at, updated_at, state_version, document
    FROM one, numbers`,
  `INSERT INTO florin.refunds (id, payment_id, partner_id, mode, merchant_id, chain_id, token, created_at, requested_at, amount)
    SELECT 'rfnd_' || n, 'pay_' || n, ${owned}, 'mrch_' || n % 200, chain_id, token, created_at, ${madeAt}, amount FROM one, numbers`,
  `INSERT INTO florin.outflows (id, mode, partner_id, revision, is_open, created_at, document)
    SELECT 'out_' || n, 'live', CASE WHEN n % 200 = 0 THEN 'prtn_few' ELSE 'prtn_many' END, revision, false, ${madeAt}, document
    FROM one, numbers`,
  `INSERT INTO florin.merchants (id, partner_id, mode, status, searched, waits, created_at, revision, document)
    SELECT 'mrch_' || n, ${owned}, status, searched, false, ${madeAt}, revision, document FROM one, numbers`,
  `INSERT INTO florin.events (id, tenant, state_version, sequence, created_at, document)
    SELECT 'evt_' || n || '0000', ${tenant}, 0, ${rowCount} + n, ${madeAt}, document FROM one, numbers`,
]
const sources: Readonly<Record<string, string>> = {
  outflows: "WHERE payout_status IS NOT NULL",
  events: "WHERE document ? 'state'",
}

describe("a lookup in a view", () => {
  it("reads no table from its beginning to its end", async () => {
    await inTurn(copies, async (copy) => {
      const table = /florin\.(\w+)/u.exec(copy)?.[1] ?? ""
      const client = await pool.connect()
      await client.query("BEGIN")
      // Without the triggers, which keep statistics: they take most of the time.
      await client.query("SET LOCAL session_replication_role = replica")
      await client.query(
        `WITH one AS MATERIALIZED (SELECT * FROM florin.${table} ${sources[table] ?? ""} LIMIT 1),
          numbers AS (SELECT n FROM generate_series(1, ${rowCount}) AS n) ${copy}`,
      )
      await client.query("COMMIT")
      client.release()
      await pool.query(`VACUUM ANALYZE florin.${table}, florin.names`)
    })
    await pool.query(
      `INSERT INTO florin.names (number, name) SELECT florin.number_of('mrch_other' || n), 'mrch_other' || n FROM generate_series(1, ${rowCount}) AS n`,
    )
    await pool.query("VACUUM ANALYZE florin.names")
    const [from, to] = [0, 60].map((minutes) =>
      new Date(Fixtures.now + (rowCount / 2 + minutes) * 60_000).toISOString(),
    )
    const recently = `created_at >= '${from}' AND created_at < '${to}'`
    const few = "partner_id = 'prtn_few' AND mode = 'live'"
    const conditions: ReadonlyArray<readonly [view: string, condition: string]> = [
      ...Views.views.flatMap(({ name }) =>
        [`id = 'x_77'`, recently, `${few} AND ${recently}`, ...(name === "event" ? [] : [few])].map(
          (condition) => [name, condition] as const,
        ),
      ),
      ["payment", `partner_id = 'prtn_many7' AND mode = 'live' AND merchant_id = 'mrch_77'`],
      ["payment", `merchant_id = 'mrch_77' AND ${recently}`],
      ["event", "payment_id = 'pay_77'"],
    ]
    await inTurn(conditions, async ([view, condition]) => {
      const query = `SELECT * FROM florin.${view} WHERE ${condition}`
      const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${query}`)
      assert.deepStrictEqual(Plans.wholeScans(Plans.rootOf(rows)), [], query)
    })
    const joined =
      "SELECT * FROM florin.event JOIN florin.payment ON payment.id = event.payment_id WHERE event.id = 'evt_7'"
    const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${joined}`)
    assert.deepStrictEqual(Plans.wholeScans(Plans.rootOf(rows)), [], joined)
  })
})
