/**
 * The audit log over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/AuditLog"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"
import * as AuditLog from "@florin/core/engine/AuditLog"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Operation from "../Operation.ts"
import * as AuditView from "../views/AuditView.ts"
import * as Read from "./Read.ts"

const timeOf = (text: string): Result.Result<number, Invalid.InvalidInput> => {
  const at = Rfc3339.read(text)
  return at === undefined ? Invalid.fail("since", Rfc3339.rule) : Result.succeed(at)
}

export const operations = Operation.operator(Contract.group, {
  list: Effect.fnUntraced(function* ({ query }) {
    const { action, cursor, limit, mode, partnerId, since } = query
    const filter = {
      ...(partnerId !== undefined && {
        partnerId: yield* Effect.fromResult(Read.partnerId(partnerId)),
      }),
      ...(mode !== undefined && { mode }),
      ...(action !== undefined && { action }),
      ...(since !== undefined && { since: yield* Effect.fromResult(timeOf(since)) }),
    }
    const { items, nextCursor } = yield* AuditLog.list(filter, cursor, limit)
    return Operation.ok({ data: items.map(AuditView.owned), nextCursor })
  }),
})
