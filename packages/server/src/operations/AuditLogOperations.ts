/**
 * The audit log over HTTP.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/AuditLog"
import * as OfOperator from "@florin/api/operator/AuditLog"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import * as Effect from "effect/Effect"
import * as AuditView from "../views/AuditView.ts"
import * as Members from "./Members.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

export const partner = Operation.partner(OfPartner.group, {
  list: ({ query, tenant }) =>
    Effect.map(AuditLog.list(tenant, query.cursor, query.limit), Operation.pageOf(AuditView.entry)),
})

export const operator = Operation.operator(OfOperator.group, {
  list: Effect.fnUntraced(function* ({ query: { action, cursor, limit, mode, ...query } }) {
    const partnerId = yield* Read.optional(query.partnerId, Read.partnerId)
    const since = yield* Read.optional(query.since, (text) => Read.time("since", text))
    const found = yield* AuditLog.list(
      Members.given({ partnerId, mode, action, since }),
      cursor,
      limit,
    )
    return Operation.pageOf(AuditView.owned)(found)
  }),
})
