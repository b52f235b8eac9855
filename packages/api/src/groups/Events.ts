/**
 * Events: what happened, in order.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/Limits"
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
}).annotate(OpenApi.Summary, "What happened since a cursor, oldest first")

export const stream = HttpApiEndpoint.get("stream", "/v1/events/stream", {
  headers: Headers.stream,
  query: { cursor: Query.page.cursor },
  success: HttpApiSchema.StreamSse({ events: Event.Streamed }),
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "What happens, as it happens")
  .annotate(
    OpenApi.Description,
    `Server-sent events: those of the feed after \`Last-Event-ID\` or \`cursor\`, or else all, in the same order and with the same bodies, and then what happens. A comment comes every ${Limits.eventStreamHeartbeatInMs / 1000} s. The stream ends after ${Limits.eventStreamMaxInMs / 60_000} minutes, when its key ends, and when the process does: connect again with the last id. A partner can keep ${Limits.eventStreamsPerPartnerMax} open in each mode; one more sends a page of what is there, and ends.`,
  )

export const group = HttpApiGroup.make("events")
  .add(list, stream)
  .annotate(OpenApi.Description, "What happened")
