/**
 * Events in the order of their feed, and their deliveries to endpoints.
 *
 * An event is written without a number, so that no two payments wait for each other. It gets the next number of its
 * tenant when it is first read, under a lock. Every event that is committed by then is numbered before any later one,
 * so a reader that has read up to a number has missed none below it. The events of one payment are written one after
 * the other, and keep that order.
 *
 * @module
 */
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Event from "@florin/core/domain/payment/Event"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { type Outbox, pendingMax } from "@florin/core/ports/Outbox"
import { LeaseLost, NotFound } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import * as Events from "../schema/Events.ts"
import type { StorageTime } from "../StorageTime.ts"
import * as Conditions from "./Conditions.ts"
import * as Document from "./Document.ts"
import * as EventRow from "./EventRow.ts"
import * as Locks from "./Locks.ts"
import * as Turns from "./Turns.ts"

const noticeDocument = Document.of(Event.Notice)
const endpointDocument = Document.of(Webhook.Endpoint)
const partnerDocument = Document.of(Merchant.Partner)
const deliveryDocument = Document.of(Webhook.Delivery)
const deliveryDocuments = Document.of(Schema.Array(Webhook.Delivery))

interface Fed extends Document.Row {
  readonly sequence: bigint
}

const numbered = (sql: SqlClient, tenant: Tenant, after: number, limit: number) =>
  sql`SELECT sequence, document FROM florin.whole_events
    WHERE ${Conditions.isOf(sql, tenant)} AND sequence > ${after}
    ORDER BY sequence LIMIT ${limit}`

const oldestUnnumbered = (sql: SqlClient, tenant: Tenant, limit: number) =>
  sql`SELECT id, position FROM florin.events
    WHERE ${Conditions.isOf(sql, tenant)} AND sequence IS NULL
    ORDER BY position LIMIT ${limit}`

/**
 * Numbers the oldest events without a number. The lock comes first: the update must see what its last holder wrote.
 * Numbers are drawn once, and the n-th smallest goes to the n-th oldest, in whatever order the planner reads and joins.
 */
const number = (sql: SqlClient, tenant: Tenant, limit: number) =>
  sql.withTransaction(
    Effect.andThen(
      Locks.take(sql, `feed/${tenant.partnerId}/${tenant.mode}`),
      sql`WITH drawn AS MATERIALIZED (
          SELECT id, position, nextval('florin.feed') AS number FROM (${oldestUnnumbered(sql, tenant, limit)}) AS oldest
        ), ranked AS (
          SELECT array_agg(id ORDER BY position) AS ids, array_agg(number ORDER BY number) AS numbers FROM drawn
        )
        UPDATE florin.events SET sequence = next.sequence
        FROM ranked, unnest(ranked.ids, ranked.numbers) AS next (id, sequence)
        WHERE events.id = next.id`,
    ),
  )

/**
 * A page of the feed, and whether an event waits for its number. Both are read at one moment: between two, another
 * reader could give the event a number, and neither would show it.
 */
const pageOf = Effect.fnUntraced(function* (
  sql: SqlClient,
  tenant: Tenant,
  after: number,
  limit: number,
) {
  const rows = yield* sql<
    (Fed | { readonly sequence: null }) & { readonly is_open: boolean }
  >`SELECT page.sequence, page.document, open.is_open
    FROM (SELECT EXISTS (${oldestUnnumbered(sql, tenant, 1)}) AS is_open) AS open
    LEFT JOIN (${numbered(sql, tenant, after, limit)}) AS page ON true
    ORDER BY page.sequence`
  return {
    page: rows.filter((row) => row.sequence !== null),
    isOpen: rows[0]?.is_open === true,
  }
})

/** A page of the feed; only the page that reaches its end numbers events. */
const feed = Effect.fnUntraced(function* (
  sql: SqlClient,
  tenant: Tenant,
  after: number,
  limit: number,
) {
  const { isOpen, page } = yield* pageOf(sql, tenant, after, limit)
  if (page.length === limit || !isOpen) return page
  yield* number(sql, tenant, limit - page.length)
  return (yield* pageOf(sql, tenant, after, limit)).page
})

/** The condition of the index `endpoints_called`. */
const isCalled = (sql: SqlClient): Fragment => sql`endpoints.document -> 'disabledAt' = 'null'`

const endpointsOf = (sql: SqlClient, tenant: Tenant | null, condition: Fragment, lock = sql``) =>
  Document.all(
    endpointDocument,
    sql<Document.Row>`SELECT document FROM florin.endpoints WHERE ${
      tenant === null ? sql`true` : sql`partner_id = ${tenant.partnerId} AND mode = ${tenant.mode}`
    } AND ${condition} ORDER BY position ${lock}`,
  )

interface ListedRow extends Document.Row {
  readonly event: unknown
}

interface WaitingRow extends Document.Row {
  readonly position: bigint
  readonly partner: unknown
  readonly endpoints: ReadonlyArray<unknown>
}

/** The oldest events in the outbox, each with its partner and the endpoints of its tenant. */
const oldestWaiting = (sql: SqlClient, limit: number) =>
  sql<WaitingRow>`SELECT waiting.position, (events.document - ${sql.literal(Events.ofPayment)}) || jsonb_build_object(
        'id', events.id, 'stateVersion', events.state_version, 'createdAt', events.created_at) AS document,
      partners.document AS partner, (
        SELECT coalesce(jsonb_agg(endpoints.document ORDER BY endpoints.position), '[]') FROM florin.endpoints
        WHERE endpoints.partner_id = events.partner_id AND endpoints.mode = events.mode
          AND ${isCalled(sql)}
      ) AS endpoints
    FROM (SELECT * FROM florin.outbox ORDER BY position LIMIT ${limit}) AS waiting
    JOIN LATERAL (
      SELECT events.*, split_part(name, '/', 1) AS partner_id, split_part(name, '/', 2) AS mode
      FROM florin.events JOIN florin.names ON number = tenant WHERE events.id = waiting.event_id LIMIT 1
    ) AS events ON true
    LEFT JOIN florin.partners ON partners.id = events.partner_id
    ORDER BY waiting.position`

/**
 * Takes events from the outbox and writes their deliveries; returns how many events were still there. Processes take
 * turns, as they have read the same events, and the second finds nothing left. A locked event is not skipped: a later one
 * of its payment would then be sent first.
 */
const writeFanOut = (
  sql: SqlClient,
  positions: ReadonlyArray<string>,
  deliveries: ReadonlyArray<string>,
) =>
  Effect.map(
    sql<{ readonly count: bigint }>`WITH turn AS MATERIALIZED (
        ${Locks.take(sql, "outbox")}
      ), sent AS (
        DELETE FROM florin.outbox USING turn WHERE position = ANY(${positions}::bigint[])
        RETURNING outbox.event_id
      ), delivered AS (
        INSERT INTO florin.deliveries (id, partner_id, endpoint_id, event_id, due_at, lease_until, fence, document)
        SELECT made->>'id', coalesce((SELECT partner_id FROM florin.endpoints WHERE id = made->>'endpointId'), '-'),
          made->>'endpointId', sent.event_id, (made->>'dueAt')::bigint, 0, nextval('florin.fences'), made
        FROM jsonb_array_elements(${`[${deliveries.join(",")}]`}::jsonb) WITH ORDINALITY AS each (made, place)
        JOIN sent ON sent.event_id = made->>'eventId'
        ORDER BY place
        ON CONFLICT (id) DO NOTHING
      )
      SELECT count(*) AS count FROM sent`,
    ([written]) => Number(written?.count ?? 0n),
  )

/** Reads, decides, and writes. No lock is held in between, so a process that stops there blocks nobody. */
const fanOut = Effect.fnUntraced(function* (
  sql: SqlClient,
  limit: number,
  decide: Parameters<Outbox["Service"]["fanOut"]>[1],
) {
  const waiting = yield* oldestWaiting(sql, limit)
  if (waiting.length === 0) return 0
  const made: Array<string> = []
  for (const row of waiting) {
    if (row.endpoints.length === 0 || row.partner === null) continue
    const partner = yield* partnerDocument.decode(row.partner)
    const event = yield* noticeDocument.decode(row.document)
    const endpoints = yield* Effect.forEach(row.endpoints, endpointDocument.decode)
    for (const endpoint of endpoints) {
      const delivery = decide(event, endpoint, partner)
      if (delivery !== null) made.push(deliveryDocument.encode(delivery))
    }
  }
  return yield* writeFanOut(
    sql,
    waiting.map(({ position }) => position.toString()),
    made,
  )
})

interface ClaimedRow extends Document.Row {
  readonly fence: bigint
  readonly endpoint: unknown
  readonly event: unknown
}

interface PendingRow {
  readonly id: string
  readonly count: bigint
  readonly oldest: string
}

/**
 * The range of ids in which a payment's events are. With ends that it knows, the planner expects few, where it would
 * otherwise expect a ninth of all events.
 */
const inRange = (sql: SqlClient, id: string): Fragment => {
  const first = id.replace(/^pay_/u, "evt_")
  return sql`events.id >= ${first} AND events.id < ${`${first}:`}`
}

export const make = (sql: SqlClient, time: StorageTime): Outbox["Service"] => ({
  events: Effect.fn("Storage.events")(function* (tenant, after, limit) {
    const rows = yield* Connection.guard(feed(sql, tenant, after, limit))
    return yield* Effect.forEach(rows, ({ sequence, document }) =>
      Effect.map(EventRow.announced.decode(document), (event) => ({
        sequence: Number(sequence),
        event,
      })),
    )
  }),
  eventsOf: Effect.fn("Storage.eventsOf")((id, only) =>
    Document.list(
      EventRow.ofPayment,
      sql<Document.Row>`SELECT document FROM florin.whole_events AS events
          ${only === undefined ? sql`` : sql`JOIN florin.outbox ON outbox.event_id = events.id`}
          WHERE payment_id = ${id} AND ${inRange(sql, id)} ORDER BY state_version`,
    ),
  ),
  announce: Effect.fn("Storage.announce")((event) =>
    Effect.asVoid(
      Connection.guard(
        sql`WITH announced AS (
            INSERT INTO florin.events (id, tenant, state_version, created_at, document)
            VALUES (${event.id}, florin.numbered(${`${event.partnerId}/${event.mode}`}), ${event.stateVersion},
              ${event.createdAt}, ${EventRow.announced.encode(event)})
            RETURNING position, id
          )
          INSERT INTO florin.outbox (position, event_id) SELECT * FROM announced`,
      ),
    ),
  ),
  // Times are compared as the index of `florin.event` has them.
  eventIds: Effect.fn("Storage.eventIds")((tenant, { before, from }, limit) =>
    Effect.map(
      Connection.guard(
        sql<{ readonly id: string }>`SELECT id FROM florin.events
          WHERE ${Conditions.isOf(sql, tenant)}
            AND to_timestamp(created_at / 1000.0) >= to_timestamp(${from}::bigint / 1000.0)
            AND to_timestamp(created_at / 1000.0) < to_timestamp(${before}::bigint / 1000.0)
          ORDER BY position LIMIT ${limit}`,
      ),
      (rows) => rows.map(({ id }) => id),
    ),
  ),
  fanOut: Effect.fn("Storage.fanOut")((limit, decide) => time.guard(fanOut(sql, limit, decide))),

  putEndpoint: Effect.fn("Storage.putEndpoint")((endpoint, decide) =>
    Connection.guard(
      sql.withTransaction(
        Effect.gen(function* () {
          const { id, mode, partnerId } = endpoint
          if (decide !== undefined) {
            yield* Locks.take(sql, `endpoints/${partnerId}/${mode}`)
            yield* Effect.fromResult(decide(yield* endpointsOf(sql, endpoint, isCalled(sql))))
          }
          yield* sql`INSERT INTO florin.endpoints (id, partner_id, mode, document)
            VALUES (${id}, ${partnerId}, ${mode}, ${endpointDocument.encode(endpoint)})
            ON CONFLICT (id) DO UPDATE SET document = excluded.document`
        }),
      ),
    ),
  ),
  modifyEndpoint: Effect.fn("Storage.modifyEndpoint")((tenant, id, decide) =>
    Connection.guard(
      sql.withTransaction(
        Effect.gen(function* () {
          const [current] = yield* endpointsOf(sql, tenant, sql`id = ${id}`, sql`FOR UPDATE`)
          if (current === undefined) return yield* NotFound.of("webhook")
          const changed = yield* Effect.fromResult(decide(current))
          yield* sql`UPDATE florin.endpoints SET document = ${endpointDocument.encode(changed)} WHERE id = ${id}`
          return changed
        }),
      ),
    ),
  ),
  endpoints: Effect.fn("Storage.endpoints")((tenant, only) =>
    Connection.guard(
      endpointsOf(
        sql,
        tenant,
        only === undefined ? sql`true` : only === "enabled" ? isCalled(sql) : sql`id = ${only.id}`,
      ),
    ),
  ),

  deliveries: Effect.fn("Storage.deliveries")(function* (endpointId, limit, after = null) {
    const rows = yield* Connection.guard(
      sql<ListedRow>`SELECT document, (SELECT document FROM florin.whole_events WHERE id = deliveries.event_id) AS event
        FROM florin.deliveries WHERE endpoint_id = ${endpointId} AND ${
          after === null
            ? sql`true`
            : sql`deliveries.position < (SELECT position FROM florin.deliveries WHERE id = ${after})`
        }
        ORDER BY deliveries.position DESC LIMIT ${limit}`,
    )
    return yield* Effect.forEach(rows, ({ document, event }) =>
      Effect.all({
        delivery: deliveryDocument.decode(document),
        event: EventRow.announced.decode(event),
      }),
    )
  }),
  deliveriesById: Effect.fn("Storage.deliveriesById")((ids) =>
    Document.list(
      deliveryDocument,
      sql<Document.Row>`SELECT document FROM florin.deliveries WHERE id = ANY(${ids}::text[])`,
    ),
  ),
  // OFFSET 0 has each event looked up: the planner expects many, and would read all of a small table for none.
  claimDeliveries: Effect.fn("Storage.claimDeliveries")(function* (options) {
    /** The queues: one for each endpoint of a partner. */
    const isOf = sql`id = subject AND due_at IS NOT NULL`
    const table: Turns.Table = { name: "deliveries", kind: "", isOf }
    const rows = yield* time.guard(
      sql<ClaimedRow>`WITH ${Turns.next(sql, time, table, options)}, claimed AS (
          UPDATE florin.deliveries AS delivery SET lease_until = ${options.now + options.leaseInMs},
            fence = nextval('florin.fences')
          FROM next WHERE delivery.id = next.subject
          RETURNING delivery.endpoint_id, delivery.event_id, delivery.fence, delivery.document, place, turn
        )
        SELECT claimed.document, fence, own.document AS event,
          (SELECT document FROM florin.endpoints WHERE id = claimed.endpoint_id) AS endpoint
        FROM claimed, LATERAL (SELECT document FROM florin.whole_events WHERE id = claimed.event_id OFFSET 0) AS own
        ORDER BY place, turn`,
    )
    return yield* Effect.forEach(rows, (row) =>
      Effect.all({
        delivery: deliveryDocument.decode(row.document),
        endpoint: endpointDocument.decode(row.endpoint),
        event: EventRow.announced.decode(row.event),
        fence: Effect.succeed(Number(row.fence)),
      }),
    )
  }),
  pending: Connection.guard(
    sql<PendingRow>`SELECT endpoints.id, waiting.count, events.created_at::text AS oldest
      FROM florin.endpoints, LATERAL (
        SELECT count(*) AS count, (array_agg(event_id ORDER BY position))[1] AS event_id FROM (
          SELECT event_id, position FROM florin.deliveries
          WHERE due_at IS NOT NULL AND partner_id = endpoints.partner_id AND endpoint_id = endpoints.id
          ORDER BY (due_at + 0), id LIMIT ${pendingMax}
        ) AS first
      ) AS waiting
      JOIN florin.events ON events.id = waiting.event_id
      WHERE endpoints.document->>'disabledAt' IS NULL`,
  ).pipe(
    Effect.map((rows) =>
      rows.map(({ count, id, oldest }) => ({
        endpointId: Webhook.EndpointId.make(id),
        count: Number(count),
        oldestAt: Number(oldest),
      })),
    ),
    Effect.withSpan("Storage.pending"),
  ),
  finishDelivery: Effect.fn("Storage.finishDelivery")(function* (delivery, fence) {
    // Nobody else wrote it since this fence was issued.
    const written = yield* time.guard(
      Effect.flatMap(
        time.agrees,
        (agrees) => sql`UPDATE florin.deliveries SET due_at = ${delivery.dueAt}, lease_until = 0,
            fence = nextval('florin.fences'), document = ${deliveryDocument.encode(delivery)}
          WHERE id = ${delivery.id} AND fence = ${fence} AND ${agrees}
          RETURNING id`,
      ),
    )
    if (written.length === 0) return yield* LeaseLost.of()
  }),
  replayDeliveries: Effect.fn("Storage.replayDeliveries")((ids, decide) =>
    time.guard(
      sql.withTransaction(
        Effect.gen(function* () {
          const current = yield* Document.all(
            deliveryDocument,
            sql<Document.Row>`SELECT document FROM florin.deliveries WHERE id = ANY(${ids}::text[])
              ORDER BY id FOR UPDATE`,
          )
          const byId = new Map(current.map((each) => [each.id, each]))
          const decided = ids.flatMap((id) => {
            const known = byId.get(id)
            return (known && decide(known)) ?? []
          })
          yield* sql`UPDATE florin.deliveries SET due_at = (made ->> 'dueAt')::bigint, lease_until = 0,
              fence = nextval('florin.fences'), document = made
            FROM jsonb_array_elements(${deliveryDocuments.encode(decided)}::jsonb) AS each (made)
            WHERE deliveries.id = made ->> 'id' AND ${yield* time.agrees}`
          return decided
        }),
      ),
    ),
  ),
})
