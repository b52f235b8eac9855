/**
 * Webhooks as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Webhook"
import type * as Family from "@florin/core/domain/chain/Family"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Events from "@florin/core/engine/notify/Events"
import type * as PaymentDeliveries from "@florin/core/engine/notify/PaymentDeliveries"
import type { ListedDelivery } from "@florin/core/ports/Outbox"
import * as EventView from "./EventView.ts"
import * as TimeView from "./TimeView.ts"

export const webhook = (endpoint: Webhook.Listed): Wire.Webhook => ({
  id: endpoint.id,
  url: endpoint.url,
  types: endpoint.types === "all" ? null : endpoint.types,
  version: endpoint.version ?? null,
  createdAt: TimeView.iso(endpoint.createdAt),
  disabledAt: TimeView.isoOrNull(endpoint.disabledAt),
})

/** A webhook of any partner, for the operator. */
export const owned = (endpoint: Webhook.Listed): Wire.Owned => ({
  ...webhook(endpoint),
  partnerId: endpoint.partnerId,
  mode: endpoint.mode,
})

/** With its secret, which is shown once. */
export const withSecret =
  <A>(view: (endpoint: Webhook.Listed) => A) =>
  ({ endpoint, secret }: Events.WithSecret) => ({ webhook: view(endpoint), secret })

const states = { pending: "pending", delivered: "delivered", givenUp: "given_up" } as const

export const delivery = (record: Webhook.Delivery): Wire.Delivery => ({
  id: record.id,
  eventId: record.eventId,
  version: record.version,
  state: states[record.state],
  dueAt: TimeView.isoOrNull(record.dueAt),
  attempts: record.attempts.map(({ at, error, status }) => ({
    at: TimeView.iso(at),
    status,
    error,
  })),
})

export const listedDelivery = (each: ListedDelivery, known: Family.Known) => ({
  ...delivery(each.delivery),
  event: EventView.event(each.event, known),
})

/** Only the host of the URL: the rest may contain data that is for the receiver alone. */
export const hostOf = ({ url }: Webhook.Listed): string => URL.parse(url)?.host ?? "?"

/** With the webhook that it goes to. */
export const paymentDelivery = (
  each: PaymentDeliveries.Sent,
  known: Family.Known,
): Wire.PaymentDeliveries["deliveries"][number] => ({
  ...listedDelivery(each, known),
  webhookId: each.endpoint.id,
  host: hostOf(each.endpoint),
  isDisabled: each.endpoint.disabledAt !== null,
})
