/**
 * Merchants over HTTP: of a partner, and of all partners for the operator.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Merchants"
import * as OfOperator from "@florin/api/operator/Merchants"
import type * as Wire from "@florin/api/wire/Merchant"
import * as StatementCsv from "@florin/core/domain/list/StatementCsv"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as MerchantBalances from "@florin/core/engine/books/MerchantBalances"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Statements from "@florin/core/engine/books/Statements"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import * as BalanceView from "../views/BalanceView.ts"
import * as MerchantView from "../views/MerchantView.ts"
import * as StatementView from "../views/StatementView.ts"
import * as Fees from "./Fees.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

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
      Operation.once({ merchant: MerchantView.merchant(merchant) }, replayed),
  )

export const partner = Operation.partner(OfPartner.group, {
  create: creating,

  list: (call) =>
    Effect.map(Merchants.list(call.tenant, call.query), ({ items, nextCursor, totalCount }) => ({
      merchants: items.map(MerchantView.merchant),
      totalCount,
      nextCursor,
    })),

  get: (call) =>
    Effect.map(
      Merchants.get(call.tenant, call.param("merchantId")),
      ({ destinations, merchant }) => ({
        merchant: {
          ...MerchantView.merchant(merchant),
          settlements: MerchantView.settlements(destinations),
        },
      }),
    ),

  update: (call, body) =>
    Effect.map(
      Merchants.update(call.tenant, call.param("merchantId"), patchOf(body)),
      (merchant) => ({ merchant: MerchantView.merchant(merchant) }),
    ),

  statement: ({ display, param, query, tenant }) =>
    Effect.map(Statements.ofMerchant(tenant, param("merchantId"), query), (statement) => {
      const body = StatementView.statement(statement, display)
      return query.format === "csv"
        ? new Operation.Reply(body, { csv: StatementCsv.write(body) })
        : body
    }),

  remove: (call) =>
    Effect.map(Merchants.remove(call.tenant, call.param("merchantId")), Operation.deleted),
})

/** The merchant in the path, with its owner. */
const named = ({ param }: Operation.OperatorCall) =>
  Effect.map(Merchants.find(param("merchantId")), (merchant) => {
    const { id, mode, partnerId } = merchant
    return { id, merchant, tenant: { partnerId, mode } }
  })

const measure = (name: Merchant.Measure) => (call: Operation.OperatorCall) =>
  Effect.flatMap(named(call), ({ id, tenant }) =>
    Effect.map(Merchants.take(tenant, id, name), MerchantView.owned),
  )

export const operator = Operation.operator(OfOperator.group, {
  list: Effect.fnUntraced(function* ({ query: { mode = null, partnerId: owner, ...query } }) {
    const partnerId = (yield* Read.optional(owner, Read.partnerId)) ?? null
    const { items, ...page } = yield* Merchants.list({ mode, partnerId }, query)
    return { merchants: items.map(MerchantView.owned), ...page }
  }),

  waiting: Effect.fnUntraced(function* ({ query: { cursor, limit } }) {
    const { items, nextCursor } = yield* Merchants.listWaiting(limit, cursor)
    return { merchants: items.map(MerchantView.waiting), nextCursor }
  }),

  get: Effect.fnUntraced(function* (call) {
    const { id, merchant } = yield* named(call)
    const settlements = MerchantView.settlements(yield* Merchants.destinationsOf(id))
    return { ...MerchantView.owned(merchant), settlements }
  }),

  approve: Effect.fnUntraced(function* (call, { iconUrl = null, name, supportEmail, supportUrl }) {
    const { id, tenant } = yield* named(call)
    const seen = {
      name,
      iconUrl,
      ...(typeof supportEmail === "string" && { supportEmail }),
      ...(typeof supportUrl === "string" && { supportUrl }),
    }
    return MerchantView.owned(yield* Merchants.approve(tenant, id, seen))
  }),

  change: Effect.fnUntraced(function* (call, { fees, name, payouts, status }) {
    const { id, tenant } = yield* named(call)
    const change = {
      name,
      status,
      fees: fees && (yield* Effect.fromResult(Fees.read(fees, yield* Assets))),
      payouts:
        typeof payouts === "string"
          ? yield* Effect.fromResult(PayoutPolicy.parse(payouts))
          : payouts,
    }
    return MerchantView.owned(yield* Merchants.changeAsOperator(tenant, id, change))
  }),

  suspend: measure("suspend"),
  resume: measure("resume"),
  freeze: measure("freeze"),
  unfreeze: measure("unfreeze"),

  confirmDestination: Effect.fnUntraced(function* (call, { destination }) {
    const { id, tenant } = yield* named(call)
    const settlementId = call.param("settlementId")
    return MerchantView.settlement(
      yield* Settlements.confirm(tenant, id, settlementId, destination),
    )
  }),

  destinationHistory: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    return MerchantView.history(yield* Settlements.history(tenant, id))
  }),

  balances: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    const page = yield* MerchantBalances.list(tenant, { ...call.query, merchantId: id })
    return BalanceView.merchants(page, call.display)
  }),

  statement: Effect.fnUntraced(function* (call) {
    const { id, tenant } = yield* named(call)
    const found = yield* Statements.ofMerchant(tenant, id, call.query)
    return StatementView.statement(found, call.display)
  }),
})
