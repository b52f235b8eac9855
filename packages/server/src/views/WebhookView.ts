/**
 * Webhooks as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Webhook"
import type * as Family from "@florin/core/domain/chain/Family"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Events from "@florin/core/engine/Events"
import type * as PaymentDeliveries from "@florin/core/engine/PaymentDeliveries"
import type { ListedDelivery } from "@florin/core/ports/Outbox"
import * as EventView from "./EventView.ts"
import * as TimeView from "./TimeView.ts"

export const webhook = ({
  createdAt,
  disabledAt,
  id,
  types,
  url,
  version,
}: Webhook.Listed): Wire.Webhook => ({
  id,
  url,
  types: types === "all" ? null : types,
  version: version ?? null,
  createdAt: TimeView.iso(createdAt),
  disabledAt: TimeView.isoOrNull(disabledAt),
})

export const webhookWithSecret = ({ endpoint, secret }: Events.WithSecret): Wire.WithSecret => ({
  webhook: webhook(endpoint),
  secret,
})

/** A webhook of any partner, for the operator. */
export const owned = (endpoint: Webhook.Listed): Wire.Owned => ({
  ...webhook(endpoint),
  partnerId: endpoint.partnerId,
  mode: endpoint.mode,
})

export const ownedWithSecret = ({ endpoint, secret }: Events.WithSecret): Wire.OwnedWithSecret => ({
  webhook: owned(endpoint),
  secret,
})

const states = { pending: "pending", delivered: "delivered", givenUp: "given_up" } as const

export const delivery = ({
  attempts,
  dueAt,
  eventId,
  id,
  state,
  version,
}: Webhook.Delivery): Wire.Delivery => ({
  id,
  eventId,
  version,
  state: states[state],
  dueAt: TimeView.isoOrNull(dueAt),
  attempts: attempts.map(({ at, error, status }) => ({ at: TimeView.iso(at), status, error })),
})

export const listedDelivery = (each: ListedDelivery, known: Family.Known) => ({
  ...delivery(each.delivery),
  event: EventView.event(each.event, known),
})

/** With the webhook that it goes to. */
export const paymentDelivery = (
  each: PaymentDeliveries.Sent,
  known: Family.Known,
): Wire.PaymentDeliveries["deliveries"][number] => ({
  ...listedDelivery(each, known),
  webhookId: each.endpoint.id,
  // The rest of the URL may contain data that is for the receiver alone.
  host: URL.parse(each.endpoint.url)?.host ?? "?",
  isDisabled: each.endpoint.disabledAt !== null,
})
