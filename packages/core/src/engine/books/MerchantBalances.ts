/**
 * What merchants are owed now, by merchant and token.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Caip from "../../domain/chain/Caip.ts"
import * as MerchantBalance from "../../domain/list/MerchantBalance.ts"
import * as Page from "../../domain/list/Page.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import { AccountStore, findPartner, type Tenant } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"
import { Settings } from "../../ports/Settings.ts"

/** A page of the balances of a partner's merchants, deleted ones too. Balances of zero are left out. */
export const list = Effect.fn("MerchantBalances.list")(function* (
  tenant: Tenant,
  raw: MerchantBalance.Raw,
) {
  const { sealKey: key } = yield* Settings
  const catalog = yield* Assets
  const query = yield* Effect.fromResult(
    MerchantBalance.parse(raw, { key, scope: tenant, catalog }),
  )
  if (query === null) return { items: [], nextCursor: null }
  const now = yield* Clock.currentTimeMillis
  const accounts = yield* AccountStore
  const partner = yield* findPartner(accounts, tenant.partnerId)
  const limits = Merchant.limitsOf(partner, tenant.mode)
  const page = yield* (yield* LedgerStore).merchantBalances(tenant, query, { limits, now })
  const ids = [...new Set(page.items.map(({ merchantId }) => merchantId))]
  const found = yield* accounts.findMerchants({ _tag: "Ids", tenant, ids })
  const merchants = new Map(found.map((each) => [each.id, each]))
  const items = page.items.flatMap((sums) => {
    const merchant = merchants.get(sums.merchantId)
    if (merchant === undefined) return []
    const isFrozen = partner.frozenAt !== undefined || merchant.frozenAt !== undefined
    return [{ merchant, token: sums.token, balance: MerchantBalance.of(sums, isFrozen) }]
  })
  return {
    items,
    nextCursor: Page.nextCursor({ items, hasMore: page.hasMore }, ({ merchant, token }) =>
      MerchantBalance.encodeCursor(key, tenant, raw, { merchant, tokenKey: Caip.tokenKey(token) }),
    ),
  }
})
