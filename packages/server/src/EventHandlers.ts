/**
 * Functions of the embedding application that receive events in its own process. The storage knows each as a webhook
 * endpoint with an address that exists in no network, so its events wait, are retried and are listed like those of any
 * endpoint.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Event"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Events from "@florin/core/engine/Events"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import { CallFailed } from "@florin/core/ports/WebhookTransport"
import type * as WebhookSender from "@florin/core/workers/WebhookSender"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as EventView from "./views/EventView.ts"

/** Resolves when the event is handled. If it rejects, it is called again with the same event. */
export type EventHandler = (event: Wire.OfType) => Promise<void> | void

/** The partner and mode whose events are handled, and a name that stays the same after every restart. */
export interface EventSource {
  readonly partnerId: string
  readonly mode: Mode.Mode
  readonly name: string
}

const isPartnerId = Schema.is(PartnerId.PartnerId)

const readPartnerId = (text: string) =>
  isPartnerId(text)
    ? Result.succeed(text)
    : Invalid.fail("partnerId", "must be the id of a partner, prtn_…")

/** Partners cannot register such an address over HTTP, as it belongs to a private network. */
const addressPrefix = "https://on-event.internal/"

export const isName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/u.test(name)

const missing = new CallFailed({
  message: "this process has no handler for it: call onEvent before workers.start()",
})
const rejected = new CallFailed({ message: "the handler rejected" })

export const make = () => {
  const handlers = new Map<Webhook.EndpointId, EventHandler>()
  return {
    /** Adds the endpoint for a handler; false if another handler of this process has it already. */
    add: Effect.fnUntraced(function* (
      { mode, name, partnerId: text }: EventSource,
      handler: EventHandler,
    ) {
      const partnerId = yield* Effect.fromResult(readPartnerId(text))
      yield* findPartner(yield* AccountStore, partnerId)
      const { id } = yield* Events.requireEndpoint({ partnerId, mode }, `${addressPrefix}${name}`, {
        allowPrivate: true,
      })
      if (handlers.has(id)) return false
      handlers.set(id, handler)
      return true
    }),
    take:
      (catalog: Catalog.Catalog): WebhookSender.Take =>
      ({ id, url }, event) => {
        const handler = handlers.get(id)
        if (handler === undefined) {
          return url.startsWith(addressPrefix) ? Effect.fail(missing) : null
        }
        return Effect.tryPromise(async () => handler(EventView.event(event, catalog))).pipe(
          Effect.tapError(({ cause }) =>
            Effect.logWarning("an event's handler rejected", { event: event.id, cause }),
          ),
          Effect.mapError(() => rejected),
        )
      },
  }
}
