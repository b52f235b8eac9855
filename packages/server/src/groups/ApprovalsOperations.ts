/**
 * What waits for a second person, over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Approvals"
import * as Approvals from "../Approvals.ts"
import * as Operation from "../Operation.ts"

export const operations = Operation.partner(Contract.group, {
  list: Approvals.list,
  approve: (call) => Approvals.approve(call, call.param("id")),
  decline: (call) => Approvals.decline(call, call.param("id")),
})
