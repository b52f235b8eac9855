/**
 * What needs the operator now.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Problem from "../Problem.ts"
import * as Status from "../wire/Status.ts"
import * as Endpoint from "./Endpoint.ts"

const get = HttpApiEndpoint.get("get", "/operator/v1/status", {
  success: Status.Status,
  error: Problem.errors(),
}).annotateMerge(
  Endpoint.read({
    scope: "read",
    summary: "Get what waits, fails, costs or is owed, and whether a person must act",
    description:
      "Each finding has the commands that help. It takes a few seconds at most: a part that does not respond is a finding.",
  }),
)

export const group = Endpoint.group("status", "What needs your attention", get)
