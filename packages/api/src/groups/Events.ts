/**
 * Events: what happened, in order.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Event from "../wire/Event.ts"

export const list = HttpApiEndpoint.get("list", "/v1/events", {
  headers: Headers.common,
  query: Query.page,
  success: Event.Page,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List events after a cursor, oldest first")
  .annotate(
    OpenApi.Description,
    "`nextCursor` is always there: store it, and send it as `cursor` to get the events after it.",
  )

export const stream = HttpApiEndpoint.get("stream", "/v1/events/stream", {
  headers: Headers.stream,
  query: { cursor: Query.page.cursor },
  success: HttpApiSchema.StreamSse({ events: Event.Streamed }),
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "Stream events as they happen")
  .annotate(
    OpenApi.Description,
    `Server-sent events. The stream starts after \`Last-Event-ID\` or \`cursor\`, or with the first event. It has the same events in the same order as the feed, and sends each new event as it happens. A comment keeps the connection alive every ${Limits.eventStreamHeartbeatInMs / 1000} s. The stream ends after ${Limits.eventStreamMaxInMs / 60_000} minutes, when its key is revoked and when the process stops. Then connect again with the last id. A partner can have ${Limits.eventStreamsPerPartnerMax} streams open in each mode. One more stream sends a page of existing events, and ends.`,
  )

export const group = HttpApiGroup.make("events")
  .add(list, stream)
  .annotate(OpenApi.Description, "Events, as a feed and as a stream")
