/**
 * Events: what happened, in order.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
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

export const group = HttpApiGroup.make("events")
  .add(list)
  .annotate(OpenApi.Description, "What happened")
