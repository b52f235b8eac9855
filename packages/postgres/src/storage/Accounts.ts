/**
 * Partners, keys, merchants and their destinations.
 *
 * A change is decided on the row as it was read, and written only while the row still has that revision. If another
 * write came first, the row is read and decided again.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as MerchantQuery from "@florin/core/domain/list/MerchantQuery"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as Event from "@florin/core/domain/payment/Event"
import type { AccountStore, MerchantsSought, Namesake } from "@florin/core/ports/AccountStore"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"
import * as Document from "./Document.ts"
import * as Locks from "./Locks.ts"
import * as RememberedKeys from "./RememberedKeys.ts"

interface Revised extends Document.Row {
  readonly revision: number
}

const partnerDocument = Document.of(Merchant.Partner)
const keyDocument = Document.of(ApiKey.ApiKey)
const keyDocuments = Document.of(Schema.Array(ApiKey.ApiKey))
const merchantDocument = Document.of(Merchant.Merchant)
const destinationDocument = Document.of(SettlementDestination.SettlementDestination)
const tokenDocument = Document.of(Caip.Token)
const eventDocument = Document.of(Event.DestinationEvent)
const eventDocuments = Document.of(Schema.Array(Event.DestinationEvent))
const destinationDocuments = Document.of(Schema.Array(SettlementDestination.SettlementDestination))

/** Reads, decides and writes, until nobody else wrote in between; returns what was decided. */
const modify = <A, B, E>(
  guard: StorageTime["guard"],
  what: NotFound["what"],
  document: Document.Document<A>,
  read: Effect.Effect<ReadonlyArray<Revised>, SqlError>,
  decide: (current: A) => Result.Result<B, E>,
  /** Returns a row if it was written. */
  write: (decided: B, revision: number) => Effect.Effect<ReadonlyArray<unknown>, SqlError>,
) =>
  guard(
    Connection.retryUntilWritten(
      Effect.gen(function* () {
        const [row] = yield* read
        if (row === undefined) return yield* NotFound.of(what)
        const result = yield* Effect.fromResult(decide(yield* document.decode(row.document)))
        const written = yield* write(result, row.revision)
        return written.length === 0 ? null : { result }
      }),
    ),
  )

/** Writes keys, for each row of `source`, if the condition is true. */
const writeKeys = (
  sql: SqlClient,
  keys: ReadonlyArray<ApiKey.ApiKey>,
  source: Fragment,
  condition: Fragment,
) => {
  // If a key is named twice, the last one counts. Sorted, so that no two writers wait for each other.
  const changed = [...new Map(keys.map((key) => [key.id, key])).values()].toSorted((left, right) =>
    left.id < right.id ? -1 : 1,
  )
  return sql`INSERT INTO florin.api_keys (id, hash, partner_id, created_at, revision, document)
    SELECT each ->> 'id', each ->> 'hash', each #>> '{owner,partnerId}', (each ->> 'createdAt')::bigint, 0, each
    FROM ${source} CROSS JOIN jsonb_array_elements(${keyDocuments.encode(changed)}::jsonb) AS each
    WHERE ${condition}
    ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, partner_id = excluded.partner_id,
      created_at = excluded.created_at, revision = api_keys.revision + 1, document = excluded.document`
}

interface KeyRow extends Document.Row {
  readonly partner: unknown
}

const keyWithPartner = (sql: SqlClient, hash: ApiKey.KeyHash) =>
  Connection.guard(
    Effect.gen(function* () {
      const [row] =
        yield* sql<KeyRow>`SELECT api_keys.document, partners.document AS partner FROM florin.api_keys
          LEFT JOIN florin.partners ON partners.id = api_keys.partner_id WHERE hash = ${hash}`
      if (row === undefined) return yield* NotFound.of("key")
      return {
        key: yield* keyDocument.decode(row.document),
        partner: row.partner === null ? null : yield* partnerDocument.decode(row.partner),
      }
    }),
  )

/** The condition on merchants that a list shows: `Merchant.isListed`. */
const isListed = (
  sql: SqlClient,
  { mode, partnerId }: MerchantQuery.Scope,
  filter: Merchant.Filter,
): Fragment => {
  const conditions: Array<Fragment> = [sql`deleted_at IS NULL`]
  if (partnerId !== null) conditions.push(sql`partner_id = ${partnerId}`)
  if (mode !== null) conditions.push(sql`mode = ${mode}`)
  if (filter.status !== undefined) conditions.push(sql`status = ${filter.status}`)
  if (filter.search !== undefined) {
    const text = filter.search.toLowerCase()
    // `position` has no wildcards. Ids are ASCII, which JavaScript and SQL fold in the same way.
    conditions.push(sql`(position(${text} IN searched) > 0 OR position(${text} IN lower(id)) > 0)`)
  }
  return sql.and(conditions)
}

/** The form of names for searches: folded as the domain does it, which no database locale can. */
const searchedOf = (merchant: Merchant.Merchant): string => merchant.name.toLowerCase()

const sought = (sql: SqlClient, which: MerchantsSought) => {
  switch (which._tag) {
    case "Ids":
      return sql<Document.Row>`SELECT document FROM florin.merchants WHERE id = ANY(${which.ids}::text[])
        ${
          which.tenant === null
            ? sql``
            : sql`AND partner_id = ${which.tenant.partnerId} AND mode = ${which.tenant.mode}`
        }`
    case "Payees":
      return sql<Document.Row>`SELECT merchants.document FROM florin.settlement_destinations AS each
        JOIN florin.merchants ON merchants.id = each.merchant_id
        WHERE each.chain_id = ${which.token.chainId} AND each.token = ${which.token.address}
          AND each.deleted_at IS NULL AND merchants.mode = ${which.mode}
          AND ${which.destination} IN (each.document #>> '{destination,address}',
            each.document #>> '{before,destination,address}')
        ORDER BY each.created_at, each.position`
    case "Waiting": {
      const { after = null } = which
      return sql<Document.Row>`SELECT document FROM florin.merchants WHERE waits AND deleted_at IS NULL
        ${after === null ? sql`` : sql`AND (created_at, id) > (${after.createdAt}, ${after.id})`}
        ORDER BY created_at, id LIMIT ${which.limit}`
    }
  }
}

const namesakes = Effect.fnUntraced(function* (
  sql: SqlClient,
  { likenesses, partnerId }: Parameters<AccountStore["Service"]["namesakes"]>[0],
  limit: number,
) {
  // Sorted, so that no two wait for each other.
  for (const likeness of likenesses.toSorted()) yield* Locks.take(sql, `likeness/${likeness}`)
  const found = yield* sql<{
    readonly partner: unknown
    readonly merchant: unknown
  }>`(SELECT document AS partner, NULL::jsonb AS merchant FROM florin.partners
      WHERE document -> 'likenesses' ?| ${likenesses}::text[] AND id <> ${partnerId}
      ORDER BY position LIMIT ${limit})
    UNION ALL
    (SELECT NULL::jsonb, document FROM florin.merchants
      WHERE mode = 'live' AND deleted_at IS NULL AND document -> 'likenesses' ?| ${likenesses}::text[]
        AND partner_id <> ${partnerId}
      ORDER BY created_at, id LIMIT ${limit})`
  return yield* Effect.forEach(
    found.slice(0, limit),
    ({ merchant, partner }): Effect.Effect<Namesake> =>
      merchant === null
        ? Effect.map(partnerDocument.decode(partner), ({ id, name }) => ({
            partnerId: id,
            merchantId: null,
            name,
          }))
        : Effect.map(merchantDocument.decode(merchant), (each) => ({
            partnerId: each.partnerId,
            merchantId: each.id,
            name: each.name,
          })),
  )
})

/** The current or last destinations of merchants, oldest first. */
const destinationsOf = (
  sql: SqlClient,
  merchants: ReadonlyArray<MerchantId.MerchantId>,
  token: Caip.Token | null,
) =>
  Document.all(
    destinationDocument,
    sql<Document.Row>`SELECT document FROM florin.settlement_destinations WHERE merchant_id = ANY(${merchants}::text[])
      AND ${token === null ? sql`true` : sql`chain_id = ${token.chainId} AND token = ${token.address}`}
      ORDER BY created_at, position`,
  )

/** The tokens in which a merchant is owed something. */
const owedTokens = Effect.fnUntraced(function* (sql: SqlClient, merchantId: MerchantId.MerchantId) {
  const rows =
    yield* sql<Document.Row>`SELECT DISTINCT document -> 'token' AS document FROM florin.ledger_balances
    WHERE mode IN ('test', 'live') AND document #>> '{account,merchantId}' = ${merchantId}
      AND document #>> '{account,_tag}' = 'Owed' AND quantity <> 0`
  return yield* Effect.forEach(rows, ({ document }) => tokenDocument.decode(document))
})

/** Makes the merchant's oldest owed share due in the token of each destination of `created`. */
const settlingOwed = (sql: SqlClient, now: number): Fragment => sql`settling AS (
    INSERT INTO florin.due_work (subject_id, kind, due_at, lease_until, fence, failures, chain_id, partner_id)
    SELECT oldest.id, 'settle', ${now}, 0, nextval('florin.fences'), 0, created.chain_id, oldest.partner_id
    FROM created CROSS JOIN LATERAL (
      SELECT id, (SELECT split_part(name, '/', 1) FROM florin.names WHERE number = tenant) AS partner_id
      FROM florin.entries
      WHERE is_owed AND merchant = florin.number_of(created.merchant_id)
        AND chain = florin.number_of(created.chain_id) AND asset = florin.number_of(created.token)
      ORDER BY created_at, id LIMIT 1
    ) AS oldest
    ORDER BY oldest.id
    ON CONFLICT (subject_id, kind) DO UPDATE SET due_at = excluded.due_at,
      lease_until = excluded.lease_until, fence = excluded.fence, failures = excluded.failures
  )`

/** Announces changes of destinations, for each row of `source`, as `Write` does for payments. */
const announcing = (
  sql: SqlClient,
  events: ReadonlyArray<Event.DestinationEvent>,
  source: Fragment,
): Fragment => sql`announced AS (
    INSERT INTO florin.events (id, tenant, state_version, created_at, document)
    SELECT each ->> 'id', florin.numbered((each ->> 'partnerId') || '/' || (each ->> 'mode')),
      (each ->> 'stateVersion')::integer, (each -> 'createdAt')::bigint, each
    FROM ${source} CROSS JOIN jsonb_array_elements(${eventDocuments.encode(events)}::jsonb)
      WITH ORDINALITY AS made (each, place)
    ORDER BY place
    RETURNING position, id
  ), waiting AS (INSERT INTO florin.outbox (position, event_id) SELECT * FROM announced)`

export const make = (
  sql: SqlClient,
  time: StorageTime,
  reads = sql,
  remembered = RememberedKeys.make(),
): AccountStore["Service"] => ({
  addPartner: Effect.fn("Storage.addPartner")((partner) =>
    Effect.map(
      Connection.guard(
        remembered.writingPartner(
          // The names that its payments will use are stored now: an application's transaction that was the first to use
          // one would keep others waiting.
          sql`INSERT INTO florin.partners (id, document) VALUES (${partner.id}, ${partnerDocument.encode(partner)})
            ON CONFLICT (id) DO NOTHING RETURNING florin.numbered(id), florin.numbered(id || '/test'), florin.numbered(id || '/live')`,
        ),
      ),
      (rows) => rows.length > 0,
    ),
  ),
  modifyPartner: Effect.fn("Storage.modifyPartner")((id, decide) =>
    Connection.guard(
      remembered.writingPartner(
        sql.withTransaction(
          Effect.gen(function* () {
            const current = yield* Document.one(
              partnerDocument,
              sql<Document.Row>`SELECT document FROM florin.partners WHERE id = ${id} FOR UPDATE`,
            )
            if (current === undefined) return yield* NotFound.of("partner")
            const changed = decide(current)
            yield* sql`UPDATE florin.partners SET document = ${partnerDocument.encode(changed)} WHERE id = ${id}`
            return changed
          }),
        ),
      ),
    ),
  ),
  partners: Effect.fn("Storage.partners")((ids) =>
    Document.list(
      partnerDocument,
      sql<Document.Row>`SELECT document FROM florin.partners
          WHERE ${ids === null ? sql`true` : sql`id = ANY(${ids}::text[])`} ORDER BY position`,
    ),
  ),

  putKeys: Effect.fn("Storage.putKeys")((keys) =>
    Effect.asVoid(
      time.guard(
        Effect.flatMap(time.agrees, (agrees) =>
          remembered.writingKeys(keys, writeKeys(sql, keys, sql`(SELECT 1) AS always`, agrees)),
        ),
      ),
    ),
  ),
  keyByHash: Effect.fn("Storage.keyByHash")((hash) =>
    // Whether a key has expired depends on the clock.
    Effect.andThen(time.requireRight, remembered.find(hash, keyWithPartner(reads, hash))),
  ),
  modifyKey: Effect.fn("Storage.modifyKey")((id, decide) =>
    Effect.map(
      modify(
        time.guard,
        "key",
        keyDocument,
        sql<Revised>`SELECT document, revision FROM florin.api_keys WHERE id = ${id}`,
        decide,
        ({ keys }, revision) =>
          Effect.flatMap(time.agrees, (agrees) =>
            remembered.writingKeys(
              keys,
              sql`WITH current AS (
                  SELECT 1 FROM florin.api_keys WHERE id = ${id} AND revision = ${revision} FOR UPDATE
                ), written AS (${writeKeys(sql, keys, sql`current`, agrees)})
                SELECT 1 FROM current`,
            ),
          ),
      ),
      ({ result }) => result,
    ),
  ),
  keys: Effect.fn("Storage.keys")((of, validAt) => {
    const isOwn =
      of === null
        ? sql`partner_id IS NULL`
        : typeof of === "string"
          ? sql`partner_id = ${of}`
          : sql`id = ${of.id}`
    const isValid = sql`document -> 'revokedAt' = 'null'
      AND coalesce((document ->> 'expiresAt')::bigint > ${validAt}, true)
      AND coalesce((document #>> '{rotation,graceEndsAt}')::bigint > ${validAt}, true)`
    return Document.list(
      keyDocument,
      sql<Document.Row>`SELECT document FROM florin.api_keys
          WHERE ${validAt === null ? isOwn : sql`${isOwn} AND ${isValid}`}
          ORDER BY created_at DESC, id DESC`,
    )
  }),

  addMerchant: Effect.fn("Storage.addMerchant")((merchant) =>
    Connection.guard(
      Effect.asVoid(
        sql`WITH created AS (
            INSERT INTO florin.merchants
              (id, partner_id, mode, status, searched, created_at, deleted_at, waits, revision, document)
            VALUES (${merchant.id}, ${merchant.partnerId}, ${merchant.mode}, ${merchant.status},
              ${searchedOf(merchant)}, ${merchant.createdAt}, ${merchant.deletedAt},
              ${merchant.waiting !== undefined}::boolean, 0, ${merchantDocument.encode(merchant)}::jsonb)
            ON CONFLICT (id) DO NOTHING
          )
          SELECT florin.numbered(${merchant.id})`,
      ),
    ),
  ),
  findMerchants: Effect.fn("Storage.findMerchants")((which) =>
    Document.list(merchantDocument, sought(which._tag === "Ids" ? reads : sql, which)),
  ),
  modifyMerchant: Effect.fn("Storage.modifyMerchant")((tenant, id, decide) =>
    modify(
      Connection.guard,
      "merchant",
      merchantDocument,
      sql<Revised>`SELECT document, revision FROM florin.merchants
        WHERE id = ${id} AND partner_id = ${tenant.partnerId} AND mode = ${tenant.mode}`,
      decide,
      (changed, revision) =>
        sql`UPDATE florin.merchants SET status = ${changed.status}, searched = ${searchedOf(changed)},
            deleted_at = ${changed.deletedAt}, waits = ${changed.waiting !== undefined}, revision = revision + 1,
            document = ${merchantDocument.encode(changed)}
          WHERE id = ${id} AND revision = ${revision} RETURNING 1`,
    ),
  ),
  merchants: Effect.fn("Storage.merchants")((scope, filter, { after, limit }) => {
    const where = isListed(sql, scope, filter)
    const place =
      after === null ? sql`` : sql`AND (created_at, id) < (${after.createdAt}, ${after.id})`
    // One statement, so that the count and the page are of one moment. An empty page is one row without a document.
    const rows = sql<{
      readonly total: number
      readonly document: unknown
    }>`SELECT counted.total, page.document
      FROM (SELECT count(*)::integer AS total FROM florin.merchants WHERE ${where}) AS counted
      LEFT JOIN LATERAL (
        SELECT created_at, id, document FROM florin.merchants WHERE ${where} ${place}
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}
      ) AS page ON true
      ORDER BY page.created_at DESC, page.id DESC`
    return Connection.guard(
      Effect.gen(function* () {
        const listed = yield* rows
        const shown = listed.filter((row) => row.document !== null)
        const found = yield* Document.all(merchantDocument, Effect.succeed(shown))
        return {
          items: found.slice(0, limit),
          hasMore: found.length > limit,
          totalCount: listed[0]?.total ?? 0,
        }
      }),
    )
  }),

  namesakes: Effect.fn("Storage.namesakes")((of, limit) =>
    Connection.guard(namesakes(sql, of, limit)),
  ),

  destinations: Effect.fn("Storage.destinations")((merchants, token) =>
    Connection.guard(destinationsOf(sql, merchants, token)),
  ),
  destinationHistory: Effect.fn("Storage.destinationHistory")((merchantId) =>
    Document.list(
      eventDocument,
      sql<Document.Row>`SELECT document FROM florin.events
          WHERE document ? 'destinationId' AND document ->> 'merchantId' = ${merchantId}
          ORDER BY position`,
    ),
  ),
  addDestinations: Effect.fn("Storage.addDestinations")((merchantId, decide, now) => {
    // The lock orders all writes that add to a merchant: each decides on the result of the one before it.
    const adding = Effect.gen(function* () {
      yield* Locks.take(sql, `destinations/${merchantId}`)
      const all = yield* destinationsOf(sql, [merchantId], null)
      const existing = all.filter(SettlementDestination.isRegistered)
      const deleted = all.filter((each) => !existing.includes(each))
      const owed = yield* owedTokens(sql, merchantId)
      const { added, events = [] } = yield* Effect.fromResult(decide(existing, { deleted, owed }))
      // Replaces the deleted one, so that a concurrent reader of that one notices.
      yield* sql`WITH created AS (
          INSERT INTO florin.settlement_destinations AS last
            (id, merchant_id, chain_id, token, created_at, revision, document)
          SELECT each ->> 'id', each ->> 'merchantId', each #>> '{token,chainId}',
            each #>> '{token,address}', (each ->> 'createdAt')::bigint, 0, each
          FROM jsonb_array_elements(${destinationDocuments.encode(added)}::jsonb)
            WITH ORDINALITY AS added (each, place)
          ORDER BY place
          ON CONFLICT (merchant_id, chain_id, token) DO UPDATE SET id = excluded.id,
            created_at = excluded.created_at, position = DEFAULT, deleted_at = NULL,
            revision = last.revision + 1, document = excluded.document
          RETURNING merchant_id, chain_id, token
        ), ${settlingOwed(sql, now)}, ${announcing(sql, events, sql`(SELECT 1) AS always`)}
        SELECT 1 WHERE ${yield* time.agrees}`
      return added
    })
    return time.guard(sql.withTransaction(adding))
  }),
  modifyDestination: Effect.fn("Storage.modifyDestination")((merchantId, id, decide) =>
    Effect.map(
      modify(
        Connection.guard,
        "destination",
        destinationDocument,
        sql<Revised>`SELECT document, revision FROM florin.settlement_destinations
          WHERE id = ${id} AND merchant_id = ${merchantId} AND deleted_at IS NULL`,
        decide,
        ({ destination, event }, revision) =>
          sql`WITH changed AS (
              UPDATE florin.settlement_destinations SET revision = revision + 1,
                deleted_at = ${destination.deletedAt ?? null},
                document = ${destinationDocument.encode(destination)}
              WHERE id = ${id} AND revision = ${revision} RETURNING 1
            ), ${announcing(sql, event === null ? [] : [event], sql`changed`)}
            SELECT 1 FROM changed`,
      ),
      ({ destination }) => destination,
    ),
  ),
})
