/**
 * Approvals: what waits for a second person.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Approval from "../wire/Approval.ts"

const params = { id: Approval.Approval.fields.id }

export const group = Endpoint.group(
  "approvals",
  "Requests that wait for a second person",
  Endpoint.get("list", "/v1/approvals", {
    ...Approval.calls.list,
    headers: Headers.common,
  }),
  Endpoint.post("approve", "/v1/approvals/:id/approve", {
    ...Approval.calls.approve,
    params,
    headers: Headers.session,
  }),
  Endpoint.post("decline", "/v1/approvals/:id/decline", {
    ...Approval.calls.decline,
    params,
    headers: Headers.session,
  }),
)
