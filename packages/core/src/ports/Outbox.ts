/**
 * The outbox: events of payments and destinations, webhook endpoints, and the deliveries of events to them.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Webhook from "../domain/notify/Webhook.ts"
import type * as Merchant from "../domain/partner/Merchant.ts"
import type * as Event from "../domain/payment/Event.ts"
import type { Tenant } from "./AccountStore.ts"
import type { LeaseLost, NotFound, Read, StorageUnavailable } from "./StorageError.ts"
import type { ClaimOptions } from "./Turns.ts"

/** One webhook delivery that is due, with the data that is needed to make it. */
export interface ClaimedDelivery {
  readonly delivery: Webhook.Delivery
  readonly endpoint: Webhook.Endpoint
  readonly event: Event.Announced
  readonly fence: number
}

/** Deliveries of an endpoint that were not made yet. */
export interface Pending {
  readonly endpointId: Webhook.EndpointId
  readonly count: number
  /** When the oldest event among them happened, as epoch milliseconds. */
  readonly oldestAt: number
}

/** The most pending deliveries that are counted of each endpoint, so that looking at a long queue stays cheap. */
export const pendingMax = 1000

/** A delivery, and the event that it carries. */
export interface ListedDelivery {
  readonly delivery: Webhook.Delivery
  readonly event: Event.Announced
}

export interface FeedEntry {
  /** Increases with every event of a tenant; a reader continues from it. */
  readonly sequence: number
  readonly event: Event.Announced
}

/**
 * Stores events, webhook endpoints and deliveries.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - An event waits to be fanned out from the change that it is part of. It is fanned out once, with all of its
 *   deliveries or none of them, and after the earlier events of its payment, no matter how many processes fan out
 *   concurrently.
 * - An endpoint gets the events of a payment in order: a delivery is not leased while an earlier event of the same
 *   payment to the same endpoint waits for its first attempt.
 * - A replayed delivery is taken from the worker that has the lease on it.
 * - Events are listed by sequence, deliveries newest first.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** A tenant's events after a sequence number, in order. */
    readonly events: (
      tenant: Tenant,
      after: number,
      limit: number,
    ) => Read<ReadonlyArray<FeedEntry>>
    /** The events of a payment, or those that wait to be fanned out, in order. */
    readonly eventsOf: (
      id: PaymentId.PaymentId,
      only?: "waiting",
    ) => Read<ReadonlyArray<Event.Event>>
    /** Announces an event that no other write announces: it is in the feed, and waits to be fanned out. */
    readonly announce: (event: Event.TestEvent) => Read<void>
    /** The ids of a tenant's events in a period, `before` excluded: at most `limit`, oldest first. */
    readonly eventIds: (
      tenant: Tenant,
      time: { readonly from: number; readonly before: number },
      limit: number,
    ) => Read<ReadonlyArray<string>>
    /**
     * Fans out at most `limit` of the oldest events that wait for it. Runs `decide` on each event, every enabled
     * endpoint of its tenant, and the partner, as they are now. Writes the deliveries and marks the events as fanned
     * out. Returns the number of events.
     */
    readonly fanOut: (
      limit: number,
      decide: (
        event: Event.Notice,
        endpoint: Webhook.Endpoint,
        partner: Merchant.Partner,
      ) => Webhook.Delivery | null,
    ) => Read<number>
    /**
     * Writes a webhook endpoint over any existing one, if `decide` allows it next to the tenant's enabled endpoints. If
     * two are written at the same time, the second is decided after the first is written.
     */
    readonly putEndpoint: <E = never>(
      endpoint: Webhook.Endpoint,
      decide?: (called: ReadonlyArray<Webhook.Endpoint>) => Result.Result<void, E>,
    ) => Effect.Effect<void, E | StorageUnavailable>
    /** Runs `decide` on the current endpoint, and writes what it returns. */
    readonly modifyEndpoint: <E>(
      tenant: Tenant,
      id: Webhook.EndpointId,
      decide: (current: Webhook.Endpoint) => Result.Result<Webhook.Endpoint, E>,
    ) => Effect.Effect<Webhook.Endpoint, E | NotFound | StorageUnavailable>
    /** The endpoints of a tenant or of all, the enabled ones, or the one with an id if it exists; oldest first. */
    readonly endpoints: (
      tenant: Tenant | null,
      only?: "enabled" | { readonly id: Webhook.EndpointId },
    ) => Read<ReadonlyArray<Webhook.Endpoint>>
    /** The deliveries to an endpoint; `after` is the last one of the previous page. */
    readonly deliveries: (
      endpointId: Webhook.EndpointId,
      limit: number,
      after?: Webhook.DeliveryId | null,
    ) => Read<ReadonlyArray<ListedDelivery>>
    /** The deliveries among these that exist, each once, in any order. */
    readonly deliveriesById: (
      ids: ReadonlyArray<Webhook.DeliveryId>,
    ) => Read<ReadonlyArray<Webhook.Delivery>>
    /** Leases due deliveries, in turns: partners are the groups, and their endpoints the queues. */
    readonly claimDeliveries: (options: ClaimOptions) => Read<ReadonlyArray<ClaimedDelivery>>
    /** Writes the result of a delivery, if its fence is still valid. */
    readonly finishDelivery: (
      delivery: Webhook.Delivery,
      fence: number,
    ) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /**
     * What is pending for each enabled endpoint, in any order; endpoints without pending deliveries are left out. The
     * first `pendingMax` of each are counted, in the order in which they can be claimed.
     */
    readonly pending: Read<ReadonlyArray<Pending>>
    /**
     * Runs `decide` on the deliveries that exist, in the order of their ids in the list, and writes all of what it
     * returns or nothing. For null it writes nothing. Returns what was written.
     */
    readonly replayDeliveries: (
      ids: ReadonlyArray<Webhook.DeliveryId>,
      decide: (current: Webhook.Delivery) => Webhook.Delivery | null,
    ) => Read<ReadonlyArray<Webhook.Delivery>>
  }
>()("@florin/core/ports/Outbox") {}
