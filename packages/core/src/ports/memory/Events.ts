/**
 * Events, webhook endpoints and deliveries, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Webhook from "../../domain/notify/Webhook.ts"
import type * as Merchant from "../../domain/partner/Merchant.ts"
import * as Event from "../../domain/payment/Event.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import type * as Refund from "../../domain/payment/Refund.ts"
import type { Tenant } from "../AccountStore.ts"
import { type FeedEntry, type ListedDelivery, Outbox, pendingMax } from "../Outbox.ts"
import { LeaseLost } from "../StorageError.ts"
import { atomic, requireFound, isTenants } from "./Rows.ts"
import { WorkQueue } from "./WorkQueue.ts"

export const make = (partners: ReadonlyMap<PartnerId.PartnerId, Merchant.Partner>) => {
  const events = new Map<PaymentId.PaymentId, ReadonlyArray<Event.Event>>()
  const all: Array<FeedEntry> = []
  /** Events that wait to be fanned out. */
  const outbox: Array<Event.Announced> = []
  const endpoints = new Map<Webhook.EndpointId, Webhook.Endpoint>()
  const deliveries = new Map<string, ListedDelivery>()
  const deliveryWork = new WorkQueue()

  const feed = (event: Event.Announced): void => {
    all.push({ sequence: all.length + 1, event })
    outbox.push(event)
  }

  const feedOf = (tenant: Tenant): ReadonlyArray<FeedEntry> =>
    all.filter(({ event }) => isTenants(tenant, Event.tenantOf(event)))

  const deliveriesOf = (endpointId: Webhook.EndpointId) =>
    [...deliveries.values()].filter(({ delivery }) => delivery.endpointId === endpointId)

  const announce = (
    payment: Payment.Payment,
    type: Event.PaymentEventType,
    refundId: Refund.RefundId | undefined,
  ): void => {
    const event = Event.make(type, payment, refundId)
    events.set(payment.id, [...(events.get(payment.id) ?? []), event])
    feed(event)
  }

  const endpointsOf = (tenant: Tenant | null): ReadonlyArray<Webhook.Endpoint> =>
    [...endpoints.values()].filter((each) => tenant === null || isTenants(tenant, each))

  const calledOf = (tenant: Tenant | null): ReadonlyArray<Webhook.Endpoint> =>
    endpointsOf(tenant).filter((each) => each.disabledAt === null)

  const put = ({ delivery, event }: ListedDelivery): void => {
    const { dueAt, endpointId, id } = delivery
    deliveries.set(id, { delivery, event })
    deliveryWork.set(id, dueAt, {
      group: endpoints.get(endpointId)?.partnerId ?? "-",
      member: endpointId,
    })
  }

  /** Whether all earlier events of the same payment were attempted at the endpoint. */
  const isNext = (id: string): boolean => {
    const own = deliveries.get(id)
    if (own === undefined || !Event.isOfPayment(own.event)) return true
    const { delivery, event } = own
    return (events.get(event.payment.id) ?? []).every((earlier) => {
      if (earlier.stateVersion >= event.stateVersion) return true
      const before = deliveries.get(Webhook.deliveryId(delivery.endpointId, earlier.id))?.delivery
      return before === undefined || before.dueAt === null || before.attempts.length > 0
    })
  }

  const store = Outbox.of({
    events: (tenant, after, limit) =>
      Effect.sync(() =>
        feedOf(tenant)
          .filter((each) => each.sequence > after)
          .slice(0, limit),
      ),
    eventsOf: (id, only) =>
      Effect.sync(() =>
        (events.get(id) ?? []).filter((each) => only === undefined || outbox.includes(each)),
      ),
    announce: (event) => Effect.sync(() => feed(event)),
    eventIds: (tenant, { before, from }, limit) =>
      Effect.sync(() =>
        feedOf(tenant)
          .filter(({ event: { createdAt } }) => createdAt >= from && createdAt < before)
          .slice(0, limit)
          .map(({ event }) => event.id),
      ),
    fanOut: (limit, decide) =>
      Effect.sync(() => {
        const taken = outbox.slice(0, limit)
        const made = taken.flatMap((event) => {
          const tenant = Event.tenantOf(event)
          const partner = partners.get(tenant.partnerId)
          if (partner === undefined) return []
          return calledOf(tenant).flatMap((endpoint) => {
            const delivery = decide(event, endpoint, partner)
            return delivery === null ? [] : [{ delivery, event }]
          })
        })
        outbox.splice(0, taken.length)
        for (const each of made) put(each)
        return taken.length
      }),
    putEndpoint: (endpoint, decide = () => Result.void) =>
      atomic(() =>
        Result.map(decide(calledOf(endpoint)), () => {
          endpoints.set(endpoint.id, endpoint)
        }),
      ),
    modifyEndpoint: (tenant, id, decide) =>
      atomic(() => {
        const known = endpointsOf(tenant).find((each) => each.id === id)
        return Result.map(Result.flatMap(requireFound("webhook", known), decide), (changed) => {
          endpoints.set(id, changed)
          return changed
        })
      }),
    endpoints: (tenant, only) =>
      Effect.sync(() =>
        only === "enabled"
          ? calledOf(tenant)
          : endpointsOf(tenant).filter(({ id }) => only === undefined || id === only.id),
      ),
    deliveries: (endpointId, limit, after = null) =>
      Effect.sync(() =>
        deliveriesOf(endpointId)
          .toReversed()
          .filter(
            (_, place, found) =>
              after === null || place > found.findIndex(({ delivery }) => delivery.id === after),
          )
          .slice(0, limit),
      ),
    deliveriesById: (ids) =>
      Effect.sync(() =>
        [...new Set(ids)].flatMap((id) => {
          const known = deliveries.get(id)
          return known === undefined ? [] : [known.delivery]
        }),
      ),
    claimDeliveries: (options) =>
      Effect.sync(() =>
        deliveryWork.claim(options, isNext).flatMap(({ fence, key: id }) => {
          const known = deliveries.get(id)
          const endpoint =
            known === undefined ? undefined : endpoints.get(known.delivery.endpointId)
          return known === undefined || endpoint === undefined
            ? []
            : [{ ...known, endpoint, fence }]
        }),
      ),
    pending: Effect.sync(() =>
      [...endpoints.values()].flatMap(({ disabledAt, id: endpointId }) => {
        const pending = deliveriesOf(endpointId).flatMap(({ delivery, event }) =>
          delivery.dueAt === null ? [] : [event],
        )
        const [oldest] = pending
        return oldest === undefined || disabledAt !== null
          ? []
          : [
              {
                endpointId,
                count: Math.min(pending.length, pendingMax),
                oldestAt: oldest.createdAt,
              },
            ]
      }),
    ),
    finishDelivery: (delivery, fence) =>
      atomic(() => {
        const known = deliveries.get(delivery.id)
        if (known === undefined || !deliveryWork.isHeld(delivery.id, fence)) {
          return Result.fail(LeaseLost.of())
        }
        put({ delivery, event: known.event })
        return Result.void
      }),
    replayDeliveries: (ids, decide) =>
      Effect.sync(() =>
        ids.flatMap((id) => {
          const known = deliveries.get(id)
          const delivery = known === undefined ? null : decide(known.delivery)
          if (known === undefined || delivery === null) return []
          put({ delivery, event: known.event })
          return [delivery]
        }),
      ),
  })
  const changes = () =>
    all.flatMap(({ event }) => (event.type === Event.destinationChanged ? [event] : []))
  return { store, announce, feed, changes }
}

/** What payments need of the outbox. */
export type Events = ReturnType<typeof make>
