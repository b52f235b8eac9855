/**
 * What needs the operator now.
 *
 * @module
 */
import * as Mode from "../wire/Mode.ts"
import * as Status from "../wire/Status.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "status",
  "What needs your attention",
  Endpoint.get("get", "/operator/v1/status", {
    scope: "read",
    summary: "Get what waits, fails, costs or is owed, and whether a person must act",
    description:
      "Each finding has what helps: a command, and the operation of this API that does the same. It takes a few seconds at most: a part that does not respond is a finding.",
    success: Status.Status,
  }),
  Endpoint.get("stuck", "/operator/v1/stuck", {
    scope: "read",
    summary: "List what is stuck, with what decides about each",
    description:
      "The list has stopped chains and tokens; outflows that are held or wait with a reason, and shares that wait for a change of their destination, oldest first; and unclaimed money of at least one unit of its token.",
    query: Mode.filter,
    success: Status.Stuck,
  }),
)
