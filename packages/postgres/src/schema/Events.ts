/**
 * Events in the order of their feed, and their deliveries to endpoints.
 *
 * @module
 */
import { id } from "./Id.ts"
import * as Turns from "./Turns.ts"

/**
 * An endpoint receives the events of a payment in order: a delivery is not taken while an earlier one of its payment was
 * never tried. The id of a delivery is derived from endpoint and event, as in `Webhook.deliveryId`, so the look-up needs
 * no further index.
 */
const isNext = `NOT EXISTS (
  SELECT FROM florin.events AS own
    JOIN florin.events AS earlier ON earlier.payment_id = own.payment_id AND earlier.state_version < own.state_version
    JOIN florin.deliveries AS before ON before.id = 'dlv_' ||
      left(encode(sha256(convert_to(deliveries.endpoint_id || E'\\n' || earlier.id, 'UTF8')), 'hex'), 40)
  WHERE own.id = deliveries.event_id AND own.document ? 'payment'
    AND before.due_at IS NOT NULL AND before.document -> 'attempts' = '[]'
)`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- events: numbered for the feed when they are first read, so that no number is ever passed over
  `CREATE TABLE florin.events (
    id ${id} PRIMARY KEY,
    payment_id ${id} NOT NULL,
    tenant bigint NOT NULL,
    state_version integer NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    sequence bigint,
    document jsonb NOT NULL
  )`,
  // What an event keeps of its payment. What was promised, and how it was paid, is in the payment's row, and how it was
  // settled in that of its share. Should a transfer move to another block, or what was settled change, the write that
  // changes it first leaves the former one in the payment's events.
  `CREATE FUNCTION florin.event_payment(type text, whole jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN jsonb_build_object('revision', whole -> 'revision', 'state',
        (whole -> 'state') - '{attempt,charge,transfer,succeededAt}'::text[]
          || CASE WHEN type = 'payment.settled' AND whole #> '{state,entry}' ? 'settled' THEN
            jsonb_build_object('refunds', NULL, 'entry', jsonb_build_object('settled', whole #> '{state,entry,settled}'))
          ELSE '{}' END)
      || CASE WHEN whole -> 'reports' = '[]' THEN '{}' ELSE jsonb_build_object('reports', whole -> 'reports') END
      || CASE WHEN whole ? 'auditedSince' THEN jsonb_build_object('auditedSince', whole -> 'auditedSince') ELSE '{}' END`,
  // The state in an event, with how it was settled: the event itself has only when, and by which transaction.
  `CREATE FUNCTION florin.with_entry(own jsonb, entry jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN own -> 'refunds' = 'null'
      THEN own || entry || jsonb_build_object('entry', (entry -> 'entry') || (own -> 'entry')) ELSE own END`,
  // Events as they were announced, out of what they keep and the payment's row.
  `CREATE VIEW florin.whole_events AS
    SELECT events.id, events.tenant, events.payment_id, events.state_version, events.position, events.sequence,
      events.document || jsonb_build_object('id', events.id, 'stateVersion', events.state_version)
        || CASE WHEN events.document ? 'payment' THEN jsonb_build_object('payment', florin.with_movement(
          (payments.document - 'auditedSince') || '{"reports":[]}' || (events.document -> 'payment')
          || jsonb_build_object('stateVersion', events.state_version, 'updatedAt', events.document -> 'createdAt', 'state',
            CASE events.document #>> '{payment,state,_tag}'
              WHEN 'Succeeded' THEN (payments.document -> 'state') - '{_tag,lost}'::text[]
              WHEN 'Processing' THEN jsonb_build_object('attempt', payments.document #> '{state,attempt}')
              WHEN 'Failed' THEN jsonb_build_object('attempt', payments.document #> '{state,attempt}')
              ELSE '{}' END || florin.with_entry(events.document #> '{payment,state}', entries.document -> 'state'))))
        ELSE '{}' END AS document
    FROM florin.events LEFT JOIN florin.promised AS payments ON payments.id = events.payment_id
      LEFT JOIN florin.entries ON entries.id = events.payment_id`,
  // Without the version, so that the index has a payment's id once for all of its events.
  `CREATE INDEX events_of_payment ON florin.events (payment_id)`,
  `CREATE INDEX events_fed ON florin.events (tenant, sequence) WHERE sequence IS NOT NULL`,
  `CREATE INDEX events_unnumbered ON florin.events (tenant, position) WHERE sequence IS NULL`,
  `CREATE SEQUENCE florin.feed`,
  `CREATE INDEX events_of_destinations ON florin.events ((document ->> 'merchantId'), position)
    WHERE starts_with(payment_id, 'crypto_')`,
  // Events are written nearly in the order of their time, so a block-range index is enough to find a time, and costs no
  // write.
  `CREATE INDEX events_by_time ON florin.events USING brin (((document -> 'createdAt')::bigint))`,
  // Events that wait to be fanned out. They have rows of their own, because a flag on the event's row would write its
  // document again.
  `CREATE TABLE florin.outbox (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id ${id} NOT NULL
  )`,
  `CREATE TABLE florin.endpoints (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX endpoints_by_tenant ON florin.endpoints (partner_id, mode, position)`,
  // Disabled endpoints stay, and slow nothing down.
  `CREATE INDEX endpoints_called ON florin.endpoints (partner_id, mode, position)
    WHERE document -> 'disabledAt' = 'null'`,
  `CREATE TABLE florin.deliveries (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    endpoint_id ${id} NOT NULL,
    event_id ${id} NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    due_at bigint,
    lease_until bigint NOT NULL,
    fence bigint NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX deliveries_of_endpoint ON florin.deliveries (endpoint_id, position DESC)`,
  `CREATE INDEX deliveries_next ON florin.deliveries (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX deliveries_queues ON florin.deliveries (partner_id, endpoint_id, ${Turns.atInQueue}, id)
    WHERE due_at IS NOT NULL`,
  Turns.inTurn({
    name: "deliveries",
    key: "id",
    group: "partner_id",
    member: "endpoint_id",
    where: "due_at IS NOT NULL",
    mayTake: isNext,
  }),
]
