/**
 * Merchants over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Merchants"
import * as Wire from "@florin/api/wire/Merchant"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as Query from "../Query.ts"
import * as MerchantView from "../views/MerchantView.ts"

const { of, withBody } = Operation.partner("merchants")

const create = withBody(Contract.create, Wire.CreateRequest, (call, body) =>
  Effect.map(
    Merchants.create({
      tenant: call.tenant,
      name: body.merchantName,
      email: body.merchantEmail,
      iconUrl: body.iconUrl,
      idempotencyKey: call.idempotencyKey,
    }),
    ({ merchant, replayed }) =>
      Operation.created({ merchant: MerchantView.merchant(merchant) }, replayed),
  ),
)

const list = of(Contract.list, (call) =>
  Effect.gen(function* () {
    const values = yield* Effect.fromResult(
      Query.ones(call.query, ["status", "search", "cursor", "limit"]),
    )
    const { items, nextCursor, totalCount } = yield* Merchants.list(call.tenant, {
      status: values["status"],
      search: values["search"],
      cursor: values["cursor"],
      limit: values["limit"],
    })
    return Operation.ok({ merchants: items.map(MerchantView.merchant), totalCount, nextCursor })
  }),
)

const get = of(Contract.get, (call) =>
  Effect.map(Merchants.get(call.tenant, call.param("merchantId")), ({ destinations, merchant }) =>
    Operation.ok({
      merchant: {
        ...MerchantView.merchant(merchant),
        settlements: MerchantView.settlements(destinations),
      },
    }),
  ),
)

const update = withBody(Contract.update, Wire.UpdateRequest, (call, body) =>
  Effect.map(
    Merchants.update(call.tenant, call.param("merchantId"), {
      ...(body.merchantName !== undefined && { name: body.merchantName }),
      ...(body.merchantEmail !== undefined && { email: body.merchantEmail }),
      ...(body.iconUrl !== undefined && { iconUrl: body.iconUrl }),
    }),
    (merchant) => Operation.ok({ merchant: MerchantView.merchant(merchant) }),
  ),
)

const remove = of(Contract.remove, (call) =>
  Effect.map(Merchants.remove(call.tenant, call.param("merchantId")), ({ id }) =>
    Operation.ok({ id, deleted: true } as const),
  ),
)

export const operations = [create, list, get, update, remove]
