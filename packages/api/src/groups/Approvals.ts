/**
 * Approvals: what waits for a second person.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Approval from "../wire/Approval.ts"

const params = { id: Approval.Approval.fields.id }
const error = Problem.errors("not_found", "invalid_state")
const headers = Headers.session

export const list = HttpApiEndpoint.get("list", "/v1/approvals", {
  headers: Headers.common,
  success: Approval.List,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List requests that wait for a second person")
  .annotate(OpenApi.Description, Approval.texts.list)

export const approve = HttpApiEndpoint.post("approve", "/v1/approvals/:id/approve", {
  params,
  headers,
  success: Approval.Decided,
  error,
})
  .annotate(OpenApi.Summary, "Approve a request of another person")
  .annotate(OpenApi.Description, Approval.texts.approve)

export const decline = HttpApiEndpoint.post("decline", "/v1/approvals/:id/decline", {
  params,
  headers,
  success: Approval.Decided,
  error,
})
  .annotate(OpenApi.Summary, "Decline a request")
  .annotate(OpenApi.Description, Approval.texts.decline)

export const group = HttpApiGroup.make("approvals")
  .add(list, approve, decline)
  .annotate(OpenApi.Description, "Requests that wait for a second person")
