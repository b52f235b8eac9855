/**
 * What waits for a second person of the operator, over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Approvals"
import * as Approvals from "../Approvals.ts"
import * as Operation from "../Operation.ts"

export const operations = Operation.operator(Contract.group, {
  list: Approvals.list,
  approve: (call) => Approvals.approve(call, call.param("approvalId")),
  decline: (call) => Approvals.decline(call, call.param("approvalId")),
})
