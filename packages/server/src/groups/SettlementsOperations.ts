/**
 * Settlement destinations over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Settlements"
import * as Wire from "@florin/api/wire/Settlement"
import * as Settlements from "@florin/core/engine/Settlements"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as MerchantView from "../views/MerchantView.ts"

const { of, withBody } = Operation.partner("settlements")

const list = of(Contract.list, (call) =>
  Effect.map(Settlements.list(call.tenant, call.param("merchantId")), (destinations) =>
    Operation.ok(MerchantView.settlements(destinations)),
  ),
)

const create = withBody(Contract.create, Wire.CreateRequest, (call, { settlements }) =>
  Effect.map(
    Settlements.create({
      tenant: call.tenant,
      merchantId: call.param("merchantId"),
      settlements,
      idempotencyKey: call.idempotencyKey,
    }),
    ({ destinations, replayed }) =>
      Operation.created({ settlements: destinations.map(MerchantView.settlement) }, replayed),
  ),
)

const change = withBody(Contract.change, Wire.ChangeRequest, (call, { destination }) =>
  Effect.map(
    Settlements.changeDestination(
      call.tenant,
      call.param("merchantId"),
      call.param("id"),
      destination,
    ),
    (changed) => Operation.ok(MerchantView.settlement(changed)),
  ),
)

const remove = of(Contract.remove, (call) =>
  Effect.map(
    Settlements.remove(call.tenant, call.param("merchantId"), call.param("id")),
    ({ id }) => Operation.ok({ id, deleted: true } as const),
  ),
)

export const operations = [list, create, change, remove]
