/**
 * Merchants over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Merchants"
import type * as Wire from "@florin/api/wire/Merchant"
import * as StatementCsv from "@florin/core/domain/list/StatementCsv"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Statements from "@florin/core/engine/Statements"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as MerchantView from "../views/MerchantView.ts"
import * as StatementView from "../views/StatementView.ts"

/** A change in the domain's words. */
const patchOf = ({ merchantEmail, merchantName, ...face }: Wire.UpdateRequest): Merchant.Patch => ({
  ...(merchantName !== undefined && { name: merchantName }),
  ...(merchantEmail !== undefined && { email: merchantEmail }),
  ...face,
})

export const creating = (call: Operation.PartnerCall, body: Wire.CreateRequest) =>
  Effect.map(
    Merchants.create({
      ...patchOf(body),
      name: body.merchantName,
      email: body.merchantEmail,
      tenant: call.tenant,
      idempotencyKey: call.idempotencyKey,
    }),
    ({ merchant, replayed }) =>
      Operation.replyCreated({ merchant: MerchantView.merchant(merchant) }, replayed),
  )

export const operations = Operation.partner(Contract.group, {
  create: creating,

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
    Effect.map(Merchants.update(call.tenant, call.param("merchantId"), patchOf(body)), (merchant) =>
      Operation.ok({ merchant: MerchantView.merchant(merchant) }),
    ),

  statement: ({ display, param, query, tenant }) =>
    Effect.map(Statements.ofMerchant(tenant, param("merchantId"), query), (statement) => {
      const body = StatementView.statement(statement, display)
      return query.format === "csv"
        ? { ...Operation.ok(body), csv: StatementCsv.write(body) }
        : Operation.ok(body)
    }),

  remove: (call) =>
    Effect.map(Merchants.remove(call.tenant, call.param("merchantId")), ({ id }) =>
      Operation.ok({ id, deleted: true } as const),
    ),
})
