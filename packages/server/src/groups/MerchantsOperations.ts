/**
 * Merchants over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Merchants"
import * as StatementCsv from "@florin/core/domain/StatementCsv"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Statements from "@florin/core/engine/Statements"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as MerchantView from "../views/MerchantView.ts"
import * as StatementView from "../views/StatementView.ts"

export const operations = Operation.partner(Contract.group, {
  create: (call, body) =>
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

  list: (call) =>
    Effect.map(Merchants.list(call.tenant, call.query), ({ items, nextCursor, totalCount }) =>
      Operation.ok({ merchants: items.map(MerchantView.merchant), totalCount, nextCursor }),
    ),

  get: (call) =>
    Effect.map(Merchants.get(call.tenant, call.param("merchantId")), ({ destinations, merchant }) =>
      Operation.ok({
        merchant: {
          ...MerchantView.merchant(merchant),
          settlements: MerchantView.settlements(destinations),
        },
      }),
    ),

  update: (call, body) =>
    Effect.map(
      Merchants.update(call.tenant, call.param("merchantId"), {
        ...(body.merchantName !== undefined && { name: body.merchantName }),
        ...(body.merchantEmail !== undefined && { email: body.merchantEmail }),
        ...(body.iconUrl !== undefined && { iconUrl: body.iconUrl }),
      }),
      (merchant) => Operation.ok({ merchant: MerchantView.merchant(merchant) }),
    ),

  statement: ({ display, param, query, tenant }) =>
    Effect.map(Statements.ofMerchant(tenant, param("merchantId"), query), (told) => {
      const body = StatementView.statement(told, display)
      return query.format === "csv"
        ? { ...Operation.ok(body), csv: StatementCsv.write(body) }
        : Operation.ok(body)
    }),

  remove: (call) =>
    Effect.map(Merchants.remove(call.tenant, call.param("merchantId")), ({ id }) =>
      Operation.ok({ id, deleted: true } as const),
    ),
})
