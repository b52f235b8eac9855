/**
 * The outbox: events of payments and destinations, webhook endpoints, and the deliveries of events to them.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Event from "../domain/Event.ts"
import type * as Merchant from "../domain/Merchant.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as Webhook from "../domain/Webhook.ts"
import type { Tenant } from "./AccountStore.ts"
import type { Found, LeaseLost, NotFound, Read, StorageUnavailable } from "./StorageError.ts"
import type { ClaimOptions } from "./Turns.ts"

/** One webhook delivery that is due, with what is needed to make it. */
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
  /** When the event of the one that was made first happened, as epoch milliseconds. */
  readonly oldestAt: number
}

/** Of each endpoint so many pending deliveries are counted at most, so that a look at a long queue stays cheap. */
export const pendingMax = 1000

/** A delivery, and what it tells. */
export interface ListedDelivery {
  readonly delivery: Webhook.Delivery
  readonly event: Event.Announced
}

export interface FeedEntry {
  /** Grows with every event of a tenant; where to go on from. */
  readonly sequence: number
  readonly event: Event.Announced
}

/**
 * Stores events, webhook endpoints and deliveries.
 *
 * Contract, besides that of every store in `Storage`:
 * - An event waits to be fanned out from the change that it is part of. It is fanned out once, with all of its deliveries
 *   or none of them, and after the earlier events of its payment, no matter how many processes fan out concurrently.
 * - An endpoint is told of a payment in order: a delivery is not leased while one of an earlier event of its payment to the
 *   same endpoint waits for its first attempt.
 * - A replayed delivery is taken from the worker that holds it.
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
    readonly eventsOf: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Event.Event>>
    /** Those of a payment's events that wait to be fanned out, in order. */
    readonly waitingEvents: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Event.Event>>
    /** Announces an event that no other write does: it is in the feed, and waits to be fanned out. */
    readonly announce: (event: Event.TestEvent) => Read<void>
    /** The ids of a tenant's events of a time, `before` excluded, oldest first and `limit` at most. */
    readonly eventIds: (
      tenant: Tenant,
      time: { readonly from: number; readonly before: number },
      limit: number,
    ) => Read<ReadonlyArray<string>>
    /**
     * Fans out the oldest events that wait for it, `limit` at most: runs `decide` on each of them and every endpoint of
     * its tenant that is called, with the partner, as they are now, and writes the deliveries, and that the events wait
     * no more. Returns how many events that were.
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
     * Writes a webhook endpoint over whatever is there, if `decide` lets it beside those of its tenant that are called.
     * Of two that are put at once, the second is decided after the first is written.
     */
    readonly putEndpoint: <E = never>(
      endpoint: Webhook.Endpoint,
      decide?: (called: ReadonlyArray<Webhook.Endpoint>) => Result.Result<void, E>,
    ) => Effect.Effect<void, E | StorageUnavailable>
    /** Runs `decide` on an endpoint as it is, and writes what it answers. */
    readonly modifyEndpoint: <E>(
      tenant: Tenant,
      id: Webhook.EndpointId,
      decide: (current: Webhook.Endpoint) => Result.Result<Webhook.Endpoint, E>,
    ) => Effect.Effect<Webhook.Endpoint, E | NotFound | StorageUnavailable>
    readonly endpoint: (tenant: Tenant, id: Webhook.EndpointId) => Found<Webhook.Endpoint>
    /** Oldest first, disabled ones too. */
    readonly endpoints: (tenant: Tenant) => Read<ReadonlyArray<Webhook.Endpoint>>
    readonly calledEndpoints: (tenant: Tenant) => Read<ReadonlyArray<Webhook.Endpoint>>
    /** Those to an endpoint; `after` is the last one of the page before. */
    readonly deliveries: (
      endpointId: Webhook.EndpointId,
      limit: number,
      after?: Webhook.DeliveryId | null,
    ) => Read<ReadonlyArray<ListedDelivery>>
    /** Those of the deliveries that there are, each once, in any order. */
    readonly deliveriesById: (
      ids: ReadonlyArray<Webhook.DeliveryId>,
    ) => Read<ReadonlyArray<Webhook.Delivery>>
    /** Leases due deliveries, in turns: partners are the groups, and their endpoints the queues. */
    readonly claimDeliveries: (options: ClaimOptions) => Read<ReadonlyArray<ClaimedDelivery>>
    /** Writes what became of a delivery, while its fence holds. */
    readonly finishDelivery: (
      delivery: Webhook.Delivery,
      fence: number,
    ) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /**
     * What is to be delivered to each endpoint that is called, in any order; endpoints for which nothing is are left out. The
     * first `pendingMax` of each are counted, by when they can be claimed.
     */
    readonly pending: Read<ReadonlyArray<Pending>>
    /**
     * Runs `decide` on those of the deliveries that there are, in the order of their ids in the list, and writes what it
     * returns: all of it or nothing, and nothing for null. Returns what was written.
     */
    readonly replayDeliveries: (
      ids: ReadonlyArray<Webhook.DeliveryId>,
      decide: (current: Webhook.Delivery) => Webhook.Delivery | null,
    ) => Read<ReadonlyArray<Webhook.Delivery>>
  }
>()("@florin/core/ports/Outbox") {}
