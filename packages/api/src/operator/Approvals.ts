/**
 * Approvals: what waits for a second person of the operator.
 *
 * @module
 */
import * as Approval from "../wire/Approval.ts"
import * as Endpoint from "./Endpoint.ts"

const params = { approvalId: Approval.Approval.fields.id }

export const group = Endpoint.group(
  "approvals",
  "Requests that wait for a second person",
  Endpoint.get("list", "/operator/v1/approvals", { ...Approval.calls.list, scope: "read" }),
  Endpoint.post("approve", "/operator/v1/approvals/:approvalId/approve", {
    ...Approval.calls.approve,
    scope: "read",
    action: "approval.approved",
    params,
  }),
  Endpoint.post("decline", "/operator/v1/approvals/:approvalId/decline", {
    ...Approval.calls.decline,
    scope: "read",
    action: "approval.declined",
    params,
  }),
)
