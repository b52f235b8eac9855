import { assert, layer } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as MerchantBalances from "../src/storage/MerchantBalances.ts"
import { database } from "../test-support/databases.ts"
import * as Plans from "../test-support/plans.ts"

const { now } = Fixtures
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

const tenant = { partnerId: PartnerId.PartnerId.make("prtn_many"), mode: "live" } as const
const world = Fixtures.make("balances")
const tokens = [world.token, Fixtures.token("balances/other")]

/** The books of 10,000 merchants, half of them of one partner: 60,000 payments, of which every seventh waits, and 20,000 payouts. */
const generate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO florin.merchants (id, partner_id, mode, status, searched, waits, created_at, revision, document)
    SELECT 'mrch_many' || n, CASE WHEN n % 2 = 0 THEN 'prtn_many' ELSE 'prtn_other' || n % 10 END, 'live', 'active', '',
      false, ${now}::bigint + n, 0, '{}'
    FROM generate_series(1, 10000) AS n`
  for (const token of tokens) {
    yield* sql`INSERT INTO florin.entries (id, tenant, merchant, created_at, chain, asset, revision,
        is_stuck, is_owed, net_quantity, left_quantity, succeeded_at, updated_at, state_version, document)
      SELECT 'pay_many' || n || ${token.address}::text, florin.number_of('prtn_many/live'),
        florin.number_of('mrch_many' || n % 10000 + 1), ${now}::bigint + n, florin.number_of(${token.chainId}),
        florin.number_of(${token.address}), 1, false, false, 10, CASE WHEN n % 7 = 0 THEN 10 END, ${now}::bigint + n, 0, 0, '{}'
      FROM generate_series(1, 30000) AS n`
    for (const [tag, quantity] of [
      ["Owed", -100],
      ["Debt", 1],
    ] as const) {
      yield* sql`INSERT INTO florin.ledger_balances (mode, token, account, quantity, in_float, document)
        SELECT 'live', ${Caip.tokenKey(token)}, ${tag}::text || n, ${quantity}, false,
          jsonb_build_object('token', ${JSON.stringify(token)}::jsonb,
            'account', jsonb_build_object('_tag', ${tag}::text, 'merchantId', 'mrch_many' || n))
        FROM generate_series(1, 10000) AS n`
    }
  }
  const movement = JSON.stringify({ token: world.token })
  yield* sql`INSERT INTO florin.outflows (id, mode, partner_id, revision, is_open, created_at, document)
    SELECT 'out_many' || n, 'live', CASE WHEN n % 2 = 0 THEN 'prtn_many' ELSE 'prtn_other' || n % 10 END, 1, n % 500 = 0,
      ${now}::bigint + n, jsonb_build_object('movement', ${movement}::jsonb,
        'state', jsonb_build_object('_tag', CASE WHEN n % 500 = 0 THEN 'Sent' ELSE 'Paid' END),
        'purpose', jsonb_build_object('_tag', 'Settle', 'shares', jsonb_build_array(jsonb_build_object(
          'paymentId', 'pay_many' || n, 'merchantId', 'mrch_many' || n % 10000 + 1, 'quantity', '7', 'netted', '0'))))
    FROM generate_series(1, 20000) AS n`
  yield* sql`VACUUM ANALYZE florin.entries, florin.merchants, florin.ledger_balances, florin.outflows`
})

const limits = {
  payoutDelayInMs: 1000,
  reserve: Result.getOrThrow(PartnerLimits.parseReserve("10% 30d")),
}

/** A page, and the plan of the one statement that reads it. */
const planOf = Effect.fnUntraced(function* (query: MerchantBalance.Query) {
  const sql = yield* SqlClient.SqlClient
  const { result: page, roots } = yield* Plans.explained(
    MerchantBalances.page(sql, tenant, query, { limits, now }),
  )
  assert.lengthOf(roots, 1)
  const [root = assert.fail()] = roots
  return { page, root }
})

const merchantId = MerchantId.MerchantId.make("mrch_many5002")

/** The books of one merchant of a partner of its own, which is owed this. */
const generateOne = Effect.fnUntraced(function* (name: string, net: bigint) {
  const sql = yield* SqlClient.SqlClient
  const key = Caip.tokenKey(world.token)
  yield* sql`INSERT INTO florin.merchants (id, partner_id, mode, status, searched, waits, created_at, revision, document)
    VALUES (${`mrch_${name}`}, ${`prtn_${name}`}, 'live', 'active', '', false, ${now}, 0, '{}')`
  yield* sql`INSERT INTO florin.entries (id, tenant, merchant, created_at, chain, asset, revision,
      is_stuck, is_owed, net_quantity, left_quantity, succeeded_at, updated_at, state_version, document)
    VALUES (${`pay_${name}`}, florin.number_of(${`prtn_${name}/live`}), florin.number_of(${`mrch_${name}`}), ${now},
      florin.number_of(${world.token.chainId}), florin.number_of(${world.token.address}), 1,
      false, false, ${net.toString()}::numeric, ${net.toString()}::numeric, ${now}, 0, 0, '{}')`
  yield* sql`INSERT INTO florin.ledger_balances (mode, token, account, quantity, in_float, document)
    VALUES ('live', ${key}, ${`Owed ${name}`}, ${(-net).toString()}::numeric, false, jsonb_build_object(
      'token', ${JSON.stringify(world.token)}::jsonb,
      'account', jsonb_build_object('_tag', 'Owed', 'merchantId', ${`mrch_${name}`}::text)))`
})

layer(database(), { excludeTestServices: true, timeout })("a page of merchants' balances", (it) => {
  it.effect(
    "is read by one statement, from indexes, however many payments and payouts there are",
    () =>
      Effect.gen(function* () {
        yield* generate
        const after = {
          merchant: { createdAt: now + 5000, id: MerchantId.MerchantId.make("mrch_many5000") },
          tokenKey: Caip.tokenKey(world.token),
        }
        for (const [query, count] of [
          [{ filter: {}, after: null }, 50],
          [{ filter: {}, after }, 50],
          [{ filter: { token: world.token }, after: null }, 50],
          [{ filter: { merchantId }, after: null }, 2],
        ] as const) {
          const { page, root } = yield* planOf({ ...query, limit: 50 })
          assert.lengthOf(page.items, count)
          assert.deepStrictEqual(Plans.wholeScans(root), [])
          const blocks = (root["Shared Hit Blocks"] ?? 0) + (root["Shared Read Blocks"] ?? 0)
          // 314 when it was written, with 5,000 merchants of the partner.
          assert.isBelow(blocks, 1000)
        }
      }),
    timeout,
  )

  it.effect(
    "holds back to the smallest unit what payouts leave, however many decimals a token has",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { reserve } = limits
        for (const [name, net] of [
          ["one", 1n],
          ["whole", 10n ** 18n],
          ["more", 10n ** 18n + 1n],
          ["less", 10n ** 27n - 1n],
        ] as const) {
          yield* generateOne(name, net)
          const own = { partnerId: PartnerId.PartnerId.make(`prtn_${name}`), mode: "live" } as const
          const query = { filter: {}, after: null, limit: 50 }
          const page = yield* MerchantBalances.page(sql, own, query, { limits: { reserve }, now })
          const share = { net: Fixtures.quantity(net), succeededAt: now }
          assert.deepStrictEqual(
            page.items.map(({ heldBack }) => heldBack),
            [PartnerLimits.heldBack({ reserve }, share, now)],
          )
        }
      }),
  )
})
