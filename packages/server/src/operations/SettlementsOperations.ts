/**
 * Settlement destinations over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Settlements"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Effect from "effect/Effect"
import * as MerchantView from "../views/MerchantView.ts"
import * as Operation from "./Operation.ts"

export const partner = Operation.partner(Contract.group, {
  list: (call) =>
    Effect.map(Settlements.list(call.tenant, call.param("merchantId")), MerchantView.settlements),

  create: (call, { settlements }) =>
    Effect.map(
      Settlements.create({
        tenant: call.tenant,
        merchantId: call.param("merchantId"),
        settlements,
        idempotencyKey: call.idempotencyKey,
      }),
      ({ destinations, replayed }) =>
        Operation.once({ settlements: destinations.map(MerchantView.settlement) }, replayed),
    ),

  change: Effect.fnUntraced(function* (call, { destination, proof }) {
    const named = [call.tenant, call.param("merchantId"), call.param("id"), destination] as const
    return MerchantView.settlement(
      proof === undefined
        ? yield* Settlements.changeDestination(...named)
        : yield* Settlements.prove(...named, proof),
    )
  }),

  remove: (call) =>
    Effect.map(
      Settlements.remove(call.tenant, call.param("merchantId"), call.param("id")),
      Operation.deleted,
    ),
})
