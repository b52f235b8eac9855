/**
 * Events: what happened, in order.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Query from "../Query.ts"
import * as Event from "../wire/Event.ts"

export const group = Endpoint.group(
  "events",
  "Events, as a feed and as a stream",
  Endpoint.get("list", "/v1/events", {
    summary: "List events after a cursor, oldest first",
    description:
      "`nextCursor` is always there: store it, and send it as `cursor` to get the events after it.",
    headers: Headers.common,
    query: Query.page,
    success: Event.Page,
  }),
  Endpoint.get("stream", "/v1/events/stream", {
    summary: "Stream events as they happen",
    description: `Server-sent events. The stream starts after \`Last-Event-ID\` or \`cursor\`, or with the first event. It has the same events in the same order as the feed, and sends each new event as it happens. A comment keeps the connection alive every ${Limits.eventStreamHeartbeatInMs / 1000} s. The stream ends after ${Limits.eventStreamMaxInMs / 60_000} minutes, when its key is revoked and when the process stops. Then connect again with the last id. A partner can have ${Limits.eventStreamsPerPartnerMax} streams open in each mode. One more stream sends a page of existing events, and ends.`,
    headers: Headers.stream,
    query: { cursor: Query.page.cursor },
    success: HttpApiSchema.StreamSse({ events: Event.Streamed }),
  }),
)
