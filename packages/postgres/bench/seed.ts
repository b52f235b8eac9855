/**
 * Many payments of one tenant, and a tenth as many of a hundred others, made by the database itself. They are made in
 * the first schema and then migrated, so every migration after it is run on that many payments too.
 *
 * @example
 * DATABASE_URL=postgres://…/empty PAYMENTS=10000000 node bench/seed.ts
 *
 * @module
 */
import process from "node:process"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type { Tenant } from "@florin/core/ports/AccountStore"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "../src/Connection.ts"
import * as Migrations from "../src/Migrations.ts"
import * as PaymentRow from "../src/storage/PaymentRow.ts"

/** Whose payments they are. */
export const tenant: Tenant = { partnerId: PartnerId.PartnerId.make("prtn_seeded"), mode: "live" }

const merchants = 200

/** The first has a third of all payments, and the last hardly one. */
export const merchant = (index: number): MerchantId.MerchantId =>
  MerchantId.MerchantId.make(`mrch_seeded${index}`)

export const tokens: ReadonlyArray<Caip.Token> = BuiltIn.catalog.assets
  .filter(({ symbol }) => symbol === "USDC" || symbol === "EURC")
  .map(({ token }) => token)

const dayInMs = 86_400_000
const days = 730

/** When the first one was created, and after the last one was. */
export const firstAt = Math.floor(Fixtures.now / dayInMs) * dayInMs - days * dayInMs
export const endAt = firstAt + days * dayInMs

const groups = ["fiat/USD", "fiat/USD", "fiat/USD", "fiat/EUR", "fiat/JPY"]

/** A number below `below` that follows from the row alone, another one for each `salt`. */
const draw = (salt: number, below: number | string): string =>
  `((hashint8extended(n, ${salt}) & 1073741823) % ${below})`

interface Owned {
  readonly of: Tenant
  readonly before: number
}

const insert = (
  sql: SqlClient.SqlClient,
  from: number,
  to: number,
  document: string,
  owned: Owned,
) => {
  const addresses = tokens.map((token) => token.address)
  const chainIds = tokens.map((token) => token.chainId)
  const random = (salt: number, below: number | string) => sql.literal(draw(salt, below))
  return sql`INSERT INTO florin.payments (id, tenant, merchant, revision, created_at, expires_at, standing,
      reference, amount_group, amount, chain, asset, customer, updated_at, state_version, document)
    SELECT id, florin.numbered(partner || '/' || ${owned.of.mode}), florin.numbered('mrch_seeded' || merchant), 3, created_at, created_at / 1000 + 900,
      array_position(${PaymentState.statuses}::text[], status),
      reference, amount_group, amount,
      CASE WHEN has_payer THEN florin.numbered((${chainIds}::text[])[1 + token]) END,
      CASE WHEN has_payer THEN florin.numbered((${addresses}::text[])[1 + token]) END,
      CASE WHEN has_payer THEN florin.packed('0x' || left(encode(sha256(payer::text::bytea), 'hex'), 40)) END,
      created_at, 0, ${document}::jsonb
    FROM (
      SELECT drawn.*, status, status IN ('processing', 'succeeded', 'failed') AS has_payer,
        (${groups}::text[])[1 + unit] AS amount_group,
        CASE shape
          WHEN 0 THEN 'order ' || n
          WHEN 1 THEN 'inv-' || to_char(to_timestamp(created_at / 1000), 'YYYY/MM/DD') || '-' || n % 1000
          WHEN 2 THEN 'table ' || n % 90 || ', shop ' || n % 7
          WHEN 3 THEN left(encode(sha256(n::text::bytea), 'hex'), 20)
          ELSE CASE WHEN n % 100 = 4 THEN '+-+/' || n ELSE 'pos:' || n % 5000 || '.' || n % 10 END
        END AS reference
      FROM (
        SELECT n, 'pay_seeded' || lpad(n::text, 24, '0') AS id,
          CASE WHEN n % 11 = 0 THEN 'prtn_other' || n % 100 ELSE ${owned.of.partnerId}::text END AS partner,
          floor(${merchants} * (${random(1, 1_000_000)} / 1000000.0) ^ 5)::integer AS merchant,
          ${owned.before - days * dayInMs}::bigint + (n * ${days * dayInMs}::numeric / ${to})::bigint AS created_at,
          (ARRAY['succeeded','succeeded','succeeded','succeeded','succeeded','succeeded','succeeded','succeeded',
            'succeeded','expired','failed'])[1 + ${random(2, 11)}] AS common,
          ${random(3, 5)} AS unit, ${random(4, 5)} AS shape, ${random(5, tokens.length)} AS token,
          ${random(6, `greatest(${Math.ceil(to / 5)}, 1)`)} AS payer,
          ${random(7, 1_000_000)} + 1 AS amount, ${random(8, 1000)} AS rare
        FROM generate_series(${from}::bigint, ${to}::bigint) AS n
      ) AS drawn,
      LATERAL (SELECT CASE WHEN rare < 2 THEN 'processing' WHEN rare < 5 THEN 'requires_action'
        WHEN rare < 9 THEN 'cancelled' ELSE common END AS status) AS decided
    ) AS made`
}

/** Makes so many, of two years, in a database that has none, and brings it to the schema of this release. */
export const seed = Effect.fnUntraced(function* (
  count: number,
  owned: Owned = { of: tenant, before: endAt },
) {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run()
  const document = PaymentRow.document.encode(
    Fixtures.paymentAfter(Fixtures.make("seeded").path("settled")),
  )
  yield* insert(sql, 1, count, document, owned)
  yield* sql`SELECT florin.stats_fold(NULL)`
  yield* sql`VACUUM ANALYZE`
})

if (import.meta.main) {
  const url = process.env["DATABASE_URL"]
  if (url === undefined) throw new Error("DATABASE_URL names the empty database to fill")
  const client = Connection.layer({ url: Redacted.make(url) })
  await Effect.runPromise(
    Effect.provide(seed(Number(process.env["PAYMENTS"] ?? 1_000_000)), client),
  )
}
