/**
 * Statements of merchants.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Statement from "../../domain/list/Statement.ts"
import type { Tenant } from "../../ports/AccountStore.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"
import * as Merchants from "../partner/Merchants.ts"

/** The statement of a merchant, also if it is deleted: over whole days in UTC, token by token. */
export const ofMerchant = Effect.fn("Statements.ofMerchant")(function* (
  tenant: Tenant,
  merchantId: string,
  days: Statement.Days,
) {
  const period = yield* Effect.fromResult(Statement.parsePeriod(days))
  const merchant = yield* Merchants.getWithDeleted(tenant, merchantId)
  const tokens = yield* (yield* LedgerStore).statement(tenant.mode, merchant.id, period)
  return { merchant, days, tokens }
})
