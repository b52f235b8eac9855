/**
 * Events over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Events"
import * as Event from "@florin/core/domain/Event"
import * as Events from "@florin/core/engine/Events"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as Query from "../Query.ts"

const list = Operation.partner("events").of(Contract.list, (call) =>
  Effect.gen(function* () {
    const values = yield* Effect.fromResult(Query.ones(call.query, ["cursor", "limit"]))
    const { hasMore, items, nextCursor } = yield* Events.feed(
      call.tenant,
      values["cursor"],
      values["limit"],
    )
    return Operation.ok({ data: items.map(Event.toWire), nextCursor, hasMore })
  }),
)

export const operations = [list]
