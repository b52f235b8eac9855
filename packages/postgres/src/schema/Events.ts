/**
 * Events in the order of their feed, and their deliveries to endpoints.
 *
 * @module
 */
import { id } from "./Id.ts"
import * as Turns from "./Turns.ts"

/**
 * Whether an event is of a payment: its id is the payment's with the version at its end (`Event.make`), so no column and no
 * index repeats it. The range of ids lets a payment find its events by their key.
 */
export const isOf = (event: string, payment: string): string =>
  `${payment} = florin.payment_of(${event}.id, ${event}.state_version)
    AND ${event}.id >= 'evt_' || substr(${payment}, 5) AND ${event}.id < 'evt_' || substr(${payment}, 5) || ':'`

/**
 * An endpoint receives the events of a payment in order: a delivery is not taken while an earlier one of its payment was
 * never tried. The id of a delivery is derived from endpoint and event, as in `Webhook.deliveryId`, and that of an event
 * from payment and version, so the earlier ones are found by their keys.
 */
const isNext = `NOT EXISTS (
  SELECT FROM florin.events AS own JOIN florin.deliveries AS before ON before.id = ANY(ARRAY(
    SELECT 'dlv_' || left(encode(sha256(convert_to(deliveries.endpoint_id || E'\\n' ||
      left(own.id, -greatest(4, length(own.state_version::text))) || lpad(version::text, greatest(4, length(version::text)), '0'),
      'UTF8')), 'hex'), 40)
    FROM generate_series(0, own.state_version - 1) AS version
  ))
  WHERE own.id = deliveries.event_id AND own.document ? 'state'
    AND before.due_at IS NOT NULL AND before.document -> 'attempts' = '[]'
)`

/** The members of an event's document that are of its payment. */
export const ofPayment = `'{state,reports,auditedSince}'::text[]`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- events: numbered for the feed when they are first read, so that no number is ever passed over
  // The revision is that of its payment.
  `CREATE TABLE florin.events (
    id ${id} PRIMARY KEY,
    tenant bigint NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    sequence bigint,
    created_at bigint NOT NULL,
    state_version integer NOT NULL,
    revision integer,
    document jsonb NOT NULL
  )`,
  `CREATE FUNCTION florin.payment_of(event_id text, state_version integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 'pay_' || substr(left(event_id, -greatest(4, length(state_version::text))), 5)`,
  // The parts of events, of which `EventRow` makes the whole.
  `CREATE VIEW florin.whole_events AS
    SELECT events.id, events.tenant, payments.id AS payment_id, events.state_version, events.sequence,
      jsonb_build_object('own', events.document, 'columns', jsonb_build_object('id', events.id,
        'stateVersion', events.state_version, 'createdAt', events.created_at), 'revision', events.revision,
        'payment', payments.document) AS document
    FROM florin.events LEFT JOIN florin.whole_payments AS payments ON ${isOf("events", "payments.id")}`,
  `CREATE INDEX events_fed ON florin.events (tenant, sequence) WHERE sequence IS NOT NULL`,
  `CREATE INDEX events_unnumbered ON florin.events (tenant, position) WHERE sequence IS NULL`,
  `CREATE SEQUENCE florin.feed`,
  `CREATE INDEX events_of_destinations ON florin.events ((document ->> 'merchantId'), position)
    WHERE document ? 'destinationId'`,
  // Events that wait to be fanned out. They have rows of their own, because a flag on the event's row would write its
  // document again.
  `CREATE TABLE florin.outbox (
    position bigint PRIMARY KEY,
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
