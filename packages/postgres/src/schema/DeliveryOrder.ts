/**
 * An endpoint receives the events of a payment in order: a delivery is not taken while an earlier one of its payment
 * was never tried.
 *
 * @module
 */
import * as Turns from "./Turns.ts"

/**
 * The id of a delivery is derived from endpoint and event, as in `Webhook.deliveryId`, so the look-up needs no further
 * index.
 */
const isNext = `NOT EXISTS (
  SELECT FROM events AS own
    JOIN events AS earlier ON earlier.payment_id = own.payment_id AND earlier.state_version < own.state_version
    JOIN deliveries AS before ON before.id = 'dlv_' ||
      left(encode(sha256(convert_to(deliveries.endpoint_id || E'\\n' || earlier.id, 'UTF8')), 'hex'), 40)
  WHERE own.id = deliveries.event_id AND own.document ? 'payment'
    AND before.due_at IS NOT NULL AND before.document -> 'attempts' = '[]'
)`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  Turns.inTurn({ ...Turns.deliveries, mayTake: isNext }).replace(
    "CREATE FUNCTION",
    "CREATE OR REPLACE FUNCTION",
  ),
]
