/**
 * Events over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Events"
import * as Events from "@florin/core/engine/notify/Events"
import * as EventStream from "@florin/core/engine/notify/EventStream"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ServerSentEvents } from "../edge/ServerSentEvents.ts"
import * as EventView from "../views/EventView.ts"
import * as Operation from "./Operation.ts"

export const partner = Operation.partner(Contract.group, {
  list: ({ display, query, tenant }) =>
    Effect.map(
      Events.feed(tenant, query.cursor, query.limit),
      ({ hasMore, items, nextCursor }) => ({
        data: items.map((each) => EventView.event(each, display.catalog)),
        nextCursor,
        hasMore,
      }),
    ),
  stream: ({ display, lastEventId, query, tenant }) =>
    Effect.map(
      EventStream.open(tenant, lastEventId ?? query.cursor),
      (entries) =>
        new ServerSentEvents(
          Stream.map(entries, ({ cursor, event }) => ({
            id: cursor,
            data: EventView.event(event, display.catalog),
          })),
        ),
    ),
})
