/**
 * Approvals: what waits for a second person of the operator.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Problem from "../Problem.ts"
import * as Approval from "../wire/Approval.ts"
import * as Endpoint from "./Endpoint.ts"

const params = { approvalId: Approval.Approval.fields.id }
const error = Problem.errors("not_found", "invalid_state")

const list = HttpApiEndpoint.get("list", "/operator/v1/approvals", {
  success: Approval.List,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List requests that wait for a second person",
    description: Approval.texts.list,
  }),
)

const approve = HttpApiEndpoint.post("approve", "/operator/v1/approvals/:approvalId/approve", {
  params,
  success: Approval.Decided,
  error,
}).pipe(
  Endpoint.write({
    scope: "read",
    action: "approval.approved",
    summary: "Approve a request of another person",
    description: Approval.texts.approve,
  }),
)

const decline = HttpApiEndpoint.post("decline", "/operator/v1/approvals/:approvalId/decline", {
  params,
  success: Approval.Decided,
  error,
}).pipe(
  Endpoint.write({
    scope: "read",
    action: "approval.declined",
    summary: "Decline a request",
    description: Approval.texts.decline,
  }),
)

export const group = Endpoint.group(
  "approvals",
  "Requests that wait for a second person",
  list,
  approve,
  decline,
)
